import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server"
import { afterEach, describe, expect, it } from "vitest"
import { z } from "zod"
import * as HttpServer from "../../src/mcp/server/HttpServer.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { gateway, MODERN } from "./gateway.ts"

const servers: Array<http.Server> = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

type Handler = (request: http.IncomingMessage, response: http.ServerResponse, body: string) => void | Promise<void>

const serving = async (handler: Handler): Promise<URL> => {
  const server = http.createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    await handler(request, response, body)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
}

const opened = (url: URL, log: string, headers: Record<string, string> = {}) => {
  const notes: Array<string> = []
  const connect = () => HttpServer.connect({ url, headers, note: (text) => notes.push(text) })
  return { client: gateway({ log, server: "remote", connect }), notes }
}

describe("a server at a URL", () => {
  it("made with the SDK is gated and recorded, for clients of both eras", async () => {
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: "notes", version: "1.0.0" }, { capabilities: { tools: {} } })
      server.registerTool("write", { inputSchema: z.object({ text: z.string() }) }, async ({ text }) => ({
        content: [{ type: "text" as const, text: `wrote ${text}` }],
      }))
      return server
    })
    const url = await serving(async ({ method = "", headers }, response, body) => {
      const init = { method, headers: headers as Record<string, string>, ...(body === "" ? {} : { body }) }
      const answer = await handler.fetch(new Request(url, init))
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      response.end(Buffer.from(await answer.arrayBuffer()))
    })
    const log = temporary("http.db")
    const { client } = opened(url, log)
    expect((await client.initialize()).result.serverInfo.name).toBe("notes")
    expect((await client.request("tools/list")).result.tools[0].name).toBe("write")
    expect((await client.call("write", { text: "a" })).result.content[0].text).toBe("wrote a")
    await client.end()
    const modern = opened(url, log).client
    expect((await modern.call("write", { text: "b" }, MODERN)).result.content[0].text).toBe("wrote b")
    await modern.end()
    const types = (await eventsOf(log)).map(({ type }) => type)
    expect(types.filter((type) => type === "CommandSucceeded")).toHaveLength(2)
  })

  it("gets the headers and its session with each request, and the end of the session", async () => {
    const seen: Array<string> = []
    const url = await serving(({ method, headers }, response, body) => {
      const { method: called = "", id } = body === "" ? {} : JSON.parse(body)
      seen.push([method, called, headers.authorization, headers["mcp-session-id"] ?? "-"].join(" "))
      if (method === "GET") return void response.writeHead(405).end()
      if (id === undefined) return void response.writeHead(method === "DELETE" ? 200 : 202).end()
      response.writeHead(200, { "content-type": "text/event-stream", "mcp-session-id": "s1" })
      const result = called === "initialize" ? { protocolVersion: "2025-11-25", capabilities: {} } : { tools: [] }
      response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: {} })}\n\n`)
      response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`)
    })
    const { client } = opened(url, temporary("headers.db"), { Authorization: "Bearer k" })
    await client.initialize()
    await client.request("tools/list")
    await client.end()
    expect(seen).toEqual(["POST initialize Bearer k -", "POST tools/list Bearer k s1", "DELETE  Bearer k s1"])
    expect(client.received.filter(({ method }) => method === "notifications/message")).toHaveLength(2)
  })

  it("that fails, ends its stream, redirects elsewhere or sends too much: the request gets an error", async () => {
    const long = "x".repeat(1024 * 1024)
    const url = await serving(async (_, response, body) => {
      const { method = "", id } = body === "" ? {} : JSON.parse(body)
      if (method === "fails") return void response.writeHead(500).end("it is broken")
      if (method === "redirects") return void response.writeHead(307, { location: "http://127.0.0.2:9/" }).end()
      if (method === "json" || method === "stream") {
        const isStream = method === "stream"
        response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" })
        response.on("error", () => {})
        for (let part = 0; part < 20 && !response.destroyed; part++) response.write(isStream ? `data: ${long}\n` : long)
        return void response.end()
      }
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(method === "ends" ? "" : `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n\n`)
    })
    const { client } = opened(url, temporary("bad.db"))
    await client.initialize()
    const error = async (method: string) => (await client.request(method)).error?.message
    expect(await error("fails")).toMatch(/it is broken/)
    expect(await error("ends")).toMatch(/ended without an answer/)
    expect(await error("redirects")).toMatch(/redirect/i)
    expect(await error("json")).toBeDefined()
    expect(await error("stream")).toBeDefined()
    await client.end()
    const nobody = opened(new URL("http://127.0.0.1:1/"), temporary("nobody.db")).client
    expect((await nobody.initialize()).error?.message).toMatch(/127\.0\.0\.1:1: .*(ECONNREFUSED|bad port)/)
    await nobody.end()
  }, 60_000)

  it("on another machine gets no headers in clear text, and none that the connection has", async () => {
    const connecting = (url: string, name: string) =>
      HttpServer.connect({ url: new URL(url), headers: { [name]: "secret" }, note: () => {} })
    await expect(connecting("http://192.0.2.1/mcp", "Authorization")).rejects.toThrow(/expected https, .*192\.0\.2\.1/)
    await expect(connecting("http://127.0.0.1:1/mcp", "Host")).rejects.toThrow(
      /the host does not set itself, found Host/,
    )
  })
})
