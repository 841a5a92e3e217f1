/** The audits of all tasks in parts: by processes of this machine, or from files that several machines wrote. */
import { Data, Effect, Option, Schema, Stream } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type { TaskPart } from "../../events/log/TaskPart.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Audits from "../../projections/audit/Audits.ts"
import type { TaskAudit } from "../../projections/audit/TaskAudit.ts"
import { sha256 } from "../../values/Digest.ts"
import { BadInput } from "../command/BadInput.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as OutputFile from "../export/OutputFile.ts"
import type { OnProgress } from "../terminal/ProgressLine.ts"
import * as MergedParts from "./MergedParts.ts"
import * as PartLines from "./PartLines.ts"
import * as PartOption from "./PartOption.ts"
import * as PartProcesses from "./PartProcesses.ts"

/** How audits come about. */
export type Mode = Data.TaggedEnum<{
  /** In one pass. */
  Whole: Record<never, never>
  Processes: { readonly count: number }
  Part: { readonly part: TaskPart; readonly until: number }
  Merge: { readonly files: ReadonlyArray<string>; readonly until: number }
}>
const Mode = Data.taggedEnum<Mode>()

export interface Typed {
  readonly parts: Option.Option<number>
  readonly part: Option.Option<string>
  readonly merge: ReadonlyArray<string>
  readonly until: Option.Option<string>
}

/** The position of a moment. */
export const momentOf = Moment.resolve

/**
 * The mode of a command line.
 *
 * @param positionOf resolves `--until`
 */
export const mode = <E, R>(
  { parts, part, merge, until }: Typed,
  positionOf: (moment: string) => Effect.Effect<number, E, R>,
) =>
  Effect.gen(function* () {
    const given = [
      ...(Option.isSome(parts) ? ["--parts"] : []),
      ...(Option.isSome(part) ? ["--part"] : []),
      ...(merge.length > 0 ? ["--merge"] : []),
    ]
    const [input = "--until", ...others] = given
    if (others.length > 0)
      return yield* new BadInput({ input, expected: "one of --parts, --part and --merge", found: given.join(" and ") })
    if (Option.isNone(until)) {
      if (Option.isSome(parts)) return Mode.Processes({ count: yield* PartOption.processesOf(parts.value) })
      if (given.length === 0) return Mode.Whole()
      return yield* new BadInput({
        input,
        expected: "--until @POSITION, so that all parts end at the same event",
        found: "none",
        advice: "`hindcast log info` shows the position of the last event.",
      })
    }
    const last = yield* positionOf(until.value)
    if (Option.isSome(part)) return Mode.Part({ part: yield* PartOption.parse(part.value), until: last })
    if (merge.length > 0) return Mode.Merge({ files: merge, until: last })
    return yield* new BadInput({ input: "--until", expected: "it with --part or --merge", found: "neither" })
  })

/** The event at a position, as the head of the log at that moment. */
export const headAt = (position: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const head = yield* log.head
    if (position > head.position)
      return yield* new BadInput({
        input: "--until",
        expected: `a moment of this log, which ends at @${head.position}`,
        found: `@${position}`,
      })
    const [event] = yield* log.readPage({ after: Math.max(0, position - 1), until: position, whole: true }, 1)
    // On a timeline, the event may be one of others.
    return { position, hash: event?.hash ?? head.hash }
  })

interface Reading {
  readonly decrypt: boolean
  readonly until: number
}

/** All that audits depend on besides the part: the log up to a position, the timeline, and whether keys are at hand. */
const workOf = ({ decrypt, until }: Reading) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const [first] = yield* log.readPage({}, 1)
    const [last] = yield* log.readPage({ after: Math.max(0, until - 1), until, whole: true }, 1)
    const about = JSON.stringify([first?.hash, last?.hash, until, log.timeline, decrypt])
    return { kind: "audits", about: sha256(about) } satisfies MergedParts.Work
  })

interface PartToWrite extends Reading {
  readonly part: TaskPart
  readonly output: string
  readonly force: boolean
}

/** Writes the audits of a part's tasks. */
export const write = ({ part, output, force, ...reading }: PartToWrite) =>
  Effect.gen(function* () {
    yield* headAt(reading.until)
    const { name } = yield* EventLog
    const lines = new PartLines.PartWriter()
    const begin = lines.begin({ ...(yield* workOf(reading)), part })
    let audits = 0
    const written = yield* OutputFile.withOutputFile({ file: output, force, log: name }, (file) =>
      Effect.gen(function* () {
        yield* file.write(begin)
        yield* Stream.runForEach(Audits.keyed({ part, until: reading.until }), ({ key, audit }) => {
          audits += 1
          return file.write(lines.item(key, audit))
        })
        yield* file.write(lines.end())
      }),
    )
    return { audits, ...written }
  })

interface Source extends Reading {
  readonly log: Option.Option<string>
  readonly timeline: Option.Option<string>
  readonly onProgress: OnProgress
}

/** The audits in the order of `Audits.stream`, however they come about. */
export const stream = (how: Mode, source: Source) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const found: Stream.Stream<TaskAudit, ReadError, EventLog> =
        how._tag === "Processes" || how._tag === "Merge"
          ? yield* merged(how, source)
          : Audits.stream({ until: source.until, onProgress: source.onProgress })
      return found
    }),
  )

type ReadError = Stream.Stream.Error<ReturnType<typeof Audits.stream>> | PartLines.PartUnusable

const merged = (how: Extract<Mode, { _tag: "Processes" | "Merge" }>, { log, timeline, ...reading }: Source) =>
  Effect.gen(function* () {
    const work = yield* workOf(reading)
    const items =
      how._tag === "Merge"
        ? MergedParts.ofFiles(work, how.files)
        : PartProcesses.run({
            work,
            count: how.count,
            command: [
              ...["export", "audits", "--json", "--until", `@${reading.until}`],
              ...(reading.decrypt ? ["--decrypt"] : []),
              ...Option.match(timeline, { onNone: () => [], onSome: (name) => ["--timeline", name] }),
            ],
            log: (yield* OpenLog.placeToLookAt(log)).open,
          })
    return Stream.mapEffect(items, ({ value }) =>
      isAudit(value)
        ? Effect.succeed(value as TaskAudit)
        : new PartLines.PartUnusable({ part: "of audits", reason: "an item is no audit" }),
    )
  })

interface Selected extends Pick<Source, "log" | "timeline" | "onProgress"> {
  readonly parts: Option.Option<number>
}

/** Calls `take` with the audits of some tasks, read in one pass, or by the processes of `--parts`. */
export const forEach = (
  take: (audit: TaskAudit) => void,
  tasks: ReadonlyArray<string>,
  { parts, ...source }: Selected,
) =>
  Effect.gen(function* () {
    const { onProgress } = source
    if (Option.isNone(parts)) return yield* Audits.forEach(take, { tasks, onProgress })
    const count = yield* PartOption.processesOf(parts.value)
    const { position: until } = yield* (yield* EventLog).head
    const chosen = new Set(tasks)
    yield* Stream.runForEach(stream(Mode.Processes({ count }), { ...source, decrypt: true, until }), (audit) =>
      Effect.sync(() => {
        if (chosen.has(audit.taskId)) take(audit)
      }),
    )
  })

/** The digest at the end of a part shows that this program wrote the rest of it. */
const isAudit = Schema.is(Schema.Struct({ taskId: Schema.String, acting: Schema.Unknown, scores: Schema.Unknown }))
