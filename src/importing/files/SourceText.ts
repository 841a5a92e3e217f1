/** Reads files of lines, and files that are one document, in bounded memory. */

import { isUtf8 } from "node:buffer"
import * as crypto from "node:crypto"
import * as fs from "node:fs/promises"
import { Data, Effect } from "effect"
import { isMissing } from "../../platform/SmallFile.ts"
import { defined } from "../../values/defined.ts"
import { chunksOf, type Packing } from "./FileText.ts"
import { objectsIn } from "./LineText.ts"

/** Longest line, in bytes. It bounds the memory for a file without line ends. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024

/** Largest file that is one document, in bytes: all of it is in memory while it is mapped. */
export const MAX_DOCUMENT_BYTES = 128 * 1024 * 1024

const NEWLINE = 10

/** Fix the file, or leave it out: it was not imported. Before it is read nothing of it is; see `ImportReport`. */
export class FileRefused extends Data.TaggedError("FileRefused")<{
  readonly file: string
  readonly expected: string
  readonly found: string
  /** Whether there is no such file. */
  readonly missing?: boolean
}> {
  override get message() {
    return `${this.file}: expected ${this.expected}, found ${this.found}. Nothing of it was imported.`
  }
}

/** How far a file was examined. Only what was examined is read, however the file grows meanwhile. */
export interface Extent {
  /** SHA-256 of the bytes up to `bytes`, in hexadecimal. Of a file that is packed: of what it holds. */
  readonly digest: string
  /** How many bytes are read: of a file of lines, those of its whole lines. */
  readonly bytes: number
  /** Whether bytes follow that are no whole line yet. */
  readonly partial: boolean
  /** Of a run in several files of lines: how far each of them was examined. */
  readonly ofParts?: ReadonlyArray<Extent>
  /** How the file has its text, where it is not as it is. */
  readonly packing?: Packing
  /** The digests of its first bytes, of as many as was asked for and are there. */
  readonly digestsAt?: ReadonlyMap<number, string>
}

/** A file that cannot be read. */
export const unreadable = (file: string) => (cause: unknown) =>
  new FileRefused({
    file,
    expected: "a file that can be read",
    found: cause instanceof Error ? cause.message : String(cause),
    missing: isMissing(cause),
  })

/** A digest that also tells what it was after some of the bytes. */
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
 * Examines a file of lines: its digest, and where its last whole line ends. A last line without a line end is whole if
 * it is JSON, or several objects of it. `stages` are numbers of first bytes whose digests are asked for.
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
      for await (const chunk of chunksOf(file, Number.POSITIVE_INFINITY, (found) => (packing = found))) {
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

/** Examines the files of lines of one run. */
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

/** Examines a file that is read whole, or at random. */
export const examineWhole = (file: string, limit: number): Effect.Effect<Extent, FileRefused> =>
  Effect.tryPromise({
    try: async () => {
      const hash = crypto.createHash("sha256")
      let bytes = 0
      let packing: Packing | undefined
      for await (const chunk of chunksOf(file, Number.POSITIVE_INFINITY, (found) => (packing = found))) {
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

/** Examines a directory whose files are the pieces of one run. */
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

/**
 * The lines of the first bytes of a file, in groups of a chunk's. The last line may lack its line end. `onBytes` is told
 * all bytes, in order; `onNoText`, of bytes that are no UTF-8.
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
  for await (const chunk of chunksOf(file, bytes)) {
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

/** The beginning of a file. */
export const beginning = async (file: string, bytes: number): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of chunksOf(file, bytes)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The beginning of a file, or more of it where its first line is longer, such as a prompt with a picture. */
export const beginningWithLine = async (file: string, bytes: number, mostBytes: number): Promise<Buffer> => {
  const head = await beginning(file, bytes)
  return head.length < bytes || head.includes(NEWLINE) ? head : await beginning(file, mostBytes)
}

/** All of a file that was examined whole. */
export const wholeOf = (file: string): Promise<Buffer> => beginning(file, Number.POSITIVE_INFINITY)
