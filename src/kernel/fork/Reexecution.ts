/** Restores an environment by executing the recorded requests again. */

import { Effect } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { CallOptions, Components } from "../../plugins/process/Components.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { failureOf } from "../instances/PluginFailure.ts"
import { outcomes, type RecordedOutcome } from "../replay/RecordedOutcomes.ts"
import * as Environments from "../tasks/Environments.ts"
import { type ComparedCounts, compare, type WorldDiffers } from "./RestorationCheck.ts"

interface Call {
  readonly taskId: string
  readonly causationId: string
  /** Who takes part in the world, where it is several. */
  readonly agents?: ReadonlyArray<string>
}

/**
 * Restores an environment in a new process: the same reset with the same seed, then all recorded readings and all
 * commands with a known outcome, in order. Each reading and outcome must equal the recorded one.
 *
 * @param events the task's events, up to the point of the fork
 */
export const reexecute = (
  plugin: string,
  process: Components,
  events: ReadonlyArray<Event>,
  options: JsonObject,
  call: Call,
): Effect.Effect<readonly [state: Json, checked: ComparedCounts], WorldDiffers | Environments.EnvironmentRefused> =>
  Effect.gen(function* () {
    const ended = outcomes(events)
    // A command that a kernel left in doubt may have been dispatched again, in the world that was restored then.
    const lastDispatch = new Map(
      events.flatMap((event) =>
        is(event, "CommandDispatched") ? [[event.payload.commandId, event.position] as const] : [],
      ),
    )
    let state = yield* process.reset(options, call).pipe(Environments.refusedBy(plugin))
    let [readings, done] = [0, 0]
    for (const event of events) {
      if (is(event, "SensorRead") || is(event, "SensorFailed")) {
        // A pushed reading was not requested.
        const own = ownOf(plugin, event.payload.sensor)
        if (own === undefined || event.actor.startsWith("plugin:")) continue
        const reading = yield* Effect.either(process.read(own, forAgent(call, event.payload.agentId)))
        if (!is(event, "SensorRead") || reading._tag === "Left") continue
        yield* compare(
          plugin,
          event.position,
          event.payload.reading,
          reading.right,
          `the reading of ${event.payload.sensor}`,
        )
        readings += 1
      } else if (is(event, "CommandDispatched") && lastDispatch.get(event.payload.commandId) === event.position) {
        const end = ended.get(event.payload.commandId)
        const own = end === undefined ? undefined : ownOf(plugin, end.outcome.actuator)
        if (end === undefined || end.outcome.status === "unknown" || own === undefined) continue
        const { expected, found, left } = yield* command(process, own, end, forAgent(call, end.agentId))
        state = left ?? state
        yield* compare(plugin, end.outcome.event.position, expected, found, `the outcome of ${end.outcome.actuator}`)
        done += 1
      }
    }
    return [state, { readings, outcomes: done }] as const
  })

/** Executes a command again. Returns the recorded and the new outcome. */
const command = (process: Components, component: string, { outcome }: RecordedOutcome, call: CallOptions) =>
  Effect.gen(function* () {
    const expected: Json =
      outcome.status === "succeeded"
        ? { result: outcome.result }
        : outcome.status === "failed"
          ? { error: { ...outcome.error } }
          : { status: outcome.status }
    const acted = yield* Effect.either(process.act(component, outcome.args, call))
    if (acted._tag === "Right") return { expected, found: { result: acted.right.result }, left: acted.right.state }
    const failure = acted.left
    const left = "state" in failure ? failure.state : undefined
    return { expected, found: { error: { ...failureOf(failure) } }, left }
  })

/** The call as it is made for an agent, in a task with several. */
export const forAgent = (call: Call, agentId: string | undefined): CallOptions =>
  agentId === undefined ? call : { ...call, agent: agentId }

/** The component's name within the plugin, if it belongs to the plugin. */
const ownOf = (plugin: string, name: string): string | undefined =>
  name.startsWith(`${plugin}/`) ? name.slice(plugin.length + 1) : undefined
