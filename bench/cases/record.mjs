/** Recording's overhead on a model request, against the same `fetch` without it, to a server in its own process. */
import { createHash } from "node:crypto"
import * as path from "node:path"
import { record } from "../../dist/record/index.js"
import { A_ROUND, asking, serving } from "../asking.mjs"
import { chainedRows } from "../floor.mjs"
import { spend } from "../measure.mjs"
import { openRaw } from "../raw.mjs"

/** Rounds before those that count: V8 still compiles the recorder's code in the first ten. */
const WARMING = 12

export const run = async (directory, rounds) => {
  const server = await serving()
  const url = `${server.url}/chat/completions`
  const recording = await record({ log: path.join(directory, "record.db"), goal: "Answer", agent: "bench" })
  const next = asking()
  const ask = async (fetch) => {
    for (let index = 0; index < A_ROUND; index++) await (await fetch(url, next())).text()
  }
  const hand = byHand(oneRow(path.join(directory, "record-by-hand.db")))
  const alike = byHand(await sameRows(path.join(directory, "record-alike.db")))
  const contenders = {
    ours: () => ask(recording.fetch),
    hand: () => ask(hand.fetch),
    alike: () => ask(alike.fetch),
    floor: () => ask(fetch),
  }
  for (let round = 0; round < WARMING; round++) for (const warm of Object.values(contenders)) await warm()
  const spent = await spend(contenders, rounds)
  hand.close()
  alike.close()
  await recording.end("achieved")
  server.end()
  const [ours, floor, same] = [spent.ours, spent.hand, spent.alike].map(
    ({ cpuMs }) => (cpuMs - spent.floor.cpuMs) / A_ROUND,
  )
  return [
    {
      what: "what recording adds to a streamed request to a model, processor time",
      unit: "ms",
      ours,
      floor: spent.floor.cpuMs / A_ROUND,
      bound: { at: "most", value: 0.5, of: "ours" },
      floorIs: "the same fetch without recording",
    },
    {
      what: "what recording adds to it, against a recorder of forty lines by hand, processor time",
      unit: "ms",
      ours,
      floor,
      ratio: ours / floor,
      bound: { at: "most", value: 1.5, of: "ratio" },
      floorIs: "request, pieces and what was said as a row of a table, by digest",
    },
    {
      what: "the same, against one by hand that keeps as much as Hindcast",
      unit: "ms",
      ours,
      floor: same,
      ratio: ours / same,
      bound: { at: "most", value: 1.5, of: "ratio" },
      floorIs: "the three events as chained rows of a log's own table, in one commit",
    },
  ]
}

/**
 * A hand-written recorder: forwards the pieces, and stores what was asked, the pieces and the text. It looks for no
 * keys, stores messages repeatedly, and checks nothing.
 */
const byHand = ({ store, close }) => ({
  close,
  fetch: async (input, init) => {
    const startedAt = performance.now()
    const digest = createHash("sha256").update(`${init.method} ${input} ${init.body}`).digest("hex")
    const response = await fetch(input, init)
    const [pieces, decoder] = [[], new TextDecoder()]
    const passing = new TransformStream({
      transform: (piece, controller) => {
        pieces.push([performance.now() - startedAt, decoder.decode(piece, { stream: true })])
        controller.enqueue(piece)
      },
      flush: () => {
        const lines = pieces
          .map(([, text]) => text)
          .join("")
          .split("\n")
        const data = lines.flatMap((line) => (/^data: \{/.test(line) ? [JSON.parse(line.slice(6))] : []))
        const said = data.map(({ choices: [choice] }) => choice?.delta?.content ?? "").join("")
        store({ digest, body: init.body, url: input, response, pieces, said, tookMs: performance.now() - startedAt })
      },
    })
    return new Response(response.body.pipeThrough(passing), response)
  },
})

/** An exchange as one row of a table of its own. Nobody can tell who changed a row. */
const oneRow = (filename) => {
  const database = openRaw(filename)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
  database.exec("CREATE TABLE calls (id INTEGER PRIMARY KEY, at, digest, request, status, pieces, said)")
  database.exec("CREATE INDEX calls_digest ON calls (digest)")
  const insert = database.prepare(
    "INSERT INTO calls (at, digest, request, status, pieces, said) VALUES (?, ?, ?, ?, ?, ?)",
  )
  return {
    close: database.close,
    store: ({ digest, body, response, pieces, said }) =>
      insert.run(Date.now(), digest, body, response.status, JSON.stringify(pieces), said),
  }
}

/** An exchange as the rows that Hindcast writes: the question, the answer as read, and the answer as it came. */
const sameRows = async (filename) => {
  const empty = await record({ log: filename, goal: "Answer", agent: "bench" })
  await empty.end("achieved")
  const rows = chainedRows(filename)
  return {
    close: rows.close,
    store: ({ digest, body, url, response, pieces, said, tookMs }) => {
      const { model, ...request } = JSON.parse(body)
      const result = { url, status: response.status, headers: Object.fromEntries(response.headers), chunks: pieces }
      rows.commit([
        JSON.stringify({ provider: "openai", model, requestDigest: digest, request }),
        JSON.stringify({ response: { parts: [{ type: "text", text: said }], finish: "stop" }, latencyMs: tookMs }),
        JSON.stringify({ io: "fetch", result }),
      ])
    },
  }
}
