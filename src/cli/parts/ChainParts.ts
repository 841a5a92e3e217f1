/** The hash chain verified in parts: each part walks a range of positions, and merging joins the ranges from the beginning. */
import { Chunk, Effect, type Option, Schema, Stream } from "effect"
import { BEGINNING } from "../../events/integrity/Verifier.ts"
import { EventLog, type Head } from "../../events/log/EventLog.ts"
import type { TaskPart } from "../../events/log/TaskPart.ts"
import { sha256 } from "../../values/Digest.ts"
import { BadInput } from "../command/BadInput.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as OutputFile from "../export/OutputFile.ts"
import type { OnProgress } from "../terminal/ProgressLine.ts"
import type * as AuditParts from "./AuditParts.ts"
import * as MergedParts from "./MergedParts.ts"
import * as PartLines from "./PartLines.ts"
import * as PartProcesses from "./PartProcesses.ts"

/** The positions of a part: an equal share of those up to the last one that counts. */
const rangeOf = ({ index, of }: TaskPart, until: number) => ({
  after: Math.floor((until / of) * index),
  until: index + 1 === of ? until : Math.floor((until / of) * (index + 1)),
})

/** A position as typed. Reads no event, because its payload may be what was changed. */
export const positionOf = (typed: string) =>
  Effect.gen(function* () {
    const { position: last } = yield* (yield* EventLog).head
    const position = /^@\d{1,15}$/.test(typed) ? Number(typed.slice(1)) : Number.NaN
    if (position >= 1 && position <= last) return position
    return yield* new BadInput({
      input: "--until",
      expected: `the position of an event, @1 to @${last}`,
      found: `"${typed}"`,
    })
  })

/** The hashes as stored: a log that was tampered with has parts too. */
const workOf = (until: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const stored = (position: number) =>
      Effect.map(readable(log.verifyRange({ after: position, until: position })), (heads) => heads[0]?.hash ?? null)
    const about = JSON.stringify([yield* stored(1), yield* stored(until), until])
    return { kind: "heads", about: sha256(about) } satisfies MergedParts.Work
  })

/** Whoever verifies the whole chain reads on from the last head, and meets what cannot be read. */
const untilUnreadable = <E extends { readonly _tag: string }, R>(heads: Stream.Stream<Head, E, R>) =>
  Stream.catchTags(heads, { LogCorrupt: () => Stream.empty, SegmentUnavailable: () => Stream.empty })

const readable = <E extends { readonly _tag: string }, R>(heads: Stream.Stream<Head, E, R>) =>
  Effect.map(Stream.runCollect(untilUnreadable(heads)), Chunk.toReadonlyArray)

export interface PartToWrite {
  readonly part: TaskPart
  readonly until: number
  readonly output: string
  readonly force: boolean
  readonly onProgress: OnProgress
}

/** Writes the heads that a part's walk reaches. An item's key is the number of verified events. */
export const write = ({ part, until, output, force, onProgress }: PartToWrite) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const lines = new PartLines.PartWriter()
    const begin = lines.begin({ ...(yield* workOf(until)), part })
    const range = rangeOf(part, until)
    let events = 0
    const written = yield* OutputFile.withOutputFile({ file: output, force, log: log.name }, (file) =>
      Effect.gen(function* () {
        yield* file.write(begin)
        yield* Stream.runForEach(untilUnreadable(log.verifyRange(range)), (head) => {
          events = head.position - range.after
          return Effect.zipRight(
            file.write(lines.item([events, part.index], head)),
            onProgress(events, range.until - range.after),
          )
        })
        yield* file.write(lines.end())
      }),
    )
    return { events, ofEvents: range.until - range.after, ...written }
    // Heads are positions and hashes.
  }).pipe(Effect.provideService(OpenLog.Shared, { decrypted: true }))

/** Where parts come from. */
export type Source = Extract<AuditParts.Mode, { readonly _tag: "Processes" | "Merge" }>

/** The head up to which the parts found the chain unbroken, from the beginning. */
export const verifiedHead = (
  how: Source,
  {
    log,
    until,
    onProgress,
  }: { readonly log: Option.Option<string>; readonly until: number; readonly onProgress: OnProgress },
) =>
  Effect.gen(function* () {
    const work = yield* workOf(until)
    const items =
      how._tag === "Merge"
        ? MergedParts.ofFiles(work, how.files)
        : PartProcesses.run({
            work,
            count: how.count,
            command: ["log", "verify", "--json", "--until", `@${until}`],
            log: (yield* OpenLog.placeToLookAt(log)).open,
          })
    const walked = new Map<number, Walked>()
    let verified = 0
    yield* Stream.runForEach(items, ({ key: [, index], value }) =>
      Effect.gen(function* () {
        const to = yield* decodeHead(value)
        const before = walked.get(index)
        verified += to.position - (before?.to.position ?? to.position)
        walked.set(index, { from: before?.from ?? to, to })
        yield* onProgress(verified, until)
      }),
    )
    return joined(walked)
  })

interface Walked {
  readonly from: Head
  readonly to: Head
}

/** Follows the ranges as long as each begins with the head that the one before reached. */
const joined = (walked: ReadonlyMap<number, Walked>): Head => {
  let head: Head = BEGINNING
  for (let index = 0; ; index++) {
    const next = walked.get(index)
    if (next === undefined || next.from.position !== head.position || next.from.hash !== head.hash) return head
    head = next.to
  }
}

const decodeHead = (value: unknown) =>
  Effect.mapError(decode(value), () => new PartLines.PartUnusable({ part: "of heads", reason: "an item is no head" }))

const decode = Schema.decodeUnknown(
  Schema.Struct({ position: Schema.NonNegativeInt, hash: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/)) }),
)
