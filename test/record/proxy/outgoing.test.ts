import * as http from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { afterEach, describe, expect, it, vi } from "vitest"
import * as OutgoingRequests from "../../../src/record/proxy/OutgoingRequests.ts"
import * as ProviderProxy from "../../../src/record/proxy/ProviderProxy.ts"

const closing: Array<() => void> = []
afterEach(() => {
  vi.unstubAllEnvs()
  for (const close of closing.splice(0)) close()
})

/** An HTTP server that notes each request with the number of its connection, and its port. */
const serving = async (answer: (number: number, socket: Socket, response?: http.ServerResponse) => void) => {
  const sockets: Array<Socket> = []
  const asked: Array<string> = []
  const note = ({ method, url, socket }: http.IncomingMessage) => {
    if (!sockets.includes(socket)) sockets.push(socket)
    asked.push(`${sockets.indexOf(socket)} ${method} ${url}`)
  }
  const server = http.createServer((request, response) => {
    note(request)
    answer(asked.length, request.socket, response)
  })
  server.on("upgrade", (request: http.IncomingMessage, socket: Socket) => {
    note(request)
    answer(asked.length, socket)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, port: (server.address() as AddressInfo).port }
}

const outgoing = (url: string, headers: ReadonlyArray<string> = []): OutgoingRequests.Outgoing => ({
  method: "GET",
  url: new URL(url),
  headers: ["host", new URL(url).host, ...headers],
  body: new Uint8Array(),
  signal: new AbortController().signal,
})

const forwarding = () => {
  const made = OutgoingRequests.make()
  closing.push(made.close)
  return made
}

const read = async (answer: http.IncomingMessage): Promise<string> => {
  let text = ""
  for await (const piece of answer) text += piece
  return text
}

const UPGRADE = ["connection", "upgrade", "upgrade", "websocket"]

describe("an outgoing request", () => {
  it("is sent again where a kept connection was reset, through the proxy of the environment", async () => {
    const proxy = await serving((number, socket, response) => {
      if (number === 2) return void socket.destroy()
      response?.end(`answer ${number}`)
    })
    vi.stubEnv("http_proxy", `http://127.0.0.1:${proxy.port}`)
    vi.stubEnv("no_proxy", "")
    const { send } = forwarding()
    expect(await read(await send(outgoing("http://provider.invalid/a")))).toBe("answer 1")
    expect(await read(await send(outgoing("http://provider.invalid/b")))).toBe("answer 3")
    expect(proxy.asked).toEqual([
      "0 GET http://provider.invalid/a",
      "0 GET http://provider.invalid/b",
      "1 GET http://provider.invalid/b",
    ])
  })

  it("for another protocol has a connection of its own", async () => {
    const server = await serving((_, socket, response) => {
      if (response !== undefined) response.end("answer")
      else socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
    })
    const { send, upgrade } = forwarding()
    const base = `http://127.0.0.1:${server.port}`
    expect(await read(await send(outgoing(`${base}/a`)))).toBe("answer")
    const statuses = [await upgrade(outgoing(`${base}/b`, UPGRADE)), await upgrade(outgoing(`${base}/c`, UPGRADE))]
    expect(statuses.map(({ answer }) => answer.statusCode)).toEqual([404, 404])
    expect(server.asked).toEqual(["0 GET /a", "1 GET /b", "2 GET /c"])
  })
})

describe("a request for another protocol", () => {
  it("is answered with 502 and the reason where its server is not there", async () => {
    const { port } = await serving(() => {})
    closing.splice(0).forEach((close) => void close())
    const env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` }
    const exchange = () => Promise.reject(new Error("nothing is to be recorded"))
    const routes = ProviderProxy.routes(env)
    const proxy = await ProviderProxy.recording({ routes, forwarding: forwarding(), env, exchange })
    closing.push(() => void proxy.close())
    const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const headers = { connection: "upgrade", upgrade: "websocket" }
      const sent = http.get(`${proxy.variables.OPENAI_BASE_URL}/responses`, { headers })
      sent.on("response", resolve).on("error", reject)
    })
    expect(answer.statusCode).toBe(502)
    expect(await read(answer)).toMatch(/^127\.0\.0\.1:\d+: .*ECONNREFUSED/)
  })
})
