/** Recording's overhead on a model request, against the same `fetch` without it, to a server in its own process. */
import { createHash } from "node:crypto"
import * as path from "node:path"
import { record } from "../../dist/record/index.js"
import { A_ROUND, asking, serving } from "../asking.mjs"
import { spend } from "../measure.mjs"
import { openRaw } from "../raw.mjs"

export const run = async (directory, rounds) => {
  const server = await serving()
  const url = `${server.url}/chat/completions`
  const recording = await record({ log: path.join(directory, "record.db"), goal: "Answer", agent: "bench" })
  const next = asking()
  const ask = async (fetch) => {
    for (let index = 0; index < A_ROUND; index++) await (await fetch(url, next())).text()
  }
  const hand = byHand(path.join(directory, "record-by-hand.db"))
  const spent = await spend(
    { ours: () => ask(recording.fetch), hand: () => ask(hand.fetch), floor: () => ask(fetch) },
    rounds,
  )
  hand.close()
  await recording.end("achieved")
  server.end()
  const [ours, floor] = [spent.ours, spent.hand].map(({ cpuMs }) => (cpuMs - spent.floor.cpuMs) / A_ROUND)
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
  ]
}

/**
 * A hand-written recorder: forwards the pieces, and stores request, pieces and text in a row. It looks for no keys,
 * stores messages repeatedly, and cannot tell who changed a row.
 */
const byHand = (filename) => {
  const database = openRaw(filename)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
  database.exec("CREATE TABLE calls (id INTEGER PRIMARY KEY, at, digest, request, status, pieces, said)")
  database.exec("CREATE INDEX calls_digest ON calls (digest)")
  const insert = database.prepare(
    "INSERT INTO calls (at, digest, request, status, pieces, said) VALUES (?, ?, ?, ?, ?, ?)",
  )
  return {
    close: database.close,
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
          insert.run(Date.now(), digest, init.body, response.status, JSON.stringify(pieces), said)
        },
      })
      return new Response(response.body.pipeThrough(passing), response)
    },
  }
}
