/** Verifies a log on PostgreSQL: the chain, then the other checks. */

import { Effect } from "effect"
import { sha256 } from "../../values/Digest.ts"
import type { StoredRow } from "../integrity/TamperClassification.ts"
import * as Verifier from "../integrity/Verifier.ts"
import type { LogError } from "../log/EventLog.ts"
import {
  type CheckResult,
  type Finding,
  type Tampering,
  type TamperKind,
  Verification,
  type VerifyOptions,
} from "../log/Verification.ts"
import { digestIn } from "../payload/Blob.ts"
import { readBlobs, readHead, storedPage } from "./read.ts"
import { attemptRead, type Database } from "./server/connection.ts"
import { UNCHANGING } from "./server/schema.ts"

interface Flaw extends Tampering {
  readonly finding: Finding
}

interface Check {
  readonly what: string
  readonly run: (database: Database) => Promise<{ readonly told: string; readonly flaws: ReadonlyArray<Flaw> }>
}

const MAX_FLAWS = 20

/** Fails if the chain is unreadable. Every other fault is part of the result. */
export const verify = (database: Database, options: VerifyOptions = {}): Effect.Effect<Verification, LogError> =>
  Effect.gen(function* () {
    const { quick = false, onCheck = () => Effect.void } = options
    yield* onCheck("chain")
    const chained = yield* Verifier.verify(sourceOf(database), options, options.verified)
    const { broken } = chained
    const looks: Array<CheckResult> = [
      {
        what: "chain",
        looked: true,
        told: broken === null ? counted(chained.events, "event") : `broken at @${broken.position}`,
      },
    ]
    const flaws: Array<Flaw> = broken === null ? [] : [chainFlaw(broken)]
    for (const { what, run } of CHECKS) {
      if (quick) looks.push({ what, looked: false, told: "skipped by a quick verification" })
      else {
        yield* onCheck(what)
        const found = yield* attemptRead(database.address, () => run(database))
        looks.push({ what, looked: true, told: found.told })
        flaws.push(...found.flaws)
      }
    }
    const [first] = flaws
    if (first !== undefined) {
      const { finding: _, ...tampering } = first
      return Verification.Tampered({ ...tampering, looks, findings: flaws.map(({ finding }) => finding) })
    }
    if (chained.broken !== null) return yield* Effect.dieMessage("a broken chain without a flaw")
    return Verification.Intact({ head: chained.head, events: chained.events, looks })
  })

/** Walks ranges of the chain. */
export const rangesOf = (database: Database) => Verifier.ranges(sourceOf(database))

const sourceOf = (database: Database): Verifier.Source => {
  const { address, query } = database
  return {
    head: attemptRead(address, () => readHead(database)),
    page: (after, limit) =>
      attemptRead(address, async () => {
        const rows = await storedPage(database, { after }, limit)
        const digests = rows.flatMap(({ stored }) => digestIn(stored) ?? [])
        const blobs = await readBlobs(database, [...new Set(digests)])
        return rows.map(({ link, stored, keyId, hash }): StoredRow => {
          const digest = digestIn(stored)
          const isSound = digest === undefined || sha256(blobs.get(digest) ?? "") === digest
          return { link, payload: stored, keyId, hash, flaw: isSound ? null : BLOB_FLAW }
        })
      }),
    versionBefore: (timeline, stream, position) =>
      attemptRead(address, async () => {
        const [row] = await query(VERSION_BEFORE, [stream, timeline, position])
        return Number(row?.[0] ?? 0)
      }),
  }
}

const BLOB_FLAW = { kind: "payload changed", reason: "its payload is a blob that is missing or was changed" } as const

const VERSION_BEFORE = `SELECT max(version) FROM events WHERE stream = $1 AND hashtextextended(timeline, 0) = hashtextextended($2 COLLATE "C", 0)
  AND timeline = $2 AND position < $3`

const chainFlaw = ({ position, kind, reason }: Tampering & { readonly position: number }): Flaw => ({
  position,
  kind,
  reason,
  finding: {
    severity: "damage",
    what: `chain at @${position}`,
    expected: "the events as they were recorded",
    found: `${kind}: ${reason}`,
    advice: "Do not trust events from there on: keep the database as evidence, and restore a copy.",
  },
})

const flaw = (
  kind: TamperKind,
  position: number | null,
  { what, expected, found }: Pick<Finding, "what" | "expected" | "found">,
): Flaw => ({
  position,
  kind,
  reason: `${what}: expected ${expected}, found ${found}`,
  finding: { severity: "damage", what, expected, found, advice: "Keep the database as evidence, and restore a copy." },
})

/** The triggers that keep rows from changing, and none of other programs on the tables of the log. */
const triggers: Check = {
  what: "tables and triggers",
  run: async ({ query, address }) => {
    const rows = await query(TRIGGERS, [address.schema])
    const own = new Set(
      rows.flatMap(([table, name, enabled, isOwn]) =>
        isOwn === true && name === "unchanging" && (enabled === "O" || enabled === "A") ? [String(table)] : [],
      ),
    )
    const missing = UNCHANGING.filter((table) => !own.has(table)).map((table) =>
      flaw("schema changed", null, {
        what: `table ${table}`,
        expected: "a trigger that refuses changes",
        found: "none, or a disabled one",
      }),
    )
    const foreign = rows
      .filter(([, name, , isOwn]) => name !== "unchanging" || isOwn !== true)
      .map(([table, name]) =>
        flaw("schema changed", null, {
          what: `table ${String(table)}`,
          expected: "no other program's trigger",
          found: `the trigger ${String(name)}`,
        }),
      )
    return { told: "those of Hindcast", flaws: [...missing, ...foreign].slice(0, MAX_FLAWS) }
  },
}

/** Before UPDATE, DELETE or TRUNCATE, per statement: https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_trigger.h */
const STATEMENT_TRIGGER = 2 + 8 + 16 + 32

const TRIGGERS = `SELECT c.relname, t.tgname, t.tgenabled, p.proname = 'unchanging' AND p.pronamespace = n.oid AND t.tgtype = ${STATEMENT_TRIGGER}
  FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid WHERE n.nspname = $1 AND NOT t.tgisinternal ORDER BY 1, 2`

/** Each stream's versions are 1, 2, 3 … in order of position. */
const versions: Check = {
  what: "versions",
  run: async ({ queryWhole }) => {
    const rows = await queryWhole(VERSIONS, [MAX_FLAWS])
    const [[streams] = []] = await queryWhole(
      "SELECT count(*) FROM (SELECT DISTINCT stream, timeline FROM events) AS streams",
    )
    return {
      told: counted(Number(streams), "stream"),
      flaws: rows.map(([position, stream, version, expected]) =>
        flaw("version changed", Number(position), {
          what: `stream ${String(stream)} at @${Number(position)}`,
          expected: `version ${Number(expected)}`,
          found: `version ${Number(version)}`,
        }),
      ),
    }
  },
}

const VERSIONS = `SELECT position, stream, version, expected FROM (
    SELECT position, stream, version, row_number() OVER (PARTITION BY stream, timeline ORDER BY position) AS expected FROM events) AS numbered
  WHERE version <> expected ORDER BY position LIMIT $1`

/** Each blob has its digest, and an event that names it. */
const blobs: Check = {
  what: "blobs",
  run: async ({ queryWhole }) => {
    const [[seen] = []] = await queryWhole("SELECT count(*) FROM blobs")
    const rows = await queryWhole(BLOBS, [MAX_FLAWS])
    return {
      told: counted(Number(seen), "blob"),
      flaws: rows.map(([digest, isChanged]) =>
        flaw("blob changed", null, {
          what: `blob ${String(digest)}`,
          expected: isChanged === true ? "a text of this digest" : "an event that has it",
          found: isChanged === true ? "another text" : "none",
        }),
      ),
    }
  },
}

const BLOBS = `WITH named AS MATERIALIZED (SELECT DISTINCT substr(payload, 7, 64) AS digest FROM events WHERE octet_length(payload) = 71 AND left(payload, 6) = '"blob:')
  SELECT encode(b.digest, 'hex'), sha256(convert_to(b.content, 'UTF8')) <> b.digest FROM blobs b LEFT JOIN named n ON n.digest = encode(b.digest, 'hex')
  WHERE n.digest IS NULL OR sha256(convert_to(b.content, 'UTF8')) <> b.digest LIMIT $1`

const CHECKS: ReadonlyArray<Check> = [triggers, versions, blobs]

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`
