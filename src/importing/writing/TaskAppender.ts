/** Appends a run's new events to the log, whole runs in one transaction. */

import { Effect, Stream } from "effect"
import type { AppendError, LogError, NewEvent } from "../../events/log/EventLog.ts"
import { IdSet, idsWithin } from "../runs/EventIds.ts"
import type { ImportedRun, RunEvent } from "../runs/RunEvent.ts"
import * as Alongside from "./Alongside.ts"
import * as HookChecks from "./HookChecks.ts"
import { RecordedTask } from "./RecordedTask.ts"
import { actorOf, append, MAX_EVENTS, newEvent, untilUndisturbed, type Writing } from "./Writing.ts"

/** Maximum bytes of a transaction. A longer run takes several, of which the last closes it. */
const MAX_BYTES = 16 * 1024 * 1024

export class TaskAppender {
  added = 0
  commits = 0
  /** Whether a program or telemetry recorded the task. Nothing is added then, or it would count twice. */
  isForeign = false
  /** Whether the session was a check of hooks, which is not imported. */
  readonly isCheck: boolean
  /** Whether hooks are recording the session now: events that they do not see are added after its end. */
  isWaiting = false
  /** The import's tasks of the run: more than one if the log had closed the first before the run continued. */
  readonly #ownIds: Array<string>
  readonly #writing: Writing
  readonly #run: ImportedRun
  readonly #makeId: (key: string) => string
  /** Ids of the events being written, by key. */
  readonly #ids = new Map<string, string>()
  #known = new IdSet()
  /** The events of the run that hooks recorded. */
  #recorded: RecordedTask | undefined
  #isLoaded = false
  #isClosed = false
  #version = 0
  /** The run's last source time in the log, and among the taken events. */
  #knownUntil = Number.NEGATIVE_INFINITY
  #takenUntil = Number.NEGATIVE_INFINITY
  #pending: Array<RunEvent> = []
  #bytes = 0

  constructor(writing: Writing, run: ImportedRun) {
    const { account, beside, id } = run.start
    this.#writing = account === undefined ? writing : { ...writing, source: account, keepsApart: true }
    this.#run = run
    this.isCheck = HookChecks.isOne(run.start.goal)
    this.#makeId = idsWithin(this.#writing.source, id)
    this.#ownIds = [beside?.taskId ?? run.taskId]
  }

  /** Continues from a dry run's appender for the same run in another file. */
  goesOnFrom(before: TaskAppender): void {
    this.#known = before.#known
    this.#recorded = before.#recorded
    this.#isLoaded = true
    this.#isClosed = before.#isClosed
    this.#knownUntil = Math.max(before.#knownUntil, before.#takenUntil)
    this.#ownIds.splice(0, this.#ownIds.length, ...before.#ownIds)
  }

  /** The run's tasks, including those that hooks recorded. */
  get taskIds(): ReadonlyArray<string> {
    const recorded = this.#recorded
    return recorded === undefined ? this.#ownIds : [...(recorded.isWhole ? [] : this.#ownIds), ...recorded.taskIds]
  }

  /** Whether hooks recorded the run, and closed its last task. */
  get isClosedByHooks(): boolean {
    return this.#recorded?.isClosed === true
  }

  get source(): string {
    return this.#writing.source
  }

  /** Whether an event was written, or would have been in a dry run. */
  has(key: string): boolean {
    return this.#known.has(this.#makeId(key))
  }

  get #actor(): string {
    return actorOf(this.#writing)
  }

  #idOf(key: string): string {
    const id = this.#ids.get(key) ?? this.#makeId(key)
    this.#ids.set(key, id)
    return id
  }

  /** Takes an event. Returns an effect if the buffer must be flushed now. */
  take(event: RunEvent): Effect.Effect<void, AppendError> | undefined {
    if (this.isCheck) return undefined
    this.#pending.push(event)
    if (event.at !== null) this.#takenUntil = Math.max(this.#takenUntil, event.at)
    this.#bytes += event.bytes
    if (this.#pending.length < MAX_EVENTS && this.#bytes < MAX_BYTES) return undefined
    return this.flush
  }

  readonly flush: Effect.Effect<void, AppendError> = Effect.suspend(() => {
    const events = this.#pending
    if (events.length === 0) return Effect.void
    this.#pending = []
    this.#bytes = 0
    // Another import wrote to the task: read its events and skip them.
    return untilUndisturbed(this.#write(events), () => this.#unload())
  })

  #write(all: ReadonlyArray<RunEvent>): Effect.Effect<void, AppendError> {
    return Effect.gen(this, function* () {
      const { beside } = this.#run.start
      if (beside !== undefined) {
        this.added += yield* Alongside.append(this.#writing, beside, all)
        return
      }
      if (!this.#isLoaded) yield* this.#load()
      if (this.isForeign) return
      const recorded = this.#recorded
      this.isWaiting = recorded?.isAtWork === true
      if (this.isWaiting) return
      yield* this.#writeOwn(recorded === undefined ? all : yield* this.#merge(all, recorded))
    }).pipe(Effect.ensuring(Effect.sync(() => this.#ids.clear())))
  }

  /** Adds events that hooks did not see to the tasks that they recorded. Returns the events of the run's own task. */
  #merge(taken: ReadonlyArray<RunEvent>, recorded: RecordedTask): Effect.Effect<ReadonlyArray<RunEvent>, AppendError> {
    return Effect.gen(this, function* () {
      const unknown = taken.filter(({ key }) => !this.#known.has(this.#idOf(key)))
      const { own, ...others } = recorded.split(unknown)
      const begins = recorded.isWhole ? this.#run.start.begins : undefined
      yield* recorded.write(others, begins, {
        source: this.#writing.source,
        idOf: (key) => this.#idOf(key),
        has: (key) => this.has(key),
        newEvent: (event, causationId) => this.#newEvent(event, causationId),
        append: (taskId, version, events) => this.#appendTo(taskId, version, events),
      })
      return own
    })
  }

  #writeOwn(taken: ReadonlyArray<RunEvent>): Effect.Effect<void, AppendError> {
    return Effect.gen(this, function* () {
      const goesOn = taken.some((event) => !isEnding(event) && !this.#known.has(this.#idOf(event.key)))
      if (this.#isClosed && !goesOn) return
      const before = this.#isClosed ? this.#continuation() : []
      // The end of an older copy is not the run's end.
      const isOlder = this.#takenUntil < this.#knownUntil
      const events = taken
        .filter((event) => !(isOlder && isEnding(event)))
        .map((event) => this.#inItsPart(event))
        .filter(({ key }) => this.#known.add(this.#idOf(key)))
      yield* this.#append([...before, ...events])
      // Frees memory: a file may have many runs, and ended ones seldom continue.
      if (this.#isClosed && !this.#writing.dryRun) this.#unload()
    })
  }

  /** Each task of a continued run has its own end, although the source names them the same. */
  #inItsPart(event: RunEvent): RunEvent {
    const part = this.#ownIds.length
    return part > 1 && isOfEachPart(event) ? { ...event, key: `${event.key}+${part}` } : event
  }

  /** Begins a further task for a run that continued after its task was closed. */
  #continuation(): ReadonlyArray<RunEvent> {
    const part = this.#ownIds.length + 1
    this.#ownIds.push(`${this.#run.taskId}+${part}`)
    this.#version = 0
    this.#isClosed = false
    return this.#run.continuedAs(part)
  }

  /** Forgets the log's events, to be read again if needed. */
  #unload(): void {
    this.#isLoaded = false
    this.#recorded = undefined
    this.#known = new IdSet()
  }

  #load(): Effect.Effect<void, LogError> {
    return Effect.gen(this, function* () {
      this.#isLoaded = true
      this.#isClosed = false
      this.#version = 0
      this.#knownUntil = Number.NEGATIVE_INFINITY
      this.#ownIds.length = 1
      const { log, source, keepsApart = false } = this.#writing
      const { taskId } = this.#run
      this.#recorded = keepsApart
        ? undefined
        : yield* RecordedTask.load(log, { taskId, source }, ({ id }) => void this.#known.add(id))
      if (this.#recorded?.isWhole === true) return
      for (let part = 1; ; part++) {
        const taskId = part === 1 ? this.#run.taskId : `${this.#run.taskId}+${part}`
        const version = yield* log.versionOf(`task/${taskId}`)
        if (version === 0) break
        if (part === 1) {
          const [first] = yield* log.readPage({ stream: `task/${taskId}` }, 1)
          this.isForeign = first !== undefined && first.actor !== this.#actor
          if (this.isForeign) return
        } else this.#ownIds.push(taskId)
        this.#isClosed = false
        yield* Stream.runForEach(
          log.read({ stream: `task/${taskId}` }),
          ({ id, type, actor, occurredAt, recordedAt }) =>
            Effect.sync(() => {
              this.#known.add(id)
              // Equal times mean that the source had none.
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
      if (events.some(({ body }) => body.type === "TaskClosed")) this.#isClosed = true
      const taskId = this.#ownIds.at(-1) ?? this.#run.taskId
      const written = events.map((event) =>
        this.#newEvent(event, event.cause === null ? null : this.#idOf(event.cause)),
      )
      yield* this.#appendTo(taskId, this.#version, written)
      this.#version += events.length
    })
  }

  #appendTo(taskId: string, version: number, events: ReadonlyArray<NewEvent>): Effect.Effect<void, AppendError> {
    return append(this.#writing, { stream: `task/${taskId}`, taskId, version }, events, (added) => {
      this.added += added
      this.commits += 1
    })
  }

  #newEvent(event: RunEvent, causationId: string | null): NewEvent {
    return newEvent(this.#writing, event, this.#idOf(event.key), causationId)
  }
}

/** Whether an event only marks a run's end. An older copy of a continued run adds nothing else. */
const isEnding = ({ body }: RunEvent): boolean => ENDINGS.has(body.type)

const ENDINGS: ReadonlySet<string> = new Set(["TaskClosed", "CommandOutcomeUnknown", "CaptureNoted"])

/** The capture at a task's opening, which alone states `lacks`, comes with the continuation. */
const isOfEachPart = ({ body }: RunEvent): boolean =>
  body.type === "TaskClosed" || (body.type === "CaptureNoted" && body.payload.lacks === undefined)
