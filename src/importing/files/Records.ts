/** Reads a file's records in bounded memory: lines, a document, pieces of a directory, or parts of an archive. */

import { isUtf8 } from "node:buffer"
import * as crypto from "node:crypto"
import * as fs from "node:fs/promises"
import { Effect } from "effect"
import { type Framing, messagesIn } from "../protobuf/Frames.ts"
import { type SourceRecord, Unmappable } from "../Source.ts"
import * as Archive from "./Archive.ts"
import type { Found } from "./Detection.ts"
import { objectsIn, parsedDocument } from "./LineText.ts"
import { beginning, type Extent, FileRefused, linesOf, wholeOf } from "./SourceText.ts"

export interface Receiver<E> {
  readonly record: (record: SourceRecord) => void
  /** Called for a line that is no JSON object. */
  readonly noObject: () => void
  /** Called for each chunk with invalid UTF-8. */
  readonly noText: () => void
  /** Called after each group of records with their number and the bytes read so far. */
  readonly onRecords: (count: number, bytes: number) => Effect.Effect<void, E>
}

/** Reads exactly the examined extent. Refuses a file whose bytes have changed since; lines already passed on stay. */
export const read = <E>(found: Found, extent: Extent, receiver: Receiver<E>): Effect.Effect<void, FileRefused | E> => {
  const { file, source, form, zipped, pieces, parts, framing } = found
  const refuse = (cause: unknown) =>
    cause instanceof FileRefused
      ? cause
      : cause instanceof Unmappable
        ? new FileRefused({ file, expected: cause.expected, found: cause.message })
        : new FileRefused({ file, expected: `a ${source.title}`, found: messageOf(cause) })
  if (zipped) return readArchive(found, extent, refuse, receiver)
  if (parts !== undefined) return readParts(found, parts, extent, receiver)
  if (pieces !== undefined) return readPieces(found, pieces, extent, refuse, receiver)
  if (framing !== undefined) return readMessages(file, framing, extent, refuse, receiver)
  if (form === "dataset") return readDataset(found, extent, refuse, receiver)
  if (form === "lines") return readLines(file, extent, refuse, receiver)
  return readDocument(file, extent, refuse, receiver, form === "text" ? (text) => text : parsedDocument)
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

type Refuse = (cause: unknown) => FileRefused

const checkUnchanged = (digest: string, { digest: before }: Extent): void => {
  if (digest !== before) throw new Error("one that was rewritten while it was read; import it again")
}

const sha256Of = (bytes: Uint8Array): string => crypto.createHash("sha256").update(bytes).digest("hex")

const readDocument = <E>(
  file: string,
  extent: Extent,
  refuse: Refuse,
  receiver: Receiver<E>,
  parse: (text: string) => unknown,
) =>
  Effect.gen(function* () {
    const value = yield* Effect.tryPromise({
      try: async () => {
        const bytes = await wholeOf(file)
        checkUnchanged(sha256Of(bytes), extent)
        if (!isUtf8(bytes)) receiver.noText()
        return parse(bytes.toString("utf8"))
      },
      catch: refuse,
    })
    receiver.record({ value, where: "the document" })
    yield* receiver.onRecords(1, extent.bytes)
  })

const readDataset = <E>({ file, source }: Found, extent: Extent, refuse: Refuse, receiver: Receiver<E>) =>
  Effect.gen(function* () {
    const open = async () => {
      const bytes = await wholeOf(file)
      return source
        .dataset?.(file, parsedDocument(bytes.toString("utf8")))
        .records()
        [Symbol.asyncIterator]()
    }
    const records = yield* Effect.tryPromise({ try: open, catch: refuse })
    const reading = Effect.gen(function* () {
      while (true) {
        const next = yield* Effect.tryPromise({ try: async () => records?.next(), catch: refuse })
        if (next === undefined || next.done === true) break
        receiver.record(next.value)
        yield* receiver.onRecords(1, extent.bytes)
      }
    })
    // Closes the files after a failure or interrupt too.
    yield* Effect.ensuring(
      reading,
      Effect.promise(async () => records?.return?.()),
    )
  })

const readMessages = <E>(file: string, framing: Framing, extent: Extent, refuse: Refuse, receiver: Receiver<E>) =>
  Effect.gen(function* () {
    const { decode } = yield* Effect.promise(() => import("../protobuf/Protobuf.ts"))
    const bytes = yield* Effect.tryPromise({
      try: async () => {
        const read = await beginning(file, extent.bytes)
        checkUnchanged(sha256Of(read), extent)
        return read
      },
      catch: refuse,
    })
    let count = 0
    for (const { message, end } of messagesIn(bytes, framing)) {
      count += 1
      const where = `message ${count}`
      const value = yield* Effect.try({ try: () => decode(framing.content, message), catch: notDecoded(file, where) })
      receiver.record({ value, where })
      yield* receiver.onRecords(1, end)
    }
  })

const notDecoded = (file: string, where: string) => (cause: unknown) =>
  new FileRefused({
    file,
    expected: "messages of OTLP in protobuf",
    found: `other bytes in ${where}: ${messageOf(cause)}`,
  })

const readParts = <E>(found: Found, parts: ReadonlyArray<string>, extent: Extent, receiver: Receiver<E>) =>
  Effect.gen(function* () {
    let before = 0
    for (const [index, file] of parts.entries()) {
      const own = extent.ofParts?.[index]
      if (own === undefined) continue
      const { parts: _, ...one } = { ...found, file }
      const onRecords = (count: number, bytes: number) => receiver.onRecords(count, before + bytes)
      yield* read(one, own, { ...receiver, onRecords })
      before += own.bytes
    }
  })

const readPieces = <E>(
  { file }: Found,
  pieces: ReadonlyArray<string>,
  extent: Extent,
  refuse: Refuse,
  receiver: Receiver<E>,
) =>
  Effect.gen(function* () {
    const hash = crypto.createHash("sha256")
    let done = 0
    for (const piece of pieces) {
      const bytes = yield* Effect.tryPromise({ try: () => fs.readFile(`${file}/${piece}`), catch: refuse })
      hash.update(bytes)
      done += bytes.length
      if (done > extent.bytes) break
      const value = parsedLine(bytes.toString("utf8"))
      if (typeof value === "object" && value !== null) receiver.record({ value, where: piece })
      else receiver.noObject()
      yield* receiver.onRecords(1, done)
    }
    yield* Effect.try({ try: () => checkUnchanged(hash.digest("hex"), extent), catch: refuse })
  })

const LINES_BETWEEN_WRITES = 256

const readLines = <E>(file: string, extent: Extent, refuse: Refuse, receiver: Receiver<E>) => {
  const hash = crypto.createHash("sha256")
  const lines = linesOf(file, extent.bytes, (bytes) => hash.update(bytes), receiver.noText)
  const reading = Effect.gen(function* () {
    let line = 0
    let done = 0
    let objects = 0
    while (true) {
      const next = yield* Effect.tryPromise({ try: () => lines.next(), catch: refuse })
      if (next.done === true) break
      let count = 0
      for (const text of next.value) {
        line += 1
        done += text.length + 1
        if (text.trim() === "") continue
        count += 1
        const { values, isWhole } = objectsIn(text)
        for (const value of values) receiver.record({ value, where: String(line) })
        if (!isWhole) receiver.noObject()
        objects += values.length
        // Bounds memory to the events of one line.
        if (count % LINES_BETWEEN_WRITES === 0) yield* receiver.onRecords(0, done)
      }
      yield* receiver.onRecords(count, done)
    }
    yield* Effect.try({ try: () => checkUnchanged(hash.digest("hex"), extent), catch: refuse })
    if (line > 0 && objects === 0 && extent.bytes > 0)
      return yield* new FileRefused({
        file,
        expected: "lines that are JSON objects",
        found: `none in ${line} lines; a document is recognized by its first line, \`{\` or \`[\``,
      })
  })
  // Closes the file after a failure or interrupt too.
  return Effect.ensuring(
    reading,
    Effect.promise(() => lines.return(undefined)),
  )
}

const parsedLine = (text: string): unknown => {
  try {
    return parsedDocument(text)
  } catch {
    return undefined
  }
}

/**
 * Maximum number of parts of an archive, and of their bytes, between two writes; runs of small parts share a commit.
 */
const PARTS_BETWEEN_WRITES = 32
const BYTES_BETWEEN_WRITES = 2 * 1024 * 1024

const readArchive = <E>({ file, source }: Found, extent: Extent, refuse: Refuse, receiver: Receiver<E>) =>
  Effect.acquireUseRelease(
    Effect.tryPromise({ try: () => Archive.open(file), catch: refuse }),
    (archive) =>
      Effect.gen(function* () {
        let [done, count, bytes] = [0, 0, 0]
        const parts = source.partsInOrder?.([...archive.entries.keys()]) ?? []
        const entries = parts.flatMap((name) => archive.entries.get(name) ?? [])
        const parse = async (entry: Archive.Entry) => parsedDocument((await archive.read(entry)).toString("utf8"))
        // Reads all parts before mapping the first, so that nothing of a damaged archive is imported. A skipped entry
        // may be a part whose name was damaged.
        for (const entry of entries) yield* Effect.tryPromise({ try: () => parse(entry), catch: refuse })
        const read = new Set(entries)
        for (const entry of archive.entries.values())
          if (!read.has(entry)) yield* Effect.tryPromise({ try: () => archive.check(entry), catch: refuse })
        yield* Effect.tryPromise({
          try: async () => checkUnchanged(await archive.digest(), extent),
          catch: refuse,
        })
        for (const entry of entries) {
          const value = yield* Effect.tryPromise({ try: () => parse(entry), catch: refuse })
          receiver.record({ value, where: entry.name })
          done += entry.compressed
          count += 1
          bytes += entry.size
          if (count < PARTS_BETWEEN_WRITES && bytes < BYTES_BETWEEN_WRITES) continue
          yield* receiver.onRecords(count, done)
          ;[count, bytes] = [0, 0]
        }
        yield* receiver.onRecords(count, done)
      }),
    (archive) => Effect.promise(() => archive.close()),
  )
