/** The shared implementation of the commands that export events: it selects, encodes and writes them. */
import * as path from "node:path"
import { Effect, Option } from "effect"
import { EventLog, type LogError, LogUnavailable, type Query } from "../../events/log/EventLog.ts"
import { type DecodedEvent, Records, type StoredEvent } from "../../events/read/Records.ts"
import * as Threads from "../../platform/threads/Threads.ts"
import { type Encoder, made } from "../../projections/exports/Encoder.ts"
import type { TableSource } from "../../projections/exports/EventTable.ts"
import * as TableParts from "../../projections/exports/TableParts.ts"
import { common } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import { at, count, size } from "../terminal/Text.ts"
import * as V8Tuning from "../terminal/V8Tuning.ts"
import * as ExportSummary from "./ExportSummary.ts"
import * as OutputFile from "./OutputFile.ts"
import * as OutputFormat from "./OutputFormat.ts"
import * as Selection from "./Selection.ts"

/** The options of every export of events. */
export const options = {
  ...common,
  ...OutputFile.outputOptions,
  ...Selection.options,
  decrypt: OpenLog.decrypt,
}

/** The values of these options. */
export interface Typed extends Selection.Typed {
  readonly log: Option.Option<string>
  readonly json: boolean
  readonly output: string
  readonly force: boolean
  readonly decrypt: boolean
  /** How many threads encode a table. Default: 1. */
  readonly jobs?: number
}

/**
 * The source of an export: the log, the position after which events are exported, and the timeline if only one is
 * exported.
 */
export interface ExportSource extends TableSource {
  readonly after: number
  readonly timeline: string | null
}

/**
 * A format and its encoder. `takes` says whether the encoder gets events as they are stored or as they are decoded. A table of
 * all events can be encoded by several threads.
 */
export type Format = {
  readonly name: OutputFormat.Name
  readonly binary: boolean
  readonly isTable?: boolean
} & (
  | { readonly takes: "stored"; readonly encoder: (source: ExportSource) => Encoder<StoredEvent> }
  | { readonly takes: "decoded"; readonly encoder: (source: ExportSource) => Encoder<DecodedEvent> | EncoderFromLog }
)

/** An encoder that reads from the log before it starts. */
type EncoderFromLog = Effect.Effect<Encoder<DecodedEvent>, LogError, Records>

/** Exports the selected events in constant memory. Events that are appended after the export began are not included. */
export const run = (typed: Typed, format: Format) =>
  Effect.gen(function* () {
    yield* OutputFormat.check("--output", typed.output, format.name)
    const log = yield* EventLog
    const selection = yield* Selection.resolve(typed)
    const { after, until: upTo, head, whole } = selection
    const { json, output, force } = typed
    const source = { log: path.basename(log.name), head, after, timeline: Option.getOrNull(typed.timeline), whole }
    yield* format.takes === "stored" ? V8Tuning.disablePretenuring : V8Tuning.limitHeapGrowth
    const threads = yield* threadsFor(typed, format, whole)
    let events = 0
    const written = yield* ProgressLine.during({ verb: "exported", unit: "events", json }, (onProgress) => {
      const of = whole ? Math.max(0, upTo - after) : undefined
      const target = { file: output, force, log: log.name, binary: format.binary }
      return OutputFile.withOutputFile(target, (file) => {
        const write: Write = (chunk, added) =>
          Effect.gen(function* () {
            yield* file.write(chunk)
            events += added
            yield* onProgress(events, of)
          })
        return threads === undefined
          ? encode(format, source, selection, typed.decrypt, write)
          : threads(source, { after, until: upTo }, write)
      })
    })
    yield* ExportSummary.printSummary(
      typed,
      { ...written, format: format.name, events, upTo, head },
      `Exported ${count(events, "event")} (${size(written.bytes)}) to ${written.file}, of the log up to ${at(upTo)}.`,
    )
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forSharing(typed.log, { decrypted: typed.decrypt })))

type Write = TableParts.Write<OutputFile.OutputError>

/** How several threads encode the export. Undefined if one does. */
const threadsFor = ({ jobs = 1, decrypt }: Typed, { isTable = false }: Format, whole: boolean) =>
  Effect.gen(function* () {
    const { file } = yield* EventLog
    if (!isTable || file === undefined || !whole || jobs === 1) return undefined
    const threads = yield* Threads.start(jobs)
    if (threads === undefined) return undefined
    const failed = ({ message }: Threads.ThreadDied) => new LogUnavailable({ log: file.filename, reason: message })
    return (source: ExportSource, range: TableParts.EventRange, write: Write) =>
      TableParts.write({ threads, file, source, range, options: { decrypted: decrypt } }, write).pipe(
        Effect.catchTag("ThreadDied", failed),
      )
  })

/** Encodes each page of events, and writes the result. */
const encode = (
  format: Format,
  source: ExportSource,
  { queries }: Selection.EventSelection,
  decrypted: boolean,
  write: Write,
) =>
  Effect.gen(function* () {
    const records = yield* Records
    const all = <Item>(encoder: Encoder<Item>, read: (query: Query, take: PageConsumer<Item>) => Reading) =>
      Effect.forEach(
        queries,
        (query) => read(query, (page) => Effect.flatMap(made(encoder.add(page)), (chunk) => write(chunk, page.length))),
        { discard: true },
      ).pipe(
        Effect.zipRight(Effect.suspend(() => made(encoder.end()))),
        Effect.flatMap((chunk) => write(chunk, 0)),
      )
    if (format.takes === "stored") return yield* all(format.encoder(source), records.stored)
    const encoder = format.encoder(source)
    return yield* all(Effect.isEffect(encoder) ? yield* encoder : encoder, (query, take) =>
      records.decoded(query, { decrypted }, take),
    )
  })

type PageConsumer<Item> = (page: ReadonlyArray<Item>) => Effect.Effect<void, OutputFile.OutputError>

type Reading = Effect.Effect<void, OutputFile.OutputError | LogError>
