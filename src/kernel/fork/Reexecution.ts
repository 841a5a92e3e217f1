/** Restores an environment by executing the recorded requests again. */

import { Effect } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { CallOptions, Components } from "../../plugins/process/ComponentCalls.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import * as ObservedCommand from "../acting/command/ObservedCommand.ts"
import { resultsOf } from "../acting/round/RoundResults.ts"
import { failureOf } from "../instances/PluginFailure.ts"
import { outcomes, type RecordedOutcome, roundsOf } from "../replay/RecordedOutcomes.ts"
import * as Environments from "../tasks/Environments.ts"
import { type ComparedCounts, compare, type WorldDiffers } from "./RestorationCheck.ts"

interface Call {
  readonly taskId: string
  readonly causationId: string
  readonly attempt?: number
  readonly agents?: ReadonlyArray<string>
}

export interface Restored {
  readonly plugin: string
  readonly process: Components
  readonly reset: PayloadOf<"EnvironmentReset">
  readonly isShared: boolean
}

/**
 * Restores an environment in a new process: resets it with the recorded seed, then repeats, in order, all readings,
 * commands with a known outcome (a round as a round, each attempt of a command as a call), ticks, and agents that
 * joined or left midway. Each reading, outcome and failed attempt must equal the recorded one.
 *
 * @param events the task's events, up to the fork point
 */
export const reexecute = (
  { plugin, process, reset, isShared }: Restored,
  events: ReadonlyArray<Event>,
  call: Call,
): Effect.Effect<readonly [state: Json, checked: ComparedCounts], WorldDiffers | Environments.EnvironmentRefused> =>
  Effect.gen(function* () {
    const ended = outcomes(events)
    const rounds = roundsOf(events)
    const calls = callsIn(events)
    let state = yield* process
      .reset(reset.options, { ...call, ...agentsOf(reset) })
      .pipe(Environments.refusedBy(plugin))
    let [readings, done] = [0, 0]
    for (const event of events) {
      const made = calls.get(event.position)
      if (is(event, "SensorRead") || is(event, "SensorFailed")) {
        // A plugin pushed the reading without a request.
        const { sensor, agentId } = event.payload
        const own = ownOf(plugin, sensor)
        if (own === undefined || event.actor.startsWith("plugin:")) continue
        const reading = yield* Effect.either(process.read(own, forAgent(call, agentId)))
        if (!is(event, "SensorRead") || reading._tag === "Left") continue
        const what = `the reading of ${whose(sensor, agentId)}`
        yield* compare(plugin, event.position, event.payload.reading, reading.right, what)
        readings += 1
      } else if (made !== undefined) {
        const { commandId, attempt, failed } = made
        const together = rounds.get(commandId) ?? [commandId]
        // The first command of a round stands for all.
        if (together[0] !== commandId) continue
        const ends = together.flatMap((id) => known(ended.get(id)))
        const own = ends[0] === undefined ? undefined : ownOf(plugin, ends[0].outcome.actuator)
        if (own === undefined) continue
        const { found, left } = yield* rounds.has(commandId)
          ? round(process, ends, call)
          : command(process, own, ends, { ...call, attempt })
        state = left ?? state
        if (failed !== undefined) {
          const what = `attempt ${attempt} at ${whose(`${plugin}/${own}`, ends[0]?.agentId)}`
          yield* compare(plugin, failed.position, { error: failed.error }, found[0] ?? null, what)
          continue
        }
        for (const [index, { outcome, agentId }] of ends.entries()) {
          if (outcome.status === "succeeded" && outcome.unrecorded !== undefined) continue
          const what = `the outcome of ${whose(outcome.actuator, agentId)}`
          yield* compare(plugin, outcome.event.position, expectedOf(outcome), found[index] ?? null, what)
          done += 1
        }
      } else if (is(event, "WorldTicked") && event.payload.plugin === plugin) {
        const ticked = yield* process.tick(event.payload.milliseconds, call).pipe(Environments.refusedBy(plugin))
        state = ticked.state
      } else if (isShared && (is(event, "AgentJoined") || is(event, "AgentLeft")) && event.payload.midway === true) {
        const change = is(event, "AgentJoined") ? "join" : "leave"
        state = yield* process.changeAgents(change, event.payload.agentId, call).pipe(Environments.refusedBy(plugin))
      }
    }
    return [state, { readings, outcomes: done }] as const
  })

/** A call of a plugin for a command, or for a round under the id of each of its commands. */
interface CommandCall {
  readonly commandId: string
  readonly attempt: number
  /** Its failure, if a retry followed. */
  failed?: { readonly position: number; readonly error: JsonObject }
}

/**
 * The calls for commands, by the positions of the events after which they were made: dispatches and failed attempts. A
 * command that a kernel left in doubt may have been dispatched again, in a world that was restored for it, so only calls
 * since its last dispatch count.
 */
const callsIn = (events: ReadonlyArray<Event>): ReadonlyMap<number, CommandCall> => {
  const observed = ObservedCommand.idsIn(events)
  const byCommand = new Map<string, Array<readonly [position: number, call: CommandCall]>>()
  for (const event of events) {
    if (is(event, "CommandDispatched")) {
      const { commandId } = event.payload
      if (!observed.has(commandId)) byCommand.set(commandId, [[event.position, { commandId, attempt: 1 }]])
    } else if (is(event, "CommandAttemptFailed")) {
      const { commandId, error } = event.payload
      const calls = byCommand.get(commandId)
      const last = calls?.at(-1)?.[1]
      if (calls === undefined || last === undefined) continue
      last.failed = { position: event.position, error: { ...error } }
      calls.push([event.position, { commandId, attempt: last.attempt + 1 }])
    }
  }
  return new Map([...byCommand.values()].flat())
}

interface Reexecuted {
  readonly found: ReadonlyArray<Json>
  readonly left: Json | undefined
}

const command = (process: Components, component: string, ends: ReadonlyArray<RecordedOutcome>, call: Call) =>
  Effect.gen(function* () {
    const [end] = ends
    if (end === undefined) return { found: [], left: undefined }
    const acted = yield* Effect.either(process.act(component, end.outcome.args, forAgent(call, end.agentId)))
    if (acted._tag === "Left") return failed(acted.left, 1)
    return { found: [{ result: acted.right.result }], left: acted.right.state }
  })

const round = (process: Components, ends: ReadonlyArray<RecordedOutcome>, call: Call) =>
  Effect.gen(function* () {
    const actions = Object.fromEntries(
      ends.map(({ outcome, agentId = "" }) => [agentId, outcome.args.action ?? null] as const),
    )
    const stepped = yield* Effect.either(process.round(actions, call))
    if (stepped._tag === "Left") return failed(stepped.left, ends.length)
    const { agents, state } = stepped.right
    const acted = ends.map(({ agentId = "" }) => agentId)
    const found = resultsOf(agents, acted).map(
      (result): Json => ("ok" in result ? { result: result.ok } : { error: { ...result.error } }),
    )
    return { found, left: state }
  })

const failed = (
  failure: Parameters<typeof failureOf>[0] & { readonly state?: Json },
  commands: number,
): Reexecuted => ({
  found: Array.from({ length: commands }, () => ({ error: { ...failureOf(failure) } })),
  left: failure.state,
})

const expectedOf = (outcome: RecordedOutcome["outcome"]): Json => {
  if (outcome.status === "succeeded") return { result: outcome.result }
  if (outcome.status === "failed") return { error: { ...outcome.error } }
  return { status: outcome.status }
}

const known = (end: RecordedOutcome | undefined): ReadonlyArray<RecordedOutcome> =>
  end === undefined || end.outcome.status === "unknown" ? [] : [end]

export const agentsOf = ({ agents }: PayloadOf<"EnvironmentReset">) => (agents === undefined ? {} : { agents })

export const forAgent = (call: Call, agentId: string | undefined): CallOptions =>
  agentId === undefined ? call : { ...call, agent: agentId }

export const whose = (component: string, agentId: string | undefined): string =>
  agentId === undefined ? component : `${component} for ${agentId}`

const ownOf = (plugin: string, name: string): string | undefined =>
  name.startsWith(`${plugin}/`) ? name.slice(plugin.length + 1) : undefined
