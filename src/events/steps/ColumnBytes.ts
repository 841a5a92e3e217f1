/**
 * The bytes of columns as text: the size of the compressed header, the header with raw DEFLATE (RFC 1951), and the rest as
 * it is, in base64.
 */

import * as zlib from "node:zlib"

/** The header with its line feed, and the bytes after it. */
export interface Parts {
  readonly header: Buffer
  readonly rest: Buffer
}

/** Packs a header and the bytes after it. */
export const pack = (header: Buffer, rest: Uint8Array): string => {
  const compressed = zlib.deflateRawSync(header, { dictionary: DICTIONARY, level: 6 })
  const size = Buffer.alloc(SIZE_BYTES)
  size.writeUInt32LE(compressed.length)
  return Buffer.concat([size, compressed, rest]).toString("base64")
}

const SIZE_BYTES = 4

/** Unpacks columns that have so many bytes. Throws an error with the reason if they have not. */
export const unpack = (columns: string, bytes: number): Parts => {
  const packed = Buffer.from(columns, "base64")
  const end = packed.length < SIZE_BYTES ? Number.POSITIVE_INFINITY : SIZE_BYTES + packed.readUInt32LE()
  if (end > packed.length) throw new Error(`its columns have ${packed.length} bytes, which end within the header`)
  const rest = packed.subarray(end)
  const header = inflated(packed.subarray(SIZE_BYTES, end), Math.max(0, bytes - rest.length), DICTIONARY)
  if (header.length + rest.length !== bytes) {
    throw new Error(`its columns have ${header.length + rest.length} bytes, expected ${bytes}`)
  }
  if (header.indexOf(LINE_FEED) !== header.length - 1) throw new Error("its columns have no header")
  return { header, rest }
}

/** The same for columns of the first encoding, of which the rest is compressed, too. */
export const inflate = (columns: string, bytes: number): Parts => {
  const content = inflated(Buffer.from(columns, "base64"), bytes)
  if (content.length !== bytes) throw new Error(`its columns have ${content.length} bytes, expected ${bytes}`)
  const end = content.indexOf(LINE_FEED)
  if (end < 0) throw new Error("its columns have no header")
  return { header: content.subarray(0, end + 1), rest: content.subarray(end + 1) }
}

const LINE_FEED = 10

const inflated = (compressed: Buffer, bytes: number, dictionary?: Buffer): Buffer => {
  try {
    return zlib.inflateRawSync(compressed, {
      maxOutputLength: Math.max(1, bytes),
      ...(dictionary === undefined ? {} : { dictionary }),
    })
  } catch (cause) {
    throw new Error(
      `its columns cannot be decompressed to ${bytes} bytes (${cause instanceof Error ? cause.message : cause})`,
    )
  }
}

/** What headers have in common. Logs depend on it: it never changes. */
export const DICTIONARY = Buffer.from(
  '],["q",[["a",["m",["g",["x",["f",["d",1,0],["d",0,1],["d",-1],["d",0]]]],"sizes":[0,0,0,0,0,0,0,0,0,0,0,0,' +
    '"patch","shape":{"kind":"object","fields":[{"key":"op","shape":{"kind":"text","texts":["\\"add\\"","\\"remove\\"","\\"replace\\""]}},' +
    '{"key":"error","has":true,"shape":{"kind":"object","fields":[{"key":"code","shape":{"kind":"text","texts":["\\"ActionOutsideSpace\\""]}},' +
    '{"key":"message","shape":{"kind":"text","texts":["{\\"key":"action_mask","shape":{"kind":"list","items":[' +
    '{"key":"outcome","has":true,"shape":{"kind":"text","texts":["\\"failed\\"","\\"achieved\\""]}},' +
    '{"key":"/episode/agents/agent/outcome","shape":{"kind":"text","texts":["\\"terminated\\"' +
    '{"shape":{"kind":"object","fields":[{"key":"action","shape":{"kind":"number"}},{"key":"result","shape":{"kind":"object",' +
    '"fields":[{"key":"reward","shape":{"kind":"number"}},{"key":"rewards","shape":{"kind":"object","fields":[{"key":"reward",' +
    '"shape":{"kind":"number"}}]}},{"key":"terminated","shape":{"kind":"text","texts":["false","true"]}},{"key":"truncated",' +
    '"shape":{"kind":"text","texts":["false","true"]}},{"key":"info","shape":{"kind":"object","fields":[]}}]}},{"key":"set",' +
    '"shape":{"kind":"object","fields":[{"key":"/position","shape":{"kind":"number"}},{"key":"/velocity","shape":{"kind":"number"}},' +
    '{"key":"/angle","has":true,"shape":{"kind":"number"}},{"key":"/episode/step","shape":{"kind":"number"}},' +
    '{"key":"/episode/agents/agent/status","has":true,"shape":{"kind":"text","texts":["\\"active\\"","\\"truncated\\""]}},' +
    '{"key":"/episode/agents/agent/return","shape":{"kind":"number"}}]}},{"key":"readings","shape":{"kind":"object","fields":[' +
    '{"key":"observation","shape":{"kind":"list","items":[{"kind":"number"},{"kind":"number"},{"kind":"number"},{"kind":"number"}]}}]}}]},' +
    '"predictors":[["d",0,1],["d",1],["d",1],["d",0],["d",0],["e",6,0.02],["q",[[7,1,0],[8,1,0],[0,0,0.5]],[[',
  "utf8",
)
