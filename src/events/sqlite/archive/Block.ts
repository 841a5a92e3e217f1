import * as zlib from "node:zlib"
import { findNonJson } from "../../../values/Json.ts"
import type { Stored } from "../../integrity/TamperClassification.ts"
import { DamagedRow } from "../file/database.ts"

/** Events as they stand in a segment: JSON compressed by Brotli (RFC 7932), each with every field that the chain covers. */
export const packBlock = (block: ReadonlyArray<Stored>): Uint8Array => pack(JSON.stringify(block.map(lineOf)))

/** The events of a block. Throws where its content is not what `packBlock` makes: `DamagedRow` where one event is at fault. */
export const unpackBlock = (content: unknown): ReadonlyArray<Stored> => {
  const lines: unknown = JSON.parse(unpack(content))
  if (!Array.isArray(lines) || !lines.every(isLine)) throw new Error("a block holds something that is no event")
  for (const line of lines) {
    // UTF-8 has no lone surrogate: the chain would cover it as another character.
    const bad = findNonJson(line)
    if (bad !== undefined) throw new DamagedRow(line[0], `its segment says something that is no event: ${bad.found}`)
  }
  return lines.map(storedOf)
}

/** One event in a block, in the order of the chain's fields. */
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

const lineOf = ({ link, payload, keyId, hash }: Stored): Line => [
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

/** Brotli has no checksum: what was changed in a block may unpack to anything. The chain tells whether it is the event that was recorded. */
const isLine = (line: unknown): line is Line =>
  Array.isArray(line) &&
  line.length === FIELDS.length &&
  FIELDS.every(([kind, isNullable], index) => {
    const value: unknown = line[index]
    return kind === "number" ? Number.isSafeInteger(value) : typeof value === kind || (isNullable && value === null)
  })

/** What a line's fields are, and whether they may be null. */
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

const storedOf = (line: Line): Stored => ({
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

/** The names of an event by which its block is found. */
export const namesOf = ({ link }: Stored): ReadonlyArray<string> => [
  link.timeline,
  link.stream,
  link.type,
  ...(link.taskId === null ? [] : [link.taskId]),
]

/** Above this, Brotli takes several times as long for a few per cent less. */
const QUALITY = 5

/** Text made small. */
export const pack = (text: string): Uint8Array =>
  zlib.brotliCompressSync(text, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: QUALITY } })

/** The text again. Throws where the content is no text that was packed. */
export const unpack = (content: unknown): string =>
  UTF_8.decode(zlib.brotliDecompressSync(content instanceof Uint8Array ? content : new Uint8Array()))

/** Other bytes than a text's would otherwise be read as U+FFFD, and hashed as if they were that. */
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
