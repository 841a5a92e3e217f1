/** What a log would bring along if somebody acted on it: plugins that would start, approvals, open tasks. */

import { Effect, Schema } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Grants from "../../plugins/manifest/Grants.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import { confirmationOf } from "../../projections/state/ConfirmationAnswer.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import type { JsonObject } from "../../values/Json.ts"
import { leftIn } from "../acting/LeftCommand.ts"
import * as GrantComputation from "../registry/GrantComputation.ts"
import { isInProcess } from "../registry/InProcess.ts"
import { manifestOf } from "../registry/Registry.ts"

/** An active plugin, which a task would start. */
export interface BroughtPlugin {
  readonly plugin: string
  readonly version: string
  readonly digest: string
  /** The grants, as the options that give them. */
  readonly grants: ReadonlyArray<string>
  /** The sensors that are read at intervals, without being asked. */
  readonly intervals: ReadonlyArray<{ readonly sensor: string; readonly everyMs: number }>
}

/** A command that somebody approved and that was not executed. */
export interface BroughtApproval {
  readonly taskId: string
  readonly actuator: string
  readonly args: JsonObject
  readonly by: string
}

/** A task that can be resumed. */
export interface BroughtTask {
  readonly taskId: string
  readonly agent: string
  readonly goal: string
}

/** What a log brings along. */
export interface Brought {
  readonly plugins: ReadonlyArray<BroughtPlugin>
  readonly approvals: ReadonlyArray<BroughtApproval>
  readonly openTasks: ReadonlyArray<BroughtTask>
}

/** Reads what a log brings along. Nothing is started. */
export const read: Effect.Effect<Brought, LogError, EventLog | Projector> = Effect.gen(function* () {
  const projector = yield* Projector
  const registry = yield* projector.current(PluginRegistry.projection)
  const open = Tasks.open(yield* projector.current(Tasks.projection))
  const approvals = yield* Effect.forEach(open, ([taskId]) => approvalsIn(taskId))
  return {
    plugins: Object.entries(registry).flatMap(([name, plugin]) =>
      plugin.active && !isInProcess(plugin) ? [pluginOf(name, plugin)] : [],
    ),
    approvals: approvals.flat(),
    openTasks: open.map(([taskId, { agent, goal }]) => ({ taskId, agent, goal })),
  }
})

const pluginOf = (plugin: string, found: PluginRegistry.Plugin): BroughtPlugin => {
  const { version, digest, grants } = found
  return {
    ...{ plugin, version, digest },
    grants: Schema.is(Grants.Grants)(grants) ? GrantComputation.flags(grants) : [],
    intervals: (manifestOf(found).peas.sensors ?? []).flatMap(({ name: sensor, interval }) =>
      interval === undefined ? [] : [{ sensor, everyMs: interval }],
    ),
  }
}

const approvalsIn = (taskId: string) =>
  Effect.gen(function* () {
    const events = yield* (yield* EventLog).readPage({ taskId }, Number.MAX_SAFE_INTEGER)
    const approved = new Map(
      events.flatMap((event) =>
        is(event, "ConfirmationDecided") && event.payload.approved
          ? [[confirmationOf(event.stream), event.payload.by] as const]
          : [],
      ),
    )
    return leftIn(events, () => undefined).flatMap(({ commanded, question }): ReadonlyArray<BroughtApproval> => {
      const by = question === undefined ? undefined : approved.get(question.payload.confirmationId)
      const { actuator, args } = commanded.payload
      return by === undefined ? [] : [{ taskId, actuator, args: args as JsonObject, by }]
    })
  })
