/** The model of the recording benchmarks: a server in its own process, and a conversation's requests to it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const SERVER = fileURLToPath(new URL("./programs/model-server.mjs", import.meta.url))

/** Requests per round, one after the other. V8 has compiled their code by the end of the warm-up rounds. */
export const A_ROUND = 300

/** An agent's conversation in its tenth turn. */
const messages = Array.from({ length: 20 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `message ${index}: ${"some words of a conversation ".repeat(8)}`,
}))

/** Starts a server that streams answers as OpenAI's chat does. Returns its base URL and how to stop it. */
export const serving = async () => {
  const server = spawn(process.execPath, [SERVER], { stdio: ["pipe", "pipe", "inherit"] })
  const [port] = await once(server.stdout, "data")
  return { url: `http://127.0.0.1:${String(port).trim()}/v1`, end: () => server.stdin.end() }
}

/** Options of a request; each request differs. */
export const asking = () => {
  let asks = 0
  return () => {
    const asked = [...messages, { role: "user", content: `question ${++asks}` }]
    return {
      method: "POST",
      headers: { authorization: "Bearer sk-bench-0123456789", "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-5", stream: true, messages: asked }),
    }
  }
}
