/** Verifies the hash chain of any backend, optionally against an anchor. */

import { Effect, Option, Stream } from "effect"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import type { InvalidOptions } from "../../values/Options.ts"
import * as Options from "../../values/Options.ts"
import { LogCorrupt, type LogError } from "../log/EventLog.ts"
import { ChainRange, type VerifyOptions } from "../log/Verification.ts"
import type { Head } from "../vocabulary/Event.ts"
import * as Chain from "./Chain.ts"
import * as TamperClassification from "./TamperClassification.ts"

/** Rows per read, which bounds memory. */
const PAGE_SIZE = 1000

/** Rows before and after a break that classification reads. */
const WINDOW = 1000

/** A backend's stored rows, none of them trusted. */
export interface Source {
  readonly head: Effect.Effect<Head, LogError>
  readonly page: (
    after: number,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<TamperClassification.StoredRow>, LogError>
  /** The highest version of a stream before a position, 0 if none. */
  readonly versionBefore: (timeline: string, stream: string, position: number) => Effect.Effect<number, LogError>
}

export type ChainResult =
  | { readonly broken: null; readonly head: Head; readonly events: number }
  | { readonly broken: TamperClassification.Break }

export const BEGINNING: Head = { position: 0, hash: Chain.GENESIS }

/**
 * Recomputes the chain and compares it with the anchor. If a page is unreadable, reads row by row, so that the error
 * names the first unreadable position.
 *
 * @param from a head up to which the chain is verified already. Default: the beginning
 */
export const verify = (
  source: Source,
  { anchor, onProgress }: Pick<VerifyOptions, "anchor" | "onProgress"> = {},
  from: Head = BEGINNING,
): Effect.Effect<ChainResult, LogError> =>
  Effect.gen(function* () {
    const atStart = yield* source.head
    let head = from
    if (anchor?.position === 0 && anchor.hash !== BEGINNING.hash) return broken(rewritten(anchor))
    if (anchor !== undefined && anchor.position > 0 && anchor.position <= from.position) {
      const stored = yield* headAt(source, anchor.position)
      if (stored?.hash !== anchor.hash) return broken(rewritten(anchor))
    }
    let isAnchorChecked = anchor === undefined || anchor.position <= from.position
    while (true) {
      const rows = yield* readNext(source, head)
      if (rows.length === 0) break
      const next = walk(head, rows)
      const anchored = anchor === undefined ? undefined : rowAt(rows, head, next, anchor.position)
      if (anchor !== undefined && anchored !== undefined && anchored.hash !== anchor.hash) {
        return broken(rewritten(anchor))
      }
      isAnchorChecked ||= anchored !== undefined
      const unbroken = next.position - head.position === rows.length
      head = next
      if (!unbroken) return broken(yield* classifyBreak(source, head, anchor))
      if (onProgress !== undefined) yield* onProgress(head.position, Math.max(head.position, atStart.position))
      yield* yieldToEventLoop
    }
    // An anchor that was never compared must not pass, even if its position does not occur.
    if (anchor !== undefined && !isAnchorChecked) return broken(truncated(head, anchor))
    return { broken: null, head, events: head.position }
  })

const broken = (found: TamperClassification.Break): ChainResult => ({ broken: found })

/** Follows the rows that continue the chain and returns the last head; stops at the first that does not. */
export const walk = (from: Head, rows: ReadonlyArray<TamperClassification.StoredRow>): Head => {
  let { position, hash } = from
  for (const row of rows) {
    if (row.link.position !== position + 1 || row.flaw !== null) break
    const next = Chain.link(hash, row.link, row.payload, row.keyId)
    if (next !== row.hash) break
    position += 1
    hash = next
  }
  return { position, hash }
}

/**
 * Walks a range of the chain. Emits the head stored before it, then the head after each page. Ends early at the first
 * event that does not continue the chain, and is empty if the head before the range is missing. The caller must know
 * whether to trust the first head.
 */
export const range = (source: Pick<Source, "page">, { after, until }: ChainRange): Stream.Stream<Head, LogError> =>
  Stream.unwrap(
    Effect.map(headAt(source, after), (from) =>
      from === undefined ? Stream.empty : Stream.concat(Stream.make(from), walked(source, from, until)),
    ),
  )

/** The method `verifyRange` of a log. */
export const ranges =
  (source: Pick<Source, "page">) =>
  (given: ChainRange): Stream.Stream<Head, InvalidOptions | LogError> =>
    Stream.unwrap(Effect.map(Options.decode("verifyRange", ChainRange, given), (found) => range(source, found)))

const walked = (source: Pick<Source, "page">, from: Head, until: number): Stream.Stream<Head, LogError> =>
  Stream.unfoldEffect(from, (head) =>
    Effect.gen(function* () {
      if (head.position >= until) return Option.none()
      const rows = yield* source.page(beginning(head), Math.min(PAGE_SIZE, until - head.position))
      const next = walk(head, rows)
      yield* yieldToEventLoop
      return next.position === head.position ? Option.none() : Option.some([next, next])
    }),
  )

/** A position with the hash that is stored there. */
const headAt = (source: Pick<Source, "page">, position: number): Effect.Effect<Head | undefined, LogError> =>
  position === 0
    ? Effect.succeed(BEGINNING)
    : Effect.map(source.page(position - 1, 1), ([row]) =>
        row?.link.position === position ? { position, hash: row.hash } : undefined,
      )

const rowAt = (rows: ReadonlyArray<TamperClassification.StoredRow>, from: Head, to: Head, position: number) =>
  position > from.position && position <= to.position ? rows[position - from.position - 1] : undefined

/** Minus infinity before the first event: an attacker may insert rows at negative positions. */
const beginning = (head: Head) => (head.position === 0 ? Number.NEGATIVE_INFINITY : head.position)

const readNext = (source: Source, head: Head) =>
  source.page(beginning(head), PAGE_SIZE).pipe(
    Effect.catchTag("LogCorrupt", () => source.page(beginning(head), 1)),
    Effect.catchTag("LogCorrupt", ({ log, reason }) =>
      Effect.fail(new LogCorrupt({ log, position: head.position + 1, reason })),
    ),
  )

const classifyBreak = (source: Source, head: Head, anchor: Head | undefined) =>
  Effect.gen(function* () {
    const earlier = yield* headsBefore(source, head)
    const from = yield* readable(source, beginning(head))
    const link = from[0]?.link
    const inSequence =
      link === undefined ||
      (yield* source.versionBefore(link.timeline, link.stream, link.position)) === link.version - 1
    return TamperClassification.classify({ head, earlier, from, inSequence, anchor })
  })

const headsBefore = (source: Source, head: Head) => {
  const after = Math.max(0, head.position - WINDOW)
  return Effect.map(
    source.page(after, head.position - after),
    (rows): ReadonlyArray<Head> => [
      ...(after === 0 ? [{ position: 0, hash: Chain.GENESIS }] : []),
      ...rows.map(({ link, hash }) => ({ position: link.position, hash })),
    ],
  )
}

/** Rows after a position. Later ones may be damaged too; the first is readable. */
const readable = (source: Source, after: number) =>
  Effect.catchTag(source.page(after, WINDOW), "LogCorrupt", () => source.page(after, 1))

const rewritten = ({ position }: Head) => ({
  position,
  kind: "head changed" as const,
  reason: "the chain is valid up to here but differs from the anchored one: this event or an earlier one was rewritten",
})

const truncated = (head: Head, anchor: Head) => ({
  position: head.position + 1,
  kind: "head changed" as const,
  reason: `the log ends at @${head.position}, but was anchored at @${anchor.position}: its last events were removed`,
})
