/** The command `hindcast mcp gate`: records and gates a client's requests to an MCP server. */
import { Args, Command, Options } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import * as Gate from "../../kernel/gate/Gate.ts"
import * as GateFile from "../../kernel/gate/GateFile.ts"
import * as Gateway from "../../mcp/Gateway.ts"
import * as ServerProcess from "../../mcp/server/ServerProcess.ts"
import { BadInput } from "../command/BadInput.ts"
import { common, flag, optionalText, wholeNumber } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ProtocolStreams from "../command/ProtocolStreams.ts"
import * as ServerUrl from "../plugin/ServerUrl.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"
import * as GateCheck from "./GateCheck.ts"
import * as GateReplay from "./GateReplay.ts"
import * as ServerName from "./ServerName.ts"

/** Neither the client nor the user ended it. */
export class GatewayFailed extends Data.TaggedError("GatewayFailed")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

/** Below the minute that many clients wait for a call, in seconds. */
const WAIT_S = 45

const CALL_S = 600

const TARGETS =
  "the command of an MCP server after --, such as -- npx -y @modelcontextprotocol/server-memory, or --url URL, or --replay TASK"

export const gate = Command.make(
  "gate",
  {
    log: common.log,
    rules: optionalText("rules", "A file of gate rules, read once. Default: ask a person about every call"),
    name: optionalText(
      "name",
      "The server's name, before the slash in rules and pins. Default: from its command or the host of its URL",
    ),
    url: optionalText("url", "The URL of a server that speaks Streamable HTTP, instead of a command"),
    header: Options.text("header").pipe(
      Options.withDescription(
        "With --url: a header of each request, and the environment variable that has its value: Authorization=VARIABLE",
      ),
      Options.repeated,
    ),
    check: flag("check", "Print the rules' decision about each tool of the server, and end"),
    replay: optionalText("replay", "Answer from this recorded session, without the server"),
    wait: wholeNumber("wait", 0).pipe(
      Options.withDescription(
        "How many seconds a call waits for a person before its client learns how to approve it. Default: 45",
      ),
      Options.withDefault(WAIT_S),
    ),
    callTimeout: wholeNumber("call-timeout", 1).pipe(
      Options.withDescription("How many seconds the server may take for a call. Default: 600"),
      Options.withDefault(CALL_S),
    ),
    words: Args.text({ name: "server" }).pipe(Args.withDescription("The server's command, after --"), Args.repeated),
  },
  ({ log, rules, name, url: address, header, check, replay, wait, callTimeout, words }) =>
    Effect.gen(function* () {
      const given = [words.length > 0, Option.isSome(address), Option.isSome(replay)].filter((is) => is).length
      if (given !== 1) {
        const found = given === 0 ? "nothing" : "more than one of them"
        return yield* new BadInput({ input: "mcp gate", expected: TARGETS, found })
      }
      if (Option.isSome(replay)) return yield* GateReplay.run(replay.value, log)
      const url = Option.isNone(address) ? undefined : yield* ServerUrl.of(address.value)
      const headers = yield* ServerUrl.headersOf(header, url)
      const server = yield* ServerName.of(name, { url, words })
      const config = yield* gateOf(rules)
      const [first = "", ...others] = words
      const connect = async () =>
        url === undefined
          ? ServerProcess.start([first, ...others])
          : (await import("../../mcp/server/HttpServer.ts")).connect({ url, headers, note: ProtocolStreams.remark })
      if (check) return yield* GateCheck.run({ server, gate: config, connect })
      const { open, name: file } = yield* OpenLog.placeOf(log)
      yield* UntilEnded.begin
      const end = yield* Effect.async<Gateway.GatewayEnd, GatewayFailed>((resume) => {
        const stopping = new AbortController()
        const running = Gateway.run({
          server,
          connect,
          log: open,
          gate: config,
          waitMs: wait * 1000,
          callMs: callTimeout * 1000,
          input: ProtocolStreams.input,
          output: ProtocolStreams.output,
          note: ProtocolStreams.remark,
          stop: stopping.signal,
        })
        running.then(
          (end) => resume(Effect.succeed(end)),
          (cause: unknown) =>
            resume(new GatewayFailed({ reason: cause instanceof Error ? cause.message : String(cause) })),
        )
        return Effect.promise(() => {
          stopping.abort()
          return running.then(
            () => {},
            () => {},
          )
        })
      })
      if (end.taskId !== undefined) yield* Output.note(`Recorded as task ${end.taskId} in ${file}.`)
      if (end.isFailure) return yield* new GatewayFailed({ reason: `${server}: ${end.reason}` })
    }),
).pipe(
  Command.withDescription(
    "Run a gateway between an MCP client and a server: record every message, put each tool call through the gate, and withhold tools that change",
  ),
)

const gateOf = (rules: Option.Option<string>) =>
  Option.isNone(rules) ? Effect.succeed(Gate.standard) : GateFile.read(rules.value)
