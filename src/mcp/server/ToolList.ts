/** Lists the tools of a server without a client. */

import { Data } from "effect"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject, textOf } from "../../values/JsonObjects.ts"
import * as Message from "../Message.ts"
import type { Server } from "./Server.ts"

export class ToolsNotListed extends Data.TaggedError("ToolsNotListed")<{
  readonly server: string
  readonly found: string
}> {
  override get message() {
    return `${this.server}: expected a server that lists its tools, found ${this.found}.`
  }
}

/** How long a server may take for all of it, in milliseconds. */
const LIST_MS = 60_000

/** Maximum number of pages. */
const MAX_PAGES = 100

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "hindcast", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
}

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "hindcast", version: "1" },
}

/** Asks a server of either era for its tools, and ends it. Rejects with `ToolsNotListed`. */
export const of = async (name: string, server: Server): Promise<ReadonlyArray<JsonObject>> => {
  const fail = (found: string) => new ToolsNotListed({ server: name, found })
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(fail(`no answer within ${LIST_MS / 1000} s`)), LIST_MS)
  })
  const gone = server.ended.then((how) => Promise.reject(fail(`one that ended (${how})`)))
  // Waiters for the list get the reason.
  gone.catch(() => {})
  try {
    return await Promise.race([listed(server, fail), late, gone])
  } finally {
    clearTimeout(timer)
    await server.stop()
    server.release()
  }
}

const listed = async (server: Server, fail: (found: string) => ToolsNotListed): Promise<ReadonlyArray<JsonObject>> => {
  const lines = server.lines[Symbol.asyncIterator]()
  let ids = 0
  const request = async (method: string, params: JsonObject): Promise<JsonObject> => {
    const id = ++ids
    server.send(Message.written({ jsonrpc: "2.0", id, method, params }))
    for (;;) {
      const { done, value: line } = await lines.next()
      if (done === true) throw fail("the end of its messages")
      if (line.kind === "too-long") throw fail(`a message of ${line.bytes} bytes`)
      const message = Message.read(line.text)
      if (message.kind === "request") {
        server.send(Message.written(Message.failed(message.id, Message.CODES.method, "Method not found")))
      }
      if (message.kind === "response" && message.id === id) return message.whole
    }
  }
  const isOlder = (await request("initialize", INITIALIZE)).error === undefined
  if (isOlder) server.send(Message.written({ jsonrpc: "2.0", method: "notifications/initialized" }))
  const found: Array<JsonObject> = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const params: JsonObject = { ...(cursor === undefined ? {} : { cursor }), ...(isOlder ? {} : { _meta: META }) }
    const { result, error } = await request(Message.LIST, params)
    if (error !== undefined) throw fail(`the error ${JSON.stringify(error).slice(0, MAX_SAID).toWellFormed()}`)
    const { tools, nextCursor } = asObject(result)
    found.push(...(Array.isArray(tools) ? tools.map((tool: Json) => asObject(tool)) : []))
    cursor = textOf(nextCursor)
    if (cursor === undefined) return found
  }
  throw fail(`more than ${MAX_PAGES} pages of tools`)
}

/** Characters of a server's error that are shown. */
const MAX_SAID = 300
