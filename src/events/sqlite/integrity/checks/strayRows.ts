/** Checks rows at positions that the verification of the chain does not read. */

import { Effect } from "effect"
import { yieldToEventLoop } from "../../../../platform/yieldToEventLoop.ts"
import type { StoredRow } from "../../../integrity/TamperClassification.ts"
import { retainedRows } from "../storedChain.ts"
import { type Check, counted, type Flaw, flaw, MAX_FLAWS, readLog, repeatWhileArchiving, type Stores } from "./Check.ts"

const PAGE_SIZE = 1000

/**
 * Checks rows before position 1 and at archived positions. A crash while archiving leaves copies of archived events
 * there; any other row is a fault.
 */
export const strays = (stores: Stores): Check => ({
  what: "rows outside of the chain",
  run: repeatWhileArchiving(
    stores,
    Effect.gen(function* () {
      const { database, segments } = stores
      const flaws: Array<Flaw> = []
      const page = retainedRows(database)
      const floor = yield* readLog(stores, () => segments.floor())
      let left = 0
      for (let after = Number.NEGATIVE_INFINITY; after < floor && flaws.length < MAX_FLAWS; ) {
        const rows = yield* readLog(stores, () => page(after, PAGE_SIZE).filter(({ link }) => link.position <= floor))
        const last = rows.at(-1)
        if (last === undefined) break
        flaws.push(...(yield* readLog(stores, () => rows.flatMap((row) => strayFlaws(stores, row)))))
        left += rows.length
        after = last.link.position
        yield* yieldToEventLoop
      }
      return { told: left === 0 ? "none" : `${counted(left, "event")} that archiving left behind`, flaws }
    }),
  ),
})

const strayFlaws = ({ segments }: Stores, row: StoredRow): ReadonlyArray<Flaw> => {
  const { position } = row.link
  const [archived] = position < 1 ? [] : segments.page({ after: position - 1, until: position }, 1)
  if (archived !== undefined && textOf(archived) === textOf(row)) return []
  return [
    flaw("event inserted", position, {
      what: `a row at @${position}`,
      expected: position < 1 ? "none before @1" : "none at an archived position, or the archived event",
      found: "another",
    }),
  ]
}

const textOf = ({ link, payload, keyId, hash }: StoredRow): string => {
  const { position, id, timeline, stream, version, type, schemaVersion, taskId, causationId, actor } = link
  const named = [position, id, timeline, stream, version, type, schemaVersion, taskId, causationId, actor]
  return JSON.stringify([...named, link.occurredAt, link.recordedAt, payload, keyId, hash])
}
