/** The MCP server of a log: its tools, each with a time limit, whose errors are answers too. */
import { McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server"
import { type Cause, Data, Effect, Exit, Runtime as Running, type Runtime } from "effect"
import { VERSION } from "../../../kernel/versions.ts"
import { defined } from "../../../values/defined.ts"
import * as Failure from "../../command/Failure.ts"
import * as Text from "../../terminal/Text.ts"
import * as Answer from "./Answer.ts"
import * as Fence from "./Fence.ts"
import type { OpenedLog, Past } from "./OpenedLog.ts"
import * as Prompts from "./Prompts.ts"
import * as Resources from "./Resources.ts"
import type { Tool } from "./Tool.ts"

/** Maximum time of an answer, in milliseconds. Codex gives up on a tool after 60 s. */
const ANSWER_MS = 50_000

const INSTRUCTIONS = [
  "Answers questions about what agents did: a Hindcast log of tasks, whose events have positions such as @412.",
  "Begin with explain_failure. Each position in an answer works as an argument of the other tools.",
  "All tools are read-only.",
  Fence.MEANING,
].join(" ")

export interface Serving {
  readonly log: OpenedLog
  readonly runtime: Runtime.Runtime<never>
  readonly tools: ReadonlyArray<Tool>
}

/** A server for one connection. */
export const make = ({ log, runtime, tools }: Serving): McpServer => {
  const server = new McpServer(
    { name: "hindcast", title: "Hindcast", version: VERSION },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  )
  const run = <A, E>(name: string, question: Effect.Effect<A, E, Past>, signal: AbortSignal) =>
    Running.runPromiseExit(runtime)(inTime(name, log.ask(question)), { signal })
  for (const { name, title, description, input, meta, run: answer } of tools) {
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: input,
        annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
        ...defined({ _meta: meta }),
      },
      async (args, { mcpReq }) => {
        const exit = await run(name, answer(args), mcpReq.signal)
        return Exit.isSuccess(exit)
          ? {
              content: [{ type: "text" as const, text: Answer.text(exit.value) }],
              ...defined({ structuredContent: exit.value.structured }),
            }
          : { content: [{ type: "text" as const, text: failureText(exit.cause) }], isError: true }
      },
    )
  }
  Resources.register(server, async (name, question, signal) => {
    const exit = await run(name, question, signal)
    if (Exit.isSuccess(exit)) return exit.value
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, failureText(exit.cause))
  })
  Prompts.register(server)
  return server
}

class AnswerTooSlow extends Data.TaggedError("AnswerTooSlow")<{ readonly tool: string }> {
  override get message() {
    return `${this.tool}: expected an answer within ${Text.duration(ANSWER_MS)}, found none. Ask about fewer events: one task, or a range of positions.`
  }
}

const inTime = <A, E>(tool: string, question: Effect.Effect<A, E>) =>
  Effect.timeoutFail(question, { duration: ANSWER_MS, onTimeout: () => new AnswerTooSlow({ tool }) })

/** The command line's message, in a fence because it may quote the log. */
const failureText = (cause: Cause.Cause<unknown>): string => {
  const { message } = Failure.ofCause(cause, [])
  return ["Failed:", ...Fence.around(Answer.cut(message.split("\n").map(Text.oneLine)).lines)].join("\n")
}
