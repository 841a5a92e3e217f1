import { Effect, Option } from "effect"
import type { LogError } from "../../events/EventLog.ts"
import { findNonJson, sha256 } from "../../events/Json.ts"
import type { Parts } from "../../events/Snapshots.ts"
import { turn } from "../../events/Turn.ts"
import * as Cut from "./Cut.ts"
import * as Packed from "./Packed.ts"
import type { PageCache } from "./PageCache.ts"

/** A state as text, in pieces. */
export interface Written {
  /** Names the pages by their digests, so that its own digest covers the whole state. */
  readonly root: string
  readonly pages: Pages
  /** Length of all the text that had to be written, as it was not known from before: what the work grows with. */
  readonly work: number
}

/** Makes states of one projection text, and back. A page that was seen before, by either, costs next to nothing. */
export interface StoredStates {
  /** None where the state is not plain JSON: it would not come back as it was. Gives way to others after every new page. */
  readonly write: (state: unknown) => Effect.Effect<Option.Option<Written>>
  /** The state of a root's text; none where a page is missing, or is not what was stored. */
  readonly read: (root: string) => Effect.Effect<Option.Option<unknown>, LogError>
}

type Pages = ReadonlyMap<string, Cut.Page>

/** Pages unpacked in one go. */
const PAGES_A_TURN = 8

export const make = (
  cache: PageCache,
  load: (digests: ReadonlyArray<string>) => Effect.Effect<Parts, LogError>,
): StoredStates => {
  /** The state written last: it shares most of its pages with the next one, and with those before. */
  let last = { byPath: new Map<string, ReadonlyArray<Cut.Page>>(), byDigest: new Map<string, Cut.Page>() }

  const remember = (byPath: Map<string, ReadonlyArray<Cut.Page>>) => {
    last = { byPath, byDigest: new Map([...byPath.values()].flat().map((page) => [page.digest, page])) }
  }

  /** The pages of a record; none where it is not JSON. */
  const writePages = (record: Cut.Wide) =>
    Effect.gen(function* () {
      const before = last.byPath.get(record.path) ?? []
      const pages: Array<Cut.Page> = []
      let work = 0
      for (const entries of Cut.pagesOf(record)) {
        const known = before[pages.length]
        if (known !== undefined && Cut.isSame(known, entries)) pages.push(known)
        else {
          if (findNonJson(entries) !== undefined) return Option.none()
          const text = Cut.textOf(entries)
          pages.push({ ...entries, digest: sha256(text) })
          work += text.length
          yield* turn
        }
      }
      return Option.some({ pages, work })
    })

  const write = (state: unknown): Effect.Effect<Option.Option<Written>> =>
    Effect.gen(function* () {
      const { skeleton, wide } = Cut.cut(state)
      if (findNonJson(skeleton) !== undefined) return Option.none()
      const byPath = new Map<string, ReadonlyArray<Cut.Page>>()
      let work = 0
      for (const record of wide) {
        const written = yield* writePages(record)
        if (Option.isNone(written)) return Option.none()
        byPath.set(record.path, written.value.pages)
        work += written.value.work
      }
      remember(byPath)
      const digests = [...byPath].map(([path, pages]) => ({ path, pages: pages.map(({ digest }) => digest) }))
      const root = JSON.stringify({ skeleton, wide: digests } satisfies Cut.Root)
      return Option.some({ root, pages: last.byDigest, work: work + root.length })
    })

  const read = (text: string) =>
    Effect.gen(function* () {
      const root = Cut.rootOf(text)
      if (Option.isNone(root)) return Option.none()
      const { skeleton, wide } = root.value
      const pages = yield* pagesOf(wide.flatMap(({ pages }) => pages))
      const byPath = new Map<string, ReadonlyArray<Cut.Page>>()
      for (const record of wide) {
        const own = record.pages.flatMap((digest) => pages.get(digest) ?? [])
        if (own.length < record.pages.length) return Option.none()
        byPath.set(record.path, own)
      }
      if (last.byPath.size === 0) remember(byPath)
      return Option.some(
        Cut.join(
          skeleton,
          [...byPath].map(([path, pages]) => ({ path, pages })),
        ),
      )
    })

  const pagesOf = (digests: ReadonlyArray<string>): Effect.Effect<Pages, LogError> =>
    Effect.gen(function* () {
      const pages = new Map<string, Cut.Page>()
      const unknown: Array<string> = []
      for (const digest of digests) {
        const known = last.byDigest.get(digest) ?? cache.get(digest)
        if (known === undefined) unknown.push(digest)
        else pages.set(digest, known)
      }
      for (let start = 0; start < unknown.length; start += PAGES_A_TURN) {
        if (start > 0) yield* turn
        for (const [digest, packed] of yield* load(unknown.slice(start, start + PAGES_A_TURN))) {
          const text = Packed.unpack(packed, digest)
          if (Option.isNone(text)) continue
          const page = { ...Cut.entriesOf(text.value), digest }
          cache.add(page, text.value.length)
          pages.set(digest, page)
        }
      }
      return pages
    })

  return { write, read }
}
