/** A stdio server of the MCP TypeScript SDK with one tool that answers at once. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js"

const server = new Server({ name: "measured", version: "1.0.0" }, { capabilities: { tools: {} } })
server.setRequestHandler(CallToolRequestSchema, () => ({
  content: [{ type: "text", text: JSON.stringify({ temperature: 21.5, room: "study" }) }],
}))
await server.connect(new StdioServerTransport())
