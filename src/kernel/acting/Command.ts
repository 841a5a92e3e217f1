/** A command before its dispatch: its copied arguments, and the actuator that its name resolves to. */

import { Effect, Exit } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { TaskBudget } from "../../events/vocabulary/Tasks.ts"
import * as StoppedWork from "../../platform/fibers/StoppedWork.ts"
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
import { calledAgent } from "../registry/InProcess.ts"
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

/** A denied or failed command is an outcome, not an error. */
export type ActError = InvalidCommand | LeaseLost | AppendError | LogError

/** Stops a command when its time is used up or an input arrives. */
export interface Stop {
  /** Registers a function that takes the reason of the stop. Returns a function that ends the registration. */
  readonly listen: (stop: (reason: string) => void) => () => void
  reason?: string
  outcome?: CommandOutcome
}

/**
 * Runs commands until all of their stops have fired, then interrupts them: tools see an aborted signal, and the log
 * records each command's end.
 *
 * @param stopped returns the recorded outcomes of stopped commands
 */
export const stoppable = <A, E>(
  acting: Effect.Effect<A, E>,
  stops: ReadonlyArray<Stop>,
  stopped: () => A | undefined,
): Effect.Effect<A, E> =>
  stops.length === 0
    ? acting
    : Effect.flatMap(StoppedWork.run(acting, whenAll(stops)), ({ exit }) => {
        if (Exit.isSuccess(exit)) return exit
        const outcome = stopped()
        return outcome === undefined ? exit : Effect.succeed(outcome)
      })

/** Stops the work once all of its stops have fired. Only then does a command have the reason of its stop. */
const whenAll =
  (stops: ReadonlyArray<Stop>): StoppedWork.Listen =>
  (stopAll) => {
    const reasons = new Map<Stop, string>()
    const ends = stops.map((stop) =>
      stop.listen((reason) => {
        if (!reasons.has(stop)) reasons.set(stop, reason)
        if (reasons.size < stops.length) return
        for (const [of, why] of reasons) of.reason ??= why
        stopAll()
      }),
    )
    return () => {
      for (const end of ends) end()
    }
  }

/** A requested command. Its arguments are a copy: the kernel shows, records and executes the same value. */
export interface Command {
  readonly task: ActingTask
  readonly actuator: string
  readonly args: JsonObject
  readonly commandId: string
  readonly argsDigest: string
  readonly agentId?: string | undefined
  readonly stop?: Stop | undefined
  /** Limits of the agent that it calls. */
  readonly budget?: TaskBudget | undefined
}

export interface CommandIdentity {
  readonly callId?: string
  readonly budget?: TaskBudget
  readonly agentId?: string
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

/** The actuator that a command names, in the registry's state at one position. */
export interface ResolvedActuator {
  readonly registry: PluginRegistry
  readonly plugin: string
  readonly digest: string
  readonly priority: number
  readonly lane: Lane
  readonly component: string
  readonly declared: Actuator | undefined
  /** The declared risk, raised by the plugin's grants. */
  readonly risk: EffectiveRisk
  /** Whether it steps a world: its result then carries rewards. */
  readonly isStep: boolean
  readonly found: Plugin
}

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
    const ofPlugin = instanceOf(manifest) === "task" ? `${plugin} ${task.instanceName}` : plugin
    const shared = { name: ofPlugin, capacity: manifest.concurrent === true ? CONCURRENT_COMMANDS : 1 }
    // The calls of an agent wait for the calls of its tools, so they must not take the places of those.
    const ofAgent = { name: `${actuator} ${task.instanceName}`, capacity: CONCURRENT_COMMANDS }
    const lane =
      calledAgent(found, component) !== undefined
        ? ofAgent
        : manifest.concurrent === true && declared?.sequential === true
          ? { name: `${actuator} ${task.instanceName}`, capacity: 1, within: shared }
          : shared
    const risk = effectiveRisk(declared?.risk, found)
    const isStep = component === STEP && worldOf(manifest) !== undefined
    return { registry, plugin, digest: found.digest, priority, lane, component, declared, risk, isStep, found }
  })

/**
 * Maximum number of commands in progress at one instance of a concurrent plugin: half of `CALLS_IN_FLIGHT`, so that the
 * kernel can still read sensors.
 */
const CONCURRENT_COMMANDS = 32

export const activeIn = (task: ActingTask, registry: PluginRegistry): ReadonlyArray<ActiveComponent> =>
  activeActuators(registry).filter(({ plugin }) => task.takesPart(plugin))
