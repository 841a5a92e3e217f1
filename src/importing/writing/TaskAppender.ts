/** Appends the events of a run to the log: those that are not there yet, whole runs in one transaction. */

import { Effect, Option, Stream } from "effect"
import { type AppendError, type EventLog, Exact, type LogError, type NewEvent } from "../../events/log/EventLog.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import { digest } from "../../values/Digest.ts"
import { IdSet, idsWithin } from "../runs/EventIds.ts"
import type { ImportedRun, RunEvent } from "../runs/RunEvent.ts"

/** How events are written. */
export interface Writing {
  readonly log: EventLog.Service
  readonly source: string
  /** The person whose data the events hold; their personal fields are encrypted. */
  readonly subject?: string
  /** Whether personal fields are replaced before they are written. */
  readonly redact: boolean
  /** Whether nothing is written. */
  readonly dryRun: boolean
}

/** Most events, and bytes, of one transaction: a longer run takes several, of which the last closes it. */
const MAX_EVENTS = 10_000
const MAX_BYTES = 16 * 1024 * 1024

/** Writes the events of one run. */
export class TaskAppender {
  /** How many events were new. */
  added = 0
  /** In how many transactions. */
  commits = 0
  /** Whether something else recorded the task of the run, such as hooks of the same session: nothing is added to it, or it would count twice. */
  isForeign = false
  /** The tasks that the run is in: more than one where the log had closed the first before the run went on. */
  readonly taskIds: Array<string>
  readonly #writing: Writing
  readonly #run: ImportedRun
  readonly #makeId: (key: string) => string
  /** The ids of what is being written, by their keys. */
  readonly #ids = new Map<string, string>()
  #known = new IdSet()
  #isLoaded = false
  #isClosed = false
  #version = 0
  /** The last source time of the run in the log, and of what was taken. */
  #knownUntil = Number.NEGATIVE_INFINITY
  #takenUntil = Number.NEGATIVE_INFINITY
  #pending: Array<RunEvent> = []
  #bytes = 0

  constructor(writing: Writing, run: ImportedRun) {
    this.#writing = writing
    this.#run = run
    this.#makeId = idsWithin(writing.source, run.start.id)
    this.taskIds = [run.taskId]
  }

  /** Goes on from what a dry run would have written of the run before, from another file. */
  goesOnFrom(before: TaskAppender): void {
    this.#known = before.#known
    this.#isLoaded = true
    this.#isClosed = before.#isClosed
    this.#knownUntil = Math.max(before.#knownUntil, before.#takenUntil)
    this.taskIds.splice(0, this.taskIds.length, ...before.taskIds)
  }

  get source(): string {
    return this.#writing.source
  }

  /** Whether an event of the run was written, or would have been by a dry run. */
  has(key: string): boolean {
    return this.#known.has(this.#makeId(key))
  }

  get #actor(): string {
    return `import:${this.#writing.source}`
  }

  /** The id of an event of the run. */
  #idOf(key: string): string {
    const id = this.#ids.get(key) ?? this.#makeId(key)
    this.#ids.set(key, id)
    return id
  }

  /** Takes an event. Returns an effect if it has to be written now. */
  take(event: RunEvent): Effect.Effect<void, AppendError> | undefined {
    this.#pending.push(event)
    if (event.at !== null) this.#takenUntil = Math.max(this.#takenUntil, event.at)
    this.#bytes += event.bytes
    if (this.#pending.length < MAX_EVENTS && this.#bytes < MAX_BYTES) return undefined
    return this.flush
  }

  /** Writes what was taken, in one transaction. */
  readonly flush: Effect.Effect<void, AppendError> = Effect.suspend(() => {
    const events = this.#pending
    if (events.length === 0) return Effect.void
    this.#pending = []
    this.#bytes = 0
    // Another import wrote to the task meanwhile: what it wrote is read, and is not written again.
    return Effect.retry(
      Effect.tapErrorTag(this.#write(events), "VersionConflict", () => Effect.sync(() => this.#unload())),
      { while: ({ _tag }) => _tag === "VersionConflict" },
    )
  })

  #write(taken: ReadonlyArray<RunEvent>): Effect.Effect<void, AppendError> {
    return Effect.gen(this, function* () {
      if (!this.#isLoaded) yield* this.#load()
      if (this.isForeign) return
      const goesOn = taken.some((event) => !isEnding(event) && !this.#known.has(this.#idOf(event.key)))
      if (this.#isClosed && !goesOn) return
      const before = this.#isClosed ? this.#continuation() : []
      // An older copy of a run ends earlier than the run did: its end is none.
      const isOlder = this.#takenUntil < this.#knownUntil
      const events = taken
        .filter((event) => !(isOlder && isEnding(event)))
        .map((event) => this.#inItsPart(event))
        .filter(({ key }) => this.#known.add(this.#idOf(key)))
      const all = [...before, ...events]
      for (let from = 0; from < all.length; from += MAX_EVENTS) yield* this.#append(all.slice(from, from + MAX_EVENTS))
      // A file may have any number of runs; one that has ended seldom goes on.
      if (this.#isClosed && !this.#writing.dryRun) this.#unload()
    }).pipe(Effect.ensuring(Effect.sync(() => this.#ids.clear())))
  }

  /** The end of a run that has gone on since is one of each of its tasks, though its source may name it the same. */
  #inItsPart(event: RunEvent): RunEvent {
    const part = this.taskIds.length
    return part > 1 && OF_EACH_PART.has(event.body.type) ? { ...event, key: `${event.key}+${part}` } : event
  }

  /** The task was closed, and its run has gone on since: the new events are a task of their own, which these begin. */
  #continuation(): ReadonlyArray<RunEvent> {
    const part = this.taskIds.length + 1
    this.taskIds.push(`${this.#run.taskId}+${part}`)
    this.#version = 0
    this.#isClosed = false
    return this.#run.continuedAs(part)
  }

  /** Forgets what is in the log: it is read again if it is needed. */
  #unload(): void {
    this.#isLoaded = false
    this.#known = new IdSet()
  }

  /** Reads which events of the run are in the log. */
  #load(): Effect.Effect<void, LogError> {
    return Effect.gen(this, function* () {
      this.#isLoaded = true
      this.#isClosed = false
      this.#version = 0
      this.#knownUntil = Number.NEGATIVE_INFINITY
      this.taskIds.length = 1
      const { log } = this.#writing
      for (let part = 1; ; part++) {
        const taskId = part === 1 ? this.#run.taskId : `${this.#run.taskId}+${part}`
        const version = yield* log.versionOf(`task/${taskId}`)
        if (version === 0) break
        if (part === 1) {
          const [first] = yield* log.readPage({ stream: `task/${taskId}` }, 1)
          this.isForeign = first?.actor.startsWith("import:") === false
          if (this.isForeign) return
        } else this.taskIds.push(taskId)
        this.#isClosed = false
        yield* Stream.runForEach(
          log.read({ stream: `task/${taskId}` }),
          ({ id, type, actor, occurredAt, recordedAt }) =>
            Effect.sync(() => {
              this.#known.add(id)
              // Events of records without a time have that of their import, which tells nothing of the source.
              if (actor === this.#actor && occurredAt !== recordedAt)
                this.#knownUntil = Math.max(this.#knownUntil, occurredAt)
              if (type === "TaskClosed") this.#isClosed = true
            }),
        )
        this.#version = version
      }
    })
  }

  #append(events: ReadonlyArray<RunEvent>): Effect.Effect<void, AppendError> {
    return Effect.gen(this, function* () {
      const { log, subject, dryRun } = this.#writing
      if (events.some(({ body }) => body.type === "TaskClosed")) this.#isClosed = true
      if (dryRun) return this.#count(events.length)
      const taskId = this.taskIds.at(-1) ?? this.#run.taskId
      const request = {
        stream: `task/${taskId}`,
        taskId,
        actor: this.#actor,
        expected: Exact(this.#version),
        events: events.map((event) => this.#newEvent(event)),
        // Those of the run that are in the log are known, and nobody else makes such ids.
        newIds: true,
        // What was mapped is of this import alone.
        givenAway: true,
      }
      yield* log.append(subject === undefined ? request : withSubject(request, subject))
      this.#version += events.length
      this.#count(events.length)
    })
  }

  #count(events: number): void {
    this.added += events
    this.commits += 1
  }

  #newEvent({ key, cause, at, body }: RunEvent): NewEvent {
    return {
      id: this.#idOf(key),
      causationId: cause === null ? null : this.#idOf(cause),
      ...(at === null ? {} : { occurredAt: at }),
      type: body.type,
      payload: this.#writing.redact ? redacted(body.type, body.payload) : body.payload,
    } as NewEvent
  }

  /** The positions of the run's first and last event. */
  readonly range: Effect.Effect<{ readonly from: number; readonly to: number }, LogError> = Effect.suspend(() =>
    Effect.gen(this, function* () {
      const { log } = this.#writing
      const [first] = yield* log.readPage({ stream: `task/${this.#run.taskId}` }, 1)
      const stream = `task/${this.taskIds.at(-1) ?? this.#run.taskId}`
      const version = yield* log.versionOf(stream)
      const [last] = yield* log.readPage({ stream, afterVersion: version - 1 }, 1)
      const from = Option.fromNullable(first).pipe(
        Option.match({ onNone: () => 0, onSome: ({ position }) => position }),
      )
      return { from, to: last?.position ?? from }
    }),
  )
}

/** Whether an event only says that its run has ended, and what of it is there: an older copy of a run that has gone on since adds nothing else. */
const isEnding = ({ body }: RunEvent): boolean => ENDINGS.has(body.type)

const ENDINGS: ReadonlySet<string> = new Set(["TaskClosed", "CommandOutcomeUnknown", "CaptureNoted"])

/** What each task of a run that went on after its end has, though its source may name it the same. */
const OF_EACH_PART: ReadonlySet<string> = new Set(["TaskClosed", "CaptureNoted"])

/** An append with its subject, if it has an event with personal fields: the log refuses a subject without them. */
export const withSubject = <Request extends { readonly events: ReadonlyArray<NewEvent> }>(
  request: Request,
  subject: string,
): Request & { readonly subject?: string } =>
  request.events.some(({ type }) => Object.keys(Vocabulary.core.types.get(type)?.personal ?? {}).length > 0)
    ? { ...request, subject }
    : request

/** A payload whose personal fields are replaced as if their key had been destroyed, and so is what was computed of them. */
export const redacted = (type: string, payload: object): object => {
  const digests = (DIGESTS.get(type) ?? []).map((name) => [name, digest(null)])
  const personal = { ...Object.fromEntries(digests), ...Vocabulary.core.types.get(type)?.personal }
  const present = Object.entries(personal).filter(([name]) => Object.hasOwn(payload, name))
  return { ...payload, ...Object.fromEntries(present) }
}

/** Digests of personal fields: who guesses a short text right would know it by its digest. */
const DIGESTS: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["ActuatorCommanded", ["argsDigest"]],
  ["ConfirmationRequested", ["argsDigest"]],
  ["ConfirmationDecided", ["argsDigest", "shownDigest"]],
  ["GuideApplied", ["digest"]],
  ["ModelCalled", ["requestDigest"]],
])
