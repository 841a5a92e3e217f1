/** The clones of one environment's episodes, in a process of their own: a slot for each. */

import { Effect, ExecutionStrategy, Exit, Scope } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { TaskClosed } from "../../kernel/context/TaskLifecycle.ts"
import type { Kernel } from "../../kernel/Kernel.ts"
import type { SearchWorld } from "../../kernel/rollout/SearchWorld.ts"
import type { Task } from "../../kernel/tasks/Task.ts"
import type { SlotCall, Trial } from "../../plugins/process/ComponentCalls.ts"
import type { RoundOutcome } from "../../plugins/process/RoundOutcome.ts"
import type { SlotAnswer } from "../../plugins/process/SlotAnswer.ts"
import { isSpace } from "../../plugins/spaces/Space.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Sum from "../../values/Sum.ts"
import { ownIn, statusOf } from "./PluginManifest.ts"
import { type Origin, SearchRecord } from "./SearchRecord.ts"
import { tickedOf } from "./StepAnswer.ts"
import { AGENT, type PlayedOut, type PlayOutOptions, type Spaces, type StepResult, type WorldClone } from "./World.ts"
import { ActionRefused, CloneEnded, type CloneError, NoSuchAgent, UnexpectedAnswer } from "./WorldError.ts"

/** An episode that can be cloned. */
export interface ClonedEpisode {
  readonly task: Task
  /** The options of its reset. */
  readonly options: JsonObject
}

/** The clones of an environment. */
export interface Clones {
  /** Makes a clone of an episode in a state. `now` is the episode's own state. */
  readonly clone: (episode: ClonedEpisode, state: JsonObject, now: JsonObject) => Effect.Effect<WorldClone, CloneError>
  /** Records what an episode's clones did, so that the log has it before the episode's next step. */
  readonly flush: Effect.Effect<void, TaskClosed | AppendError>
  /** Records it, and ends all clones. */
  readonly end: Effect.Effect<void, TaskClosed | AppendError>
}

const PlayOut = Options.of<PlayOutOptions>({
  optional: { seed: Options.Seed, maxRounds: Options.wholeNumber(1, 100_000) },
})

/** The default of `maxRounds`. */
const MAX_ROUNDS = 1000

/** Makes the clones of an environment. Their process starts with the first one, and ends with the scope. */
export const make = (kernel: Kernel.Service, plugin: string, isShared: boolean, scope: Scope.Scope): Clones => {
  let process: { readonly world: SearchWorld; readonly scope: Scope.CloseableScope } | undefined
  let search: { readonly taskId: string; readonly record: SearchRecord } | undefined
  let slots = 0
  /** The open clones' slots. */
  const open = new Set<number>()
  // One frame at a time: a slot's call may yield to another frame's.
  const alone = Effect.unsafeMakeSemaphore(1).withPermits(1)

  const stop = Effect.suspend(() => {
    const stopped = process
    process = undefined
    open.clear()
    return stopped === undefined ? Effect.void : Scope.close(stopped.scope, Exit.void)
  })

  /** The process, in the plugin's version of now. */
  const started = Effect.gen(function* () {
    const found = SafeRecord.get(yield* kernel.plugins.state, plugin)
    if (process !== undefined && process.world.digest === found?.digest) return process.world
    yield* stop
    const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
    const world = yield* Scope.extend(kernel.searchWorld({ searchId: newId(), plugin }), own).pipe(
      Effect.onError((cause) => Scope.close(own, Exit.failCause(cause))),
    )
    process = { world, scope: own }
    return world
  })

  /** Makes a call of a clone. A process that fails takes all clones with it. */
  const called = (world: SearchWorld, call: SlotCall): Effect.Effect<SlotAnswer, CloneError> =>
    alone(
      Effect.suspend(
        (): Effect.Effect<ReadonlyArray<SlotAnswer>, CloneError> =>
          process?.world !== world
            ? new CloneEnded({ world: plugin, reason: "its process has stopped" })
            : world.slots([call]).pipe(Effect.tapError(() => (process?.world === world ? stop : Effect.void))),
      ),
    ).pipe(
      Effect.flatMap(([answer]) =>
        answer === undefined
          ? new UnexpectedAnswer({ world: plugin, expected: "an answer to the call", found: "none" })
          : Effect.succeed(answer),
      ),
      Effect.uninterruptible,
    )

  const clone = (episode: ClonedEpisode, state: JsonObject, now: JsonObject): Effect.Effect<WorldClone, CloneError> =>
    Effect.gen(function* () {
      const world = yield* started
      if (search?.taskId !== episode.task.id) {
        search = { taskId: episode.task.id, record: new SearchRecord(episode.task, plugin) }
      }
      const { record } = search
      yield* record.start(world.version, world.rule)
      const slot = slots++
      open.add(slot)
      const number = record.nextClone()
      let from: Origin = record.originOf(state, now)
      let at: SlotAnswer = { state: null, readings: {} }

      const call = (rest: Omit<SlotCall, "slot">) =>
        Effect.suspend(() =>
          open.has(slot)
            ? called(world, { slot, ...rest })
            : new CloneEnded({ world: plugin, reason: "it was closed, or its world was reset or closed" }),
        )
      const alive = <A, E>(read: () => Effect.Effect<A, E>) =>
        Effect.suspend(
          (): Effect.Effect<A, E | CloneEnded> =>
            open.has(slot)
              ? read()
              : new CloneEnded({ world: plugin, reason: "it was closed, or its world was reset or closed" }),
        )

      const restored = (wanted: JsonObject, origin: Origin) =>
        Effect.gen(function* () {
          const answer = yield* call({ restore: { options: episode.options, state: wanted }, trial: { rounds: [] } })
          const [different] = JsonPatch.diff(wanted, answer.state)
          if (different !== undefined) {
            return yield* new UnexpectedAnswer({
              world: plugin,
              expected: "restore to return to the given state",
              found: `another value at ${different.path || "its root"}`,
            })
          }
          at = answer
          from = origin
          record.name(asObject(answer.state), origin)
        })

      /** Carries out a trial, and records it. */
      const tried = (trial: Trial) =>
        Effect.gen(function* () {
          const answer = yield* call({ trial })
          at = answer
          const rounds = answer.rounds ?? []
          const refused = rounds.flatMap((round) => Object.values(round)).find((outcome) => "error" in outcome)
          const returns = returnsOf(rounds)
          const ended = activeIn(at.state).length === 0
          from = yield* record.add(
            {
              clone: number,
              from,
              rounds: rounds.length,
              ...("rounds" in trial ? { actions: trial.rounds } : { seed: trial.seed }),
              returns,
              ...(ended ? { ended } : {}),
              ...(refused !== undefined && "error" in refused ? { refused: refused.error.code } : {}),
            },
            asObject(answer.state),
          )
          return { rounds, returns, ended, isRefused: refused !== undefined }
        })

      const agents = () => Object.keys(at.agents ?? {})
      const first = () => agents()[0] ?? AGENT
      const keyOf = (agent: string) => (isShared ? agent : AGENT)
      const taking = (agent: string) =>
        agents().includes(agent)
          ? Effect.void
          : Effect.fail(new NoSuchAgent({ world: plugin, agent, agents: agents() }))
      const reading = (agent: string, sensor: string): Json => at.agents?.[keyOf(agent)]?.[sensor] ?? null

      const together = (actions: { readonly [agent: string]: Json }) =>
        Effect.gen(function* () {
          for (const agent of Object.keys(actions)) yield* taking(keyOf(agent))
          if (Object.keys(actions).length === 0) {
            const reason = "expected at least one action, found none"
            return yield* new ActionRefused({ world: plugin, agent: "nobody", code: "NoActions", reason })
          }
          const { rounds } = yield* tried({ rounds: [actions] })
          const outcomes = rounds[0] ?? {}
          const got = yield* tickedOf(
            plugin,
            Object.fromEntries(
              Object.entries(outcomes).flatMap(([agent, outcome]) => ("ok" in outcome ? [[agent, outcome.ok]] : [])),
            ) as Parameters<typeof tickedOf>[1],
          )
          const results: Record<string, StepResult> = {}
          for (const [agent, outcome] of Object.entries(outcomes)) {
            const own = SafeRecord.get(got, agent)
            if (own !== undefined) {
              results[agent] = { observation: reading(agent, "observation"), ...own }
              continue
            }
            if (!("error" in outcome)) continue
            const refused = new ActionRefused({
              world: plugin,
              agent,
              code: outcome.error.code,
              reason: outcome.error.message,
            })
            if (Object.keys(got).length === 0) return yield* refused
            const { status } = ownIn(at.state, agent) ?? {}
            results[agent] = {
              observation: reading(agent, "observation"),
              ...{ reward: 0, rewards: {}, info: {}, refused },
              terminated: status === "terminated",
              truncated: status === "truncated",
            }
          }
          return results
        })

      const drop = Effect.suspend(() => {
        if (!open.delete(slot)) return Effect.void
        // A process that has stopped has nothing to drop.
        return Effect.ignore(called(world, { slot, drop: true }))
      })

      yield* Effect.onError(restored(state, from), () => drop)
      const own: WorldClone = {
        agents,
        spaces: (agent = first()) => spacesIn(at.state, keyOf(agent)) ?? world.spaces,
        step: (action, agent = first()) =>
          Effect.flatMap(together({ [keyOf(agent)]: action }), ({ [keyOf(agent)]: result }) =>
            result === undefined
              ? new UnexpectedAnswer({ world: plugin, expected: `the result of ${agent}`, found: "none" })
              : Effect.succeed(result),
          ),
        stepTogether: together,
        playOut: (options = {}) =>
          Effect.gen(function* () {
            const { seed = 0, maxRounds = MAX_ROUNDS } = yield* Options.decode("playOut", PlayOut, options)
            const { rounds, returns, ended } = yield* tried({ seed, maxRounds })
            return { rounds: rounds.length, returns, ended } satisfies PlayedOut
          }),
        observe: (agent = first()) =>
          alive(() => Effect.map(taking(keyOf(agent)), () => reading(agent, "observation"))),
        mask: (agent = first()) => alive(() => Effect.map(taking(keyOf(agent)), () => reading(agent, "action_mask"))),
        state: alive(() => Effect.sync(() => frozen(at.state) as JsonObject)),
        status: (agent = first()) =>
          alive(() => Effect.map(taking(keyOf(agent)), () => statusOf(ownIn(at.state, keyOf(agent))) ?? "active")),
        turn: alive(() => {
          const { turn } = asObject(asObject(at.state).episode)
          return Effect.succeed(typeof turn === "string" ? turn : null)
        }),
        restore: (wanted) => Effect.suspend(() => restored(wanted, record.originOf(wanted, now))),
        clone: Effect.suspend(() => clone(episode, asObject(at.state), now)),
        close: drop,
      }
      return own
    })

  const flush = Effect.suspend(() => search?.record.flush ?? Effect.void)
  return {
    clone,
    flush,
    end: Effect.gen(function* () {
      yield* flush
      search = undefined
      const ended = [...open]
      open.clear()
      const world = process?.world
      if (world === undefined) return
      for (const slot of ended) yield* Effect.ignore(called(world, { slot, drop: true }))
    }),
  }
}

/** The agents that can still act in a state. */
const activeIn = (state: Json): ReadonlyArray<string> =>
  Object.entries(asObject(asObject(asObject(state).episode).agents)).flatMap(([agent, own]) =>
    asObject(own).status === "active" ? [agent] : [],
  )

const returnsOf = (rounds: ReadonlyArray<{ readonly [agent: string]: RoundOutcome }>) => {
  const sums: Record<string, number> = {}
  for (const round of rounds) {
    for (const [agent, outcome] of Object.entries(round)) {
      const got = "ok" in outcome ? outcome.ok : outcome.got
      if (typeof got?.reward === "number") SafeRecord.put(sums, agent, (SafeRecord.get(sums, agent) ?? 0) + got.reward)
    }
  }
  return Object.fromEntries(Object.entries(sums).map(([agent, sum]) => [agent, Sum.round(sum)]))
}

const spacesIn = (state: Json, agent: string): Spaces | undefined => {
  const { observation, action } = asObject(ownIn(state, agent)?.spaces ?? {})
  return isSpace(observation) && isSpace(action) ? { observation, action } : undefined
}

/** Freezes a document: the record names its run, so a program must not change it. */
const frozen = (value: Json): Json => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) frozen(part as Json)
  }
  return value
}
