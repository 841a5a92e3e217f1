/** Plugins that answer from a recording, for forks with `io: "recorded"`. */

import { Effect, Either } from "effect"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { CallFailed } from "../../plugins/PluginError.ts"
import type { Components } from "../../plugins/process/ComponentCalls.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import type { Json } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as WorldRewards from "../acting/WorldRewards.ts"
import type { Instances } from "../instances/Instances.ts"
import { manifestOf, NotInRegistry } from "../registry/Registry.ts"
import type { Reading } from "../sensing/SensorReading.ts"
import * as Environments from "../tasks/Environments.ts"
import { type AskOptions, ModelCallFailed, type ModelCallRequest, type ModelCallResponse } from "../tasks/ModelCalls.ts"
import type { OpenTask } from "../tasks/OpenTask.ts"
import type { Task } from "../tasks/Task.ts"
import type { Point } from "./DecisionPoint.ts"
import { Stopped } from "./Divergence.ts"
import * as RecordedMoves from "./RecordedMoves.ts"
import { NOT_RECORDED } from "./RecordedRequests.ts"
import type { Recording } from "./Recording.ts"

/** Plugins without processes, with the answers recorded after a fork's point. */
export interface ReplayedPlugins {
  readonly instances: Instances
  /** Model calls get the recorded responses, and the task waits for nobody. */
  readonly withoutWorld: (task: Task) => Task
  /** The first request without a recorded answer. */
  readonly firstUnrecorded: () => string | undefined
}

/**
 * A command gets its recorded outcome and changes if it equals the next recorded one; so do rounds, ticks, joins and
 * leaves. A sensor returns its next recorded reading, if that comes before the world's next move. All other requests
 * fail.
 *
 * @param documents the environments' documents at the point
 */
export const make = ({ recording, at, ahead }: Point, documents: ReadonlyMap<string, Json>): ReplayedPlugins => {
  /** By sensor and agent. */
  const readings = new Map<string, Array<Reading>>()
  for (const request of ahead) {
    if (request.kind !== "perceive") continue
    for (const reading of request.readings) {
      const key = keyOf(reading.sensor, request.agentId)
      const queue = readings.get(key) ?? []
      readings.set(key, queue)
      queue.push(reading)
    }
  }
  const moves = RecordedMoves.make(recording, at, ahead)
  const moved = (taken: ReadonlyArray<RecordedMoves.Move>) => {
    // Unused earlier readings do not reflect its effect.
    for (const queue of readings.values()) {
      while (queue[0] !== undefined && queue[0].position < (taken[0]?.at ?? 0)) queue.shift()
    }
  }
  const consultations = ahead.flatMap((request) =>
    request.kind === "consult" && request.answer !== null
      ? [{ question: request.question, answer: request.answer }]
      : [],
  )
  const state = new Map(documents)
  let missed: string | undefined

  const miss = (plugin: string, call: string, request: string) => {
    missed ??= request
    const message = `${request} was not recorded at this point; a live fork would carry it out`
    return new CallFailed({ plugin, call, error: { code: NOT_RECORDED, message } })
  }

  const recordedAnswer = ({ provider, model, request }: ModelCallRequest) =>
    Effect.suspend((): Effect.Effect<ModelCallResponse, ModelCallFailed> => {
      const next = consultations.shift()
      const asked = next?.question
      if (
        next !== undefined &&
        asked?.provider === provider &&
        asked.model === model &&
        JsonPatch.equal(asked.request, request)
      )
        return next.answer instanceof ModelCallFailed ? next.answer : Effect.succeed(next.answer)
      missed ??= `an answer of ${provider} ${model}`
      return Effect.die(new Stopped())
    })

  const after = (plugin: string, taken: ReadonlyArray<RecordedMoves.Move>): Json | undefined => {
    moved(taken)
    for (const patch of moves.changes(plugin, taken)) {
      const patched = JsonPatch.apply(state.get(plugin), patch)
      if (Either.isRight(patched) && patched.right !== undefined) state.set(plugin, patched.right)
    }
    return state.get(plugin)
  }

  const answering = (plugin: string): Components => ({
    read: (sensor, { agent } = {}) =>
      Effect.suspend(() => {
        const name = `${plugin}/${sensor}`
        const queue = readings.get(keyOf(name, agent)) ?? []
        const [next] = queue
        // A reading after the world moved depends on that move.
        if (next === undefined || next.position > moves.nextAt()) {
          return miss(plugin, `read ${name}`, `a reading of ${name}`)
        }
        queue.shift()
        return Effect.succeed(next.reading)
      }),
    act: (actuator, args, { agent } = {}) =>
      Effect.suspend(() => {
        const name = `${plugin}/${actuator}`
        const call = `act ${name}`
        const taken = moves.command(name, args, agent)
        if (taken === undefined) return miss(plugin, call, `${name} ${JSON.stringify(args).slice(0, MAX_ARGS)}`)
        const left = after(plugin, [taken])
        const document = left === undefined ? {} : { state: left }
        const { outcome } = taken
        return outcome.status === "succeeded"
          ? Effect.succeed({ result: outcome.result, ...document })
          : new CallFailed({ plugin, call, error: outcome.error, ...document })
      }),
    round: (actions) =>
      Effect.suspend(() => {
        const taken = moves.round(`${plugin}/step`, actions)
        if (taken === undefined) {
          const each = Object.entries(actions).map(([agent, action]) => `${agent} ${JSON.stringify(action)}`)
          return miss(plugin, `round ${plugin}`, `a round of ${each.join(", ").slice(0, MAX_ARGS)}`)
        }
        const agents = Object.fromEntries(taken.map((move) => [move.agentId ?? "", moves.roundOutcome(move)]))
        return Effect.succeed({ agents, state: after(plugin, taken) ?? null })
      }),
    // The recording has the outcome, or it stayed unknown.
    settle: () => Effect.succeed(undefined),
    changeAgents: (change, agent) =>
      Effect.suspend(() => {
        const taken = moves.member(plugin, change, agent)
        if (taken === undefined) return miss(plugin, `${change} ${plugin}`, `that ${agent} ${change}s`)
        return Effect.succeed(after(plugin, [taken]) ?? null)
      }),
    tick: (milliseconds) =>
      Effect.suspend(() => {
        const taken = moves.tick(plugin, milliseconds)
        if (taken === undefined) return miss(plugin, `tick ${plugin}`, `a tick of ${plugin} by ${milliseconds} ms`)
        const agents = Object.fromEntries(Object.entries(taken.steps).map(([agent, ok]) => [agent, { ok }]))
        return Effect.succeed({ agents, state: after(plugin, [taken]) ?? null })
      }),
    reset: () =>
      Effect.suspend(() => {
        const reset = resetAfter(recording, at, plugin)
        if (reset === undefined) return miss(plugin, `reset ${plugin}`, `a reset of ${plugin}`)
        state.set(plugin, reset.state)
        return Effect.succeed(reset.state)
      }),
    restore: () => miss(plugin, `restore ${plugin}`, `a restoration of ${plugin}`),
    judge: (measure) => miss(plugin, `judge ${plugin}/${measure}`, `a judgement of ${plugin}/${measure}`),
    hear: (listener) => miss(plugin, `hear ${plugin}/${listener}`, `a request that ${plugin}/${listener} read`),
    ping: Effect.succeed(0),
  })

  return {
    firstUnrecorded: () => missed,
    withoutWorld: (task) => ({
      ...task,
      inputs: (options = {}) =>
        Effect.tap(task.inputs({ ...options, wait: false }), ({ length }) => {
          if (length > 0 || options.wait !== true) return Effect.void
          missed ??= "an input"
          return Effect.die(new Stopped())
        }),
      consult: (question, _answering, options) =>
        Effect.map(task.ask(question, recordedAnswer(question), ofAgent(options)), ({ response }) => response),
      ask: (question, _answering, options) => task.ask(question, recordedAnswer(question), ofAgent(options)),
    }),
    instances: {
      get: (plugin, registry) =>
        Effect.suspend(() => {
          const found = SafeRecord.get(registry, plugin)
          if (found === undefined) return new NotInRegistry({ name: plugin, known: Object.keys(registry) })
          return Effect.succeed({ manifest: manifestOf(found), process: answering(plugin), use: (effect) => effect })
        }),
      running: () => undefined,
    },
  }
}

const MISSING_SUFFIX = " was not recorded"

/** The reason of a fork that ends at an unrecorded request. */
export const unrecordedReason = (missed: string): string => missed + MISSING_SUFFIX

export const isUnrecordedReason = (reason: string): boolean => reason.endsWith(MISSING_SUFFIX)

/**
 * Sets up environments whose recorded reset comes after the point. The others keep their documents; worlds among them
 * start a missing return.
 *
 * @param documents the environments' documents at the point
 */
export const setUp = (task: OpenTask, { recording, at }: Point, documents: ReadonlyMap<string, Json>) =>
  Effect.gen(function* () {
    for (const [plugin, document] of documents) task.documents.set(plugin, document)
    for (const [plugin, found] of Object.entries(recording.registryAt(at))) {
      const { environment } = manifestOf(found).peas
      if (environment === undefined) continue
      const reset = resetAfter(recording, at, plugin)
      if (documents.has(plugin)) {
        const starts = environment.spaces === undefined ? [] : WorldRewards.missingStart(task.id, at, recording.events)
        for (const start of starts) yield* task.record({ ...start, causationId: task.openedBy })
      } else if (reset !== undefined) {
        yield* Environments.resetOne(task, plugin, environment, { [plugin]: reset.options })
      }
    }
  })

const resetAfter = ({ events }: Recording, at: number, plugin: string): PayloadOf<"EnvironmentReset"> | undefined => {
  const reset = events.find(
    (event) => event.position > at && is(event, "EnvironmentReset") && event.payload.plugin === plugin,
  )
  return reset !== undefined && is(reset, "EnvironmentReset") ? reset.payload : undefined
}

const MAX_ARGS = 300

const keyOf = (sensor: string, agentId: string | undefined) => (agentId === undefined ? sensor : `${sensor} ${agentId}`)

const ofAgent = ({ agentId }: Pick<AskOptions, "agentId"> = {}): Pick<AskOptions, "agentId"> =>
  agentId === undefined ? {} : { agentId }
