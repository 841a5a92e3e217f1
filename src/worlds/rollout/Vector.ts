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
import type { SlotAnswer, SlotCall } from "../../plugins/process/Components.ts"
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
    Effect.gen(this, function* () {
      const moved: Array<Moved> = []
      for (let from = 0; from < moves.length; ) {
        const part = moves.slice(from, from + this.#perFrame)
        const startedAt = performance.now()
        const answers = yield* this.#world.slots(part.map((move) => this.#callOf(move)))
        const latencyMs = performance.now() - startedAt
        for (const [index, move] of part.entries()) {
          const answer = answers[index]
          // The call's decoder checked their number.
          if (answer !== undefined && !("recall" in move)) moved.push(yield* this.#taken(move, answer, latencyMs))
        }
        from += part.length
        const [first] = answers
        if (first !== undefined) {
          const size = JSON.stringify(first).length
          this.#perFrame = Math.max(1, Math.min(MAX_SLOTS, Math.floor(ROOMY_FRAME / size)))
        }
      }
      return moved
    })

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
    answer: SlotAnswer,
    latencyMs: number,
  ): Effect.Effect<Moved, UnexpectedAnswer> {
    const { slot } = move
    const began = (episode: EpisodeRecorder): Moved => {
      this.#episodes.set(slot, episode)
      return { slot, episode, step: undefined, refused: undefined, end: undefined }
    }
    if ("begin" in move) {
      return Effect.succeed(began(new EpisodeRecorder(this.#rollout, this.#encoder, move.begin, answer)))
    }
    if ("continue" in move) {
      const { document, ...left } = move.continue
      const [different] = JsonPatch.diff(document, answer.state)
      return different === undefined
        ? Effect.succeed(began(new EpisodeRecorder(this.#rollout, this.#encoder, left, answer, left)))
        : new UnexpectedAnswer({
            world: this.#world.plugin,
            expected: `restore to return to the recorded document of episode ${left.episode}`,
            found: `another value at ${different.path || "its root"}`,
          })
    }
    const episode = this.#episodes.get(slot)
    if (episode === undefined) return Effect.dieMessage(`slot ${slot} was stepped before its episode began`)
    const step = answer.step === undefined ? undefined : stepResultOf(answer.step)
    if (step === undefined && answer.error === undefined) {
      return new UnexpectedAnswer({
        world: this.#world.plugin,
        expected: "the result of a step",
        found: JSON.stringify(answer.step ?? null).slice(0, 200),
      })
    }
    episode.take(move.action, answer, step?.rewards ?? {}, latencyMs)
    const end = step === undefined ? undefined : endIn(step)
    return Effect.succeed({ slot, episode, step, refused: answer.error, end })
  }
}

/** As a kernel closes a task. */
const endIn = ({ terminated, truncated, outcome = "achieved" }: StepResult): EpisodeEnd | undefined => {
  if (terminated) return { outcome, reason: "the episode ended by the world's rules" }
  return truncated ? { outcome: "truncated", reason: "the episode came to its limit of steps" } : undefined
}

const FIRST_SLOTS = 8

const MAX_SLOTS = 256

/** In characters of JSON. */
const ROOMY_FRAME = 1024 * 1024
