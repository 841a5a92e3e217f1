/**
 * The episodes of a rollout in one process: a slot for each. A call advances all slots together, in a few frames, and each
 * episode is recorded in compact form.
 */

import { Effect } from "effect"
import type { AppendError, AppendRequest } from "../../events/log/EventLog.ts"
import { encoder } from "../../events/steps/StepColumns.ts"
import { type StepResult, stepResultOf } from "../../kernel/acting/WorldRewards.ts"
import type { RolloutWorld } from "../../kernel/rollout/RolloutWorld.ts"
import type { CallError } from "../../plugins/PluginError.ts"
import type { SlotCall } from "../../plugins/process/ComponentCalls.ts"
import { type SlotAnswer, SlotRow } from "../../plugins/process/SlotAnswer.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import type { Json } from "../../values/Json.ts"
import { UnexpectedAnswer } from "../handle/WorldError.ts"
import {
  type EpisodeEnd,
  type EpisodePlace,
  EpisodeRecorder,
  type LeftEpisode,
  type RecordedRollout,
} from "./EpisodeRecorder.ts"

/** A slot's next call. */
export type Move =
  | { readonly slot: number; readonly begin: EpisodePlace }
  | { readonly slot: number; readonly continue: EpisodePlace & LeftEpisode & { readonly document: Json } }
  /** Restores a document, whose random numbers the next episode continues. */
  | { readonly slot: number; readonly recall: Json }
  | { readonly slot: number; readonly action: Json }

/** A slot after its call. */
export interface Moved {
  readonly slot: number
  readonly episode: EpisodeRecorder
  /** The result of a step; undefined after a beginning, or if the world refused the step. */
  readonly step: StepResult | undefined
  /** Why the world refused the step. */
  readonly refused: { readonly code: string; readonly message: string } | undefined
  /** Set if the step ended the episode. */
  readonly end: EpisodeEnd | undefined
}

/** Why a vector's call fails. */
export type VectorError = CallError | UnexpectedAnswer | AppendError

/** Slots of one world. */
export class Vector {
  readonly #world: RolloutWorld
  readonly #rollout: RecordedRollout
  readonly #episodes = new Map<number, EpisodeRecorder>()
  readonly #encoder = encoder()
  /** Slots per frame, so that an answer stays far below the limit of a frame. */
  #perFrame = FIRST_SLOTS

  constructor(world: RolloutWorld, rollout: RecordedRollout) {
    this.#world = world
    this.#rollout = rollout
  }

  /** The episode in a slot; undefined before its first. */
  episode(slot: number): EpisodeRecorder | undefined {
    return this.#episodes.get(slot)
  }

  /** The episodes of all slots. */
  episodes(): ReadonlyArray<EpisodeRecorder> {
    return [...this.#episodes.values()]
  }

  /** Makes the calls, in order. Nothing is recorded before `append`. */
  readonly move = (moves: ReadonlyArray<Move>): Effect.Effect<ReadonlyArray<Moved>, CallError | UnexpectedAnswer> =>
    Effect.flatMap(this.call(moves), (answered) => this.take(answered))

  /** Makes the calls, in order, and takes nothing yet. Episodes of other slots may be called and taken meanwhile. */
  readonly call = (moves: ReadonlyArray<Move>): Effect.Effect<ReadonlyArray<Answered>, CallError> =>
    Effect.gen(this, function* () {
      const answered: Array<Answered> = []
      for (let from = 0; from < moves.length; ) {
        const part = moves.slice(from, from + this.#perFrame)
        const startedAt = performance.now()
        const answers = yield* this.#world.slots(part.map((move) => this.#callOf(move)))
        const latencyMs = performance.now() - startedAt
        for (const [index, move] of part.entries()) {
          const answer = answers[index]
          // The call's decoder checked their number.
          if (answer !== undefined) answered.push({ move, answer, latencyMs })
        }
        from += part.length
        const [first] = answers
        if (first !== undefined) {
          this.#perFrame = Math.max(1, Math.min(MAX_SLOTS, Math.floor(ROOMY_FRAME / sizeOf(first))))
        }
      }
      return answered
    })

  /** Takes the answers to calls. */
  readonly take = (answered: ReadonlyArray<Answered>): Effect.Effect<ReadonlyArray<Moved>, UnexpectedAnswer> => {
    const moved: Array<Moved> = []
    for (const { move, answer, latencyMs } of answered) {
      if ("recall" in move) continue
      const taken = this.#taken(move, answer, latencyMs)
      if (taken instanceof UnexpectedAnswer) return Effect.fail(taken)
      moved.push(taken)
    }
    return Effect.succeed(moved)
  }

  /** Appends together. The events are in the log when it returns. */
  readonly append = (requests: ReadonlyArray<AppendRequest>): Effect.Effect<void, AppendError> =>
    Effect.forEach(requests, (request) => this.#world.log.append(request), {
      concurrency: "unbounded",
      discard: true,
    })

  #callOf(move: Move): SlotCall {
    const { slot } = move
    const { options } = this.#rollout
    if ("begin" in move) {
      const { seed, continued } = move.begin
      return { slot, reset: { options, seed, ...(continued ? { continued } : {}) } }
    }
    if ("continue" in move) return { slot, restore: { options, state: move.continue.document } }
    if ("recall" in move) return { slot, restore: { options, state: move.recall } }
    return { slot, action: move.action }
  }

  #taken(
    move: Exclude<Move, { readonly recall: Json }>,
    answer: SlotAnswer | SlotRow,
    latencyMs: number,
  ): Moved | UnexpectedAnswer {
    const { slot } = move
    const began = (episode: EpisodeRecorder): Moved => {
      this.#episodes.set(slot, episode)
      return { slot, episode, step: undefined, refused: undefined, end: undefined }
    }
    if ("action" in move) return this.#stepped(slot, move.action, answer, latencyMs)
    const first = answer instanceof SlotRow ? answer.answer() : answer
    if ("begin" in move) return began(new EpisodeRecorder(this.#rollout, this.#encoder, move.begin, first))
    const { document, ...left } = move.continue
    const [different] = JsonPatch.diff(document, first.state)
    return different === undefined
      ? began(new EpisodeRecorder(this.#rollout, this.#encoder, left, first, left))
      : new UnexpectedAnswer({
          world: this.#world.plugin,
          expected: `restore to return to the recorded document of episode ${left.episode}`,
          found: `another value at ${different.path || "its root"}`,
        })
  }

  #stepped(slot: number, action: Json, answer: SlotAnswer | SlotRow, latencyMs: number): Moved | UnexpectedAnswer {
    const episode = this.#episodes.get(slot)
    if (episode === undefined) throw new Error(`slot ${slot} was stepped before its episode began`)
    const found = answer instanceof SlotRow ? answer.value(answer.shape.step) : answer.step
    const error = answer instanceof SlotRow ? undefined : answer.error
    const step = found === undefined ? undefined : stepResultOf(found)
    if (step === undefined && error === undefined) {
      return new UnexpectedAnswer({
        world: this.#world.plugin,
        expected: "the result of a step",
        found: JSON.stringify(found ?? null).slice(0, 200),
      })
    }
    episode.take(action, answer, step?.rewards ?? NO_REWARDS, latencyMs)
    return { slot, episode, step, refused: error, end: step === undefined ? undefined : endIn(step) }
  }
}

const NO_REWARDS = {}

/** A call and its answer. */
export interface Answered {
  readonly move: Move
  readonly answer: SlotAnswer | SlotRow
  readonly latencyMs: number
}

/** The length of an answer in a frame, about. */
const sizeOf = (answer: SlotAnswer | SlotRow): number =>
  answer instanceof SlotRow
    ? answer.texts.reduce<number>((sum, text) => sum + String(text).length, 11 * answer.shape.row.width)
    : JSON.stringify(answer).length

/** As a kernel closes a task. */
const endIn = ({ terminated, truncated, outcome = "achieved" }: StepResult): EpisodeEnd | undefined => {
  if (terminated) return { outcome, reason: "the episode ended by the world's rules" }
  return truncated ? { outcome: "truncated", reason: "the episode came to its limit of steps" } : undefined
}

const FIRST_SLOTS = 8

const MAX_SLOTS = 256

/** In characters of JSON. */
const ROOMY_FRAME = 1024 * 1024
