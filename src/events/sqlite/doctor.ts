import * as fs from "node:fs"
import { Effect, Either, type Scope } from "effect"
import type { Segment } from "../Archive.ts"
import { type Examination, type Finding, isHealthy, worstFirst } from "../Doctor.ts"
import { type LogError, LogUnavailable, type OpenError } from "../EventLog.ts"
import type { Holder } from "../Lease.ts"
import type { Verification, VerifyOptions } from "../Verification.ts"
import * as Control from "./control.ts"
import * as Database from "./database.ts"
import { fileFindings, RECOVERY } from "./fileFindings.ts"
import { saysItIsALog } from "./header.ts"
import { isStale, readHolder } from "./holder.ts"
import { schemaFindings } from "./schemaFindings.ts"
import * as Segments from "./segments/Segments.ts"
import { verify } from "./verify.ts"

/** What the doctor does beside looking. */
export interface ExamineOptions extends VerifyOptions {
  /** Whether to walk the chain too, which takes longest. Default: yes. */
  readonly chain?: boolean
}

/** Why there is nothing to examine: no such file, one of another program or of a newer format, or one that is busy. */
export type ExamineError = OpenError

/**
 * Examines a log's file and changes nothing in it: the file and what lies beside it, SQLite's own check of its pages and
 * indexes, the tables and triggers, the lease, and the chain. Damage is a finding and never an error, so that all that
 * can still be found out is.
 */
export const examine = (filename: string, options: ExamineOptions = {}): Effect.Effect<Examination, ExamineError> =>
  Effect.gen(function* () {
    const { ill, findings } = yield* lookAtFile(filename)
    const opened = yield* Effect.either(open(filename))
    // What is no log at all is an error; a log of ours that SQLite does not recognise any more is damaged.
    if (Either.isLeft(opened) && !(ill && DAMAGE.has(opened.left._tag))) return yield* opened.left
    const inside = Either.isLeft(opened)
      ? { checked: [], findings: [damaged(null, foundBy(opened.left))], chain: null }
      : yield* lookInside(opened.right, options)
    return {
      log: filename,
      checked: ["file", "write-ahead log", "permissions", "disk space", ...inside.checked],
      findings: worstFirst([...findings, ...inside.findings]),
      chain: inside.chain,
    }
  }).pipe(Effect.scoped)

/** What keeps SQLite from opening an ill file. */
const DAMAGE: ReadonlySet<OpenError["_tag"]> = new Set(["LogFormatUnsupported", "LogCorrupt"])

const foundBy = (error: OpenError): string => {
  if (error._tag === "LogFormatUnsupported") return error.found
  return error._tag === "LogCorrupt" ? error.reason : error.message
}

/** Whether the file is ill by itself, or says that it is a log, and what there is to say of it and what lies beside it. */
const lookAtFile = (filename: string) =>
  Effect.try({
    try: () => {
      const found = fs.statSync(filename, { throwIfNoEntry: false })
      if (found === undefined) throw new Error("there is no such file; name an existing log")
      if (!found.isFile()) throw new Error("it is a directory or a device; name a log's file")
      const findings = fileFindings(filename)
      return { findings, ill: saysItIsALog(filename) || !isHealthy({ findings }) }
    },
    catch: (cause) =>
      new LogUnavailable({ log: filename, reason: cause instanceof Error ? cause.message : String(cause) }),
  })

type Inside = Pick<Examination, "checked" | "findings" | "chain">

/** What SQLite and the chain say, each step whatever the ones before it found. */
const lookInside = (
  database: Database.LogDatabase,
  options: ExamineOptions,
): Effect.Effect<Inside, ExamineError, Scope.Scope> =>
  Effect.gen(function* () {
    const empty = yield* inMemory
    const segments = yield* Segments.make(database)
    const steps: ReadonlyArray<readonly [string, () => ReadonlyArray<Finding>]> = [
      ["pages", () => pageFindings(database)],
      ["tables and triggers", () => schemaFindings(database, empty)],
      ["journal mode", () => modeFindings(database)],
      ["segments", () => segmentFindings(segments.list())],
      ["lease", () => leaseFindings(readHolder(database), Date.now())],
    ]
    const findings: Array<Finding> = []
    for (const [, look] of steps) {
      findings.push(...(yield* orDamaged(Database.attemptRead(database.filename, look), (finding) => [finding])))
    }
    const checked = steps.map(([step]) => step)
    if (options.chain === false) return { checked, findings, chain: null }
    const chain = yield* orDamaged(verify(database, segments, options), (finding) => finding)
    if ("severity" in chain) return { checked: [...checked, "chain"], findings: [...findings, chain], chain: null }
    return { checked: [...checked, "chain"], findings: [...findings, ...chainFindings(chain)], chain }
  })

/** A connection that can only read. */
const open = (filename: string) =>
  Effect.andThen(
    Control.check(filename),
    Effect.catchTag(Database.open(filename, { readonly: true }), "DiskFull", () => Database.noRoom(filename)),
  )

/** In memory nothing can be busy, full or damaged. */
const inMemory = Effect.orDie(Database.open(":memory:", { readonly: false }))

/** What a step found; that a page cannot be read is a finding too. */
const orDamaged = <A, B>(step: Effect.Effect<A, LogError>, tell: (finding: Finding) => B) =>
  Effect.catchTags(step, {
    LogCorrupt: ({ position, reason }) => Effect.succeed(tell(damaged(position, reason))),
    SegmentUnavailable: ({ first, last, file, reason }) =>
      Effect.succeed(tell(unavailable({ first, last }, file, reason))),
  })

const segmentFindings = (segments: ReadonlyArray<Segment>): ReadonlyArray<Finding> =>
  segments.flatMap((segment) =>
    segment.bytes === null ? [unavailable(segment, segment.file, "the file is not there")] : [],
  )

const unavailable = ({ first, last }: Pick<Segment, "first" | "last">, file: string, found: string): Finding => ({
  severity: "damage",
  what: `segment @${first} to @${last}`,
  expected: `the archived events in ${file}`,
  found,
  advice: "Put the file back from where it was moved, or from a copy. What comes after it can be read all the same.",
})

const damaged = (position: number | null, reason: string): Finding => ({
  severity: "damage",
  what: position === null ? "pages" : `pages at @${position}`,
  expected: "pages that SQLite can read",
  found: position === null ? reason : `${reason}; ${soundBefore(position)}`,
  advice: RECOVERY,
})

const soundBefore = (position: number): string =>
  position === 1 ? "no event can be read" : `the events up to @${position - 1} can be read and are sound`

/** Most faults of pages that are told. */
const MAX_FAULTS = 20

/** The quick check finds broken pages and rows; only where it finds none are the indexes held against the rows. */
const pageFindings = (database: Database.LogDatabase): ReadonlyArray<Finding> => {
  for (const check of ["quick_check", "integrity_check"]) {
    const faults = database.rows(`PRAGMA ${check}(${MAX_FAULTS})`).map(([fault]) => String(fault))
    if (faults.length === 1 && faults[0] === "ok") continue
    return faults.map((found) => ({
      severity: "damage",
      what: "pages",
      expected: `nothing amiss by SQLite's ${check}`,
      found,
      advice: RECOVERY,
    }))
  }
  return []
}

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

const leaseFindings = (holder: Holder | undefined, now: number): ReadonlyArray<Finding> => {
  if (holder === undefined) return []
  const { owner, pid, host, heartbeatAt } = holder
  const found = `"${owner}" (process ${pid} on ${host}), last heard of ${new Date(heartbeatAt).toISOString()}`
  const stale = isStale(holder, now)
  return [
    {
      severity: "note",
      what: "lease",
      expected: "that nobody holds it, or one who lives",
      found: stale ? `${found}: gone without giving it back` : `${found}: a kernel at work`,
      advice: stale
        ? "Nothing to do: the next kernel takes it over and records how everything ended that was left unfinished."
        : "Nothing to do. Before the file is moved or copied, stop that kernel.",
    },
  ]
}

const chainFindings = (chain: Verification): ReadonlyArray<Finding> => {
  if (chain._tag === "Intact") return []
  const { position, kind, reason } = chain
  return [
    {
      severity: "damage",
      what: `chain at @${position}`,
      expected: "the events as they were recorded",
      found: `${kind}: ${reason}`,
      advice: "From there on believe nothing: keep the file as evidence, and restore a copy.",
    },
  ]
}
