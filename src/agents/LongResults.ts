/**
 * Results that are longer than a model sees at once (`maxResultBytes`): it gets the beginning, and reads the rest with
 * the tool `read_result`. The log keeps whole results, so a resumed, replayed or forked task cuts them the same way.
 */

import type { Json, JsonObject } from "../values/Json.ts"
import * as Files from "./models/Files.ts"
import type { ToolResult } from "./models/Message.ts"
import type { ToolDescription } from "./models/Model.ts"

export const READ_RESULT = "read_result"

/** The tool with which a model reads the rest of a long result. */
export const reading: ToolDescription = {
  name: READ_RESULT,
  description:
    "Reads more of a tool's result that was cut because it is long. Give the id of the call and the byte to start from, as the cut result says them.",
  args: {
    type: "object",
    properties: { call: { type: "string" }, from: { type: "integer", minimum: 0 } },
    required: ["call", "from"],
    additionalProperties: false,
  },
}

export interface LongResults {
  /** The result as the model sees it: cut, if it is longer than `limit` bytes. Files in it stay whole. */
  readonly shown: (callId: string, content: Json, limit: number) => Json
  /** A piece of a result that was cut. */
  readonly read: (args: Json) => Pick<ToolResult, "isError" | "content">
}

/** Maximum number of characters that are kept of all cut results together; the oldest goes first. */
const MOST_KEPT = 32 * 1024 * 1024

interface Kept {
  readonly bytes: Buffer
  readonly limit: number
}

/** The long results of one task. */
export const none = (): LongResults => {
  const kept = new Map<string, Kept>()
  let total = 0
  const keep = (callId: string, one: Kept) => {
    total += one.bytes.length - (kept.get(callId)?.bytes.length ?? 0)
    kept.delete(callId)
    kept.set(callId, one)
    for (const [oldest, { bytes }] of kept) {
      if (total <= MOST_KEPT || kept.size === 1) break
      kept.delete(oldest)
      total -= bytes.length
    }
  }
  return {
    shown: (callId, content, limit) => {
      const { json, files } = Files.separated(content)
      const bytes = Buffer.from(typeof json === "string" ? json : JSON.stringify(json))
      if (bytes.length <= limit) return content
      const one = { bytes, limit }
      keep(callId, one)
      return {
        ...pieceOf(callId, one, 0),
        ...(files.length === 0
          ? {}
          : { files: files.map(({ mediaType, data }) => ({ type: "file", mediaType, data })) }),
      }
    },
    read: (args) => {
      const { call, from } =
        typeof args === "object" && args !== null && !Array.isArray(args) ? (args as JsonObject) : {}
      const one = typeof call === "string" ? kept.get(call) : undefined
      if (typeof call !== "string" || one === undefined) {
        const known = [...kept.keys()].slice(-MOST_NAMED).join(", ") || "none"
        return refused(
          `expected the id of a call whose result was cut (the latest: ${known}), found ${JSON.stringify(call)}`,
        )
      }
      if (typeof from !== "number" || !Number.isInteger(from) || from < 0 || from >= one.bytes.length) {
        return refused(`expected a byte from 0 to ${one.bytes.length - 1} in from, found ${JSON.stringify(from)}`)
      }
      return { isError: false, content: pieceOf(call, one, from) }
    },
  }
}

const MOST_NAMED = 10

const refused = (content: string) => ({ isError: true, content })

const pieceOf = (callId: string, { bytes, limit }: Kept, from: number): JsonObject => {
  const start = boundary(bytes, from)
  const end = Math.max(boundary(bytes, Math.min(bytes.length, start + limit)), Math.min(bytes.length, start + 1))
  const place = { from: start, to: end, bytes: bytes.length }
  const text = bytes.toString("utf8", start, end)
  if (end === bytes.length) return { text, ...place }
  return { text, ...place, rest: `Call ${READ_RESULT} with ${JSON.stringify({ call: callId, from: end })} to read on.` }
}

/** The start of the character at a byte (UTF-8, RFC 3629): its further bytes begin with the bits 10. */
const boundary = (bytes: Buffer, at: number): number => {
  let start = at
  while (start > 0 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1
  return start
}
