/** What a program asks of a model where recording is measured: a server in a process of its own, and a conversation's requests to it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const SERVER = fileURLToPath(new URL("./programs/model-server.mjs", import.meta.url))

/** Requests of a round, one after the other: as many as it takes until V8 has compiled what they call, in the rounds that do not count. */
export const A_ROUND = 300

/** A conversation as an agent sends it in its tenth turn. */
const messages = Array.from({ length: 20 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `message ${index}: ${"some words of a conversation ".repeat(8)}`,
}))

/** Starts a server that answers as OpenAI's chat streams an answer: its base URL, and how it ends. */
export const serving = async () => {
  const server = spawn(process.execPath, [SERVER], { stdio: ["pipe", "pipe", "inherit"] })
  const [port] = await once(server.stdout, "data")
  return { url: `http://127.0.0.1:${String(port).trim()}/v1`, end: () => server.stdin.end() }
}

/** The options of a request, which is another one each time. */
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
