/** Blocks: compressed groups of events in a segment. */

import { promisify } from "node:util"
import * as zlib from "node:zlib"
import { findNonJson } from "../../../values/Json.ts"
import type { StoredRow } from "../../integrity/TamperClassification.ts"
import { DamagedRow } from "../file/database.ts"

/**
 * Encodes events as JSON compressed by Brotli (RFC 7932), with every field that the chain covers, in another thread.
 */
export const packBlock = (block: ReadonlyArray<StoredRow>): Promise<Uint8Array> =>
  compress(JSON.stringify(block.map(lineOf)), OPTIONS)

const compress = promisify(zlib.brotliCompress)

/** Decodes a block. Throws if `packBlock` did not write it; throws `DamagedRow` for an invalid event. */
export const unpackBlock = (content: unknown): ReadonlyArray<StoredRow> => {
  const lines: unknown = JSON.parse(unpack(content))
  if (!Array.isArray(lines) || !lines.every(isLine)) throw new Error("a block contains something that is not an event")
  for (const line of lines) {
    // UTF-8 cannot encode a lone surrogate: the chain would cover another character.
    const bad = findNonJson(line)
    if (bad !== undefined)
      throw new DamagedRow(line[0], `its segment contains something that is not an event: ${bad.found}`)
  }
  return lines.map(storedOf)
}

type Line = readonly [
  position: number,
  id: string,
  timeline: string,
  stream: string,
  version: number,
  type: string,
  schemaVersion: number,
  taskId: string | null,
  causationId: string | null,
  actor: string,
  occurredAt: number,
  recordedAt: number,
  payload: string,
  keyId: string | null,
  hash: string,
]

const lineOf = ({ link, payload, keyId, hash }: StoredRow): Line => [
  link.position,
  link.id,
  link.timeline,
  link.stream,
  link.version,
  link.type,
  link.schemaVersion,
  link.taskId,
  link.causationId,
  link.actor,
  link.occurredAt,
  link.recordedAt,
  payload,
  keyId,
  hash,
]

/** Brotli has no checksum, so an altered block may decompress to anything. The chain proves the events themselves. */
const isLine = (line: unknown): line is Line =>
  Array.isArray(line) &&
  line.length === FIELDS.length &&
  FIELDS.every(([kind, isNullable], index) => {
    const value: unknown = line[index]
    return kind === "number" ? Number.isSafeInteger(value) : typeof value === kind || (isNullable && value === null)
  })

const FIELDS: ReadonlyArray<readonly [kind: "number" | "string", isNullable: boolean]> = [
  ...(["number", "string", "string", "string", "number", "string", "number"] as const).map(
    (kind) => [kind, false] as const,
  ),
  ["string", true],
  ["string", true],
  ["string", false],
  ["number", false],
  ["number", false],
  ["string", false],
  ["string", true],
  ["string", false],
]

const storedOf = (line: Line): StoredRow => ({
  link: {
    position: line[0],
    id: line[1],
    timeline: line[2],
    stream: line[3],
    version: line[4],
    type: line[5],
    schemaVersion: line[6],
    taskId: line[7],
    causationId: line[8],
    actor: line[9],
    occurredAt: line[10],
    recordedAt: line[11],
  },
  payload: line[12],
  keyId: line[13],
  hash: line[14],
  flaw: null,
})

export const namesOf = ({ link }: StoredRow): ReadonlyArray<string> => [
  link.timeline,
  link.stream,
  link.type,
  ...(link.taskId === null ? [] : [link.taskId]),
]

/** Beyond this quality, Brotli takes several times as long to save a few per cent. */
const OPTIONS = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }

export const pack = (text: string): Uint8Array => zlib.brotliCompressSync(text, OPTIONS)

/** Throws if `pack` did not write the content. */
export const unpack = (content: unknown): string =>
  UTF_8.decode(zlib.brotliDecompressSync(content instanceof Uint8Array ? content : new Uint8Array()))

/** Fatal: otherwise invalid UTF-8 would decode to U+FFFD and be hashed as that. */
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
