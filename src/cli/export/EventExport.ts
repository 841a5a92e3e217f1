import * as path from "node:path"
import { Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog, type LogError, type Query } from "../../events/EventLog.ts"
import { type Readable, type Recorded, Records } from "../../events/Records.ts"
import { type Encoder, made } from "../../projections/exports/Encoder.ts"
import type { Source as Table } from "../../projections/exports/EventTable.ts"
import { common } from "../CommonOptions.ts"
import * as Heap from "../Heap.ts"
import * as OpenLog from "../OpenLog.ts"
import * as ProgressLine from "../ProgressLine.ts"
import { at, count, size } from "../render/Text.ts"
import * as Answer from "./Answer.ts"
import * as OutputFile from "./OutputFile.ts"
import * as Selection from "./Selection.ts"

/** What every export of events takes. */
export const options = {
  ...common,
  ...OutputFile.outputOptions,
  ...Selection.options,
  decrypt: Options.boolean("decrypt").pipe(
    Options.withDescription(
      "Write encrypted fields in the clear, as far as their keys are there. They stay readable when a key is destroyed later",
    ),
  ),
}

/** What was typed. */
export interface Typed extends Selection.Typed {
  readonly log: Option.Option<string>
  readonly json: boolean
  readonly output: string
  readonly force: boolean
  readonly decrypt: boolean
}

/** Where the events come from, after which position they begin, and whose history they are, where only one timeline's. */
export interface Source extends Table {
  readonly after: number
  readonly timeline: string | null
}

/** A format, and what it is made of. */
export type Format = { readonly name: string; readonly binary: boolean } & (
  | { readonly takes: "stored"; readonly encoder: (source: Source) => Encoder<Recorded> }
  | { readonly takes: "readable"; readonly encoder: (source: Source) => Encoder<Readable> | Prepared }
)

/** An encoder that has to know something of the log first. */
type Prepared = Effect.Effect<Encoder<Readable>, LogError, Records>

/**
 * Exports the events that were selected, of those that were in the log when it began: what is appended meanwhile is left
 * out, however long it takes. In constant memory.
 */
export const run = (typed: Typed, format: Format) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { after, until: upTo, queries, head, whole } = yield* Selection.resolve(typed)
    const { json, output, force, decrypt } = typed
    const source = { log: path.basename(log.name), head, after, timeline: Option.getOrNull(typed.timeline) }
    yield* format.takes === "stored" ? Heap.shortLived : Heap.small
    const records = yield* Records
    let events = 0
    const written = yield* ProgressLine.during({ verb: "exported", unit: "events", json }, (onProgress) => {
      const of = whole ? Math.max(0, upTo - after) : undefined
      const target = { file: output, force, log: log.name, binary: format.binary }
      return OutputFile.writing(target, ({ write }) => {
        /** Hands pages to an encoder, and what it makes of them to the file. */
        const through = <Item>(encoder: Encoder<Item>, each: Each<Item>) => {
          const pages = each((page) =>
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
          <Item>(read: (query: Query, take: Take<Item>) => Reading): Each<Item> =>
          (take) =>
            Effect.forEach(queries, (query) => read(query, take), { discard: true })
        if (format.takes === "stored") return through(format.encoder(source), forEach(records.stored))
        const encoder = format.encoder(source)
        const pages = forEach<Readable>((query, take) => records.readable(query, { decrypted: decrypt }, take))
        return Effect.flatMap(Effect.isEffect(encoder) ? encoder : Effect.succeed(encoder), (encoder) =>
          through(encoder, pages),
        )
      })
    })
    yield* Answer.tell(
      typed,
      { ...written, format: format.name, events, upTo, head },
      `Exported ${count(events, "event")} (${size(written.bytes)}) to ${written.file}, of the log up to ${at(upTo)}.`,
    )
  }).pipe(Effect.provide(OpenLog.forEvents(typed.log)))

type Take<Item> = (page: ReadonlyArray<Item>) => Effect.Effect<void, OutputFile.OutputError>

type Reading = Effect.Effect<void, OutputFile.OutputError | LogError>

type Each<Item> = (take: Take<Item>) => Reading
