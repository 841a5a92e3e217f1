/**
 * The commands `hindcast log verify`, `anchor` and `doctor`: they prove that a log is intact, or show where it is not.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Command } from "@effect/cli"
import { Clock, Data, Effect, Option } from "effect"
import * as Anchor from "../../events/integrity/Anchor.ts"
import { type Examination, isHealthy } from "../../events/integrity/Doctor.ts"
import { EventLog } from "../../events/log/EventLog.ts"
import type { VerifyOptions } from "../../events/log/Verification.ts"
import { examine } from "../../events/sqlite/integrity/doctor.ts"
import { oneLine } from "../../values/PlainText.ts"
import { BadInput } from "../command/BadInput.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { common, flag, isGiven, type OptionValue, optionalText, text } from "../command/CommonOptions.ts"
import * as JobsOption from "../command/JobsOption.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ExportSummary from "../export/ExportSummary.ts"
import * as OutputFormat from "../export/OutputFormat.ts"
import * as ExaminationPage from "../pages/log/ExaminationPage.ts"
import * as AuditParts from "../parts/AuditParts.ts"
import * as ChainParts from "../parts/ChainParts.ts"
import * as PartOption from "../parts/PartOption.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import { at, count, time } from "../terminal/Text.ts"
import * as KeyFile from "./KeyFile.ts"
import { Tampered } from "./Tampered.ts"
import * as TextFile from "./TextFile.ts"

/** Runs a verification and shows its progress: the number of verified events, then the part under check. */
const verifying = <A, E, R>(
  json: boolean,
  run: (callbacks: Required<Pick<VerifyOptions, "onProgress" | "onCheck">>) => Effect.Effect<A, E, R>,
) =>
  ProgressLine.during({ verb: "verified", unit: "events", json }, (onProgress, onCheck) => run({ onProgress, onCheck }))

const anchorOptions = {
  anchor: optionalText("anchor", "Compare the log with this anchor, a document that `log anchor` wrote"),
  publicKey: optionalText("public-key", "The public key of the anchor's signer, in PEM"),
}

const quick = flag("quick", "Verify only the hash chain, not the indexes and the data next to the events")

const partOptions = {
  parts: PartOption.parts,
  part: PartOption.part,
  merge: PartOption.merge,
  until: optionalText("until", "With --part, --merge: the last event of all parts, such as @120000"),
  output: optionalText("output", "With --part: the file to write; - is the standard output"),
  force: flag("force", "With --part: replace the file if it exists"),
}

export const verify = Command.make(
  "verify",
  { ...common, ...anchorOptions, quick, jobs: JobsOption.jobs, ...partOptions },
  ({ log: named, json, anchor, publicKey, quick, jobs: typedJobs, output, force, ...divided }) =>
    Effect.gen(function* () {
      yield* PartOption.checkOutput({ part: divided.part, output, force })
      const how = yield* AuditParts.mode(divided, ChainParts.positionOf)
      if (how._tag === "Part") {
        const beside = { anchor, publicKey, jobs: typedJobs, quick }
        return yield* writePart({ ...how, output: yield* PartOption.outputOf(output), force, json }, beside)
      }
      const log = yield* EventLog
      const checkedAnchor = yield* readAnchor(anchor, publicKey)
      const jobs = yield* JobsOption.asManyAsProcessors(typedJobs)
      const found = yield* verifying(json, (callbacks) =>
        Effect.gen(function* () {
          const verified = how._tag === "Whole" ? {} : { verified: yield* verifiedInParts(how, named, callbacks) }
          return yield* log.verifyWith({ ...callbacks, quick, jobs, ...verified, ...anchorOption(checkedAnchor) })
        }),
      )
      if (found._tag === "Tampered") {
        const { position, kind, reason, looks, findings } = found
        yield* Output.show(json, { intact: false, position, kind, reason, looks, findings }, (style) => [
          ...ExaminationPage.lookLines(style, looks),
          ...ExaminationPage.findingLines(style, findings),
        ])
        return yield* new Tampered({ log: log.name, position, reason })
      }
      const { head, events, looks } = found
      const recordedAt = yield* recordedAtOf(log, head.position)
      const now = yield* Clock.currentTimeMillis
      // A head in the future has no age: one of the two clocks is wrong.
      const ageMs = recordedAt === null || recordedAt > now ? null : now - recordedAt
      const document = { intact: true, head, recordedAt, ageMs, events, looks, ...checkedAnchor }
      yield* Output.show(json, document, (style) => [
        `${style.good("Intact")}: ${count(events, "event")}, head ${at(head.position)} ${style.dim(head.hash)}`,
        ...(checkedAnchor === undefined ? [] : [anchorLine(checkedAnchor)]),
        ...(recordedAt === null ? [] : [ageLine(recordedAt, now)]),
        ...ExaminationPage.lookLines(style, looks),
      ])
    }).pipe(Effect.provide(OpenLog.forEvents(named))),
).pipe(
  Command.withDescription(
    "Verify that the log is as Hindcast wrote it: the hash chain, tables, indexes, versions, ids, names, blobs, segments, " +
      "snapshots. Only an anchor reveals a removal of the last events or a rewrite of the whole log",
  ),
)

const verifiedInParts = (
  how: ChainParts.Source,
  log: Option.Option<string>,
  { onProgress, onCheck }: Required<Pick<VerifyOptions, "onProgress" | "onCheck">>,
) =>
  Effect.gen(function* () {
    yield* onCheck("the chain, in parts")
    const until = how._tag === "Merge" ? how.until : (yield* (yield* EventLog).head).position
    return yield* ChainParts.verifiedHead(how, { log, until, onProgress: (done) => onProgress(done, until) })
  })

interface TypedPart extends Omit<ChainParts.PartToWrite, "onProgress"> {
  readonly json: boolean
}

const writePart = ({ json, ...part }: TypedPart, beside: { readonly [option: string]: OptionValue }) =>
  Effect.gen(function* () {
    if (Object.values(beside).some(isGiven)) {
      return yield* new BadInput({
        input: "--part",
        expected: "no other options than --until, --output, --force, --log and --json",
        found: "one",
        advice: "The merging takes --anchor, --quick and --jobs.",
      })
    }
    const written = yield* ProgressLine.during({ verb: "verified", unit: "events", json }, (onProgress) =>
      ChainParts.write({ ...part, onProgress }),
    )
    const name = PartOption.textOf(part.part)
    yield* ExportSummary.printSummary(
      { output: part.output, json },
      { ...written, part: name },
      `Verified ${count(written.events, "event")} of ${written.ofEvents}, the part ${name}, in ${part.output}. Only merging all parts says whether the log is intact.`,
    )
  })

/** When the head was recorded, by its recorder's clock; null for an empty log. */
const recordedAtOf = (log: EventLog.Service, position: number) =>
  position === 0
    ? Effect.succeed(null)
    : Effect.map(log.readPage({ after: position - 1, until: position }, 1), ([head]) => head?.recordedAt ?? null)

/** A copy without its `-wal` file and an old backup are intact too. Only the head's age tells them from the log. */
const ageLine = (recordedAt: number, now: number) =>
  recordedAt > now
    ? `  its head was recorded ${time(recordedAt)}, which is ${ageOf(recordedAt - now)} in the future by this machine's clock: one of the two clocks is wrong, and the head's age is unknown`
    : `  its head was recorded ${time(recordedAt)}, ${ageOf(now - recordedAt)} ago by this machine's clock: an older copy of the log lacks later events`

const ageOf = (ms: number): string => {
  const [unit, size] = UNITS.find(([, size]) => ms >= 2 * size) ?? ["second", 1000]
  return count(Math.round(ms / size), unit)
}

const UNITS: ReadonlyArray<readonly [unit: string, ms: number]> = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
]

/** An anchor with a valid signature. `trusted` is true if the caller supplied the key. */
interface CheckedAnchor {
  readonly anchor: Anchor.Anchor
  readonly trusted: boolean
}

const readAnchor = (file: Option.Option<string>, publicKey: Option.Option<string>) =>
  Effect.gen(function* () {
    if (Option.isNone(file)) {
      if (Option.isNone(publicKey)) return undefined
      return yield* new BadInput({ input: "--public-key", expected: "--anchor FILE with it", found: "none" })
    }
    const anchor = yield* Anchor.decode(yield* TextFile.read("--anchor", file.value))
    const trusted = Option.isNone(publicKey) ? undefined : yield* TextFile.read("--public-key", publicKey.value)
    yield* Anchor.check(anchor, trusted)
    return { anchor, trusted: trusted !== undefined } satisfies CheckedAnchor
  })

const anchorOption = (checkedAnchor: CheckedAnchor | undefined) => {
  if (checkedAnchor === undefined) return {}
  const { position, hash } = checkedAnchor.anchor
  return { anchor: { position, hash } }
}

const anchorLine = ({ anchor, trusted }: CheckedAnchor): string =>
  `It matches the anchor ${at(anchor.position)} of ${time(anchor.at)}, signed with the key ${anchor.publicKey}${
    trusted ? "." : ", which was not compared with a key that you trust: name one with --public-key FILE."
  }`

export const anchor = Command.make(
  "anchor",
  {
    ...common,
    key: text(
      "key",
      "The private key to sign with (Ed25519, PEM); if the file does not exist, the command creates a key pair",
    ),
    out: optionalText("out", "Write the anchor to this file, which must not exist. Default: print it"),
  },
  ({ log, json, key, out }) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      if (Option.isSome(out) && fs.existsSync(out.value)) {
        const found = `${out.value}, and an anchor is never overwritten`
        return yield* new BadInput({ input: "--out", expected: "a file that does not exist yet", found })
      }
      if (Option.isSome(out)) yield* OutputFormat.check("--out", out.value, "json")
      // A signature vouches for the log, so do not sign one that was tampered with.
      const found = yield* verifying(json, (callbacks) => log.verifyWith(callbacks))
      if (found._tag === "Tampered") {
        return yield* new Tampered({ log: log.name, position: found.position, reason: found.reason })
      }
      const { privateKey, remarks } = yield* KeyFile.readOrMake(key)
      const signed = yield* Anchor.sign(found.head, { log: path.basename(log.name), at: Date.now(), privateKey })
      yield* Effect.forEach(remarks, Output.note, { discard: true })
      const document = JSON.stringify(signed, null, 2)
      if (Option.isNone(out)) return yield* Output.writeWhole(document)
      yield* TextFile.make("--out", out.value, `${document}\n`, 0o644)
      yield* Output.show(json, signed, (style) => [
        `Anchored ${at(signed.position)} ${style.dim(signed.hash)} in ${out.value}, signed with the key ${signed.publicKey}.`,
        CommandHints.inText(
          "Keep it where nobody who can change the log can change it. `hindcast log verify --anchor FILE` compares the log with it.",
        ),
      ])
    }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(
  Command.withDescription(
    "Verify the log, and sign its head. The signed document (an anchor) proves later which events the log contained",
  ),
)

/** `log doctor` found damage. Each finding says how to recover. */
export class LogDamaged extends Data.TaggedError("LogDamaged")<{ readonly examination: Examination }> {
  override get message() {
    const damage = this.examination.findings.filter(({ severity }) => severity === "damage")
    const [first] = damage
    const worst = first === undefined ? "" : ` ${first.what}: ${oneLine(first.found)}.`
    return `${this.examination.log} is damaged (${count(damage.length, "finding")}).${worst} Each finding says what to do.`
  }
}

export const doctor = Command.make("doctor", { ...common, ...anchorOptions }, ({ log, json, anchor, publicKey }) =>
  Effect.gen(function* () {
    const filename = yield* OpenLog.existing(log)
    const checkedAnchor = yield* readAnchor(anchor, publicKey)
    const examination = yield* verifying(json, (callbacks) =>
      examine(filename, { ...callbacks, ...anchorOption(checkedAnchor) }),
    )
    const healthy = isHealthy(examination)
    const { checked, looks, findings } = examination
    yield* Output.show(json, { healthy, log: filename, checked, looks, findings }, (style) =>
      ExaminationPage.lines(style, examination),
    )
    if (!healthy) return yield* new LogDamaged({ examination })
  }),
).pipe(
  Command.withDescription(
    "Examine a log's file without changing it: all checks of `log verify`, files that a killed process left, permissions, the lease. Each finding says what to do",
  ),
)
