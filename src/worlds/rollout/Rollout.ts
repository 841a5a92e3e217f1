/**
 * Rollouts: many episodes of one world, stepped by one policy. Each episode is a task.
 *
 * The compact form records many steps in one event (`StepsRecorded`). Reads of the log return the events that each step
 * stands for, so audits, states, transitions, views and scores are those of the full form. The gate is asked once, and
 * `RolloutStarted` has its rule. Steps are in the log, and acknowledged, by the batch: when an episode ends, after
 * `FLUSH_STEPS` steps, and at the end. A rollout that was interrupted continues from there (`resume`).
 */

import { Effect, Exit, Fiber, Queue, Stream, Take } from "effect"
import { type AppendRequest, EventLog } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import { RolloutRefused, type RolloutWorld, type RolloutWorldError } from "../../kernel/rollout/RolloutWorld.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import { defined } from "../../values/defined.ts"
import type { Json } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { MAX_STEPS } from "../../values/StepAddress.ts"
import type { NoSuchEnvironment } from "../handle/PluginEnvironment.ts"
import type { WorldError } from "../handle/WorldError.ts"
import { TOO_LARGE } from "./EpisodeRecorder.ts"
import { fullEpisodes } from "./FullEpisodes.ts"
import * as Policy from "./Policy.ts"
import { type EpisodeResult, RolloutOptions, type RolloutResult } from "./RolloutOptions.ts"
import * as RolloutProgress from "./RolloutProgress.ts"
import { Schedule } from "./Schedule.ts"
import { type Answered, type Move, type Moved, Vector, type VectorError } from "./Vector.ts"

export {
  type AnyPolicy,
  load as loadPolicy,
  type Policy,
  PolicyFailed,
  PolicyInvalid,
  type PolicyView,
} from "./Policy.ts"
export { type EpisodeResult, RolloutOptions, type RolloutResult } from "./RolloutOptions.ts"
export { RolloutNotFound } from "./RolloutProgress.ts"

/** Why a rollout fails. The acknowledged steps stay in the log. */
export type RolloutError =
  | Options.InvalidOptions
  | RolloutWorldError
  | VectorError
  | NoSuchEnvironment
  | WorldError
  | Policy.PolicyFailed
  | RolloutProgress.RolloutNotFound

/** Steps of an episode after which they are recorded, if it has not ended. */
export const FLUSH_STEPS = MAX_STEPS

/** Refusals in a row after which a policy counts as stuck. */
const MAX_REFUSALS = 1000

/** Called with each episode once it is in the log. */
export type OnEpisode = (result: EpisodeResult) => Effect.Effect<void>

/**
 * Runs a rollout, and returns its episodes. Fails with `PolicyFailed` if the policy throws; every step before is then in
 * the log.
 *
 * @example
 * ```ts
 * const { episodes } = yield* Rollout.run({ world: "cart-pole", policy: ({ integer }) => integer(2), episodes: 100 })
 * ```
 */
export const run = (
  input: RolloutOptions,
  onEpisode: OnEpisode = () => Effect.void,
): Effect.Effect<RolloutResult, RolloutError, Kernel | Projector | EventLog> =>
  Effect.scoped(
    Effect.gen(function* () {
      const options = yield* Options.decode("a rollout", RolloutOptions, input)
      const policy = Policy.named(options.policy)
      const { world: plugin, episodes, seed = 0, parallel = 8, record = "compact", autoreset = "Disabled" } = options
      const rolloutId = newId()
      if (record === "full") {
        if (autoreset !== "Disabled") {
          const problems = [{ path: "autoreset", expected: 'Disabled, unless record is "compact"', found: autoreset }]
          return yield* new Options.InvalidOptions({ of: "a rollout", problems })
        }
        return yield* fullEpisodes({ ...options, policy, seed, parallel, rolloutId }, onEpisode)
      }
      const kernel = yield* Kernel
      const world = yield* kernel.rolloutWorld({ rolloutId, plugin, seed, ...defined({ options: options.options }) })
      yield* world.log.append({
        stream: `rollout/${rolloutId}`,
        actor: "kernel",
        events: [
          {
            type: "RolloutStarted",
            payload: {
              rolloutId,
              plugin,
              version: world.version,
              policy: Policy.nameOf(policy),
              episodes,
              seed,
              parallel,
              autoreset,
              options: world.options,
              rule: world.rule,
              ...defined({ maxSteps: options.maxSteps }),
            },
          },
        ],
      })
      const plan = { rolloutId, policy, episodes, seed, parallel, continues: autoreset !== "Disabled" }
      return yield* advance(world, { ...plan, maxSteps: options.maxSteps }, new Schedule(plan), [], onEpisode)
    }),
  )

/**
 * Continues a rollout that an error, a signal or a crash ended, with the same policy. The result is that of a rollout
 * without interruption. Fails with `RolloutNotFound` if there is none with this id, or if it has ended.
 */
export const resume = (
  rolloutId: string,
  policy: Policy.AnyPolicy,
  onEpisode: OnEpisode = () => Effect.void,
): Effect.Effect<RolloutResult, RolloutError, Kernel | EventLog> =>
  Effect.scoped(
    Effect.gen(function* () {
      const kernel = yield* Kernel
      const named = Policy.named(policy)
      const progress = yield* RolloutProgress.read(yield* EventLog, rolloutId)
      const {
        plugin,
        version,
        episodes,
        seed,
        parallel,
        autoreset,
        options,
        maxSteps,
        policy: recorded,
      } = progress.started
      if (recorded !== Policy.nameOf(named)) {
        return yield* new RolloutProgress.RolloutNotFound({
          rolloutId,
          found: `it was stepped by the policy ${recorded}, not by ${Policy.nameOf(named)}`,
        })
      }
      const world = yield* kernel.rolloutWorld({ rolloutId, plugin, seed, options })
      if (world.version !== version) {
        return yield* new RolloutProgress.RolloutNotFound({
          rolloutId,
          found: `it was played in version ${version} of ${plugin}, and version ${world.version} is installed`,
        })
      }
      const plan = { rolloutId, policy: named, episodes, seed, parallel, continues: autoreset !== "Disabled" }
      return yield* advance(world, { ...plan, maxSteps }, new Schedule(plan, progress), progress.ended, onEpisode)
    }),
  )

/** Runs a rollout, and returns its episodes as a stream, each once it is in the log. */
export const stream = (
  options: RolloutOptions,
): Stream.Stream<EpisodeResult, RolloutError, Kernel | Projector | EventLog> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const queue = yield* Queue.bounded<Take.Take<EpisodeResult, RolloutError>>(STREAMED)
      const running = run(options, (result) => Effect.asVoid(Queue.offer(queue, Take.of(result))))
      // The consumer reads how it ended. Its scope interrupts the fiber.
      yield* Effect.forkScoped(
        Effect.onExit(running, (exit) =>
          Queue.offer(queue, Exit.isSuccess(exit) ? Take.end : Take.failCause(exit.cause)),
        ),
      )
      return Stream.flattenTake(Stream.fromQueue(queue))
    }),
  )

/** Episodes that wait for the consumer of a stream. Then the rollout waits. */
const STREAMED = 64

interface Running {
  readonly rolloutId: string
  readonly policy: Policy.Policy
  readonly seed: number
  readonly maxSteps: number | undefined
}

/** Steps all slots until every episode has ended. `before` are the episodes that ended earlier. */
const advance = (
  world: RolloutWorld,
  { rolloutId, policy, seed, maxSteps }: Running,
  schedule: Schedule,
  before: ReadonlyArray<EpisodeResult>,
  onEpisode: OnEpisode,
): Effect.Effect<RolloutResult, RolloutError> =>
  Effect.gen(function* () {
    const { plugin, rule, priorities, options, measures } = world
    const vector = new Vector(world, {
      rolloutId,
      plugin,
      policy: Policy.nameOf(policy),
      goal: `Act in ${world.name}`,
      measures,
      rule,
      priorities,
      options,
    })
    const results = [...before]
    const refusals = new Map<number, number>()
    const moves: ReadonlyArray<Move> = Array.from({ length: schedule.slots }, (_, slot) => schedule.first(slot)).flat()

    /** Records everything that is not in the log yet, for an end that is not the rollout's own. */
    const save = Effect.suspend(() =>
      vector.append(vector.episodes().flatMap((episode) => (episode.isClosed ? [] : (episode.flush() ?? [])))),
    )

    const failedAt = ({ episode, refused }: Moved, cause: unknown) =>
      new Policy.PolicyFailed({
        policy: Policy.nameOf(policy),
        rolloutId,
        episode: episode.place.episode,
        step: refused?.code === OUTSIDE ? episode.steps - 1 : episode.steps,
        cause,
      })

    /** The policy's next action in a slot. Throws `PolicyFailed`. */
    const nextOf = (moved: Moved): Move | Promise<Move> => {
      const { slot, episode, refused } = moved
      if (refused === undefined) refusals.delete(slot)
      else {
        const inARow = (refusals.get(slot) ?? 0) + 1
        refusals.set(slot, inARow)
        if (refused.code === OUTSIDE || inARow >= MAX_REFUSALS) {
          throw failedAt(moved, inARow > 1 ? `${refused.message} (${inARow} times in a row)` : refused.message)
        }
      }
      const { readings, reward, steps: step } = episode
      const view = Policy.viewOf(seed, { readings, reward, episode: episode.place.episode, step })
      try {
        const action = policy.act(view)
        if (!isThenable(action)) return { slot, action: copied(action) }
        const asked = Promise.resolve(action)
          .then((found) => ({ slot, action: copied(found) }))
          .catch((cause: unknown) => Promise.reject(failedAt(moved, cause)))
        // It may fail while an append is under way, after which `follow` reports it.
        asked.catch(() => {})
        return asked
      } catch (cause) {
        throw failedAt(moved, cause)
      }
    }

    /** Records what is due, and returns the next calls of the slots. */
    const follow = (moved: ReadonlyArray<Moved>) =>
      Effect.gen(function* () {
        const requests: Array<AppendRequest> = []
        const ended: Array<EpisodeResult> = []
        const next: Array<ReadonlyArray<Move> | Move | Promise<Move>> = []
        let failure: Policy.PolicyFailed | undefined
        for (const one of moved) {
          const { slot, episode } = one
          const end = one.end ?? (maxSteps !== undefined && episode.steps >= maxSteps ? LIMIT : undefined)
          if (end === undefined) {
            try {
              if (failure === undefined) next.push(nextOf(one))
            } catch (cause) {
              failure = cause as Policy.PolicyFailed
            }
            if (episode.unrecorded < FLUSH_STEPS) continue
          }
          const request = yield* Effect.try({ try: () => episode.flush(end), catch: tooLarge(plugin) })
          if (request !== undefined) requests.push(request)
          if (end === undefined) continue
          const { episode: index, seed: own } = episode.place
          const { taskId, steps, total } = episode
          ended.push({ episode: index, taskId, seed: own, steps, return: total, outcome: end.outcome })
          next.push(schedule.next(slot))
        }
        if (requests.length > 0) yield* vector.append(requests)
        results.push(...ended)
        yield* Effect.forEach(ended, onEpisode, { discard: true })
        if (failure === undefined && !next.some((one) => isThenable(one))) {
          return (next as ReadonlyArray<ReadonlyArray<Move> | Move>).flat()
        }
        const all = yield* Effect.tryPromise({
          try: () => Promise.all(failure === undefined ? next : [Promise.reject(failure), ...next]),
          catch: (cause) => cause as Policy.PolicyFailed,
        })
        return all.flat()
      })

    /**
     * Two halves of the slots take turns: the world steps one while the policy acts in the other. The turns do not
     * depend on how long anything takes.
     */
    const called: Array<Fiber.RuntimeFiber<ReadonlyArray<Answered>, VectorError>> = []
    const loop = Effect.gen(function* () {
      const half = moves.length >= HALVED ? Math.ceil(moves.length / 2) : moves.length
      for (const part of [moves.slice(0, half), moves.slice(half)]) called.push(yield* Effect.fork(vector.call(part)))
      while (called.length > 0) {
        const [first] = called
        if (first === undefined) break
        const next = yield* follow(yield* vector.take(yield* Fiber.join(first)))
        called.shift()
        if (next.length > 0) called.push(yield* Effect.fork(vector.call(next)))
        yield* yieldToEventLoop
      }
    }).pipe(Effect.ensuring(Effect.suspend(() => Fiber.interruptAll(called))))

    yield* loop.pipe(
      Effect.onError(() =>
        // What failed stays the error; the lease or the disk may be lost, too.
        Effect.catchAllCause(save, (cause) =>
          ProgramLog.error(`the last steps of rollout ${rolloutId} are not recorded`, cause),
        ),
      ),
    )
    const steps = results.reduce((sum, result) => sum + result.steps, 0)
    yield* world.log.append({
      stream: `rollout/${rolloutId}`,
      actor: "kernel",
      events: [{ type: "RolloutEnded", payload: { rolloutId, episodes: results.length, steps } }],
    })
    return { rolloutId, episodes: results.sort((a, b) => a.episode - b.episode), steps }
  })

/** Slots from which on they take turns. */
const HALVED = 16

const LIMIT = { outcome: "truncated", reason: "the episode came to the rollout's limit of steps" } as const

/** The code of a refusal of an action that the action space does not have. */
const OUTSIDE = "ActionOutsideSpace"

const tooLarge = (plugin: string) => () => new RolloutRefused({ world: plugin, reason: `${TOO_LARGE}; record in full` })

/** A policy may change its action later. */
const copied = (action: Json): Json =>
  typeof action === "object" && action !== null ? structuredClone(action) : action

const isThenable = <A>(value: A): value is Extract<A, PromiseLike<unknown>> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"
