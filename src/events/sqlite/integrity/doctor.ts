/** Examines a log's file for `hindcast log doctor`, even if SQLite can no longer open it. */

import * as fs from "node:fs"
import { Effect, Either, Schema, type Scope } from "effect"
import * as Options from "../../../values/Options.ts"
import { iso } from "../../../values/Time.ts"
import { type Examination, isHealthy, worstFirst } from "../../integrity/Doctor.ts"
import { type LogError, LogUnavailable, type OpenError } from "../../log/EventLog.ts"
import { type CheckResult, type Finding, sharedVerifyFields, type VerifyOptions } from "../../log/Verification.ts"
import * as Segments from "../archive/Segments.ts"
import * as Database from "../file/database.ts"
import { targetOf } from "../file/fileIdentity.ts"
import { hasLogApplicationId } from "../file/header.ts"
import * as openDatabase from "../file/openDatabase.ts"
import * as keyFile from "../keys/keyFile.ts"
import * as SnapshotKey from "../keys/snapshotKey.ts"
import { holderOf, type LeaseRow, readLease, stateOf } from "../leaseHolder.ts"
import type { Judgement } from "../presence/heartbeats.ts"
import { counted } from "./checks/Check.ts"
import { checksOf } from "./checks/checksOf.ts"
import { fileFindings } from "./fileFindings.ts"
import { verifyChain } from "./storedChain.ts"
import { CHAIN, damaged, reportingDamage, toVerification, unavailable } from "./verify.ts"

/** Options of an examination. */
export interface ExamineOptions extends Omit<VerifyOptions, "quick" | "jobs" | "verified"> {
  /** False to skip the chain, which takes longest. Default: true. */
  readonly chain?: boolean
}

/** Schema of `ExamineOptions`. */
export const ExamineOptions = Options.of<ExamineOptions>({ optional: { ...sharedVerifyFields, chain: Schema.Boolean } })

/** The file does not exist, belongs to another program, has a newer format, or is busy. */
export type ExamineError = OpenError

/** See `examine` of `wholeFile`. */
export const examine = (
  filename: string,
  given: ExamineOptions = {},
): Effect.Effect<Examination, Options.InvalidOptions | ExamineError> =>
  Effect.gen(function* () {
    const options = yield* Options.decode("examine", ExamineOptions, given)
    const { ill, findings } = yield* checkFile(filename)
    const opened = yield* Effect.either(open(filename))
    // A file that is no log is an error; a log that SQLite can no longer open is a finding.
    if (Either.isLeft(opened) && !(ill && DAMAGE_TAGS.has(opened.left._tag))) return yield* opened.left
    const inside = Either.isLeft(opened)
      ? { looks: [], findings: [damaged("pages", null, foundBy(opened.left))], chain: null }
      : yield* checkContent(opened.right, options)
    const looks = [...FILE_CHECKS.map((what) => ({ what, looked: true, told: "see the findings" })), ...inside.looks]
    return {
      log: filename,
      checked: looks.filter(({ looked }) => looked).map(({ what }) => what),
      looks,
      findings: worstFirst([...findings, ...inside.findings]),
      chain: inside.chain,
    }
  }).pipe(Effect.scoped)

const FILE_CHECKS = ["file", "write-ahead log", "permissions", "disk space"]

/** Errors of opening that mean damage if the file is a log. */
const DAMAGE_TAGS: ReadonlySet<OpenError["_tag"]> = new Set(["LogFormatUnsupported", "LogCorrupt"])

const foundBy = (error: OpenError): string => {
  if (error._tag === "LogFormatUnsupported") return error.found
  return error._tag === "LogCorrupt" ? error.reason : error.message
}

/**
 * Checks header, application id, size and siblings without opening the log. `ill` is true if the file is damaged, or
 * its header claims to be a log's.
 */
const checkFile = (filename: string) =>
  Effect.try({
    try: () => {
      const found = fs.statSync(filename, { throwIfNoEntry: false })
      if (found === undefined) throw new Error("there is no such file; name an existing log")
      if (!found.isFile()) throw new Error("it is a directory or a device; name a log's file")
      const findings = fileFindings(filename)
      return { findings, ill: hasLogApplicationId(filename) || !isHealthy({ findings }) }
    },
    catch: (cause) =>
      new LogUnavailable({
        log: filename,
        reason: cause instanceof Error ? cause.message : String(cause),
        missing: !fs.existsSync(filename),
      }),
  })

type ContentResult = Pick<Examination, "looks" | "findings" | "chain">

/** Runs all checks, the chain last, whatever earlier ones found. */
const checkContent = (
  database: Database.LogDatabase,
  options: ExamineOptions,
): Effect.Effect<ContentResult, ExamineError, Scope.Scope> =>
  Effect.gen(function* () {
    const { chain = true, onCheck = () => Effect.void } = options
    const segments = yield* Segments.make(database)
    const keys = yield* keyFile.open(`${targetOf(database.filename)}.keys`, { readonly: true })
    const stores = { database, segments, keys, ownKey: SnapshotKey.inFile(database.filename) }
    const looks: Array<CheckResult> = []
    const findings: Array<Finding> = []
    for (const { what, run } of checksOf(stores)) {
      yield* onCheck(what)
      const { told, flaws, notes = [], looked = true } = yield* reportingDamage(what, run)
      looks.push({ what, looked, told })
      findings.push(...flaws.map(({ finding }) => finding), ...notes)
    }
    const smallChecks: ReadonlyArray<readonly [string, () => ReadonlyArray<Finding>]> = [
      ["journal mode", () => modeFindings(database)],
      ["lease", () => leaseFindings(readLease(database))],
    ]
    for (const [what, look] of smallChecks) {
      const found = yield* orDamaged(what, Database.attemptRead(database.filename, look))
      looks.push({ what, looked: true, told: counted(found.length, "finding") })
      findings.push(...found)
    }
    if (!chain) return { looks: [...looks, { what: CHAIN, looked: false, told: "skipped" }], findings, chain: null }
    yield* onCheck(CHAIN)
    const verified = yield* Effect.either(verifyChain(database, segments, options))
    if (Either.isLeft(verified)) {
      const unreadable = yield* orDamaged("pages", verified.left)
      return {
        looks: [...looks, { what: CHAIN, looked: true, told: "cannot be read" }],
        findings: [...findings, ...unreadable],
        chain: null,
      }
    }
    const found = toVerification(verified.right, [], [])
    const told = found._tag === "Intact" ? counted(found.events, "event") : found.reason
    looks.push({ what: CHAIN, looked: true, told })
    return { looks, findings: found._tag === "Intact" ? findings : [...findings, ...found.findings], chain: found }
  })

const open = (filename: string) =>
  Effect.andThen(
    openDatabase.check(filename),
    Effect.catchTag(Database.open(filename, { readonly: true }), "DiskFull", () => Database.diskFullError(filename)),
  )

const orDamaged = (what: string, look: Effect.Effect<ReadonlyArray<Finding>, LogError>) =>
  Effect.catchTags(look, {
    LogCorrupt: ({ position, reason }) => Effect.succeed([damaged(what, position, reason)]),
    SegmentUnavailable: (error) => Effect.succeed([unavailable(error)]),
  })

const modeFindings = (database: Database.LogDatabase): ReadonlyArray<Finding> => {
  const mode = String(database.rows("PRAGMA journal_mode")[0]?.[0])
  if (mode === "wal") return []
  return [
    {
      severity: "note",
      what: "journal mode",
      expected: "wal",
      found: mode,
      advice:
        "Another program, or a copy by SQLite's own tools, left it so. The next process that writes sets it again.",
    },
  ]
}

const leaseFindings = (row: LeaseRow | undefined): ReadonlyArray<Finding> => {
  if (row === undefined) return []
  const { owner, pid, host, heartbeatAt } = holderOf(row)
  const found = `"${owner}" (process ${pid} on ${host}), last heard of ${iso(heartbeatAt)}`
  const state = stateOf(row)._tag
  return [
    {
      severity: "note",
      what: "lease",
      expected: "no holder, or a live one",
      found: `${found}: ${LEASE[state].found}`,
      advice: LEASE[state].advice,
    },
  ]
}

const LEASE: { readonly [state in Judgement["_tag"]]: { readonly found: string; readonly advice: string } } = {
  Alive: {
    found: "a running kernel",
    advice: "Nothing to do. Before the file is moved or copied, stop that kernel.",
  },
  Gone: {
    found: "its process ended without releasing the lease",
    advice: "Nothing to do: the next kernel takes over the lease and closes unfinished work in the log.",
  },
  Doubtful: {
    found: "its process is not visible from here, or sends no heartbeats",
    advice:
      "Nothing to do: the next kernel watches its heartbeat for some seconds, and takes the lease over if there is none.",
  },
}
