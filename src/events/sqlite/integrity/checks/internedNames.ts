/** Checks the interned names of a log. */

import { Effect } from "effect"
import { yieldToEventLoop } from "../../../../platform/yieldToEventLoop.ts"
import { isExactly } from "../utf8.ts"
import { type Check, counted, type Flaw, flaw, MAX_FLAWS, readLog, type Stores } from "./Check.ts"

const PAGE_SIZE = 5000

/**
 * Checks every name, used or not: its text is UTF-8, so that a look-up finds it, and its id is below 2^53, so that
 * events are found by it. The chain covers names in use; SQLite's integrity check covers their index.
 */
export const names = (stores: Stores): Check => ({
  what: "names",
  run: Effect.gen(function* () {
    const flaws: Array<Flaw> = []
    let seen = 0
    for (let after = Number.NEGATIVE_INFINITY; flaws.length < MAX_FLAWS; ) {
      const rows = yield* readLog(stores, () => stores.database.rows(PAGE, [after, PAGE_SIZE]))
      for (const [id, text, bytes] of rows) {
        seen += 1
        if (!Number.isSafeInteger(id)) flaws.push(beyond(String(text)))
        if (!isExactly(String(text), bytes)) flaws.push(noText(Number(id)))
        after = Number(id)
      }
      if (rows.length < PAGE_SIZE) break
      yield* yieldToEventLoop
    }
    return { told: counted(seen, "name"), flaws }
  }),
})

const PAGE = "SELECT id, text, CAST(text AS BLOB) FROM names WHERE id > ? ORDER BY id LIMIT ?"

const noText = (id: number): Flaw =>
  flaw("name changed", null, { what: `name ${id}`, expected: "text in UTF-8", found: "other bytes" })

const beyond = (text: string): Flaw =>
  flaw("name changed", null, {
    what: `name ${JSON.stringify(text)}`,
    expected: "a number below 2^53",
    found: "a greater one: events that use the name are not found by it",
  })
