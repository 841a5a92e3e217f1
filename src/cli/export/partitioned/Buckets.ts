/** Writes events as Parquet files in directories by bucket and day, as query engines find them (`bucket=3/day=2026-11-21`). */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Schema, Stream } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import { type DecodedEvent, Records } from "../../../events/read/Records.ts"
import type { Head } from "../../../events/vocabulary/Event.ts"
import { type Encoded, type Encoder, made } from "../../../projections/exports/Encoder.ts"
import * as EventTable from "../../../projections/exports/EventTable.ts"
import * as OutputFile from "../OutputFile.ts"

/** A written file. */
export const WrittenFile = Schema.Struct({
  /** Its path in the directory, with `/`. */
  file: Schema.String.pipe(Schema.pattern(/^bucket=\d{1,4}\/day=\d{4,6}-\d\d-\d\d\/events-\d+\.parquet$/)),
  events: Schema.NonNegativeInt,
  bytes: Schema.NonNegativeInt,
})
export type WrittenFile = typeof WrittenFile.Type

export interface BucketOptions {
  readonly directory: string
  /** The number of buckets. A bucket has the tasks of a part of as many. */
  readonly buckets: number
  readonly head: Head
  readonly decrypted: boolean
}

/** Files that are written at the same time: a bucket's events seldom spread over more days. */
const MAX_OPEN = 8

/** Compressed bytes after which the next file begins. They are in memory until then. */
const MAX_BYTES = 32 * 1024 * 1024

interface OpenFile {
  readonly day: string
  readonly encoder: Encoder<DecodedEvent>
  readonly chunks: Array<Encoded>
  events: number
  bytes: number
}

/** Writes all files of a bucket, and returns them in the order of their paths. They depend on its events alone. */
export const write = (bucket: number, { directory, buckets, head, decrypted }: BucketOptions) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const records = yield* Records
    const source = { log: path.basename(log.name), head }
    // The most recently used is the last.
    const open = new Map<string, OpenFile>()
    const numbers = new Map<string, number>()
    const written: Array<WrittenFile> = []

    const close = (file: OpenFile) =>
      Effect.gen(function* () {
        open.delete(file.day)
        file.chunks.push(yield* made(file.encoder.end()))
        const number = numbers.get(file.day) ?? 0
        numbers.set(file.day, number + 1)
        const name = `bucket=${bucket}/day=${file.day}/events-${number}.parquet`
        const target = path.join(directory, name)
        yield* Effect.try({
          try: () => fs.mkdirSync(path.dirname(target), { recursive: true }),
          catch: (cause) => new OutputFile.OutputUnavailable({ file: target, reason: String(cause) }),
        })
        const { bytes } = yield* OutputFile.writeAll(
          { file: target, force: true, log: log.name, binary: true },
          Stream.fromIterable(file.chunks),
        )
        written.push({ file: name, events: file.events, bytes })
      })

    const take = (day: string, events: ReadonlyArray<DecodedEvent>) =>
      Effect.gen(function* () {
        const file = open.get(day) ?? { day, encoder: EventTable.encoder(source), chunks: [], events: 0, bytes: 0 }
        open.delete(day)
        open.set(day, file)
        const chunk = yield* made(file.encoder.add(events))
        file.events += events.length
        file.bytes += chunk.length
        file.chunks.push(chunk)
        if (file.bytes >= MAX_BYTES) return yield* close(file)
        const [oldest] = open.values()
        if (open.size > MAX_OPEN && oldest !== undefined) yield* close(oldest)
      })

    const query = { until: head.position, part: { index: bucket, of: buckets } }
    yield* records.decoded(query, { decrypted }, (page) =>
      Effect.forEach(byDay(page), ([day, events]) => take(day, events), { discard: true }),
    )
    for (const file of [...open.values()]) yield* close(file)
    return written.sort((one, other) => (one.file < other.file ? -1 : 1))
  })

/** Neighbouring events of the same day. */
const byDay = (page: ReadonlyArray<DecodedEvent>): ReadonlyArray<readonly [day: string, Array<DecodedEvent>]> => {
  const runs: Array<readonly [string, Array<DecodedEvent>]> = []
  for (const event of page) {
    const day = dayOf(event.link.occurredAt)
    const last = runs.at(-1)
    if (last?.[0] === day) last[1].push(event)
    else runs.push([day, [event]])
  }
  return runs
}

/** The day in UTC on which an event happened. */
const dayOf = (at: number): string => {
  const [day = ""] = new Date(at).toISOString().split("T")
  // Engines read no sign. Such times are beyond those that a log accepts as now.
  return day.replace(/^[+-]/, "")
}
