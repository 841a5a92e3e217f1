/** The `Bundles` service: copies one task into a log of its own. */

import * as path from "node:path"
import { Chunk, Effect, Stream } from "effect"
import { yieldToEventLoop } from "../../../platform/yieldToEventLoop.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"
import * as Options from "../../../values/Options.ts"
import * as AppendValidation from "../../append/AppendValidation.ts"
import type { Stored } from "../../integrity/TamperClassification.ts"
import { type EventLog, LogCorrupt, type LogError, MAIN } from "../../log/EventLog.ts"
import { BundleOptions, Bundles, NotBundled } from "../../maintenance/Bundles.ts"
import { blobOf, digestIn, nameOf } from "../../payload/Blob.ts"
import * as PersonalDataKeys from "../../payload/PersonalDataKeys.ts"
import type { Event } from "../../vocabulary/Event.ts"
import type { Upcast } from "../../vocabulary/Upcaster.ts"
import type { Vocabulary } from "../../vocabulary/Vocabulary.ts"
import * as append from "../append.ts"
import * as newLog from "../file/createLog.ts"
import * as Database from "../file/database.ts"
import { pages } from "../integrity/storedChain.ts"
import { readBlob, readHead } from "../read.ts"
import * as Names from "../stringInterning.ts"
import * as Segments from "./Segments.ts"

/** Events between two yields to the event loop. */
const EVENTS_A_TURN = 200

/** Events whose origins one `TaskBundled` records. */
const ORIGINS_AN_EVENT = 10_000

/** Events of the registry: which plugins were installed, active and configured while the task ran. */
const REGISTRY = [
  ...["PluginImported", "PluginRemoved", "PluginActivated", "PluginDeactivated", "PluginQuarantined"],
  ...["PluginUpdateHeld", "PluginGranted", "PluginGrantRevoked"],
  ...["ComponentActivated", "ComponentDeactivated", "PriorityChanged", "MetadataSet", "MetadataUnset"],
]

const SCORING = ["ScoringStarted", "ScoringFinished", "ScoreSetPromoted"]

/** The parts that bundling needs. */
export interface BundleSource {
  readonly log: typeof EventLog.Service
  readonly database: Database.LogDatabase
  readonly segments: Segments.Segments
  readonly vocabulary: Vocabulary
  readonly upcast: Upcast
}

export const make = (source: BundleSource): typeof Bundles.Service =>
  Bundles.of({
    bundle: (options) =>
      Effect.gen(function* () {
        const { taskId, file } = yield* Options.decode("bundle", BundleOptions, options)
        const { log } = source
        const refuse = (expected: string, found: string) => new NotBundled({ log: log.name, expected, found })
        const taken = newLog.exists(file)
        if (taken !== undefined) return yield* refuse("a file that is not there yet", taken)
        const positions = yield* positionsOf(log, taskId)
        if (positions.length === 0) return yield* refuse(`events of task ${taskId}`, "none")
        const head = yield* newLog.createAtomically(file, (target) => write(source, taskId, positions, target))
        return { file, events: positions.length, head }
      }),
  })

/** The positions of all events of the bundle, in order. */
const positionsOf = (log: typeof EventLog.Service, taskId: string): Effect.Effect<ReadonlyArray<number>, LogError> =>
  Effect.gen(function* () {
    const own: Array<number> = []
    const scoreSets = new Set<unknown>()
    yield* forEach(log.read({ taskId, timeline: MAIN }), (event) => {
      own.push(event.position)
      if ("scoreSetId" in event.payload) scoreSets.add(event.payload.scoreSetId)
    })
    const [first] = own
    if (first === undefined) return []
    const around = new Set(own)
    const scored = ({ payload }: Event) => scoreSets.has(payload.scoreSetId)
    yield* forEach(log.read({ types: SCORING, after: first, timeline: MAIN }), (event) => {
      if (scored(event)) around.add(event.position)
    })
    yield* forEach(log.read({ types: REGISTRY, until: own.at(-1) ?? first }), ({ position }) => around.add(position))
    const kernels = yield* Stream.runLast(log.read({ types: ["KernelStarted"], until: first }))
    if (kernels._tag === "Some") around.add(kernels.value.position)
    return [...around].sort((a, b) => a - b)
  })

const forEach = (events: Stream.Stream<Event, LogError>, see: (event: Event) => void) =>
  Stream.runForEachChunk(events, (chunk) => Effect.sync(() => Chunk.forEach(chunk, see)))

/** Writes the bundle, and returns its head. */
const write = (source: BundleSource, taskId: string, positions: ReadonlyArray<number>, target: Database.LogDatabase) =>
  Effect.gen(function* () {
    const { log, database, segments, vocabulary, upcast } = source
    const attempting = <A>(run: () => A) => Database.attempt(log.name, run)
    const page = pages(database, segments)
    const stored = (position: number) => {
      const [row] = page(position - 1, 1)
      if (row?.link.position !== position || row.flaw !== null) {
        throw new LogCorrupt({ log: log.name, position, reason: row?.flaw?.reason ?? "the event is missing" })
      }
      return row
    }

    const reader = {
      ...{ database: target, names: Names.make(target), upcast, keys: PersonalDataKeys.memory() },
      segments: yield* Segments.make(target),
    }
    let recordedAt = Date.now()
    const commit = append.make(reader, "normal", () => recordedAt)
    const write = (request: AppendValidation.ValidatedAppend) =>
      Effect.flatMap(commit([request]), ([answer]) => answer ?? Effect.dieMessage("the commit answered nothing"))

    const origins = Math.ceil(positions.length / ORIGINS_AN_EVENT)
    const places = new Map(positions.map((position, index) => [position, origins + index + 1]))
    const head = yield* log.head
    const admit = AppendValidation.make(vocabulary, PersonalDataKeys.memory())
    for (let start = 0; start < positions.length; start += ORIGINS_AN_EVENT) {
      const part = positions.slice(start, start + ORIGINS_AN_EVENT)
      const hashes = yield* attempting(() => part.map((position) => stored(position).hash))
      const payload = { taskId, source: { log: path.basename(log.name), head: { ...head } }, positions: part, hashes }
      const actor = `import:${path.basename(log.name)}`
      const admitted = admit({ stream: "bundle", actor, events: [{ type: "TaskBundled", payload }] })
      yield* Effect.flatMap(admitted, write)
    }
    const blob = (digest: string) => readBlob(database, digest) ?? segments.blob(digest)
    for (const [index, position] of positions.entries()) {
      const request = yield* attempting(() => requestOf(stored(position), { blob, places, vocabulary }))
      recordedAt = request.recordedAt
      yield* write(request)
      if (index % EVENTS_A_TURN === 0) yield* yieldToEventLoop
    }
    return readHead(target)
  }).pipe(Effect.catchTags({ VersionConflict: Effect.die, InvalidEvent: Effect.die }))

interface Translation {
  readonly blob: (digest: string) => string | undefined
  /** The bundle's position for each position of the source. */
  readonly places: ReadonlyMap<number, number>
  readonly vocabulary: Vocabulary
}

/** A row of the source as an append that keeps its content. */
const requestOf = (
  { link, payload, keyId }: Stored,
  { blob, places, vocabulary }: Translation,
): AppendValidation.ValidatedAppend & { readonly recordedAt: number } => {
  const digest = digestIn(payload)
  const found = digest === undefined ? payload : blob(digest)
  if (found === undefined) throw new Error(`the blob ${digest} of @${link.position} is missing`)
  const fields = vocabulary.types.get(link.type)?.positions ?? []
  const text = fields.length === 0 ? found : translated(found, fields, keyId !== null, places)
  const large = blobOf(text)
  return {
    timeline: MAIN,
    stream: link.stream,
    taskId: link.taskId,
    actor: link.actor,
    expected: null,
    fence: null,
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
        payload: {},
        text,
        stored: large === null ? text : nameOf(large),
        blob: large,
        sealed: keyId === null ? null : { keyId, openText: text },
      },
    ],
  }
}

/** The text of a payload with its positions mapped to the bundle's. */
const translated = (
  text: string,
  fields: ReadonlyArray<string>,
  isSealed: boolean,
  places: ReadonlyMap<number, number>,
): string => {
  const content = JSON.parse(text) as { readonly [key: string]: Json }
  const payload = (isSealed ? content.open : content) as JsonObject
  const changed = Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [key, fields.includes(key) ? placed(value, places) : value]),
  )
  return JSON.stringify(isSealed ? { ...content, open: changed } : changed)
}

/**
 * Maps positions to the bundle's: a list without the positions that were not copied; a range from the first to the last
 * position that was.
 */
const placed = (value: Json, places: ReadonlyMap<number, number>): Json => {
  if (Array.isArray(value)) return value.flatMap((position) => places.get(Number(position)) ?? [])
  if (typeof value !== "object" || value === null) return value
  const { from, to } = value as { readonly from: number; readonly to: number }
  const inside = [...places].filter(([position]) => position >= from && position <= to).map(([, place]) => place)
  return { from: inside[0] ?? 0, to: inside.at(-1) ?? 0 }
}
