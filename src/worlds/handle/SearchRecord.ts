/** Records a search: which rounds a program tried, in which clone, from which state, and what they returned. */

import { Effect } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import type { SearchedRun } from "../../events/vocabulary/Deciding.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { TaskClosed } from "../../kernel/context/TaskLifecycle.ts"
import type { Task } from "../../kernel/tasks/Task.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import type { JsonObject } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"

/** Where a run begins. */
export type Origin = SearchedRun["from"]

/** Runs, and characters of their JSON, after which they are recorded. */
const MAX_RUNS = 1024
const MAX_CHARACTERS = 1024 * 1024

/** The search in one episode. Its runs are in the log after `flush`, which the world's next step waits for. */
export class SearchRecord {
  readonly #task: Task
  readonly #plugin: string
  readonly #searchId = newId()
  /** States that clones returned. */
  readonly #known = new WeakMap<object, Origin>()
  #startedBy: string | undefined
  #runs: Array<SearchedRun> = []
  #characters = 0
  #steps = 0
  #recorded = 0
  #clones = 0

  constructor(task: Task, plugin: string) {
    this.#task = task
    this.#plugin = plugin
  }

  /** Records the start, before the first clone. */
  start(version: string, rule: string): Effect.Effect<void, TaskClosed | AppendError> {
    return Effect.suspend(() => {
      if (this.#startedBy !== undefined) return Effect.void
      const payload = { searchId: this.#searchId, plugin: this.#plugin, version, rule }
      return Effect.map(this.#task.searched({ type: "SearchStarted", payload }), (id) => {
        this.#startedBy = id
      })
    })
  }

  /** The number of a new clone. */
  nextClone(): number {
    return this.#clones++
  }

  /** Where a state comes from. `now` is the world's own. */
  originOf(state: JsonObject, now: JsonObject): Origin {
    return this.#known.get(state) ?? (JsonPatch.equal(state, now) ? { step: stepIn(now) } : { state })
  }

  /** Names the origin of a state's object. */
  name(state: JsonObject, origin: Origin): void {
    this.#known.set(state, origin)
  }

  /**
   * Adds a run, which led to a state. Returns where runs from that state begin. The state's object must not change: a
   * clone that is put into it names this run.
   */
  add(run: SearchedRun, state: JsonObject): Effect.Effect<Origin, TaskClosed | AppendError> {
    return Effect.suspend(() => {
      const origin = { run: this.#recorded + this.#runs.length }
      this.#known.set(state, origin)
      // The program may change its actions later.
      const text = JSON.stringify(run)
      this.#runs.push(JSON.parse(text) as SearchedRun)
      this.#steps += run.rounds
      this.#characters += text.length
      const isFull = this.#runs.length >= MAX_RUNS || this.#characters >= MAX_CHARACTERS
      return Effect.as(isFull ? this.flush : Effect.void, origin)
    })
  }

  /** Records all runs. */
  readonly flush: Effect.Effect<void, TaskClosed | AppendError> = Effect.suspend(() => {
    const [runs, steps, first] = [this.#runs, this.#steps, this.#recorded]
    if (runs.length === 0) return Effect.void
    const payload = { searchId: this.#searchId, plugin: this.#plugin, first, steps, runs }
    const causationId = this.#startedBy
    this.#runs = []
    this.#steps = 0
    this.#characters = 0
    this.#recorded += runs.length
    return Effect.asVoid(
      this.#task.searched({
        type: "StepsSearched",
        payload,
        ...(causationId === undefined ? {} : { causationId }),
      }),
    )
  })
}

/** The number of steps that an episode has taken. */
const stepIn = ({ episode = null }: JsonObject): number => {
  const { step } = asObject(episode)
  return typeof step === "number" ? step : 0
}
