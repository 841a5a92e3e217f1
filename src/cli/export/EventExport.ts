/** The shared implementation of the commands that export events: it selects, encodes and writes them. */
import * as path from "node:path"
import { Effect, Option } from "effect"
import { EventLog, type LogError, type Query } from "../../events/log/EventLog.ts"
import { type DecodedEvent, Records, type StoredEvent } from "../../events/read/Records.ts"
import { type Encoder, made } from "../../projections/exports/Encoder.ts"
import type { EventSource as Table } from "../../projections/exports/EventTable.ts"
import { common, flag } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import { at, count, size } from "../terminal/Text.ts"
import * as V8Tuning from "../terminal/V8Tuning.ts"
import * as ExportSummary from "./ExportSummary.ts"
import * as OutputFile from "./OutputFile.ts"
import * as Selection from "./Selection.ts"

/** The options of every export of events. */
export const options = {
  ...common,
  ...OutputFile.outputOptions,
  ...Selection.options,
  decrypt: flag(
    "decrypt",
    "Write encrypted fields in the clear, as far as their keys are there. They stay readable when a key is destroyed later",
  ),
}

/** The values of these options. */
export interface Typed extends Selection.Typed {
  readonly log: Option.Option<string>
  readonly json: boolean
  readonly output: string
  readonly force: boolean
  readonly decrypt: boolean
}

/**
 * The source of an export: the log, the position after which events are exported, and the timeline if only one is
 * exported.
 */
export interface ExportSource extends Table {
  readonly after: number
  readonly timeline: string | null
}

/** A format and its encoder. `takes` says whether the encoder gets events as they are stored or as they are decoded. */
export type Format = { readonly name: string; readonly binary: boolean } & (
  | { readonly takes: "stored"; readonly encoder: (source: ExportSource) => Encoder<StoredEvent> }
  | { readonly takes: "decoded"; readonly encoder: (source: ExportSource) => Encoder<DecodedEvent> | EncoderFromLog }
)

/** An encoder that reads from the log before it starts. */
type EncoderFromLog = Effect.Effect<Encoder<DecodedEvent>, LogError, Records>

/** Exports the selected events in constant memory. Events that are appended after the export began are not included. */
export const run = (typed: Typed, format: Format) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { after, until: upTo, queries, head, whole } = yield* Selection.resolve(typed)
    const { json, output, force, decrypt } = typed
    const source = { log: path.basename(log.name), head, after, timeline: Option.getOrNull(typed.timeline) }
    yield* format.takes === "stored" ? V8Tuning.disablePretenuring : V8Tuning.limitHeapGrowth
    const records = yield* Records
    let events = 0
    const written = yield* ProgressLine.during({ verb: "exported", unit: "events", json }, (onProgress) => {
      const of = whole ? Math.max(0, upTo - after) : undefined
      const target = { file: output, force, log: log.name, binary: format.binary }
      return OutputFile.withOutputFile(target, ({ write }) => {
        /** Encodes each page of events and writes the result. */
        const encodeAll = <Item>(encoder: Encoder<Item>, readPages: PageReader<Item>) => {
          const pages = readPages((page) =>
            Effect.gen(function* () {
              yield* write(yield* made(encoder.add(page)))
              events += page.length
              yield* onProgress(events, of)
            }),
          )
          return Effect.zipRight(
            pages,
            Effect.suspend(() => Effect.flatMap(made(encoder.end()), write)),
          )
        }
        const forEach =
          <Item>(read: (query: Query, take: PageConsumer<Item>) => Reading): PageReader<Item> =>
          (take) =>
            Effect.forEach(queries, (query) => read(query, take), { discard: true })
        if (format.takes === "stored") return encodeAll(format.encoder(source), forEach(records.stored))
        const encoder = format.encoder(source)
        const pages = forEach<DecodedEvent>((query, take) => records.decoded(query, { decrypted: decrypt }, take))
        return Effect.flatMap(Effect.isEffect(encoder) ? encoder : Effect.succeed(encoder), (encoder) =>
          encodeAll(encoder, pages),
        )
      })
    })
    yield* ExportSummary.printSummary(
      typed,
      { ...written, format: format.name, events, upTo, head },
      `Exported ${count(events, "event")} (${size(written.bytes)}) to ${written.file}, of the log up to ${at(upTo)}.`,
    )
  }).pipe(Effect.provide(OpenLog.forEvents(typed.log)))

type PageConsumer<Item> = (page: ReadonlyArray<Item>) => Effect.Effect<void, OutputFile.OutputError>

type Reading = Effect.Effect<void, OutputFile.OutputError | LogError>

type PageReader<Item> = (take: PageConsumer<Item>) => Reading
