/**
 * Several episodes of one world at a time, for programs that step them: Gymnasium's vector environments with their three
 * autoreset modes. The log has each episode as a task in compact form.
 */

import { Data, Effect, type Scope } from "effect"
import type { AppendRequest } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import { Autoreset } from "../../events/vocabulary/Worlds.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import type { RolloutWorldError } from "../../kernel/rollout/RolloutWorld.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import type { Spaces } from "../../plugins/author.ts"
import { defined } from "../../values/defined.ts"
import { type Json, JsonObject } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import * as Options from "../../values/Options.ts"
import { MAX_STEPS } from "../../values/StepAddress.ts"
import type { EpisodePlace } from "./EpisodeRecorder.ts"
import { MAX_PARALLEL } from "./RolloutOptions.ts"
import { type Move, type Moved, Vector, type VectorError } from "./Vector.ts"

/** Options of `open`. */
export interface VectorOptions {
  /** The name of the world's plugin. */
  readonly world: string
  /** The number of slots, each with an episode of its own. */
  readonly count: number
  /** The treatment of an episode that has ended. Default: `NextStep`, as in Gymnasium. */
  readonly autoreset?: Autoreset
  /** Options of the world. */
  readonly options?: JsonObject
  /** `name@version` of the program's policy, for the log. Default: `program`. */
  readonly policy?: string
}

const VectorOptions = Options.of<VectorOptions>({
  required: { world: Options.Name, count: Options.wholeNumber(1, MAX_PARALLEL) },
  optional: { autoreset: Autoreset, options: JsonObject, policy: Options.Name },
})

/** The views of the slots after a reset, in their order. */
export interface VectorReset {
  readonly observations: ReadonlyArray<Json>
  /** The legal actions of each slot; null in a world without masks. */
  readonly masks: ReadonlyArray<Json>
  readonly infos: ReadonlyArray<JsonObject>
}

/** The views of the slots after a step, in their order. */
export interface VectorStep extends VectorReset {
  readonly rewards: ReadonlyArray<number>
  readonly terminations: ReadonlyArray<boolean>
  readonly truncations: ReadonlyArray<boolean>
  /** With `SameStep`: the last observation of each episode that this step ended; otherwise null. */
  readonly finalObservations: ReadonlyArray<Json>
  /** With `SameStep`: the info of each step that ended an episode; otherwise null. */
  readonly finalInfos: ReadonlyArray<JsonObject | null>
}

/** The call does not fit the vector. Nothing was stepped. */
export class VectorMisused extends Data.TaggedError("VectorMisused")<{
  readonly world: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `A vector of ${this.world}: expected ${this.expected}, found ${this.found}. Nothing was stepped.`
  }
}

/** The world refused an action, and so the step of its slot. The other slots were stepped. */
export class VectorRefused extends Data.TaggedError("VectorRefused")<{
  readonly world: string
  readonly slot: number
  readonly code: string
  readonly reason: string
}> {
  override get message() {
    return `${this.world} refused the action of slot ${this.slot} (${this.code}): ${this.reason}. The other slots were stepped.`
  }
}

/** Any error of a vector. */
export type VectorWorldError = VectorError | VectorMisused | VectorRefused

/** Slots of a world. Their episodes close with the scope, those in progress as `truncated`. */
export interface VectorWorld {
  readonly count: number
  readonly autoreset: Autoreset
  readonly spaces: Spaces
  /** The ids of the slots' tasks. Empty before the first reset. */
  readonly taskIds: () => ReadonlyArray<string>
  /**
   * Begins an episode in each slot, or in those of `mask`. `seed` is the first slot's, the others follow by one; or a
   * list. Without a seed, each slot's random numbers continue. The other slots keep their last observations.
   */
  readonly reset: (options?: {
    readonly seed?: number | ReadonlyArray<number>
    readonly mask?: ReadonlyArray<boolean>
  }) => Effect.Effect<VectorReset, VectorWorldError>
  /** Steps all slots. Everything that ended is in the log when it returns. */
  readonly step: (actions: ReadonlyArray<Json>) => Effect.Effect<VectorStep, VectorWorldError>
}

/** Opens a vector of a world. */
export const open = (
  input: VectorOptions,
): Effect.Effect<VectorWorld, Options.InvalidOptions | RolloutWorldError | VectorError, Kernel | Scope.Scope> =>
  Effect.gen(function* () {
    const given = yield* Options.decode("a vector", VectorOptions, input)
    const { world: plugin, count, autoreset = "NextStep", policy = "program" } = given
    const rolloutId = newId()
    const kernel = yield* Kernel
    const world = yield* kernel.rolloutWorld({ rolloutId, plugin, seed: 0, ...defined({ options: given.options }) })
    const { version, rule, priorities, options, measures, spaces } = world
    yield* world.log.append({
      stream: `rollout/${rolloutId}`,
      actor: "kernel",
      events: [
        {
          type: "RolloutStarted",
          payload: { rolloutId, plugin, version, policy, seed: 0, parallel: count, autoreset, options, rule },
        },
      ],
    })
    const goal = `Act in ${world.name}`
    const vector = new Vector(world, { rolloutId, plugin, policy, goal, measures, rule, priorities, options })
    const slots = new Slots(vector, plugin, count, autoreset)
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => vector.append(slots.endings())).pipe(
        Effect.zipRight(
          Effect.suspend(() =>
            world.log.append({
              stream: `rollout/${rolloutId}`,
              actor: "kernel",
              events: [{ type: "RolloutEnded", payload: { rolloutId, ...slots.counts() } }],
            }),
          ),
        ),
        Effect.catchAllCause((cause) => ProgramLog.error(`the end of a vector of ${plugin} is not recorded`, cause)),
      ),
    )
    const alone = Effect.unsafeMakeSemaphore(1).withPermits(1)
    return {
      count,
      autoreset,
      spaces,
      taskIds: () => vector.episodes().map(({ taskId }) => taskId),
      reset: (options = {}) => alone(slots.reset(options)),
      step: (actions) => alone(slots.step(actions)),
    }
  })

const CUT = { outcome: "truncated", reason: "the program ended it" } as const

/** Steps of an episode after which they are recorded. */
const FLUSH_STEPS = MAX_STEPS

class Slots {
  readonly #vector: Vector
  readonly #world: string
  readonly #count: number
  readonly #autoreset: Autoreset
  readonly #ended: Array<boolean>
  readonly #seeds: Array<number>
  #episodes = 0
  #closed = 0
  #steps = 0

  constructor(vector: Vector, world: string, count: number, autoreset: Autoreset) {
    this.#vector = vector
    this.#world = world
    this.#count = count
    this.#autoreset = autoreset
    this.#ended = Array.from({ length: count }, () => false)
    this.#seeds = Array.from({ length: count }, () => 0)
  }

  counts() {
    return { episodes: this.#closed, steps: this.#steps }
  }

  endings(): ReadonlyArray<AppendRequest> {
    return this.#vector.episodes().flatMap((episode) => {
      if (episode.isClosed) return []
      this.#closed += 1
      return episode.flush(CUT) ?? []
    })
  }

  reset({
    seed,
    mask,
  }: NonNullable<Parameters<VectorWorld["reset"]>[0]>): Effect.Effect<VectorReset, VectorWorldError> {
    return Effect.gen(this, function* () {
      const isFirst = this.#vector.episode(0) === undefined
      if (mask !== undefined && (mask.length !== this.#count || !mask.includes(true) || isFirst)) {
        return yield* this.#misused(
          "a mask with a flag for each slot and one slot at least, after the first reset",
          isFirst ? "the first reset" : JSON.stringify(mask).slice(0, 100),
        )
      }
      if (Array.isArray(seed) && seed.length !== this.#count) {
        return yield* this.#misused(`${this.#count} seeds`, `${seed.length}`)
      }
      const chosen = this.#all().filter((slot) => mask?.[slot] ?? true)
      const cut: Array<AppendRequest> = []
      const moves = chosen.map((slot): Move => {
        const episode = this.#vector.episode(slot)
        if (episode !== undefined && !episode.isClosed) {
          this.#closed += 1
          const request = episode.flush(CUT)
          if (request !== undefined) cut.push(request)
        }
        const given = typeof seed === "number" ? seed + slot : seed?.[slot]
        if (given !== undefined) this.#seeds[slot] = given
        return { slot, begin: this.#place(slot, given === undefined && episode !== undefined) }
      })
      yield* this.#vector.append(cut)
      yield* this.#vector.move(moves)
      for (const slot of chosen) this.#ended[slot] = false
      return this.#shown(new Map())
    })
  }

  step(actions: ReadonlyArray<Json>): Effect.Effect<VectorStep, VectorWorldError> {
    return Effect.gen(this, function* () {
      if (this.#vector.episode(0) === undefined) return yield* this.#misused("a reset first", "none")
      if (actions.length !== this.#count) return yield* this.#misused(`${this.#count} actions`, `${actions.length}`)
      const over = this.#all().filter((slot) => this.#ended[slot] === true)
      if (this.#autoreset === "Disabled" && over.length > 0) {
        return yield* this.#misused(
          "slots whose episodes go on; reset the others with a mask",
          `ended: ${over.join(", ")}`,
        )
      }
      const moves = actions.map(
        (action, slot): Move =>
          this.#ended[slot] === true ? { slot, begin: this.#place(slot, true) } : { slot, action },
      )
      const moved = yield* this.#vector.move(moves)
      const ended = moved.filter(({ end }) => end !== undefined)
      const requests = moved.flatMap(({ episode, end }) =>
        end !== undefined || episode.unrecorded >= FLUSH_STEPS ? (episode.flush(end) ?? []) : [],
      )
      this.#closed += ended.length
      this.#steps += moved.filter(({ step }) => step !== undefined).length
      for (const slot of over) this.#ended[slot] = false
      for (const { slot } of ended) this.#ended[slot] = true
      yield* this.#vector.append(requests)
      const finals = new Map(ended.map((one) => [one.slot, one.episode.readings.observation ?? null]))
      if (this.#autoreset === "SameStep" && ended.length > 0) {
        yield* this.#vector.move(ended.map(({ slot }) => ({ slot, begin: this.#place(slot, true) })))
        for (const { slot } of ended) this.#ended[slot] = false
      }
      const refused = moved.find((one) => one.refused !== undefined)
      if (refused?.refused !== undefined) {
        const { code, message: reason } = refused.refused
        return yield* new VectorRefused({ world: this.#world, slot: refused.slot, code, reason })
      }
      return this.#stepped(moved, finals)
    })
  }

  #stepped(moved: ReadonlyArray<Moved>, finals: ReadonlyMap<number, Json>): VectorStep {
    const isSame = this.#autoreset === "SameStep"
    const infos = new Map(
      moved.flatMap(({ slot, step }) =>
        step === undefined || (isSame && finals.has(slot)) ? [] : [[slot, step.info]],
      ),
    )
    return {
      ...this.#shown(infos),
      rewards: moved.map(({ step }) => step?.reward ?? 0),
      terminations: moved.map(({ step }) => step?.terminated ?? false),
      truncations: moved.map(({ step }) => step?.truncated ?? false),
      finalObservations: this.#all().map((slot) => (isSame ? (finals.get(slot) ?? null) : null)),
      finalInfos: moved.map(({ slot, step }) => (isSame && finals.has(slot) ? (step?.info ?? {}) : null)),
    }
  }

  /** The slots' readings now. A slot without a step's info shows that of its reset. */
  #shown(infos: ReadonlyMap<number, JsonObject>): VectorReset {
    const episodes = this.#all().map((slot) => this.#vector.episode(slot))
    return {
      observations: episodes.map((episode) => episode?.readings.observation ?? null),
      masks: episodes.map((episode) => episode?.readings.action_mask ?? null),
      infos: episodes.map(
        (episode, slot) =>
          infos.get(slot) ?? asObject(asObject(asObject(episode?.document ?? {}).episode ?? {}).info ?? {}),
      ),
    }
  }

  #place(slot: number, continued: boolean): EpisodePlace {
    return { episode: this.#episodes++, slot, seed: this.#seeds[slot] ?? 0, continued }
  }

  #all(): ReadonlyArray<number> {
    return Array.from({ length: this.#count }, (_, slot) => slot)
  }

  #misused(expected: string, found: string) {
    return new VectorMisused({ world: this.#world, expected, found })
  }
}
