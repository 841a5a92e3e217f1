/** Checks cached snapshots by their seals. */

import * as crypto from "node:crypto"
import { Effect, Either } from "effect"
import { yieldToEventLoop } from "../../../../platform/yieldToEventLoop.ts"
import type { Key } from "../../../payload/PersonalDataKeys.ts"
import { decryptPart, originOf, seriesOf, splitSeal } from "../../../payload/SnapshotSeal.ts"
import { hashAt } from "../../read.ts"
import { type Check, type CheckOutcome, counted, type Flaw, flaw, MAX_FLAWS, readLog, type Stores } from "./Check.ts"
import { readKeys } from "./keys.ts"

/**
 * Checks each snapshot by its seal (see `SnapshotSeal`). A seal under this log's key proves that one of its programs
 * stored this state, so no fold is needed. Other snapshots are never used, only counted. A sealed snapshot also proves
 * the event at its position, as an anchor does.
 */
export const snapshots = (stores: Stores): Check => ({
  what: "snapshots",
  run: Effect.gen(function* () {
    const { database, ownKey, keys } = stores
    const made = yield* readLog(stores, () => database.rows(TABLES).length === 2)
    if (!made) return { told: "none", flaws: [] } satisfies CheckOutcome
    const own = yield* readLog(stores, () => ownKey.find())
    const found = yield* Effect.either(readKeys(stores, () => keys.ofSnapshots()))
    if (Either.isLeft(found)) {
      // The check of keys reports details.
      return { told: `skipped, because ${keys.name} cannot be read`, flaws: [], looked: false } satisfies CheckOutcome
    }
    const encrypting = found.right
    const [[all] = []] = yield* readLog(stores, () => database.rows("SELECT count(*) FROM snapshots"))
    if (own === undefined && all !== 0) {
      const left = `${counted(Number(all), "snapshot")} ${all === 1 ? "is" : "are"} not used`
      const problem = ownKey.problem()
      const without =
        problem === undefined
          ? "no key (<log>.snapshot-key)"
          : `a key (<log>.snapshot-key) that is not used, because ${problem}`
      const told = `${without}: ${left}`
      return { told, flaws: [], looked: false } satisfies CheckOutcome
    }
    const flaws: Array<Flaw> = []
    let foreign = 0
    for (let after: unknown; own !== undefined && flaws.length < MAX_FLAWS; ) {
      const [row] = yield* readLog(stores, () =>
        after === undefined ? database.rows(FIRST) : database.rows(NEXT, [after]),
      )
      if (row === undefined) break
      after = row[0]
      const found = yield* readLog(stores, () => checkSnapshot(stores, row, own, encrypting))
      if (found === "foreign") foreign += 1
      else flaws.push(...found)
      yield* yieldToEventLoop
    }
    flaws.push(...(yield* parts(stores, encrypting)))
    const others = foreign === 0 ? "" : `, ${foreign} of them not sealed with this log's key and not used`
    const told = all === 0 ? "none" : `${counted(Number(all), "snapshot")}, by their seals${others}`
    return { told, flaws } satisfies CheckOutcome
  }),
})

const TABLES = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name IN ('snapshots', 'snapshot_parts')"

/** As text, because a number would be rounded beyond 2^53. */
const ROWS = "SELECT CAST(rowid AS TEXT), fingerprint, timeline, position, event_hash, state_hash, root FROM snapshots"

const FIRST = `${ROWS} ORDER BY rowid LIMIT 1`

const NEXT = `${ROWS} WHERE rowid > CAST(? AS INTEGER) ORDER BY rowid LIMIT 1`

const checkSnapshot = (
  stores: Stores,
  row: ReadonlyArray<unknown>,
  own: Uint8Array,
  encrypting: Key | undefined,
): ReadonlyArray<Flaw> | "foreign" => {
  const position = Number(row[3])
  const [eventHash, stateHash] = [String(row[4]), String(row[5])]
  const { seal, root } = splitSeal(row[6] instanceof Uint8Array ? row[6] : new Uint8Array())
  const claim = { ...seriesOf(String(row[1])), timeline: String(row[2]), position, eventHash, stateHash }
  const origin = originOf(own, claim, seal)
  if (origin === "foreign") return "foreign"
  if (origin === "changed") return [changed(position, "its seal does not match its content")]
  if (isReadable(claim.epoch, encrypting) && digestOf(decryptPart(encrypting, stateHash, root)) !== stateHash)
    return [changed(position, "its state is not the one that was sealed")]
  return eventHash === hashAt(stores.database, stores.segments, position) ? [] : [rewritten(position)]
}

/** Snapshots encrypted under another key of personal data are unreadable and never used. */
const isReadable = (epoch: string, encrypting: Key | undefined): boolean => epoch === (encrypting?.id ?? "")

/** Every part has the digest in its name, so a state assembled from parts is the sealed one. */
const parts = (stores: Stores, encrypting: Key | undefined) =>
  Effect.gen(function* () {
    const flaws: Array<Flaw> = []
    for (let after = ""; flaws.length < MAX_FLAWS; ) {
      const [row] = yield* readLog(stores, () => stores.database.rows(NEXT_PART, [after]))
      if (row === undefined) break
      after = String(row[0])
      const at = after.lastIndexOf("/")
      const [series, digest] = [after.slice(0, at), after.slice(at + 1)]
      if (!isReadable(seriesOf(series).epoch, encrypting)) continue
      if (digestOf(decryptPart(encrypting, digest, row[1])) !== digest)
        flaws.push(changed(null, `a part does not have the digest in its name: ${digest}`))
      yield* yieldToEventLoop
    }
    return flaws
  })

const NEXT_PART = "SELECT digest, content FROM snapshot_parts WHERE digest > ? ORDER BY digest LIMIT 1"

const digestOf = (bytes: Uint8Array): string => crypto.hash("sha256", bytes, "hex")

const changed = (position: number | null, found: string): Flaw =>
  flaw("snapshot changed", position, {
    what: position === null ? "snapshots" : `snapshot at @${position}`,
    expected: "what a program with this log's key stored",
    found,
    advice:
      "It is never used, and the next program that finds it deletes it. Somebody who can write to the log's file changed it: find out " +
      "who.",
  })

const rewritten = (position: number): Flaw =>
  flaw("head changed", position, {
    what: `snapshot at @${position}`,
    expected: "the event that it was taken of",
    found:
      "another event there, or none: the log was rewritten or its last events were removed after the snapshot was taken",
  })
