/** What recording adds to a request to a model: against the same `fetch` without it, to a server in a process of its own. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { record } from "../../dist/record/index.js"
import { spend } from "../measure.mjs"

const SERVER = fileURLToPath(new URL("../programs/model-server.mjs", import.meta.url))

/** Requests of a round, one after the other: as many as it takes until V8 has compiled what they call, in the rounds that do not count. */
const A_ROUND = 300

/** A conversation as an agent sends it in its tenth turn. */
const messages = Array.from({ length: 20 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `message ${index}: ${"some words of a conversation ".repeat(8)}`,
}))

export const run = async (directory, rounds) => {
  const server = spawn(process.execPath, [SERVER], { stdio: ["pipe", "pipe", "inherit"] })
  const [port] = await once(server.stdout, "data")
  const url = `http://127.0.0.1:${String(port).trim()}/v1/chat/completions`
  const recording = await record({ log: path.join(directory, "record.db"), goal: "Answer", agent: "bench" })
  let asks = 0
  const ask = async (fetch) => {
    for (let index = 0; index < A_ROUND; index++) {
      const asked = [...messages, { role: "user", content: `question ${++asks}` }]
      const init = {
        method: "POST",
        headers: { authorization: "Bearer sk-bench-0123456789", "content-type": "application/json" },
        body: JSON.stringify({ model: "gpt-5", stream: true, messages: asked }),
      }
      await (await fetch(url, init)).text()
    }
  }
  const spent = await spend({ ours: () => ask(recording.fetch), floor: () => ask(fetch) }, rounds)
  await recording.end("achieved")
  server.stdin.end()
  return [
    {
      what: "what recording adds to a streamed request to a model, processor time",
      unit: "ms",
      ours: (spent.ours.cpuMs - spent.floor.cpuMs) / A_ROUND,
      floor: spent.floor.cpuMs / A_ROUND,
      bound: { at: "most", value: 0.5, of: "ours" },
      floorIs: "the same fetch without recording",
    },
  ]
}
