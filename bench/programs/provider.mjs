/**
 * `node provider.mjs TURNS`: an OpenAI-compatible provider in a process of its own, which streams the answers of `answers.mjs`.
 * Prints its port. Ends with its standard input.
 */
import * as http from "node:http"
import { turnOf } from "./answers.mjs"

const turns = Number(process.argv[2])

/** Milliseconds before an answer begins. */
const DELAY_MS = 20

const server = http.createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8")
  request.on("data", (chunk) => {
    body += chunk
  })
  request.once("end", () => {
    const { messages } = JSON.parse(body)
    const { parts, finish, usage } = turnOf(messages, turns)
    const id = `chatcmpl-${messages.length}`
    const chunk = (delta, finish_reason = null, more = {}) =>
      `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created: 1, model: "one", choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`
    const tools = parts.filter(({ type }) => type === "call")
    setTimeout(() => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      for (const { text } of parts.filter(({ type }) => type === "text")) response.write(chunk({ content: text }))
      for (const [index, { callId, tool, args }] of tools.entries()) {
        const call = { index, id: callId, type: "function", function: { name: tool, arguments: JSON.stringify(args) } }
        response.write(chunk({ tool_calls: [call] }))
      }
      const { inputTokens, outputTokens } = usage
      const counted = {
        prompt_tokens: inputTokens,
        completion_tokens: outputTokens,
        total_tokens: inputTokens + outputTokens,
      }
      response.end(`${chunk({}, finish === "calls" ? "tool_calls" : "stop", { usage: counted })}data: [DONE]\n\n`)
    }, DELAY_MS)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`))
process.stdin.resume()
process.stdin.once("end", () => process.exit())
