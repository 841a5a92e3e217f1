/**
 * A model-driven agent's cost without its model: turns with two tools, many conversations at once, and the delay of
 * answer pieces; against the same loop written by hand.
 */
import { spawnSync } from "node:child_process"
import * as http from "node:http"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { Agent, Hindcast, Kernel, Models } from "../../dist/index.js"
import { rawTable } from "../floor.mjs"
import { median, quantile, spend, stopwatch, WARM_UP } from "../measure.mjs"
import { goal, scribe, settings, TURNS, turnOf } from "../programs/talking.mjs"

/** Sequential conversations per round. */
const A_ROUND = 5

const CONVERSATIONS = 200

/** Conversations at once with a provider in another process, and their turns. */
const MANY = 1_000
const TURNS_OF_MANY = 10
const REQUESTS = 60

export const run = async (directory, rounds, say) => [
  ...(await turns(directory, rounds)),
  ...conversations(directory, say),
  ...manyConversations(directory, say),
  ...(await deltas(directory)),
]

/** One conversation at a time. */
const turns = async (directory, rounds) => {
  const floorFile = path.join(directory, "turns-floor.db")
  await Effect.runPromise(Effect.void.pipe(Effect.provide(Hindcast.layerLog({ log: floorFile }))))
  const raw = rawTable(floorFile)
  const program = Effect.gen(function* () {
    const kernel = yield* Kernel.Kernel
    const runtime = yield* Effect.runtime()
    const conversation = kernel.tasks.run(scribe, { goal })
    const contenders = {
      ours: () => Effect.runPromise(Effect.provide(Effect.repeatN(conversation, A_ROUND - 1), runtime)),
      byHand: async () => {
        for (let index = 0; index < A_ROUND; index++) await byHand(raw)
      },
    }
    return yield* Effect.promise(() => spend(contenders, rounds))
  })
  const spent = await Effect.runPromise(
    Effect.provide(program, Hindcast.layer(settings(path.join(directory, "turns.db"), directory))),
  )
  raw.close()
  return [
    {
      what: "a turn with two tools of the program, processor time",
      unit: "ms",
      ours: spent.ours.cpuMs / (A_ROUND * TURNS),
      floor: spent.byHand.cpuMs / (A_ROUND * TURNS),
      ratio: spent.ours.cpuMs / spent.byHand.cpuMs,
      bound: { at: "most", value: 3.5 },
      floorIs: "the loop by hand: the request as JSON, both calls, 11 raw inserts, 2 synced",
    },
  ]
}

/** A hand-written loop on the log's own table. */
const byHand = async (raw) => {
  const tools = { look: async ({ at }) => ({ at, found: "nothing" }), note: async ({ of }) => ({ noted: of }) }
  const messages = [{ role: "user", content: [{ type: "text", text: goal }] }]
  for (let index = 0; index <= TURNS; index++) {
    raw.one(JSON.stringify({ model: "one", messages: messages.slice(-1) }))
    // A provider's client does this for each request.
    JSON.stringify({ model: "one", messages, tools: Object.keys(tools) })
    const { parts } = turnOf(messages)
    raw.one(JSON.stringify(parts))
    raw.one(JSON.stringify({ decided: index }))
    messages.push({ role: "assistant", content: parts })
    const calls = parts.filter(({ type }) => type === "call")
    if (calls.length === 0) return
    const content = await Promise.all(
      calls.map(async ({ callId, tool, args }) => {
        raw.one(JSON.stringify({ callId, tool, args }))
        raw.one(JSON.stringify({ callId, allowed: true }))
        raw.synced(JSON.stringify({ callId, dispatched: true }))
        const result = await tools[tool.split("__")[1]](args)
        raw.one(JSON.stringify({ callId, result }))
        return { callId, result }
      }),
    )
    messages.push({ role: "tool", content })
  }
}

/**
 * Limits of the old space, in MiB. Without one, Node lets garbage grow with the machine's memory, so the peak says little
 * of what the conversations need.
 */
const HEAP_OF_CONVERSATIONS = 250
const HEAP_OF_MANY = 450

/** Concurrent conversations, in their own process. */
const conversations = (directory, say) => {
  const name = `${CONVERSATIONS} conversations at once, in a heap of ${HEAP_OF_CONVERSATIONS} MiB`
  say(name)
  const many = talk(HEAP_OF_CONVERSATIONS, path.join(directory, "conversations.db"), directory, CONVERSATIONS)
  const one = talk(HEAP_OF_CONVERSATIONS, path.join(directory, "conversation.db"), directory, 1)
  return [
    {
      what: `${name}: turns with two tools`,
      unit: "turns/s",
      ours: many.turnsPerSecond,
      bound: { at: "least", value: 200, of: "ours" },
    },
    {
      what: `${name}: a turn, processor time`,
      unit: "ms",
      ours: many.cpuMs,
      bound: { at: "most", value: 5, of: "ours" },
    },
    {
      what: `${name}: most memory`,
      unit: "MiB",
      ours: many.peakMiB,
      floor: one.peakMiB,
      ratio: many.peakMiB / one.peakMiB,
      bound: { at: "most", value: 400, of: "ours" },
      floorIs: "one conversation",
    },
  ]
}

/** A thousand conversations with a provider in another process, so that the memory is that of the kernel alone. */
const manyConversations = (directory, say) => {
  const name = `${MANY} conversations at once in a heap of ${HEAP_OF_MANY} MiB, a provider in another process`
  say(name)
  const many = talk(HEAP_OF_MANY, path.join(directory, "many.db"), directory, MANY, TURNS_OF_MANY)
  return [
    {
      what: `${name}: a turn, processor time`,
      unit: "ms",
      ours: many.cpuMs,
      bound: { at: "most", value: 10, of: "ours" },
    },
    {
      what: `${name}: most memory`,
      unit: "MiB",
      ours: many.peakMiB,
      bound: { at: "most", value: 600, of: "ours" },
    },
  ]
}

const PROGRAM = fileURLToPath(new URL("../programs/conversations.mjs", import.meta.url))

const talk = (heapMiB, log, directory, ...counts) => {
  const args = [`--max-old-space-size=${heapMiB}`, PROGRAM, log, directory, ...counts.map(String)]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`expected ${counts[0]} conversations, found: ${stderr}`)
  return JSON.parse(stdout)
}

/** The delay from a server's first answer piece to its listener, through the whole kernel and by plain `fetch`. */
const deltas = async (directory) => {
  let wrote = () => ({ ms: 0, cpuMs: 0 })
  const server = http.createServer((request, response) => {
    request.resume()
    request.once("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.flushHeaders()
      // By then the client waits for the first piece.
      setTimeout(() => {
        wrote = stopwatch()
        response.write(piece({ content: "It is done." }))
        setTimeout(() => response.end(`${piece({}, "stop")}data: [DONE]\n\n`), 10)
      }, 20)
    })
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseURL = `http://127.0.0.1:${server.address().port}/v1`
  const found = { ours: [], byFetch: [] }
  const program = Effect.gen(function* () {
    const kernel = yield* Kernel.Kernel
    const model = yield* Models.load("openai-compatible/one", { baseURL, apiKey: "none" })
    let first
    const onDelta = () => {
      first ??= wrote()
    }
    const agent = Agent.fromModel({ name: "listened", model, onDelta })
    for (let index = 0; index < WARM_UP + REQUESTS; index++) {
      first = undefined
      yield* kernel.tasks.run(agent, { goal })
      const byFetch = yield* Effect.promise(() => firstChunk(`${baseURL}/chat/completions`, () => wrote()))
      if (index < WARM_UP) continue
      found.ours.push(first)
      found.byFetch.push(byFetch)
    }
  })
  await Effect.runPromise(
    Effect.provide(program, Hindcast.layer(settings(path.join(directory, "deltas.db"), directory))),
  )
  server.close()
  const times = (all) => all.map(({ ms }) => ms)
  const work = (all) => all.map(({ cpuMs }) => cpuMs)
  const row = (what, of) => ({
    what: `first piece of an answer passed on, ${what}`,
    unit: "ms",
    ours: of(times(found.ours)),
    floor: of(times(found.byFetch)),
    ratio: of(times(found.ours)) / of(times(found.byFetch)),
    cpuRatio: of(work(found.ours)) / of(work(found.byFetch)),
    bound: { at: "most", value: 1.6, of: "cpu" },
    floorIs: "fetch: the first chunk of the same server",
  })
  return [row("median", median), row("19 of 20", (all) => quantile(all, 0.95))]
}

/** A chunk of an OpenAI-compatible stream. */
const piece = (delta, finish = null) =>
  `data: ${JSON.stringify({
    id: "1",
    object: "chat.completion.chunk",
    created: 1,
    model: "one",
    choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: finish }],
    ...(finish === null ? {} : { usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 } }),
  })}\n\n`

const firstChunk = async (url, wrote) => {
  const response = await fetch(url, { method: "POST", body: "{}" })
  const reader = response.body.getReader()
  await reader.read()
  const first = wrote()
  while (!(await reader.read()).done) {
    // Reads to the end, so that the connection is reused.
  }
  return first
}
