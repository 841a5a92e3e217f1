/**
 * The recording proxy's overhead on a streamed model request, against a forty-line proxy that only forwards and stores.
 */
import * as http from "node:http"
import * as path from "node:path"
import * as LiveRun from "../../dist/record/LiveRun.js"
import * as OutgoingRequests from "../../dist/record/proxy/OutgoingRequests.js"
import * as ProviderProxy from "../../dist/record/proxy/ProviderProxy.js"
import { A_ROUND, asking, serving } from "../asking.mjs"
import { median, spend } from "../measure.mjs"
import { openRaw } from "../raw.mjs"

export const run = async (directory, rounds) => {
  const server = await serving()
  const upstream = server.url
  const options = { log: path.join(directory, "proxy.db"), goal: "Answer", agent: "bench" }
  const recording = await LiveRun.begin(options, () => {}, { means: "proxy" })
  const env = { OPENAI_BASE_URL: upstream }
  const [forwarding, routes] = [OutgoingRequests.make(), ProviderProxy.routes(env)]
  const ours = await ProviderProxy.recording({ routes, forwarding, env, exchange: recording.exchange })
  const hand = await byHand(path.join(directory, "proxy-by-hand.db"), upstream)
  const next = asking()
  const first = { ours: [], hand: [], floor: [] }
  const ask = (name, base) => async () => {
    for (let index = 0; index < A_ROUND; index++) {
      const init = next()
      const startedAt = performance.now()
      const response = await fetch(`${base}/chat/completions`, init)
      const reader = response.body.getReader()
      await reader.read()
      first[name].push(performance.now() - startedAt)
      while (!(await reader.read()).done);
    }
  }
  const bases = { ours: ours.variables.OPENAI_BASE_URL, hand: hand.url, floor: upstream }
  const spent = await spend(
    Object.fromEntries(Object.entries(bases).map(([name, base]) => [name, ask(name, base)])),
    rounds,
  )
  await ours.close()
  forwarding.close()
  hand.close()
  await recording.end("achieved")
  server.end()
  const [added, addedByHand] = [spent.ours, spent.hand].map(({ cpuMs }) => (cpuMs - spent.floor.cpuMs) / A_ROUND)
  return [
    {
      what: "what the proxy adds to a streamed request, against one of forty lines, processor time",
      unit: "ms",
      ours: added,
      floor: addedByHand,
      ratio: added / addedByHand,
      bound: { at: "most", value: 2, of: "ratio" },
      floorIs: "forwards, and keeps request and answer as a row of a table",
    },
    {
      what: "how much later the first byte comes through the proxy, median",
      unit: "ms",
      ours: median(first.ours) - median(first.floor),
      floor: median(first.hand) - median(first.floor),
      bound: { at: "most", value: 2, of: "ours" },
      floorIs: "through the one of forty lines",
    },
  ]
}

/** A hand-written proxy: it looks for no keys, parses no answers, stores each message every time, and has no chain. */
const byHand = async (filename, upstream) => {
  const database = openRaw(filename)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
  database.exec("CREATE TABLE calls (id INTEGER PRIMARY KEY, at, method, url, request, status, pieces)")
  const insert = database.prepare(
    "INSERT INTO calls (at, method, url, request, status, pieces) VALUES (?, ?, ?, ?, ?, ?)",
  )
  const agent = new http.Agent({ keepAlive: true })
  const { hostname, port, pathname } = new URL(upstream)
  const server = http.createServer(async (request, response) => {
    const body = []
    for await (const piece of request) body.push(piece)
    const text = Buffer.concat(body)
    const { method, url } = request
    const headers = { ...request.headers, host: `${hostname}:${port}` }
    const sent = http.request({ agent, hostname, port, path: pathname + url, method, headers }, (answer) => {
      const pieces = []
      const startedAt = performance.now()
      response.writeHead(answer.statusCode, answer.headers)
      answer.on("data", (piece) => {
        response.write(piece)
        pieces.push([performance.now() - startedAt, piece.toString()])
      })
      answer.on("end", () => {
        insert.run(Date.now(), method, url, text.toString(), answer.statusCode, JSON.stringify(pieces))
        response.end()
      })
      answer.on("error", () => response.destroy())
    })
    sent.on("error", () => response.destroy())
    sent.end(text)
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const close = () => {
    server.close()
    server.closeAllConnections()
    agent.destroy()
    database.close()
  }
  return { url: `http://127.0.0.1:${server.address().port}`, close }
}
