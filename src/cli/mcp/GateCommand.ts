/** The command `hindcast mcp gate`: records and gates what a client asks of an MCP server. */
import * as path from "node:path"
import { Args, Command, Options } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import * as Gate from "../../kernel/gate/Gate.ts"
import { readYaml } from "../../kernel/rules/YamlFile.ts"
import * as Gateway from "../../mcp/Gateway.ts"
import { BadInput } from "../command/BadInput.ts"
import { common, optionalText, wholeNumber } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ProtocolStreams from "../command/ProtocolStreams.ts"

/** Ended by something other than the client or the user. */
class GatewayFailed extends Data.TaggedError("GatewayFailed")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

/** Below the minute that many clients wait for a call, in seconds. */
const WAIT_S = 45

const CALL_S = 600

export const gate = Command.make(
  "gate",
  {
    log: common.log,
    rules: optionalText("rules", "A file of gate rules, read once. Default: ask a person about every call"),
    name: optionalText("name", "The server's name before the slash of its tools. Default: from its command"),
    wait: wholeNumber("wait", 0).pipe(
      Options.withDescription(
        "How many seconds a call waits for a person before its client is told how to approve it. Default: 45",
      ),
      Options.withDefault(WAIT_S),
    ),
    callTimeout: wholeNumber("call-timeout", 1).pipe(
      Options.withDescription("How many seconds the server may take for a call. Default: 600"),
      Options.withDefault(CALL_S),
    ),
    words: Args.text({ name: "server" }).pipe(Args.withDescription("The server's command, after --"), Args.repeated),
  },
  ({ log, rules, name, wait, callTimeout, words }) =>
    Effect.gen(function* () {
      const [first, ...others] = words
      if (first === undefined) {
        const expected = "the command of an MCP server after it, such as -- npx -y @modelcontextprotocol/server-memory"
        return yield* new BadInput({ input: "--", expected, found: "nothing" })
      }
      const server = yield* nameOf(name, [first, ...others])
      const file = yield* OpenLog.fileOf(log)
      const config = yield* gateOf(rules)
      const end = yield* Effect.async<Gateway.GatewayEnd, GatewayFailed>((resume) => {
        const stopping = new AbortController()
        const running = Gateway.run({
          server,
          command: [first, ...others],
          log: file,
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
    "Stand between an MCP client and a server: record every message, take each tool call through the gate, and withhold tools that change",
  ),
)

const gateOf = (rules: Option.Option<string>) =>
  Option.isNone(rules)
    ? Effect.succeed(Gate.standard)
    : Effect.flatMap(readYaml(path.resolve(rules.value)), (read) => Gate.decode(read, rules.value))

/** Programs that start another one, which the name is taken from. */
const STARTERS = new Set([
  "npx",
  "node",
  "bunx",
  "bun",
  "deno",
  "uvx",
  "uv",
  "python",
  "python3",
  "tsx",
  "npm",
  "pnpm",
  "yarn",
])
const SUBCOMMANDS = new Set(["run", "exec", "dlx", "x"])

const VALID = /^[\w.-]{1,64}$/

const nameOf = (name: Option.Option<string>, words: ReadonlyArray<string>): Effect.Effect<string, BadInput> => {
  const said = Option.getOrElse(name, () => {
    const word = words.find(
      (word, index) =>
        !word.startsWith("-") &&
        !(index === 0 && STARTERS.has(path.basename(word).replace(/\.(exe|cmd)$/, ""))) &&
        !(index === 1 && SUBCOMMANDS.has(word)),
    )
    return path.basename((word ?? words[0] ?? "").replace(/(?<=.)@[^/]*$/, "")).replace(/\.\w{1,3}$/, "")
  })
  return VALID.test(said)
    ? Effect.succeed(said)
    : new BadInput({ input: "--name", expected: "at most 64 letters, digits, dots, dashes", found: `"${said}"` })
}
