/** Reads files of lines and whole documents in bounded memory. */

import { isUtf8 } from "node:buffer"
import * as crypto from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Data, Effect } from "effect"
import { isMissing } from "../../platform/SmallFile.ts"
import { defined } from "../../values/defined.ts"
import { type Framing, messagesIn } from "../protobuf/Frames.ts"
import { Unmappable } from "../Source.ts"
import { type Packing, piecesOf } from "./FileText.ts"
import { objectsIn } from "./LineText.ts"

/** Maximum length of a line, in bytes; bounds memory for files without line ends. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024

/** Maximum size of a document, in bytes; it is in memory while being mapped. */
export const MAX_DOCUMENT_BYTES = 128 * 1024 * 1024

const NEWLINE = 10

/**
 * Fix the file or leave it out: it was not imported. If it was refused while being read, `ImportReport` counts what
 * was.
 */
export class FileRefused extends Data.TaggedError("FileRefused")<{
  readonly file: string
  readonly expected: string
  readonly found: string
  /** Whether the file does not exist. */
  readonly missing?: boolean
}> {
  override get message() {
    return `${this.file}: expected ${this.expected}, found ${this.found}. Nothing was imported from it.`
  }
}

/** The examined part of a file. Nothing beyond it is read, even if the file grows. */
export interface Extent {
  /** SHA-256 of the first `bytes` bytes, in hexadecimal; for a packed file, of the unpacked text. */
  readonly digest: string
  /** Number of bytes to read; for lines, up to the last complete one. */
  readonly bytes: number
  /** Whether an incomplete line follows. */
  readonly partial: boolean
  /** Extents of the files of a run in several. */
  readonly ofParts?: ReadonlyArray<Extent>
  readonly packing?: Packing
  /** Digests of prefixes, by requested length. */
  readonly digestsAt?: ReadonlyMap<number, string>
}

export const unreadable = (file: string) => (cause: unknown) =>
  cause instanceof Unmappable
    ? new FileRefused({ file, expected: cause.expected, found: cause.message })
    : new FileRefused({
        file,
        expected: "a readable file",
        found: cause instanceof Error ? cause.message : String(cause),
        missing: isMissing(cause),
      })

/** A digest that also records its value at given lengths. */
class StagedDigest {
  readonly at = new Map<number, string>()
  readonly #hash = crypto.createHash("sha256")
  readonly #stages: Array<number>
  #bytes = 0

  constructor(stages: Iterable<number>) {
    this.#stages = [...new Set(stages)].sort((a, b) => a - b)
  }

  update(bytes: Buffer): void {
    let from = 0
    for (let next = this.#stages[0]; next !== undefined && next <= this.#bytes + bytes.length; next = this.#stages[0]) {
      const until = next - this.#bytes
      if (until > from) this.#hash.update(bytes.subarray(from, until))
      from = Math.max(from, until)
      this.at.set(next, this.#hash.copy().digest("hex"))
      this.#stages.shift()
    }
    this.#hash.update(bytes.subarray(from))
    this.#bytes += bytes.length
  }

  digest(): string {
    return this.#hash.digest("hex")
  }
}

/**
 * Examines a file of lines up to its last complete line. A last line without line end is complete if it is JSON.
 * `stages` are prefix lengths whose digests the caller needs.
 */
export const examineLines = (file: string, stages: Iterable<number> = []): Effect.Effect<Extent, FileRefused> =>
  Effect.tryPromise({
    try: async () => {
      const hash = new StagedDigest(stages)
      let tail: Array<Buffer> = []
      let tailBytes = 0
      let bytes = 0
      let line = 1
      let packing: Packing | undefined
      for await (const chunk of piecesOf(file, Number.POSITIVE_INFINITY, (found) => (packing = found))) {
        let from = 0
        for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
          if (tailBytes + end - from > MAX_LINE_BYTES) throw tooLong(file, line)
          for (const part of tail) hash.update(part)
          hash.update(chunk.subarray(from, end + 1))
          bytes += tailBytes + end + 1 - from
          ;[tail, tailBytes, from, line] = [[], 0, end + 1, line + 1]
        }
        if (from < chunk.length) tail.push(chunk.subarray(from))
        tailBytes += chunk.length - from
        if (tailBytes > MAX_LINE_BYTES) throw tooLong(file, line)
      }
      const last = Buffer.concat(tail)
      const text = last.toString("utf8")
      const isWhole = last.length > 0 && (isJson(text) || objectsIn(text).isWhole)
      if (isWhole) hash.update(last)
      return {
        digest: hash.digest(),
        bytes: isWhole ? bytes + last.length : bytes,
        partial: last.length > 0 && !isWhole,
        digestsAt: hash.at,
        ...defined({ packing }),
      }
    },
    catch: (cause) => (cause instanceof FileRefused ? cause : unreadable(file)(cause)),
  })

export const examineParts = (files: ReadonlyArray<string>): Effect.Effect<Extent, FileRefused> =>
  Effect.map(
    Effect.forEach(files, (file) => examineLines(file)),
    (parts) => ({
      digest: crypto
        .createHash("sha256")
        .update(parts.map(({ digest }) => digest).join("\n"))
        .digest("hex"),
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
      partial: parts.some(({ partial }) => partial),
      ofParts: parts,
      ...defined({ packing: parts.find(({ packing }) => packing !== undefined)?.packing }),
    }),
  )

const tooLong = (file: string, line: number) =>
  new FileRefused({
    file,
    expected: `lines of at most ${MAX_LINE_BYTES / 1024 / 1024} MiB`,
    found: `a longer one, line ${line}`,
  })

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

export const examineWhole = (file: string, limit: number): Effect.Effect<Extent, FileRefused> =>
  Effect.tryPromise({
    try: async () => {
      const hash = crypto.createHash("sha256")
      let bytes = 0
      let packing: Packing | undefined
      for await (const chunk of piecesOf(file, Number.POSITIVE_INFINITY, (found) => (packing = found))) {
        hash.update(chunk)
        bytes += chunk.length
        if (bytes > limit)
          throw new FileRefused({
            file,
            expected: `a document of at most ${limit / 1024 / 1024} MiB`,
            found: "a larger one",
          })
      }
      return { digest: hash.digest("hex"), bytes, partial: false, ...defined({ packing }) }
    },
    catch: (cause) => (cause instanceof FileRefused ? cause : unreadable(file)(cause)),
  })

/** Examines a file of messages up to its last complete one. */
export const examineMessages = (file: string, framing: Framing, limit: number): Effect.Effect<Extent, FileRefused> =>
  Effect.flatMap(examineWhole(file, limit), (whole) =>
    Effect.tryPromise({
      try: async () => {
        const bytes = await wholeOf(file)
        let taken = 0
        for (const { end } of messagesIn(bytes, framing)) taken = end
        const digest = crypto.createHash("sha256").update(bytes.subarray(0, taken)).digest("hex")
        return { ...whole, digest, bytes: taken, partial: taken < bytes.length }
      },
      catch: unreadable(file),
    }),
  )

export const examinePieces = (directory: string, pieces: ReadonlyArray<string>): Effect.Effect<Extent, FileRefused> =>
  Effect.tryPromise({
    try: async () => {
      const hash = crypto.createHash("sha256")
      let bytes = 0
      for (const piece of pieces) {
        const file = `${directory}/${piece}`
        const { size } = await fs.stat(file)
        if (size > MAX_LINE_BYTES)
          throw new FileRefused({
            file,
            expected: `pieces of at most ${MAX_LINE_BYTES / 1024 / 1024} MiB`,
            found: "a larger one",
          })
        hash.update(await fs.readFile(file))
        bytes += size
      }
      return { digest: hash.digest("hex"), bytes, partial: false }
    },
    catch: (cause) => (cause instanceof FileRefused ? cause : unreadable(directory)(cause)),
  })

/** Examines a data set: the document that describes it and the files with its data. */
export const examineDataset = (
  file: string,
  dataOf: (document: Buffer) => ReadonlyArray<string>,
): Effect.Effect<Extent, FileRefused> =>
  Effect.flatMap(examineWhole(file, MAX_LINE_BYTES), (document) =>
    Effect.tryPromise({
      try: async () => {
        const hash = crypto.createHash("sha256").update(document.digest)
        let { bytes } = document
        for (const data of dataOf(await wholeOf(file))) {
          const { size } = await fs.lstat(data).catch(() => ({ size: 0 }))
          hash.update(`\n${path.relative(path.dirname(file), data)} ${size}\n`)
          for await (const chunk of wholeFile(data)) {
            hash.update(chunk)
            bytes += chunk.length
          }
        }
        return { digest: hash.digest("hex"), bytes, partial: false }
      },
      catch: (cause) => (cause instanceof FileRefused ? cause : unreadable(file)(cause)),
    }),
  )

/** The bytes of a file; none if it is missing or a link, which its reader reports. */
async function* wholeFile(file: string): AsyncGenerator<Buffer> {
  const stat = await fs.lstat(file).catch(() => undefined)
  if (stat?.isFile() !== true) return
  const handle = await fs.open(file)
  try {
    for await (const chunk of handle.createReadStream({ autoClose: false })) yield chunk as Buffer
  } finally {
    await handle.close()
  }
}

/**
 * Yields the lines of a file's first bytes, a group per chunk. The last line may lack its line end. `onBytes` gets all
 * bytes in order; `onNoText` is called for invalid UTF-8.
 */
export async function* linesOf(
  file: string,
  bytes: number,
  onBytes: (bytes: Buffer) => void,
  onNoText: () => void,
): AsyncGenerator<ReadonlyArray<string>> {
  const textOf = (group: Buffer): string => {
    if (!isUtf8(group)) onNoText()
    return group.toString("utf8")
  }
  let tail: Array<Buffer> = []
  for await (const chunk of piecesOf(file, bytes)) {
    onBytes(chunk)
    const end = chunk.lastIndexOf(NEWLINE)
    if (end < 0) tail.push(chunk)
    else {
      const text = textOf(Buffer.concat([...tail, chunk.subarray(0, end)]))
      tail = [chunk.subarray(end + 1)]
      yield text.split("\n")
    }
  }
  const last = Buffer.concat(tail)
  if (last.length > 0) yield [textOf(last)]
}

export const beginning = async (file: string, bytes: number): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of piecesOf(file, bytes)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Reads the beginning of a file, and more if its first line is longer, such as a prompt with a picture. */
export const beginningWithLine = async (file: string, bytes: number, mostBytes: number): Promise<Buffer> => {
  const head = await beginning(file, bytes)
  return head.length < bytes || head.includes(NEWLINE) ? head : await beginning(file, mostBytes)
}

export const wholeOf = (file: string): Promise<Buffer> => beginning(file, Number.POSITIVE_INFINITY)
