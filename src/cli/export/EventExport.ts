/** Selects, encodes and writes events, for all commands that export events. */
import * as path from "node:path"
import { Effect, Option } from "effect"
import { EventLog, type LogError, type Query } from "../../events/log/EventLog.ts"
import * as ExpandedRecords from "../../events/read/ExpandedRecords.ts"
import * as Pages from "../../events/read/Pages.ts"
import { type DecodedEvent, Records, type StoredEvent } from "../../events/read/Records.ts"
import { isCompact } from "../../events/steps/Expansion.ts"
import { COMPACT } from "../../events/steps/StepPosition.ts"
import { type Encoded, type Encoder, made } from "../../projections/exports/Encoder.ts"
import type { EventSource } from "../../projections/exports/EventTable.ts"
import { common } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import { at, count, size } from "../terminal/Text.ts"
import * as V8Tuning from "../terminal/V8Tuning.ts"
import * as ExportSummary from "./ExportSummary.ts"
import * as OutputFile from "./OutputFile.ts"
import * as OutputFormat from "./OutputFormat.ts"
import * as Selection from "./Selection.ts"

export const options = {
  ...common,
  ...OutputFile.outputOptions,
  ...Selection.options,
  decrypt: OpenLog.decrypt,
}

export interface Typed extends Selection.Typed {
  readonly log: Option.Option<string>
  readonly json: boolean
  readonly output: string
  readonly force: boolean
  readonly decrypt: boolean
}

/** The log, the position after which the export starts, and the timeline if only one is exported. */
export interface ExportSource extends EventSource {
  readonly after: number
  readonly timeline: string | null
}

/** A format and its encoder, which takes events either as stored or as decoded. */
export type Format = {
  readonly name: OutputFormat.Name
  readonly binary: boolean
  /**
   * True if it takes compact events as the log has them, and the summary says how many. Otherwise, the encoder gets the
   * events of each step in their place.
   */
  readonly compact?: boolean
  /** The number of selected events that the encoder left out. Default: none. */
  readonly leftOut?: () => number
} & (
  | { readonly takes: "stored"; readonly encoder: (source: ExportSource) => Encoder<StoredEvent> }
  | { readonly takes: "decoded"; readonly encoder: (source: ExportSource) => Encoder<DecodedEvent> | EncoderFromLog }
)

type EncoderFromLog = Effect.Effect<Encoder<DecodedEvent>, LogError, Records>

/** Exports the selected events in constant memory, up to the head at the start of the export. */
export const run = (typed: Typed, format: Format) =>
  Effect.gen(function* () {
    yield* OutputFormat.check("--output", typed.output, format.name)
    const log = yield* EventLog
    const selection = yield* Selection.resolve(typed)
    const { after, until: upTo, head, whole } = selection
    const { json, output, force } = typed
    const source = { log: path.basename(log.name), head, after, timeline: Option.getOrNull(typed.timeline) }
    yield* format.takes === "stored" ? V8Tuning.disablePretenuring : V8Tuning.limitHeapGrowth
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
        return encode(format, source, selection, typed.decrypt, write)
      })
    })
    const leftOut = format.leftOut?.() ?? 0
    const exported = events - leftOut
    const rest = leftOut === 0 ? "" : ` ${count(leftOut, "event")} below the levels of --level were left out.`
    const compact = format.compact === true ? yield* compactIn(log, selection) : NO_STEPS
    yield* ExportSummary.printSummary(
      typed,
      {
        ...{ ...written, format: format.name, events: exported, ...(leftOut === 0 ? {} : { leftOut }), upTo, head },
        ...(compact.events === 0 ? {} : { compact }),
      },
      `Exported ${count(exported, "event")} (${size(written.bytes)}) to ${written.file}, of the log up to ${at(upTo)}.${rest}${wordsOf(compact)}`,
    )
  }).pipe(Effect.provide(OpenLog.forSharing(typed.log, { decrypted: typed.decrypt })))

const NO_STEPS = { events: 0, steps: 0 }

/** The compact events of a selection, whatever types it wants, and their steps. */
const compactIn = (log: EventLog.Service, { queries }: Selection.EventSelection) =>
  Effect.gen(function* () {
    const found = { ...NO_STEPS }
    for (const query of queries) {
      yield* Pages.forEach(log.readPage, { ...query, types: [COMPACT], whole: true }, (page) => {
        for (const event of page.filter(isCompact)) {
          found.events += 1
          found.steps += event.payload.steps
        }
      })
    }
    return found
  })

const wordsOf = ({ events, steps }: typeof NO_STEPS): string =>
  events === 0
    ? ""
    : ` ${count(events, `${COMPACT} event`)} of the selection hold ${count(steps, "step")}, which are no events of their own there; the other exports write each of them.`

type Write = (chunk: Encoded, events: number) => Effect.Effect<void, OutputFile.OutputError>

const encode = (
  format: Format,
  source: ExportSource,
  { queries }: Selection.EventSelection,
  decrypted: boolean,
  write: Write,
) =>
  Effect.gen(function* () {
    const records = yield* Records
    const { name } = yield* EventLog
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
      format.compact === true
        ? records.decoded(query, { decrypted }, take)
        : ExpandedRecords.decoded(records, name, query, { decrypted }, take),
    )
  })

type PageConsumer<Item> = (page: ReadonlyArray<Item>) => Effect.Effect<void, OutputFile.OutputError>

type Reading = Effect.Effect<void, OutputFile.OutputError | LogError>
