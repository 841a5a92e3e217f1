/** Tries a gate on recorded commands: what its rules would have decided, next to what happened. Pure. */

import { Either } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { actuatorsOf } from "../../plugins/manifest/Manifest.ts"
import * as OwnWork from "../../projections/state/files/OwnWork.ts"
import { type PluginRegistry, projection as registry } from "../../projections/state/PluginRegistry.ts"
import type { Json } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { manifestOf } from "../registry/ComponentLookup.ts"
import * as Gate from "./Gate.ts"
import { effectiveRisk } from "./PluginRisk.ts"

/**
 * What happened to a command. `observed`: no gate ruled on it. `undecided`: the log ends, or its recorder ended, before
 * a decision.
 */
export type Past = "allowed" | "approved" | "rejected" | "expired" | "denied" | "observed" | "undecided"

/** A recorded command, with the ruling of the gate that is tried. */
export interface TriedCommand {
  readonly position: number
  readonly taskId: string | null
  /** `plugin/actuator` */
  readonly actuator: string
  /** Undefined if the log does not have them whole: they were shortened, shredded or never seen. */
  readonly args: Json | undefined
  readonly ruling: Gate.Ruling
  past: Past
  /** The rule that decided, or the person who did. Undefined if neither is recorded. */
  by?: string | undefined
}

/** A trial in progress. `take` wants the log's events in order, from its first on; see `types`. */
export interface GateTrial {
  readonly take: (event: Event) => void
  /** The tried commands, in the log's order. */
  readonly commands: () => ReadonlyArray<TriedCommand>
}

/** The types of events that a trial reads; it ignores others. */
export const types: ReadonlyArray<string> = [
  "TaskOpened",
  "ActuatorCommanded",
  "CommandAllowed",
  "CommandDenied",
  "ConfirmationRequested",
  "ConfirmationDecided",
  "ConfirmationExpired",
  ...(registry.types ?? []),
]

/**
 * Hindcast's own work on files is not tried: no gate rules on it.
 *
 * @param isWanted which commands to try; the plugin registry takes in every event
 */
export const make = (gate: Gate.GateConfig, isWanted: (event: Event) => boolean): GateTrial => {
  const found = new Map<string, TriedCommand>()
  const asked = new Map<string, TriedCommand>()
  const own = new Set<string>()
  let plugins: PluginRegistry = registry.initial
  return {
    commands: () => [...found.values()],
    take: (event) => {
      plugins = registry.evolve(plugins, event)
      if (is(event, "TaskOpened")) {
        if (OwnWork.isOwn(event.payload)) own.add(event.taskId ?? "")
      } else if (is(event, "ActuatorCommanded")) {
        if (own.has(event.taskId ?? "") || !isWanted(event)) return
        const { commandId, actuator, observed } = event.payload
        const args = argsOf(event.payload.args)
        found.set(commandId, {
          position: event.position,
          taskId: event.taskId,
          actuator,
          args,
          ruling: Gate.decide(gate, { actuator, args, risk: riskOf(plugins, actuator) }),
          past: observed === true ? "observed" : "undecided",
        })
      } else if (is(event, "CommandAllowed")) settle(found.get(event.payload.commandId), "allowed", event.payload.rule)
      else if (is(event, "CommandDenied")) settle(found.get(event.payload.commandId), "denied", event.payload.rule)
      else if (is(event, "ConfirmationRequested")) {
        const { commandId, confirmationId } = event.payload
        const command = commandId === undefined ? undefined : found.get(commandId)
        if (command !== undefined) asked.set(confirmationId, command)
      } else if (is(event, "ConfirmationDecided")) {
        const { confirmationId, approved, by } = event.payload
        settle(asked.get(confirmationId), approved ? "approved" : "rejected", by)
        asked.delete(confirmationId)
      } else if (is(event, "ConfirmationExpired")) {
        settle(asked.get(event.payload.confirmationId), "expired", undefined)
        asked.delete(event.payload.confirmationId)
      }
    },
  }
}

/** A person's decision stands: the allowance or denial that follows it only carries it out. */
const settle = (command: TriedCommand | undefined, past: Past, by: string | undefined): void => {
  if (command === undefined || command.past !== "undecided") return
  command.past = past
  command.by = by
}

/** Arguments that were cut to fit an event are `{ omitted }`, and shredded ones `null`. */
const argsOf = (args: Json): Json | undefined =>
  args === null || (isObject(args) && Object.keys(args).join() === "omitted") ? undefined : args

const riskOf = (plugins: PluginRegistry, actuator: string): Gate.GateCommand["risk"] => {
  const [name = "", component = ""] = actuator.split("/")
  const plugin = SafeRecord.get(plugins, name)
  if (plugin === undefined) return undefined
  // A foreign log may import a manifest that no kernel would start. Its commands still ran.
  const actuators = Either.getOrElse(
    Either.try(() => actuatorsOf(manifestOf(plugin))),
    () => [],
  )
  return effectiveRisk(actuators.find(({ name }) => name === component)?.risk, plugin).effective
}
