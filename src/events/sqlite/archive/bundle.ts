/** Implements `Bundles`: copies one task into a log of its own. */

import * as path from "node:path"
import { Chunk, Effect, Stream } from "effect"
import { yieldToEventLoop } from "../../../platform/yieldToEventLoop.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"
import * as Options from "../../../values/Options.ts"
import * as AppendValidation from "../../append/AppendValidation.ts"
import type { StoredRow } from "../../integrity/TamperClassification.ts"
import { type EventLog, LogCorrupt, type LogError, MAIN } from "../../log/EventLog.ts"
import { BundleOptions, type Bundles, NotBundled } from "../../maintenance/Bundles.ts"
import { blobOf, digestIn, nameOf } from "../../payload/Blob.ts"
import * as PersonalDataKeys from "../../payload/PersonalDataKeys.ts"
import * as StepPosition from "../../steps/StepPosition.ts"
import type { Event } from "../../vocabulary/Event.ts"
import type { Upcast } from "../../vocabulary/Upcaster.ts"
import type { Vocabulary } from "../../vocabulary/Vocabulary.ts"
import * as append from "../append.ts"
import * as createLog from "../file/createLog.ts"
import * as Database from "../file/database.ts"
import { pages } from "../integrity/storedChain.ts"
import { readBlob, readHead } from "../read.ts"
import * as Names from "../stringInterning.ts"
import * as Segments from "./Segments.ts"

const EVENTS_PER_YIELD = 200

const ORIGINS_PER_EVENT = 10_000

/** Events that say which plugins were installed, active and configured while the task ran. */
const REGISTRY = [
  ...["PluginImported", "PluginRemoved", "PluginActivated", "PluginDeactivated", "PluginQuarantined"],
  ...["PluginUpdateHeld", "PluginGranted", "PluginGrantRevoked"],
  ...["ComponentActivated", "ComponentDeactivated", "PriorityChanged", "MetadataSet", "MetadataUnset"],
]

const ANNOTATIONS = ["NoteAdded", "TagAdded", "TagRemoved", "Starred", "Labelled", "AnnotationRemoved"]

const SCORING = ["ScoringStarted", "ScoringFinished", "ScoreSetPromoted"]

export interface BundleSource {
  readonly log: EventLog.Service
  readonly database: Database.LogDatabase
  readonly segments: Segments.Segments
  readonly vocabulary: Vocabulary
  readonly upcast: Upcast
}

export const bundle = (source: BundleSource, options: BundleOptions): ReturnType<Bundles.Service["bundle"]> =>
  Effect.gen(function* () {
    const { taskId, file } = yield* Options.decode("bundle", BundleOptions, options)
    const { log } = source
    const refuse = (expected: string, found: string) => new NotBundled({ log: log.name, expected, found })
    const existing = createLog.exists(file)
    if (existing !== undefined) return yield* refuse("a file that is not there yet", existing)
    const positions = yield* positionsOf(log, taskId)
    if (positions.length === 0) return yield* refuse(`events of task ${taskId}`, "none")
    const head = yield* createLog.createAtomically(file, (target) => write(source, taskId, positions, target))
    return { file, events: positions.length, head }
  })

const positionsOf = (log: EventLog.Service, taskId: string): Effect.Effect<ReadonlyArray<number>, LogError> =>
  Effect.gen(function* () {
    const taskPositions: Array<number> = []
    const scoreSets = new Set<unknown>()
    yield* forEach(log.read({ taskId, timeline: MAIN, whole: true }), (event) => {
      taskPositions.push(event.position)
      if ("scoreSetId" in event.payload) scoreSets.add(event.payload.scoreSetId)
    })
    const [first] = taskPositions
    if (first === undefined) return []
    const included = new Set(taskPositions)
    const scored = ({ payload }: Event) => scoreSets.has(payload.scoreSetId)
    yield* forEach(log.read({ types: SCORING, after: first, timeline: MAIN, whole: true }), (event) => {
      if (scored(event)) included.add(event.position)
    })
    yield* forEach(log.read({ types: REGISTRY, until: taskPositions.at(-1) ?? first }), ({ position }) =>
      included.add(position),
    )
    for (const position of yield* annotationsOf(log, taskId, first)) included.add(position)
    // Kernels that worked on the task: their events name the engine.
    const kernels = yield* Stream.runLast(log.read({ types: ["KernelStarted"], until: first }))
    if (kernels._tag === "Some") included.add(kernels.value.position)
    yield* forEach(
      log.read({ types: ["KernelStarted"], after: first, until: taskPositions.at(-1) ?? first }),
      ({ position }) => included.add(position),
    )
    return [...included].sort((a, b) => a - b)
  })

/** The positions of annotations about the task, and of later ones that correct or remove them. */
const annotationsOf = (log: EventLog.Service, taskId: string, first: number) =>
  Effect.gen(function* () {
    const found = new Set<number>()
    yield* forEach(
      log.read({ types: ANNOTATIONS, after: first, timeline: MAIN }),
      ({ position, payload, timeline }) => {
        const isAbout = payload.task === taskId && (payload.timeline ?? timeline) === MAIN
        if (isAbout || found.has(Number(payload.annotation))) found.add(position)
      },
    )
    return found
  })

const forEach = (events: Stream.Stream<Event, LogError>, visit: (event: Event) => void) =>
  Stream.runForEachChunk(events, (chunk) => Effect.sync(() => Chunk.forEach(chunk, visit)))

const write = (source: BundleSource, taskId: string, positions: ReadonlyArray<number>, target: Database.LogDatabase) =>
  Effect.gen(function* () {
    const { log, database, segments, vocabulary, upcast } = source
    const attemptOnLog = <A>(run: () => A) => Database.attempt(log.name, run)
    const page = pages(database, segments)
    const storedAt = (position: number) => {
      const [row] = page(position - 1, 1)
      if (row?.link.position !== position || row.flaw !== null) {
        throw new LogCorrupt({ log: log.name, position, reason: row?.flaw?.reason ?? "the event is missing" })
      }
      return row
    }

    const reader = {
      database: target,
      names: Names.make(target),
      upcast,
      keys: PersonalDataKeys.memory(),
      segments: yield* Segments.make(target),
    }
    let recordedAt = Date.now()
    const commit = append.make(reader, undefined, () => recordedAt)
    const write = (request: AppendValidation.ValidatedAppend) =>
      Effect.flatMap(commit([request]), ([answer]) => answer ?? Effect.dieMessage("the commit answered nothing"))

    const origins = Math.ceil(positions.length / ORIGINS_PER_EVENT)
    const bundlePositions = new Map(positions.map((position, index) => [position, origins + index + 1]))
    const head = yield* log.head
    const validate = AppendValidation.make(vocabulary, PersonalDataKeys.memory())
    for (let start = 0; start < positions.length; start += ORIGINS_PER_EVENT) {
      const part = positions.slice(start, start + ORIGINS_PER_EVENT)
      const hashes = yield* attemptOnLog(() => part.map((position) => storedAt(position).hash))
      const payload = { taskId, source: { log: path.basename(log.name), head: { ...head } }, positions: part, hashes }
      const actor = `import:${path.basename(log.name)}`
      const validated = validate({ stream: "bundle", actor, events: [{ type: "TaskBundled", payload }] })
      yield* Effect.flatMap(validated, write)
    }
    const blob = (digest: string) => readBlob(database, digest) ?? segments.blob(digest)
    for (const [index, position] of positions.entries()) {
      const request = yield* attemptOnLog(() => requestOf(storedAt(position), { blob, bundlePositions, vocabulary }))
      recordedAt = request.recordedAt
      yield* write(request)
      if (index % EVENTS_PER_YIELD === 0) yield* yieldToEventLoop
    }
    return readHead(target)
  }).pipe(Effect.catchTags({ VersionConflict: Effect.die, InvalidEvent: Effect.die }))

interface PositionMapping {
  readonly blob: (digest: string) => string | undefined
  /** Maps source positions to the bundle's. */
  readonly bundlePositions: ReadonlyMap<number, number>
  readonly vocabulary: Vocabulary
}

/** Turns a row of the source into an append with the same content. */
const requestOf = (
  { link, payload, keyId }: StoredRow,
  { blob, bundlePositions, vocabulary }: PositionMapping,
): AppendValidation.ValidatedAppend & { readonly recordedAt: number } => {
  const digest = digestIn(payload)
  const found = digest === undefined ? payload : blob(digest)
  if (found === undefined) throw new Error(`the blob ${digest} of @${link.position} is missing`)
  const fields = vocabulary.types.get(link.type)?.positions ?? []
  const text = fields.length === 0 ? found : withMappedPositions(found, fields, keyId !== null, bundlePositions)
  const large = blobOf(text)
  return {
    timeline: MAIN,
    stream: link.stream,
    taskId: link.taskId,
    actor: link.actor,
    expected: null,
    fence: null,
    with: [],
    synced: false,
    recordedAt: link.recordedAt,
    events: [
      {
        id: link.id,
        idGiven: false,
        type: link.type,
        schemaVersion: link.schemaVersion,
        causationId: link.causationId,
        occurredAt: link.occurredAt,
        actor: null,
        payload: {},
        text,
        stored: large === null ? text : nameOf(large),
        blob: large,
        encrypted: keyId === null ? null : { keyId, textWithoutKey: text },
      },
    ],
  }
}

const withMappedPositions = (
  text: string,
  fields: ReadonlyArray<string>,
  isEncrypted: boolean,
  bundlePositions: ReadonlyMap<number, number>,
): string => {
  const content = JSON.parse(text) as { readonly [key: string]: Json }
  const payload = (isEncrypted ? content.open : content) as JsonObject
  const changed = Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [
      key,
      fields.includes(key) ? mapPositions(value, bundlePositions) : value,
    ]),
  )
  return JSON.stringify(isEncrypted ? { ...content, open: changed } : changed)
}

/**
 * Maps a position, or 0 if it was not copied; a list, dropping positions that were not copied; or a range, to its first
 * and last copied positions.
 */
const mapPositions = (value: Json, bundlePositions: ReadonlyMap<number, number>): Json => {
  const mapped = (position: number) => StepPosition.moved(position, (holder) => bundlePositions.get(holder))
  if (typeof value === "number") return mapped(value) ?? 0
  if (Array.isArray(value)) return value.flatMap((position) => mapped(Number(position)) ?? [])
  if (typeof value !== "object" || value === null) return value
  const { from, to } = value as { readonly from: number; readonly to: number }
  const inside = [...bundlePositions]
    .filter(([position]) => position >= from && position <= to)
    .map(([, bundlePosition]) => bundlePosition)
  return { from: inside[0] ?? 0, to: inside.at(-1) ?? 0 }
}
