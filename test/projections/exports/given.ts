import * as path from "node:path"
import { Chunk, Context, Effect, Layer, Stream } from "effect"
import { EventLog, layerSqlite, type Query } from "../../../src/events/index.ts"
import { Archive } from "../../../src/events/maintenance/Archive.ts"
import { type DecodedEvent, Records, type StoredEvent } from "../../../src/events/read/Records.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { type Encoder, made } from "../../../src/projections/exports/Encoder.ts"
import { temporaryDirectory } from "../../temporary.ts"

export const SECRET = "Anna lives in Petersburg"

/** A text so long that the log keeps it apart from its event. */
export const LONG = "ü".repeat(200_000)

/** A log with what is hard to take elsewhere: personal data, a blob, causes, text beyond ASCII, and an archived beginning. */
export const hardLog = Effect.gen(function* () {
  const filename = path.join(yield* temporaryDirectory, "log.db")
  const context = yield* Layer.build(layerSqlite({ filename }))
  const log = Context.get(context, EventLog)
  const note = (text: string) => ({ type: "NoteAdded" as const, payload: { about: "x", text } })
  const ada = { stream: "task/t1", taskId: "t1", actor: "human:ada" }
  const { events } = yield* log.append({ ...ada, events: [note("one"), note('zwölf \uFFFD 🗝 "\n\u2028')] })
  yield* log.append({ ...ada, subject: "anna", events: [note(SECRET)] })
  yield* log.append({ stream: "notes", actor: "human:eve", events: [note(LONG), { ...note("old"), occurredAt: -1 }] })
  yield* log.append({ ...ada, subject: "anna", events: [note(SECRET + LONG)] })
  yield* Context.get(context, Archive).archive({ until: 4, actor: "human:ada" })
  yield* log.append({ ...ada, events: [{ ...note("last"), causationId: events[0]?.id ?? null }] })
  return { filename, context, log, records: Context.get(context, Records) }
})

export const stored = (records: Records.Service, query: Query = {}) =>
  Effect.gen(function* () {
    const all: Array<StoredEvent> = []
    yield* records.stored(query, (page) => Effect.sync(() => void all.push(...page)))
    return all
  })

export const readable = (records: Records.Service, decrypted = false, query: Query = {}) =>
  Effect.gen(function* () {
    const all: Array<DecodedEvent> = []
    yield* records.decoded(query, { decrypted }, (page) => Effect.sync(() => void all.push(...page)))
    return all
  })

export const all = (log: EventLog.Service, query: Query = {}): Effect.Effect<ReadonlyArray<Event>, unknown> =>
  Effect.map(Stream.runCollect(log.read(query)), Chunk.toReadonlyArray)

/** What an encoder makes of items that come in pages of so many. */
export const encoded = <Item>(encoder: Encoder<Item>, items: ReadonlyArray<Item>, pageSize = 3) =>
  Effect.gen(function* () {
    const chunks = []
    for (let start = 0; start < items.length; start += pageSize) {
      chunks.push(yield* made(encoder.add(items.slice(start, start + pageSize))))
    }
    chunks.push(yield* made(encoder.end()))
    const bytes = chunks.map((chunk) =>
      Buffer.from(typeof chunk === "string" ? chunk : chunk instanceof Uint8Array ? chunk : chunk.join("")),
    )
    return Buffer.concat(bytes)
  })

/** An event as a log would hold it, with a payload of one's own. */
export const event = (
  position: number,
  type: string,
  payload: object,
  { taskId = "t1", atMs = 1_700_000_000_000 + position * 10, causationId = null, actor = "kernel" }: Given = {},
): DecodedEvent => ({
  link: {
    position,
    id: idOf(position),
    timeline: "main",
    stream: `task/${taskId}`,
    version: position,
    type,
    schemaVersion: 1,
    taskId,
    causationId,
    actor,
    occurredAt: atMs,
    recordedAt: atMs + 1,
  },
  text: JSON.stringify(payload),
  keyId: null,
  hash: "0".repeat(64),
})

export interface Given {
  readonly taskId?: string | null
  readonly atMs?: number
  readonly causationId?: string | null
  readonly actor?: string
}

export const idOf = (position: number): string => `01890000-0000-7000-8000-${String(position).padStart(12, "0")}`
