/** A server made with the SDK, for clients of all versions: `node sdk.mjs RECEIVED`. It appends the notes that it gets to the file RECEIVED. */
import * as fs from "node:fs"
import { McpServer } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { z } from "zod"

const [received] = process.argv.slice(2)

serveStdio(() => {
  const server = new McpServer({ name: "notes", version: "1.0.0" }, { capabilities: { tools: {} } })
  const tool = (name, annotations) =>
    server.registerTool(
      name,
      { description: `the tool ${name}`, inputSchema: z.object({ text: z.string() }), annotations },
      async ({ text }) => {
        fs.appendFileSync(received, `${name} ${text}\n`)
        return { content: [{ type: "text", text: `${name}: ${text}` }] }
      },
    )
  tool("read", { readOnlyHint: true })
  tool("write", {})
  tool("erase", { destructiveHint: true })
  return server
})
