/**
 * Random access to the entries of a ZIP archive (APPNOTE 6.3.10): stored, deflated, or Zstandard (method 93). Libraries
 * need the archive in memory, or read in write order, in which a rewritten entry appears in its old form first.
 */

import * as crypto from "node:crypto"
import * as fs from "node:fs/promises"
import * as zlib from "node:zlib"
import { Decompress } from "fzstd"
import { crc32 } from "../../values/Digest.ts"

/** Maximum size of an uncompressed entry, in bytes; checked before expanding. */
export const MAX_ENTRY_BYTES = 128 * 1024 * 1024

/** Maximum size of the central directory, in bytes. */
const MAX_DIRECTORY_BYTES = 256 * 1024 * 1024

/** Maximum total size of uncompressed entries, in bytes. */
export const MAX_TOTAL_BYTES = 16 * 1024 * 1024 * 1024

const STEP_BYTES = 1024 * 1024

export interface Entry {
  readonly name: string
  /** CRC-32 of its content, as in ISO 3309. */
  readonly crc: number
  readonly method: number
  readonly compressed: number
  readonly size: number
  readonly offset: number
}

const END = 0x06054b50
const END64 = 0x06064b50
const LOCATOR64 = 0x07064b50
const CENTRAL = 0x02014b50
const LOCAL = 0x04034b50
const UNKNOWN_32 = 0xffffffff

export interface Archive {
  /** By name; of several with one name, the last. */
  readonly entries: ReadonlyMap<string, Entry>
  /** Reads a whole entry. Throws if it is damaged, too large, or of another compression. */
  readonly read: (entry: Entry) => Promise<Buffer>
  /** Throws if an entry's local name differs from the directory's, which has no checksum. */
  readonly check: (entry: Entry) => Promise<void>
  /** SHA-256 of the whole file, in hexadecimal. */
  readonly digest: () => Promise<string>
  readonly close: () => Promise<void>
}

/**
 * Opens an archive. Throws for other and unfinished files, above `MAX_TOTAL_BYTES`, and for overlapping entries, with
 * which a few bytes could expand to any number of entries (a ZIP bomb).
 */
export const open = async (file: string): Promise<Archive> => {
  const handle = await fs.open(file, "r")
  try {
    const { size } = await handle.stat()
    const at = async (offset: number, length: number): Promise<Buffer> => {
      if (offset < 0 || length < 0 || offset + length > size) throw new Error("the archive is cut off or damaged")
      const buffer = Buffer.alloc(length)
      await handle.read(buffer, 0, length, offset)
      return buffer
    }
    const entries = await entriesOf(at, size)
    const startOf = async ({ name, offset }: Entry): Promise<number> => {
      const local = await at(offset, 30)
      if (local.readUInt32LE(0) !== LOCAL) throw new Error(`${name} is not where the archive's directory says`)
      const length = local.readUInt16LE(26)
      const own = (await at(offset + 30, length)).toString("utf8")
      if (own !== name)
        throw new Error(`the archive is damaged: its directory lists ${name}, and the entry there is named ${own}`)
      return offset + 30 + length + local.readUInt16LE(28)
    }
    const read = async (entry: Entry): Promise<Buffer> => {
      if (entry.size > MAX_ENTRY_BYTES)
        throw new Error(`${entry.name} has ${entry.size} bytes, more than ${MAX_ENTRY_BYTES}`)
      const content = expanded(entry, await at(await startOf(entry), entry.compressed))
      if (content.length !== entry.size || crc32(content) !== entry.crc)
        throw new Error(`${entry.name} is damaged: its checksum does not match`)
      return content
    }
    const digest = async () => {
      const hash = crypto.createHash("sha256")
      for (let from = 0; from < size; from += STEP_BYTES) hash.update(await at(from, Math.min(STEP_BYTES, size - from)))
      return hash.digest("hex")
    }
    const check = async (entry: Entry) => {
      await startOf(entry)
    }
    return { entries, read, check, digest, close: () => handle.close() }
  } catch (cause) {
    await handle.close()
    throw cause
  }
}

const entriesOf = async (at: (offset: number, length: number) => Promise<Buffer>, size: number) => {
  const tailLength = Math.min(size, 65_557)
  const tail = await at(size - tailLength, tailLength)
  let end = tail.length - 22
  while (end >= 0 && tail.readUInt32LE(end) !== END) end -= 1
  if (end < 0) throw new Error("the archive has no directory of its entries: it is cut off, or still being written")
  let length = tail.readUInt32LE(end + 12)
  let offset = tail.readUInt32LE(end + 16)
  if (offset === UNKNOWN_32 || length === UNKNOWN_32) {
    if (end < 20 || tail.readUInt32LE(end - 20) !== LOCATOR64) throw new Error("the archive is damaged")
    const end64 = await at(Number(tail.readBigUInt64LE(end - 12)), 56)
    if (end64.readUInt32LE(0) !== END64) throw new Error("the archive is damaged")
    length = Number(end64.readBigUInt64LE(40))
    offset = Number(end64.readBigUInt64LE(48))
  }
  if (length > MAX_DIRECTORY_BYTES) throw new Error("the archive has too many entries")
  const directory = await at(offset, length)
  const all: Array<Entry> = []
  for (let position = 0; position + 46 <= directory.length; ) {
    if (directory.readUInt32LE(position) !== CENTRAL) throw new Error("the archive is damaged")
    const nameLength = directory.readUInt16LE(position + 28)
    const extraLength = directory.readUInt16LE(position + 30)
    const extraAt = position + 46 + nameLength
    const name = directory.toString("utf8", position + 46, extraAt)
    const entry = {
      name,
      crc: directory.readUInt32LE(position + 16),
      method: directory.readUInt16LE(position + 10),
      compressed: directory.readUInt32LE(position + 20),
      size: directory.readUInt32LE(position + 24),
      offset: directory.readUInt32LE(position + 42),
    }
    all.push(with64(entry, directory.subarray(extraAt, extraAt + extraLength)))
    position = extraAt + extraLength + directory.readUInt16LE(position + 32)
  }
  checkPlaces(all, offset)
  // Of equal names, the last one counts, in its own place.
  const entries = new Map<string, Entry>()
  for (const entry of all) {
    entries.delete(entry.name)
    entries.set(entry.name, entry)
  }
  return entries
}

/** Checks that entries precede the directory without overlap, and limits their total size. */
const checkPlaces = (entries: ReadonlyArray<Entry>, directoryAt: number): void => {
  let [end, total] = [0, 0]
  for (const { name, offset, compressed, size } of [...entries].sort((a, b) => a.offset - b.offset)) {
    if (offset < end) throw new Error(`the archive is damaged: ${name} lies within another entry`)
    end = offset + 30 + Buffer.byteLength(name) + compressed
    if (end > directoryAt) throw new Error(`the archive is damaged: ${name} is cut off`)
    total += size
  }
  if (total > MAX_TOTAL_BYTES) throw new Error(`the archive has ${total} bytes expanded, more than ${MAX_TOTAL_BYTES}`)
}

/** Sizes from the ZIP64 field, where the entry's own fields are full. */
const with64 = (entry: Entry, extra: Buffer): Entry => {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    let next = at + 4
    const value = (known: number): number => {
      if (known !== UNKNOWN_32 || next + 8 > extra.length) return known
      next += 8
      return Number(extra.readBigUInt64LE(next - 8))
    }
    const size = value(entry.size)
    const compressed = value(entry.compressed)
    return { ...entry, size, compressed, offset: value(entry.offset) }
  }
  return entry
}

const expanded = ({ name, method, size }: Entry, bytes: Buffer): Buffer => {
  switch (method) {
    case 0:
      return bytes
    case 8:
      return inflated(name, bytes, size)
    case 93:
      return unzstd(bytes, size)
    default:
      throw new Error(`${name} is compressed by method ${method}; supported are deflate (8) and Zstandard (93)`)
  }
}

const inflated = (name: string, bytes: Buffer, size: number): Buffer => {
  try {
    return zlib.inflateRawSync(bytes, { maxOutputLength: Math.max(1, size) })
  } catch (cause) {
    throw new Error(`${name} is damaged: it does not expand to the ${size} bytes that the archive states`, { cause })
  }
}

const unzstd = (bytes: Buffer, size: number): Buffer => {
  const parts: Array<Uint8Array> = []
  let total = 0
  const decompress = new Decompress((part) => {
    total += part.length
    if (total > size) throw new Error("an entry is larger than the archive says")
    parts.push(part)
  })
  decompress.push(bytes, true)
  return Buffer.concat(parts)
}
