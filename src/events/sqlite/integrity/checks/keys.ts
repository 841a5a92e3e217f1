/** Checks the keys of personal data. */

import * as fs from "node:fs"
import { Effect, Either } from "effect"
import { yieldToEventLoop } from "../../../../platform/yieldToEventLoop.ts"
import type { LogError } from "../../../log/EventLog.ts"
import type { Finding } from "../../../log/Verification.ts"
import * as StoredPayload from "../../../payload/StoredPayload.ts"
import { attemptRead } from "../../file/database.ts"
import { readBlob } from "../../read.ts"
import {
  type Check,
  type CheckOutcome,
  counted,
  type Flaw,
  flaw,
  MAX_FLAWS,
  readLog,
  repeatWhileArchiving,
  type Stores,
} from "./Check.ts"

const PAGE_SIZE = 5000

const ARCHIVED_PAGE_SIZE = 1000

/**
 * Checks that each available key decrypts the first event that names it, and that an event records the shredding of
 * each missing key. A key missing without such an event is a warning: the log is intact, and may be a copy without its
 * keys. The outcome counts such keys, because their data reads as if shredded.
 */
export const keys = (stores: Stores): Check => ({
  what: "keys",
  run: repeatWhileArchiving(
    stores,
    Effect.gen(function* () {
      const subjects = yield* Effect.either(readKeys(stores, () => stores.keys.subjects()))
      if (Either.isLeft(subjects)) return yield* unreadable(stores, subjects.left)
      const unrecorded = new Set(subjects.right.filter(({ shredding }) => shredding).map(({ keyId }) => keyId))
      const firstUses = yield* firstEvents(stores)
      const flaws: Array<Flaw> = []
      const missing: Array<FirstUse> = []
      let shredded = 0
      for (const first of firstUses.values()) {
        const key = yield* readKeys(stores, () => stores.keys.find(first.keyId))
        if (key !== undefined) {
          if (flaws.length < MAX_FLAWS) flaws.push(...(yield* readLog(stores, () => decryptionFlaws(stores, first))))
        } else if (unrecorded.has(first.keyId) || (yield* readLog(stores, () => isShredded(stores, first.keyId))))
          shredded += 1
        else missing.push(first)
        yield* yieldToEventLoop
      }
      const told = firstUses.size === 0 ? "none" : summaryOf(firstUses.size, shredded, missing.length)
      return {
        told,
        flaws,
        notes: missing.length === 0 ? [] : [missingKeysFinding(stores, missing)],
      } satisfies CheckOutcome
    }),
  ),
})

/** Reads from the key storage. Errors name its file. */
export const readKeys = <A>({ keys }: Pick<Stores, "keys">, read: () => A): Effect.Effect<A, LogError> =>
  attemptRead(keys.name, read)

interface FirstUse {
  readonly keyId: string
  readonly position: number
}

/** By key id. */
const firstEvents = (stores: Stores) =>
  Effect.gen(function* () {
    const { database, segments } = stores
    const firstUses = new Map<string, FirstUse>()
    const add = (keyId: string, position: number) => {
      if (!firstUses.has(keyId)) firstUses.set(keyId, { keyId, position })
    }
    for (let after = 0; ; ) {
      const rows = yield* readLog(stores, () =>
        after < segments.floor() ? segments.page({ after }, ARCHIVED_PAGE_SIZE) : [],
      )
      const last = rows.at(-1)
      if (last === undefined) break
      for (const { link, keyId } of rows) if (keyId !== null) add(keyId, link.position)
      after = last.link.position
      yield* yieldToEventLoop
    }
    const [[first, head] = []] = yield* readLog(stores, () => database.rows(BOUNDS))
    for (let after = Number(first) - 1; first !== null && after < Number(head); after += PAGE_SIZE) {
      const rows = yield* readLog(stores, () => database.rows(NAMED, [after, after + PAGE_SIZE]))
      for (const [keyId, position] of rows) add(String(keyId), Number(position))
      yield* yieldToEventLoop
    }
    return firstUses
  })

const BOUNDS = "SELECT min(position), max(position) FROM events"

const NAMED = `SELECT (SELECT text FROM names WHERE id = key_id), min(position) FROM events
  WHERE position > ? AND position <= ? AND key_id IS NOT NULL GROUP BY key_id ORDER BY 2`

const decryptionFlaws = (stores: Stores, { keyId, position }: FirstUse): ReadonlyArray<Flaw> => {
  const { database, segments } = stores
  const archived =
    position <= segments.floor() ? segments.page({ after: position - 1, until: position }, 1)[0] : undefined
  const [row = []] = archived === undefined ? database.rows(EVENT, [position]) : [[archived.link.id, archived.payload]]
  const blob = (digest: string) => readBlob(database, digest) ?? segments.blob(digest)
  try {
    StoredPayload.read({ blob, keys: stores.keys }, uuidOf(String(row[0])), { payload: String(row[1]), keyId })
    return []
  } catch (cause) {
    return [
      flaw("key changed", position, {
        what: `key ${keyId} in ${stores.keys.name}`,
        expected: `the one that encrypted personal data of @${position}`,
        found: cause instanceof Error ? cause.message : String(cause),
        advice: `Restore ${stores.keys.name} from a copy. Until then, events whose personal data this key is for cannot be read.`,
      }),
    ]
  }
}

const EVENT = "SELECT lower(hex(id)), payload FROM events WHERE position = ?"

const uuidOf = (id: string): string => id.replace(/^(\w{8})(\w{4})(\w{4})(\w{4})(\w{12})$/, "$1-$2-$3-$4-$5")

const isShredded = ({ database, segments }: Stores, keyId: string): boolean =>
  database.rows(SHREDDED, [`key/${keyId}`]).length > 0 ||
  (segments.floor() > 0 && segments.page({ stream: `key/${keyId}`, types: ["PayloadShredded"] }, 1).length > 0)

const SHREDDED = `SELECT 1 FROM events WHERE stream = (SELECT id FROM names WHERE text = ?)
  AND type = (SELECT id FROM names WHERE text = 'PayloadShredded') LIMIT 1`

const summaryOf = (keyCount: number, shredded: number, missing: number): string => {
  const parts = [`${counted(keyCount, "key")} of personal data`]
  if (shredded > 0) parts.push(`${shredded} shredded`)
  if (missing > 0) parts.push(`${missing} missing without being shredded: the data under them reads as if shredded`)
  return parts.join(", ")
}

const missingKeysFinding = ({ keys }: Stores, missing: ReadonlyArray<FirstUse>): Finding => ({
  severity: "warning",
  what: "keys",
  expected: `every key that was not shredded, in ${keys.name}`,
  found: `${missing.length} missing, such as ${missing[0]?.keyId}, which @${missing[0]?.position} names`,
  advice:
    `Restore ${keys.name} from a copy. Without these keys, the personal data of their events reads as if it were shredded. ` +
    "If the log was copied without its keys on purpose, there is nothing to do.",
})

/** An unreadable key file that this user has permission to read is damaged. */
const unreadable = ({ keys }: Stores, error: LogError): Effect.Effect<CheckOutcome, LogError> => {
  if (error._tag !== "LogUnavailable") return Effect.fail(error)
  if (!mayRead(keys.name)) return Effect.succeed({ told: error.message, flaws: [], looked: false })
  const found = flaw("key changed", null, {
    what: `key file ${keys.name}`,
    expected: "a readable key file",
    found: error.reason,
    advice: `Restore ${keys.name} from a copy. Until then, events with personal data cannot be read or appended.`,
  })
  return Effect.succeed({ told: "cannot be read", flaws: [found] })
}

const mayRead = (file: string): boolean => {
  try {
    fs.accessSync(file, fs.constants.R_OK)
    return true
  } catch {
    return false
  }
}
