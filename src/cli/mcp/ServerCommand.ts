/** The command `hindcast mcp`: an MCP server on the standard input and output, for questions about a log. */
import { Command } from "@effect/cli"
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio"
import { Effect } from "effect"
import { common, flag } from "../command/CommonOptions.ts"
import * as ProtocolStreams from "../command/ProtocolStreams.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"
import * as OpenedLog from "./server/OpenedLog.ts"
import * as Server from "./server/Server.ts"
import * as Tools from "./tools/Tools.ts"

const personal = flag(
  "personal",
  "Decrypt personal data if its keys exist. The assistant's provider receives the text that it reads",
)

export const server = Command.make("mcp", { ...common, personal }, ({ log, personal }) =>
  Effect.gen(function* () {
    const opened = yield* OpenedLog.make(log, personal)
    const runtime = yield* Effect.runtime()
    yield* UntilEnded.begin
    yield* served(() => Server.make({ log: opened, runtime, tools: Tools.ALL }))
  }).pipe(Effect.scoped),
).pipe(
  Command.withDescription(
    "Answer an assistant's questions about a log: an MCP server on the standard input and output that only reads",
  ),
)

/** Serves one connection until the client closes it. */
const served = (factory: () => ReturnType<typeof Server.make>) =>
  Effect.async<void>((resume) => {
    const transport = new StdioServerTransport()
    const handle = serveStdio(factory, {
      transport,
      onerror: (error) => ProtocolStreams.remark(error.message),
    })
    const { onclose } = transport
    transport.onclose = () => {
      onclose?.()
      resume(Effect.void)
    }
    return Effect.promise(() => handle.close())
  })
