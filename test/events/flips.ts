import * as fs from "node:fs"
import * as path from "node:path"
import { Cause, Context, Effect, Exit, Layer } from "effect"
import { type AppendRequest, EventLog, layerSqlite } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import * as Moment from "../../src/events/read/Moment.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { sha256 } from "../../src/values/Digest.ts"
import { Database } from "../sqlite.ts"

/** A log that is not changed but by flips, and what all reads of it answer. */
export interface Subject {
  readonly filename: string
  /** The log's file, and its segment where it has one. */
  readonly files: ReadonlyArray<string>
  readonly answers: ReadonlyMap<string, string>
}

export interface Making {
  readonly filename: string
  readonly events: number
  /** Bytes of a page, where they are not to be those that a log has. Smaller ones make more kinds of pages of fewer events. */
  readonly pageBytes?: number
}

const TASKS = 5

/** Events of several tasks, streams, types and actors; a few in no task, with causes, personal, or longer than a page. */
const append = (count: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    let causationId: string | null = null
    for (let index = 0; index < count; index++) {
      const taskId = `t${index % TASKS}`
      const inTask = { stream: `task/${taskId}`, taskId, actor: "kernel" }
      const text = index % 23 === 0 ? "long ".repeat(4_000) : `${index} zwölf 🗝`
      const note = { type: "NoteAdded" as const, payload: { about: "x", text } }
      const request: AppendRequest =
        index < TASKS
          ? { ...inTask, events: [{ type: "TaskOpened" as const, payload: { goal: "g", measures: [], agent: "a" } }] }
          : index % 7 === 0
            ? { stream: "notes", actor: "human:eve", subject: "anna", events: [note] }
            : index % 5 === 0
              ? { ...inTask, events: [{ ...note, causationId }] }
              : { ...inTask, events: [readingOf(index)] }
      causationId = (yield* log.append(request)).events[0]?.id ?? null
    }
  })

const readingOf = (index: number) => ({
  type: "SensorRead" as const,
  payload: { sensor: `room/${index % 3}`, reading: { index, text: "x".repeat(60) }, priority: 0, latencyMs: 1 },
})

const layerOf = (filename: string, readonly: boolean) =>
  Projector.layerWith({ checks: false }).pipe(Layer.provideMerge(layerSqlite({ filename, readonly })))

/** Makes the log: a fifth of it archived, a snapshot where it is long enough for one, and some pages that nothing uses. */
export const subject = ({ filename, events, pageBytes }: Making): Effect.Effect<Subject> =>
  Effect.gen(function* () {
    yield* Effect.gen(function* () {
      yield* append(events - 1)
      yield* (yield* Archive).archive({ until: Math.floor(events / 5), actor: "test" })
      yield* (yield* Projector.Projector).current(EnvironmentState.projection)
    }).pipe(Effect.provide(layerOf(filename, false)))
    const database = new Database(filename)
    database.exec("CREATE TABLE gone AS SELECT payload FROM events; DROP TABLE gone")
    database.pragma("journal_mode = DELETE")
    if (pageBytes !== undefined)
      database.exec(`PRAGMA page_size = ${pageBytes}; VACUUM; CREATE TABLE gone AS SELECT 1; DROP TABLE gone`)
    database.close()
    const segments = fs.readdirSync(`${filename}.segments`).map((file) => path.join(`${filename}.segments`, file))
    const looked = yield* Effect.provide(answersOf(undefined), layerOf(filename, true))
    return { filename, files: [filename, ...segments], answers: looked }
  }).pipe(Effect.orDie)

/** What every kind of read answers: by position, stream, task, type, id and time, pages and single events, states and audits. */
const answersOf = (before: ReadonlyMap<string, string> | undefined) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const projector = yield* Projector.Projector
    const answers = new Map<string, string>()
    const keep = (question: string, answer: unknown) => {
      answers.set(question, sha256(JSON.stringify(answer) ?? ""))
    }
    const all = yield* log.readPage({}, 10_000)
    keep("all", all)
    keep("head", yield* log.head)
    const at = Math.max(1, Math.floor(all.length / 2))
    keep("range", yield* log.readPage({ after: at, until: at + 20 }, 10))
    const tasks = Array.from({ length: TASKS }, (_, index) => `t${index}`)
    for (const taskId of [...tasks, null]) keep(`task ${taskId}`, yield* log.readPage({ taskId }, 10_000))
    for (const stream of ["notes", "log", ...tasks.map((task) => `task/${task}`)]) {
      keep(`stream ${stream}`, yield* log.readPage({ stream }, 10_000))
      keep(`version ${stream}`, [yield* log.versionOf(stream), yield* log.readPage({ stream, afterVersion: 3 }, 3)])
    }
    for (const type of ["NoteAdded", "SensorRead", "TaskOpened", "RangeArchived"])
      keep(`type ${type}`, yield* log.readPage({ types: [type] }, 10_000))
    const ids = before === undefined ? all.map(({ id }) => id) : [...before.keys()].flatMap((key) => idIn(key) ?? [])
    for (const id of ids) keep(`id ${id}`, yield* log.find(id))
    const times = [all[3], all[at], all.at(-1)].flatMap((event) =>
      event === undefined ? [] : [isoOf(event.recordedAt)],
    )
    for (const time of before === undefined ? times : [...before.keys()].flatMap((key) => timeIn(key) ?? []))
      keep(`time ${time}`, yield* Moment.resolve(time))
    const projections = [EnvironmentState.projection, Tasks.projection, TaskAudit.projection("t1")] as const
    for (const [index, projection] of projections.entries()) {
      keep(`state ${index}`, yield* projector.current(projection as typeof Tasks.projection))
      keep(`state ${index} before`, yield* projector.stateAt(projection as typeof Tasks.projection, at))
    }
    return answers
  })

const idIn = (question: string): string | undefined => /^id (.+)$/.exec(question)?.[1]

const timeIn = (question: string): string | undefined => /^time (.+)$/.exec(question)?.[1]

const isoOf = (ms: number): string => new Date(ms).toISOString()

/** One bit of a byte to flip; with a length, of each of so many bytes. */
export interface Flip {
  readonly file: string
  readonly offset: number
  readonly length: number
  readonly mask: number
  /** What the bytes belong to. */
  readonly kind: string
}

/** What became of a flip. `answered`: verify says intact, and every read answers as before. */
export type Outcome = "found" | "refused" | "answered"

/** What is tolerated: everything but a read that answers otherwise with verify content, and a defect. */
export const tryFlip = (subject: Subject, flip: Flip): Effect.Effect<Outcome> => {
  const flipped = Effect.sync(() => {
    const file = fs.openSync(flip.file, "r+")
    const bytes = Buffer.alloc(flip.length)
    fs.readSync(file, bytes, 0, flip.length, flip.offset)
    for (let index = 0; index < flip.length; index++) bytes.writeUInt8(bytes.readUInt8(index) ^ flip.mask, index)
    fs.writeSync(file, bytes, 0, flip.length, flip.offset)
    fs.closeSync(file)
  })
  const looked = Effect.gen(function* () {
    const context = yield* Layer.build(layerOf(subject.filename, true))
    if ((yield* Context.get(context, EventLog).verify)._tag === "Tampered") return "found"
    const answers = yield* Effect.provide(answersOf(subject.answers), context)
    const other = [...subject.answers].filter(([question, answer]) => answers.get(question) !== answer)
    if (other.length === 0 && answers.size === subject.answers.size) return "answered"
    return yield* Effect.die(
      new Error(`answers otherwise, with verify content: ${other.map(([question]) => question)}`),
    )
  }).pipe(Effect.scoped)
  return Effect.acquireUseRelease(
    flipped,
    () =>
      Effect.flatMap(Effect.exit(looked), (exit): Effect.Effect<Outcome> => {
        if (Exit.isSuccess(exit)) return Effect.succeed(exit.value as Outcome)
        // A typed error is an answer; a defect is not.
        if (Cause.isFailure(exit.cause) && !Cause.isDie(exit.cause)) return Effect.succeed("refused")
        return Effect.die(new Error(`${JSON.stringify(flip)}: ${Cause.pretty(exit.cause)}`))
      }),
    () => flipped,
  )
}

/** Tries each of some flips, and counts what became of them. Those that were not found and should have been are told together. */
export const tally = (subject: Subject, flips: ReadonlyArray<Flip>): Effect.Effect<Record<Outcome, number>> =>
  Effect.gen(function* () {
    const seen: Record<Outcome, number> = { found: 0, refused: 0, answered: 0 }
    const missed: Array<string> = []
    for (const flip of flips) {
      const outcome = yield* Effect.exit(tryFlip(subject, flip))
      if (Exit.isSuccess(outcome)) seen[outcome.value] += 1
      else missed.push(Cause.pretty(outcome.cause))
    }
    if (missed.length === 0) return seen
    return yield* Effect.dieMessage(`${missed.length} of ${flips.length}:\n${missed.slice(0, MAX_TOLD).join("\n")}`)
  })

/** Most flips that are told. */
const MAX_TOLD = 20

/**
 * Each byte of all files, one bit of it. What SQLite does not use, the space between the cells of a page and its list of them, is
 * flipped page by page: all of it at once.
 */
export const everyByte = (subject: Subject): ReadonlyArray<Flip> =>
  areasOf(subject).flatMap(({ file, kind, from, until, isUsed }): ReadonlyArray<Flip> => {
    if (!isUsed) return [{ file, kind, offset: from, length: until - from, mask: 255 }]
    const offsets = Array.from({ length: until - from }, (_, index) => from + index)
    return offsets.map((offset) => ({ file, kind, offset, length: 1, mask: 1 << (offset % 8) }))
  })

/** Bytes of all kinds of pages, as many of each: tables, indexes, leaves, interior, overflow and free pages, the header. */
export const byKind = (subject: Subject, count: number): ReadonlyArray<Flip> => {
  const kinds = new Map<string, Array<Area>>()
  for (const area of areasOf(subject)) kinds.set(area.kind, [...(kinds.get(area.kind) ?? []), area])
  const all = [...kinds.values()]
  return Array.from({ length: count }, (_, index) => {
    const areas = all[index % all.length] ?? []
    const used = areas.filter(({ isUsed }) => isUsed)
    // One in eight, if any, where nothing is.
    const choice = index % 8 === 7 || used.length === 0 ? areas : used
    const { file, kind, from, until } = choice[scattered(index, choice.length)] ?? NOWHERE
    return {
      file,
      kind,
      offset: from + scattered(index + 7, until - from),
      length: 1,
      mask: 1 << scattered(index + 3, 8),
    }
  })
}

/** Bytes of one kind that lie together. */
interface Area {
  readonly file: string
  readonly kind: string
  readonly from: number
  readonly until: number
  /** Whether SQLite reads them. */
  readonly isUsed: boolean
}

const NOWHERE: Area = { file: "", kind: "", from: 0, until: 0, isUsed: false }

/** A number below a limit that looks like chance and is the same each time. */
const scattered = (index: number, below: number): number =>
  Number.parseInt(sha256(`${index}`).slice(0, 12), 16) % Math.max(1, below)

const areasOf = ({ files }: Subject): ReadonlyArray<Area> =>
  files.flatMap((file) => {
    const database = new Database(file, { readonly: true })
    const pageBytes = Number(database.pragma("page_size", { simple: true }))
    const kinds = new Map<number, string>()
    const rows = database.prepare("SELECT pageno, name, pagetype FROM dbstat").raw().all() as ReadonlyArray<
      readonly [number, string, string]
    >
    for (const [page, name, type] of rows) kinds.set(page, `${path.extname(file)} ${name} ${type}`)
    database.close()
    const bytes = fs.readFileSync(file)
    return Array.from({ length: bytes.length / pageBytes }, (_, index) => {
      const kind = kinds.get(index + 1)
      return areasIn(file, bytes, index * pageBytes, pageBytes, kind)
    }).flat()
  })

/** https://sqlite.org/fileformat2.html#b_tree_pages */
const HEADER_BYTES = 100
const INTERIOR = new Set([2, 5])

const areasIn = (
  file: string,
  bytes: Buffer,
  page: number,
  pageBytes: number,
  kind: string | undefined,
): ReadonlyArray<Area> => {
  const end = page + pageBytes
  const area = (name: string, from: number, until: number, isUsed: boolean): ReadonlyArray<Area> =>
    from < until ? [{ file, kind: name, from, until, isUsed }] : []
  if (kind === undefined) return area(`${path.extname(file)} free, or a map of pages`, page, end, true)
  if (kind.endsWith("overflow")) return area(kind, page, end, true)
  const begin = page === 0 ? HEADER_BYTES : page
  const cells = bytes.readUInt16BE(begin + 3)
  const list = begin + (INTERIOR.has(bytes.readUInt8(begin)) ? 12 : 8) + 2 * cells
  const content = page + (bytes.readUInt16BE(begin + 5) || 65_536)
  return [
    ...(page === 0 ? area(`${path.extname(file)} header`, 0, HEADER_BYTES, true) : []),
    ...area(kind, begin, list, true),
    ...area(kind, list, content, false),
    ...area(kind, content, end, true),
  ]
}
