import { Effect, Option } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { Parts } from "../../events/log/Snapshots.ts"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import { findNonJson } from "../../values/Json.ts"
import type { ChunkEntries } from "../fold/ChunkedRecord.ts"
import type { ChunkCache } from "./ChunkCache.ts"
import * as compression from "./compression.ts"
import * as StateChunks from "./StateChunks.ts"

/** A state in pieces, as it is stored. */
export interface Written {
  /** Names the pages by their digests, so that its own digest covers the whole state. */
  readonly root: compression.Compressed
  /** Every page by its digest. */
  readonly pages: Pages
  /** Those that were not known from before, as they are stored. */
  readonly parts: Parts
  /** Length of all the text that had to be written: what the work grows with. */
  readonly work: number
}

/** Makes states of one projection text, and back. A page that was seen before, by either, costs next to nothing. */
export interface StoredStates {
  /** None where the state is not plain JSON: it would not come back as it was. Gives way to others after every new page. */
  readonly write: (state: StateChunks.StateChunks) => Effect.Effect<Option.Option<Written>>
  /** The state of a root's text; none where a page is missing, or is not what was stored. */
  readonly read: (root: string, load: Load) => Effect.Effect<Option.Option<unknown>, LogError>
}

/** Answers with what is stored under some digests. */
export type Load = (digests: ReadonlyArray<string>) => Effect.Effect<Parts, LogError>

type Pages = ReadonlyMap<string, StateChunks.StateChunk>

/** Pages unpacked in one go. */
const PAGES_A_TURN = 8

export const make = (cache: ChunkCache): StoredStates => {
  /** The state written last: it shares most of its pages with the next one, and with those before. */
  let last = {
    byPath: new Map<string, ReadonlyArray<StateChunks.StateChunk>>(),
    byDigest: new Map<string, StateChunks.StateChunk>(),
  }
  /** Pages by their entries, which a fold under way gives again while they rest. */
  const named = new WeakMap<ChunkEntries, StateChunks.StateChunk>()

  const remember = (byPath: Map<string, ReadonlyArray<StateChunks.StateChunk>>) => {
    const byDigest = new Map<string, StateChunks.StateChunk>()
    for (const pages of byPath.values()) for (const page of pages) byDigest.set(page.digest, page)
    last = { byPath, byDigest }
  }

  /** The page of these entries, where it was named before. */
  const knownPage = (
    entries: ChunkEntries,
    before: StateChunks.StateChunk | undefined,
  ): StateChunks.StateChunk | undefined =>
    named.get(entries) ?? (before !== undefined && StateChunks.isSame(before, entries) ? before : undefined)

  /** The pages of a record; none where it is not JSON. */
  const writePages = (record: StateChunks.Wide) =>
    Effect.gen(function* () {
      const before = last.byPath.get(record.path) ?? []
      const pages: Array<StateChunks.StateChunk> = []
      const parts: Array<compression.Compressed> = []
      let work = 0
      for (const entries of record.pages) {
        let page = knownPage(entries, before[pages.length])
        if (page === undefined) {
          if (findNonJson(entries) !== undefined) return Option.none()
          const text = StateChunks.textOf(entries)
          const part = compression.compress(text)
          page = { ...entries, digest: part.digest }
          parts.push(part)
          work += text.length
          yield* yieldToEventLoop
        }
        named.set(entries, page)
        pages.push(page)
      }
      return Option.some({ pages, parts, work })
    })

  const write = ({ skeleton, wide }: StateChunks.StateChunks): Effect.Effect<Option.Option<Written>> =>
    Effect.gen(function* () {
      if (findNonJson(skeleton) !== undefined) return Option.none()
      const byPath = new Map<string, ReadonlyArray<StateChunks.StateChunk>>()
      const parts = new Map<string, Uint8Array>()
      let work = 0
      for (const record of wide) {
        const written = yield* writePages(record)
        if (Option.isNone(written)) return Option.none()
        byPath.set(record.path, written.value.pages)
        for (const { digest, bytes } of written.value.parts) parts.set(digest, bytes)
        work += written.value.work
      }
      remember(byPath)
      const digests = [...byPath].map(([path, pages]) => ({ path, pages: pages.map(({ digest }) => digest) }))
      const root = JSON.stringify({ skeleton, wide: digests } satisfies StateChunks.Root)
      return Option.some({ root: compression.compress(root), pages: last.byDigest, parts, work: work + root.length })
    })

  const read = (text: string, load: Load) =>
    Effect.gen(function* () {
      const root = StateChunks.rootOf(text)
      if (Option.isNone(root)) return Option.none()
      const { skeleton, wide } = root.value
      const digests = wide.flatMap(({ pages }) => pages)
      cache.expect(digests.length)
      const pages = yield* pagesOf(digests, load)
      const byPath = new Map<string, ReadonlyArray<StateChunks.StateChunk>>()
      for (const record of wide) {
        const own = record.pages.flatMap((digest) => pages.get(digest) ?? [])
        if (own.length < record.pages.length) return Option.none()
        byPath.set(record.path, own)
      }
      if (last.byPath.size === 0) remember(byPath)
      return Option.some(
        StateChunks.join(
          skeleton,
          [...byPath].map(([path, pages]) => ({ path, pages })),
        ),
      )
    })

  const pagesOf = (digests: ReadonlyArray<string>, load: Load): Effect.Effect<Pages, LogError> =>
    Effect.gen(function* () {
      const pages = new Map<string, StateChunks.StateChunk>()
      const unknown: Array<string> = []
      for (const digest of digests) {
        const known = last.byDigest.get(digest) ?? cache.get(digest)
        if (known === undefined) unknown.push(digest)
        else pages.set(digest, known)
      }
      for (let start = 0; start < unknown.length; start += PAGES_A_TURN) {
        if (start > 0) yield* yieldToEventLoop
        for (const [digest, packed] of yield* load(unknown.slice(start, start + PAGES_A_TURN))) {
          const text = compression.decompress(packed, digest)
          if (Option.isNone(text)) continue
          const page = { ...StateChunks.entriesOf(text.value), digest }
          cache.add(page, text.value.length)
          pages.set(digest, page)
        }
      }
      return pages
    })

  return { write, read }
}
