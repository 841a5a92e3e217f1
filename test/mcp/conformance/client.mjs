/**
 * The client of plugins that are MCP servers, as the conformance suite runs it: `node client.mjs URL`. It lists the
 * tools, and calls each one with arguments of the suite's choice, otherwise by its schema.
 */

import { Effect } from "effect"
import * as Elicitation from "../../../dist/plugins/mcp/Elicitation.js"
import * as GrantedFetch from "../../../dist/plugins/mcp/GrantedFetch.js"
import * as ServerSession from "../../../dist/plugins/mcp/ServerSession.js"
import { load } from "../../../dist/plugins/schemas/ComponentSchemas.js"

const url = process.argv.at(-1)
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}")

const sampleOf = ({ type, enum: values, default: otherwise } = {}) =>
  otherwise ??
  values?.[0] ??
  { number: 5, integer: 5, boolean: true, array: [], object: {}, null: null }[type] ??
  "text"

const argsOf = ({ name, inputSchema }) =>
  context.toolCalls?.find((call) => call.name === name)?.arguments ??
  Object.fromEntries(Object.entries(inputSchema.properties ?? {}).map(([field, schema]) => [field, sampleOf(schema)]))

await Effect.runPromise(load)
const { StreamableHTTPClientTransport } = await ServerSession.sdk()
const session = await ServerSession.open({
  transport: new StreamableHTTPClientTransport(new URL(url), { fetch: GrantedFetch.make([new URL(url).host]) }),
  timeoutMs: 10_000,
  onToolsChanged: () => {},
  onElicitation: async (params) => {
    const form = Elicitation.read(params)
    const filled = typeof form === "string" ? { why: form } : Elicitation.fill(form, undefined)
    return "content" in filled ? { action: "accept", content: filled.content } : { action: "decline" }
  },
})
for (const tool of await session.listTools()) {
  try {
    await session.callTool(tool.name, argsOf(tool), { signal: AbortSignal.timeout(10_000) })
  } catch (cause) {
    // Scenarios have tools that fail.
    process.stderr.write(`${tool.name}: ${cause instanceof Error ? cause.message : String(cause)}\n`)
  }
}
await session.close()
