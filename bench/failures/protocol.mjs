/**
 * The scripted protocol: asks `explain_failure`, then follows the calls that each answer proposes, in their order, until
 * the position of the cause is in an answer. It counts calls, bytes, and the positions that a reader meets on the way.
 */
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

/** Maximum number of calls. */
const MAX_CALLS = 8

/** Runs `use` with a client that is connected to `hindcast mcp` on a log. */
export const connected = async (main, log, use) => {
  const client = new Client({ name: "protocol", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } })
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [main, "mcp", "--log", log], stderr: "inherit" }),
  )
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

/** The text of a tool's answer. */
export const ask = async (client, { tool, args }) => {
  const { content } = await client.callTool({ name: tool, arguments: args })
  return content.map(({ text }) => text).join("\n")
}

/** The calls that an answer proposes: lines such as `- why(event: "@412"): its causes`. */
export const proposed = (text) =>
  [...text.matchAll(/^- (\w+)\((.*?)\): /gm)].map(([, tool, args]) => ({
    tool,
    args: JSON.parse(`{${args.replaceAll(/(^|, )(\w+): /g, '$1"$2": ')}}`),
  }))

/** Asks until the position is in an answer. `seen` counts the other positions up to it, `rank` its place among suspects. */
export const find = async (client, position) => {
  const pending = [{ tool: "explain_failure", args: {} }]
  const asked = new Set()
  const seen = new Set()
  let [calls, bytes, bytesOfFirst] = [0, 0, 0]
  let rank = null
  while (pending.length > 0 && calls < MAX_CALLS) {
    const call = pending.shift()
    const key = JSON.stringify(call)
    if (asked.has(key)) continue
    asked.add(key)
    const text = await ask(client, call)
    calls += 1
    if (calls === 1) {
      bytesOfFirst = Buffer.byteLength(text)
      rank = rankIn(text, position)
    }
    for (const [matched] of text.matchAll(/@\d+/g)) {
      if (matched === `@${position}`) {
        bytes += Buffer.byteLength(text)
        return { found: true, by: call.tool, calls, bytes, seen: seen.size, rank, first: bytesOfFirst }
      }
      seen.add(matched)
    }
    bytes += Buffer.byteLength(text)
    pending.push(...proposed(text))
  }
  return { found: false, by: null, calls, bytes, seen: seen.size, rank, first: bytesOfFirst }
}

/** The place of the position among the suspects of an explanation, from 1; null if it is none of them. */
const rankIn = (text, position) => {
  const [, suspects = ""] = /Suspects, likeliest first:\n((?: {2}.*\n)*)/.exec(text) ?? []
  const index = suspects.split("\n").findIndex((line) => line.startsWith(`  @${position} `))
  return index < 0 ? null : index + 1
}
