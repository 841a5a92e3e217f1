/** A client of the MCP TypeScript SDK for `server.mjs` in its own process. */
import { fileURLToPath } from "node:url"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"

export const connect = async () => {
  const client = new Client({ name: "measuring", version: "1.0.0" })
  const server = fileURLToPath(new URL("server.mjs", import.meta.url))
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [server] }))
  return {
    call: () => client.callTool({ name: "look", arguments: {} }),
    close: () => client.close(),
  }
}
