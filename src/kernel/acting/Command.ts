/** A command before dispatch: its copied arguments, and the actuator that its name resolves to. */

import { Effect, type Exit } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import { type Actuator, actuatorsOf, instanceOf, STEP, worldOf } from "../../plugins/manifest/Manifest.ts"
import type { EffectiveRisk } from "../../plugins/manifest/Risk.ts"
import {
  type ActiveComponent,
  activeActuators,
  type Plugin,
  type PluginRegistry,
} from "../../projections/state/PluginRegistry.ts"
import { digest } from "../../values/Digest.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { effectiveRisk } from "../gate/PluginRisk.ts"
import { manifestOf } from "../registry/Registry.ts"
import type { ActingTask } from "./ActingTask.ts"
import { copied, type InvalidCommand } from "./command/Arguments.ts"
import type { CommandOutcome } from "./command/Outcome.ts"
import type { Lane } from "./queue/CommandQueue.ts"

export { copied, InvalidCommand } from "./command/Arguments.ts"
export {
  type CommandOutcome,
  INTERRUPTED,
  OUT_OF_TIME,
  unknownReason,
} from "./command/Outcome.ts"

/** Why a command could not be requested. A command that was refused or failed is no error but an outcome. */
export type ActError = InvalidCommand | LeaseLost | AppendError | LogError

/** What stops a command: time that is used up, or an input. */
export interface Stop {
  /** Completes with the reason. */
  readonly signal: Effect.Effect<string>
  /** Why it was stopped; undefined before that. */
  reason?: string
  /** How it ended, once that is recorded. */
  outcome?: CommandOutcome
}

/**
 * What carries out commands, until they are stopped: then it is interrupted, which the commands' tools hear by their
 * signals, and how they ended is recorded. Several commands stop together, once all of their stops say so.
 *
 * @param stopped their outcomes, if they were recorded as stopped
 */
export const stoppable = <A, E>(
  acting: Effect.Effect<A, E>,
  stops: ReadonlyArray<Stop>,
  stopped: () => A | undefined,
): Effect.Effect<A, E> =>
  stops.length === 0
    ? acting
    : Effect.suspend(() => {
        let ended: Exit.Exit<A, E> | undefined
        const noted = Effect.onExit(acting, (exit) =>
          Effect.sync(() => {
            ended = exit
          }),
        )
        const stopping = Effect.flatMap(
          Effect.forEach(stops, (stop) => Effect.map(stop.signal, (reason) => ({ stop, reason })), {
            concurrency: stops.length === 1 ? 1 : "unbounded",
          }),
          (all) => {
            for (const { stop, reason } of all) stop.reason ??= reason
            return Effect.interrupt
          },
        )
        // The race waits until the end of what lost it is recorded.
        return Effect.catchAllCause(Effect.raceFirst(noted, stopping), (cause): Effect.Effect<A, E> => {
          const outcome = stopped()
          return outcome === undefined ? (ended ?? Effect.failCause(cause)) : Effect.succeed(outcome)
        })
      })

/** A command that was requested. Its arguments are a copy, so that what is shown, recorded and executed is the same. */
export interface Command {
  readonly task: ActingTask
  readonly actuator: string
  readonly args: JsonObject
  readonly commandId: string
  readonly argsDigest: string
  /** The agent that acts, in a task with several. */
  readonly agentId?: string | undefined
  /** What stops it, if not its caller's end. */
  readonly stop?: Stop | undefined
}

/** The identity of a command, as another request for it would have it. */
export interface CommandIdentity {
  /** The id that a model gave to its tool call. */
  readonly callId?: string
  /** The agent that acts, in a task with several. */
  readonly agentId?: string
  /** Where it comes from, if not from an agent. */
  readonly source?: "scenario"
}

export const make = (
  task: ActingTask,
  actuator: string,
  args: JsonObject,
  agentId?: string,
): Effect.Effect<Command, InvalidCommand> =>
  Effect.map(copied(actuator, args), (copy) => ({
    task,
    actuator,
    args: copy,
    commandId: newId(),
    argsDigest: digest(copy),
    agentId,
  }))

/** The actuator that a command's name refers to, in the registry's state at one position. */
export interface ResolvedActuator {
  readonly registry: PluginRegistry
  readonly plugin: string
  readonly digest: string
  readonly priority: number
  /** The queue's lane: commands to the same instance of a plugin share one. */
  readonly lane: Lane
  /** The actuator's name within the plugin, and its declaration in the manifest. */
  readonly component: string
  readonly declared: Actuator | undefined
  /** The risk that the manifest declares, raised by what the plugin was granted. */
  readonly risk: EffectiveRisk
  /** Whether it steps a world: its result says what was earned. */
  readonly isStep: boolean
  /** The plugin's registry entry. */
  readonly found: Plugin
}

/** The active actuator that a command names, in the current registry. */
export const resolve = ({
  task,
  actuator,
}: Pick<Command, "task" | "actuator">): Effect.Effect<ResolvedActuator | undefined, LogError> =>
  Effect.map(task.kernel.registry.state, (registry) => {
    const target = activeIn(task, registry).find(({ name }) => name === actuator)
    const found = target === undefined ? undefined : SafeRecord.get(registry, target.plugin)
    if (target === undefined || found === undefined) return undefined
    const { plugin, component, priority } = target
    const manifest = manifestOf(found)
    const declared = actuatorsOf(manifest).find(({ name }) => name === component)
    const lane = {
      name: instanceOf(manifest) === "task" ? `${plugin} ${task.instanceName}` : plugin,
      capacity: manifest.concurrent === true ? CONCURRENT_COMMANDS : 1,
    }
    const risk = effectiveRisk(declared?.risk, found)
    const isStep = component === STEP && worldOf(manifest) !== undefined
    return { registry, plugin, digest: found.digest, priority, lane, component, declared, risk, isStep, found }
  })

/**
 * Most commands in progress at one instance of a concurrent plugin; further ones wait by priority. It is half of the
 * calls that a process works on concurrently (`CALLS_IN_FLIGHT`), so that sensors can still be read.
 */
const CONCURRENT_COMMANDS = 32

/** The active actuators of the plugins that take part in a task. */
export const activeIn = (task: ActingTask, registry: PluginRegistry): ReadonlyArray<ActiveComponent> =>
  activeActuators(registry).filter(({ plugin }) => task.takesPart(plugin))
