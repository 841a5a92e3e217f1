/** Records one episode of a rollout: its steps in compact form, and its task. */

import type { AppendRequest, CoreNewEvent } from "../../events/log/EventLog.ts"
import { RowRun } from "../../events/steps/RowRun.ts"
import type { Encoded, encoder, Step } from "../../events/steps/StepColumns.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import { type SlotAnswer, SlotRow } from "../../plugins/process/SlotAnswer.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import { type Json, type JsonObject, plainText } from "../../values/Json.ts"
import { MAX_STEPS } from "../../values/StepAddress.ts"
import * as Sum from "../../values/Sum.ts"

/** What all episodes of a rollout have in common. */
export interface RecordedRollout {
  readonly rolloutId: string
  readonly plugin: string
  /** `name@version` of the policy. */
  readonly policy: string
  readonly goal: string
  readonly measures: ReadonlyArray<string>
  readonly rule: string
  readonly priorities: { readonly [sensor: string]: number }
  readonly options: JsonObject
}

/** An episode's place in its rollout, and its beginning. */
export interface EpisodePlace {
  readonly episode: number
  readonly slot: number
  readonly seed: number
  /** The reset continued the random numbers of the slot's episode before. */
  readonly continued: boolean
}

/** An episode that the log has in part, to continue. */
export interface LeftEpisode {
  readonly taskId: string
  readonly openedBy: string
  readonly steps: number
  readonly earned: number
  readonly lost: number
}

/** How an episode ended. */
export interface EpisodeEnd {
  readonly outcome: "achieved" | "failed" | "truncated"
  readonly reason: string
}

/** Encoders remember which predictions fit. All episodes of a rollout share one. */
export type Encoder = ReturnType<typeof encoder>

/** Steps of one episode cannot be recorded. Record in full, or use a world with a smaller document. */
export const TOO_LARGE = "the document of one step is too large for the compact form"

/** An episode in progress. */
export class EpisodeRecorder {
  readonly taskId: string
  readonly place: EpisodePlace
  /** The last answer. Its document and readings are made when someone asks for them. */
  #last: SlotAnswer | SlotRow
  #document: Json | undefined
  #readings: JsonObject | undefined
  /** The steps that are not in the log yet: rows of one shape, and then others. */
  #run: RowRun | undefined
  #buffer: Array<Step> = []
  #latency = 0
  /** Steps in the log. */
  #recorded: number
  #openedBy: string | undefined
  #earned: number
  #lost: number
  #reward = 0
  #isClosed = false
  readonly #first: SlotAnswer
  readonly #rollout: RecordedRollout
  readonly #encoder: Encoder

  constructor(rollout: RecordedRollout, encoder: Encoder, place: EpisodePlace, first: SlotAnswer, left?: LeftEpisode) {
    this.#rollout = rollout
    this.#encoder = encoder
    this.place = place
    this.#first = first
    this.#last = first
    this.taskId = left?.taskId ?? newId()
    this.#openedBy = left?.openedBy
    this.#recorded = left?.steps ?? 0
    this.#earned = left?.earned ?? 0
    this.#lost = left?.lost ?? 0
  }

  /** The readings before the next step. */
  get readings(): JsonObject {
    const last = this.#last
    this.#readings ??= last instanceof SlotRow ? (last.value(last.shape.readings) as JsonObject) : last.readings
    return this.#readings
  }

  /** The world's document after the last step. */
  get document(): Json {
    const last = this.#last
    this.#document ??= last instanceof SlotRow ? last.value(last.shape.state) : last.state
    return this.#document
  }

  /** The reward of the last step. */
  get reward(): number {
    return this.#reward
  }

  /** All steps so far. */
  get steps(): number {
    return this.#recorded + this.unrecorded
  }

  /** Whether its last append closed the task. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Steps that are not in the log yet. */
  get unrecorded(): number {
    return (this.#run?.length ?? 0) + this.#buffer.length
  }

  /** The sum of all rewards so far. */
  get total(): number {
    return Sum.round(this.#earned - this.#lost)
  }

  /** Takes a step's answer. `rewards` are those of its result; none if the world refused the step. */
  take(
    action: Json,
    answer: SlotAnswer | SlotRow,
    rewards: { readonly [name: string]: number },
    latencyMs: number,
  ): void {
    if (!(answer instanceof SlotRow && this.#isRow(action, answer))) {
      const { state, readings, step = {}, error } = answer instanceof SlotRow ? answer.answer() : answer
      this.#buffer.push({
        action,
        result: step,
        ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
        patch: JsonPatch.diff(this.document, state),
        readings,
      })
    }
    this.#last = answer
    this.#document = undefined
    this.#readings = undefined
    this.#latency += latencyMs
    this.#reward = 0
    for (const reward of Object.values(rewards)) {
      this.#reward += reward
      if (reward > 0) this.#earned += reward
      else this.#lost -= reward
    }
  }

  /** Adds a row to the run. Returns false if it belongs after the run. */
  #isRow(action: Json, { shape, numbers, at, texts }: SlotRow): boolean {
    if (this.#buffer.length > 0) return false
    this.#run ??= RowRun.after(this.document, shape)
    if (this.#run?.shape !== shape) return false
    this.#run.push(action, numbers, at, texts)
    return true
  }

  /**
   * The append of everything that is not in the log yet, with the end of the task if it has one. Undefined if there is
   * nothing. Throws an error if a step is too large.
   */
  flush(end?: EpisodeEnd): AppendRequest | undefined {
    const isNew = this.#openedBy === undefined
    const taken = this.unrecorded
    if (taken === 0 && end === undefined && !isNew) return undefined
    const openedBy = this.#openedBy ?? newId()
    const events: Array<CoreNewEvent> = isNew ? [this.#opened(openedBy)] : []
    const latencyMs = taken === 0 ? 0 : Math.round((this.#latency / taken) * 1000) / 1000
    const runs = this.#encoded()
    for (const [index, run] of runs.entries()) {
      events.push(
        this.#steps(run, openedBy, latencyMs, isNew && index === 0, end !== undefined && index === runs.length - 1),
      )
      this.#recorded += run.steps
    }
    if (end !== undefined) {
      const { outcome, reason } = end
      this.#isClosed = true
      events.push({ type: "TaskClosed", causationId: openedBy, payload: { outcome, reason: plainText(reason) } })
    }
    this.#openedBy = openedBy
    this.#run = undefined
    this.#buffer = []
    this.#latency = 0
    const { taskId } = this
    return { stream: `task/${taskId}`, taskId, actor: "kernel", events, givenAway: true }
  }

  #opened(id: string): CoreNewEvent {
    const { rolloutId, plugin, policy, goal, measures, options } = this.#rollout
    const { episode, slot, seed } = this.place
    return {
      id,
      type: "TaskOpened",
      payload: {
        goal,
        agent: policy,
        measures,
        plugins: [plugin],
        seed,
        ...(Object.keys(options).length === 0 ? {} : { environment: { [plugin]: options } }),
        rollout: { rolloutId, episode, slot },
      },
    }
  }

  #steps(
    { steps, ...encoded }: EncodedRun,
    causationId: string,
    latencyMs: number,
    isFirst: boolean,
    isLast: boolean,
  ): CoreNewEvent {
    const { plugin, rule, priorities, options } = this.#rollout
    const { seed, continued } = this.place
    const { state, readings } = this.#first
    const [earned, lost] = [Sum.round(this.#earned), Sum.round(this.#lost)]
    return {
      type: "StepsRecorded",
      causationId,
      payload: {
        plugin,
        first: this.#recorded,
        steps,
        rule,
        latencyMs,
        priorities,
        ...(isFirst
          ? { begin: { seed, options, state, readings, ...(continued ? { continued: true as const } : {}) } }
          : {}),
        ...(isLast ? { totals: { [this.taskId]: { earned, lost, net: Sum.round(earned - lost), unscored: 0 } } } : {}),
        ...encoded,
      },
    }
  }

  /** The steps that are not in the log yet, in as few runs as can be. One run without steps, if there are none. */
  #encoded(): ReadonlyArray<EncodedRun> {
    const steps = this.unrecorded
    if (this.#run !== undefined && steps <= MAX_STEPS) {
      const encoded = this.#encoder.encodeRun(this.#run, this.#buffer)
      if (encoded !== undefined) return [{ steps, ...encoded }]
    }
    return runsOf(this.#allSteps()).flatMap((run) => this.#encodedRun(run))
  }

  #encodedRun(run: ReadonlyArray<Step>): ReadonlyArray<EncodedRun> {
    const encoded = this.#encoder.encode(run)
    if (encoded !== undefined) return [{ steps: run.length, ...encoded }]
    if (run.length <= 1) throw new Error(TOO_LARGE)
    return halvesOf(run).flatMap((half) => this.#encodedRun(half))
  }

  #allSteps(): ReadonlyArray<Step> {
    if (this.#run === undefined) return this.#buffer
    const steps: Array<Step> = []
    let before = this.#run.before
    for (const { action, result, state, readings } of this.#run.values()) {
      steps.push({ action, result, patch: JsonPatch.diff(before, state), readings })
      before = state
    }
    return [...steps, ...this.#buffer]
  }
}

interface EncodedRun extends Encoded {
  readonly steps: number
}

/** Runs of at most `MAX_STEPS`, halved until their columns fit. */
const runsOf = (steps: ReadonlyArray<Step>): ReadonlyArray<ReadonlyArray<Step>> => {
  if (steps.length > MAX_STEPS || (steps.length > 1 && sizeOf(steps) > ROOMY)) {
    return halvesOf(steps).flatMap(runsOf)
  }
  return [steps]
}

const halvesOf = (steps: ReadonlyArray<Step>): ReadonlyArray<ReadonlyArray<Step>> => {
  const half = Math.ceil(steps.length / 2)
  return [steps.slice(0, half), steps.slice(half)]
}

/** Half of the limit of columns, measured by the parts that make them large: changes and readings. */
const ROOMY = 4 * 1024 * 1024

const sizeOf = (steps: ReadonlyArray<Step>): number => {
  const [first] = steps
  const last = steps.at(-1)
  const of = (step: Step | undefined) => (step === undefined ? 0 : JSON.stringify([step.patch, step.readings]).length)
  return Math.max(of(first), of(last)) * steps.length
}
