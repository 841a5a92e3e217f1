/**
 * Serializes the states of one projection into compressed chunks, and reads them back. Known chunks are neither
 * serialized nor read again.
 */

import { Effect, Either, Option } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { Parts } from "../../events/log/Snapshots.ts"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import { findNonJson } from "../../values/Json.ts"
import type { ChunkEntries } from "../fold/ChunkedRecord.ts"
import type { ChunkCache } from "./ChunkCache.ts"
import * as compression from "./compression.ts"
import * as StateChunks from "./StateChunks.ts"

export interface WrittenState {
  /** Names the chunks by digest, so its own digest covers the whole state. */
  readonly root: compression.Compressed
  readonly chunks: Chunks
  /** The compressed bytes of the new chunks. */
  readonly parts: Parts
  /** Length of all serialized text, as a measure of the work. */
  readonly work: number
}

/** Writes and reads the states of one projection. Known chunks cost next to nothing. */
export interface StoredStates {
  /**
   * Serializes a state; none if it is not plain JSON and would not be read back equal. Yields to the event loop after
   * every new chunk.
   */
  readonly write: (state: StateChunks.StateChunks) => Effect.Effect<Option.Option<WrittenState>>
  /** Reads the state of a root's text, or one field of it. */
  readonly read: (root: string, load: Load, field?: string) => Effect.Effect<Either.Either<unknown, Unread>, LogError>
}

/** The digests of chunks that are missing or do not match their digest. */
export type Unread = ReadonlyArray<string>

/** Loads the stored bytes of the chunks with these digests. */
export type Load = (digests: ReadonlyArray<string>) => Effect.Effect<Parts, LogError>

type Chunks = ReadonlyMap<string, StateChunks.StateChunk>

/** Chunks loaded and decompressed per turn of the event loop. */
const CHUNKS_PER_YIELD = 8

export const make = (cache: ChunkCache): StoredStates => {
  /** The last written state, which shares most of its chunks with its neighbours. */
  let last = {
    byPath: new Map() as ReadonlyMap<string, ReadonlyArray<StateChunks.StateChunk>>,
    byDigest: new Map<string, StateChunks.StateChunk>(),
  }
  /** Chunks by entries: a fold in progress returns the same entries object while they do not change. */
  const byEntries = new WeakMap<ChunkEntries, StateChunks.StateChunk>()

  const remember = (byPath: ReadonlyMap<string, ReadonlyArray<StateChunks.StateChunk>>) => {
    const byDigest = new Map<string, StateChunks.StateChunk>()
    for (const chunks of byPath.values()) for (const chunk of chunks) byDigest.set(chunk.digest, chunk)
    last = { byPath, byDigest }
  }

  const knownChunk = (
    entries: ChunkEntries,
    before: StateChunks.StateChunk | undefined,
  ): StateChunks.StateChunk | undefined =>
    byEntries.get(entries) ?? (before !== undefined && StateChunks.isSame(before, entries) ? before : undefined)

  /** The chunks of a record; none if it is not JSON. */
  const writeChunks = (record: StateChunks.WideRecord) =>
    Effect.gen(function* () {
      const before = last.byPath.get(record.path) ?? []
      const chunks: Array<StateChunks.StateChunk> = []
      const parts: Array<compression.Compressed> = []
      let work = 0
      for (const entries of record.chunks) {
        let chunk = knownChunk(entries, before[chunks.length])
        if (chunk === undefined) {
          if (findNonJson(entries) !== undefined) return Option.none()
          const text = StateChunks.textOf(entries)
          const part = compression.compress(text)
          chunk = { ...entries, digest: part.digest }
          parts.push(part)
          work += text.length
          yield* yieldToEventLoop
        }
        byEntries.set(entries, chunk)
        chunks.push(chunk)
      }
      return Option.some({ chunks, parts, work })
    })

  const write = ({ skeleton, wide }: StateChunks.StateChunks): Effect.Effect<Option.Option<WrittenState>> =>
    Effect.gen(function* () {
      if (findNonJson(skeleton) !== undefined) return Option.none()
      const byPath = new Map<string, ReadonlyArray<StateChunks.StateChunk>>()
      const parts = new Map<string, Uint8Array>()
      let work = 0
      for (const record of wide) {
        const written = yield* writeChunks(record)
        if (Option.isNone(written)) return Option.none()
        byPath.set(record.path, written.value.chunks)
        for (const { digest, bytes } of written.value.parts) parts.set(digest, bytes)
        work += written.value.work
      }
      remember(byPath)
      const digests = [...byPath].map(([path, chunks]) => ({ path, pages: chunks.map(({ digest }) => digest) }))
      const root = JSON.stringify({ skeleton, wide: digests } satisfies StateChunks.Root)
      return Option.some({ root: compression.compress(root), chunks: last.byDigest, parts, work: work + root.length })
    })

  const read = (text: string, load: Load, field?: string) =>
    Effect.gen(function* () {
      const whole = StateChunks.rootOf(text)
      const root = field === undefined ? whole : Option.flatMap(whole, (root) => StateChunks.fieldOf(root, field))
      if (Option.isNone(root)) return Either.left([])
      const { skeleton, wide } = root.value
      const digests = wide.flatMap(({ pages }) => pages)
      cache.expect(digests.length)
      const chunks = yield* loadChunks(digests, load)
      const unread = digests.filter((digest) => !chunks.has(digest))
      if (unread.length > 0) return Either.left(unread)
      const byPath = new Map(
        wide.map(({ path, pages }) => [path, pages.flatMap((digest) => chunks.get(digest) ?? [])] as const),
      )
      if (last.byPath.size === 0 && field === undefined) remember(byPath)
      return Either.right(
        StateChunks.join(
          skeleton,
          [...byPath].map(([path, chunks]) => ({ path, chunks })),
        ),
      )
    })

  const loadChunks = (digests: ReadonlyArray<string>, load: Load): Effect.Effect<Chunks, LogError> =>
    Effect.gen(function* () {
      const chunks = new Map<string, StateChunks.StateChunk>()
      const unknown: Array<string> = []
      for (const digest of digests) {
        const known = last.byDigest.get(digest) ?? cache.get(digest)
        if (known === undefined) unknown.push(digest)
        else chunks.set(digest, known)
      }
      for (let start = 0; start < unknown.length; start += CHUNKS_PER_YIELD) {
        if (start > 0) yield* yieldToEventLoop
        for (const [digest, compressed] of yield* load(unknown.slice(start, start + CHUNKS_PER_YIELD))) {
          const text = compression.decompress(compressed, digest)
          if (Option.isNone(text)) continue
          const chunk = { ...StateChunks.entriesOf(text.value), digest }
          cache.add(chunk, text.value.length)
          chunks.set(digest, chunk)
        }
      }
      return chunks
    })

  return { write, read }
}
