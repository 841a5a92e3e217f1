import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { MAIN } from "../../built.ts"

/** Asks one tool of `hindcast mcp` on a log, and answers its text. */
export const connectedTo = async (log: string, name: string, args: Record<string, unknown>): Promise<string> => {
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } })
  const env = { PATH: process.env.PATH ?? "" }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [MAIN, "mcp", "--log", log], env }))
  try {
    const { content } = await client.callTool({ name, arguments: args })
    return (content as ReadonlyArray<{ readonly text: string }>).map(({ text }) => text).join("\n")
  } finally {
    await client.close()
  }
}
