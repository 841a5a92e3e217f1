/** What clients sent to a server on the loopback and were answered (`exchanges.json`), made again by a real server. */

import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import type { Fetch } from "../../src/agents/models/Fetch.ts"

export interface Exchange {
  readonly path: string
  readonly request: string
  readonly status: number
  readonly type: string
  readonly answer: string
}

const all: Readonly<Record<string, { readonly client: string; readonly exchanges: ReadonlyArray<Exchange> }>> =
  JSON.parse(fs.readFileSync(new URL("exchanges.json", import.meta.url), "utf8"))

/** The exchanges of a client. */
export const exchangesOf = (name: string): ReadonlyArray<Exchange> => {
  const found = all[name]
  if (found === undefined) throw new Error(`expected exchanges of ${name}, found ${Object.keys(all).join(", ")}`)
  return found.exchanges
}

/** An exchange of OpenAI's chat: what is asked, and what is answered. */
export const chat = (messages: ReadonlyArray<object>, message: object, more: object = {}): Exchange => ({
  path: "/v1/chat/completions",
  status: 200,
  type: "application/json",
  request: JSON.stringify({ model: "m", messages, ...more }),
  answer: JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  }),
})

/** Serves answers by the texts of requests, each as often as it is asked, while `does` runs. */
export const serving = async <A>(
  exchanges: ReadonlyArray<Exchange>,
  does: (url: string, ask: (fetch: Fetch, exchange: Exchange) => Promise<string>) => Promise<A>,
): Promise<A> => {
  const server = http.createServer((request, response) => {
    const pieces: Array<Buffer> = []
    request.on("data", (piece) => pieces.push(piece))
    request.on("end", () => {
      const text = Buffer.concat(pieces).toString("utf8")
      const found = exchanges.find((one) => one.request === text && one.path === request.url)
      response.writeHead(found?.status ?? 404, { "content-type": found?.type ?? "text/plain" })
      response.end(found?.answer ?? "no such exchange")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = async (fetch: Fetch, { path, request }: Exchange) => {
    const headers = { "content-type": "application/json" }
    const response = await fetch(url + path, { method: "POST", headers, body: request })
    return response.text()
  }
  try {
    return await does(url, ask)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}
