/** Effects of acting on a log: plugins that would start, approvals, open tasks. */

import { Effect, Schema } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import * as Grants from "../../plugins/manifest/Grants.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import { confirmationOf } from "../../projections/state/ConfirmationAnswer.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import type { JsonObject } from "../../values/Json.ts"
import { ENDS } from "../acting/CommandState.ts"
import { manifestOf } from "../registry/ComponentLookup.ts"
import * as GrantComputation from "../registry/GrantComputation.ts"
import { isInProcess } from "../registry/InProcess.ts"

/** An active plugin, which a task would start. */
export interface BroughtPlugin {
  readonly plugin: string
  readonly version: string
  readonly digest: string
  /** As command-line options. */
  readonly grants: ReadonlyArray<string>
  /** Sensors that are read at intervals. */
  readonly intervals: ReadonlyArray<{ readonly sensor: string; readonly everyMs: number }>
}

/** An approved command that has not run. */
export interface BroughtApproval {
  readonly taskId: string
  readonly actuator: string
  readonly args: JsonObject
  readonly by: string
}

/** A task that a kernel can resume. */
export interface BroughtTask {
  readonly taskId: string
  readonly agent: string
  readonly goal: string
}

/** Plugins, approvals and open tasks of a log. */
export interface Brought {
  readonly plugins: ReadonlyArray<BroughtPlugin>
  readonly approvals: ReadonlyArray<BroughtApproval>
  readonly openTasks: ReadonlyArray<BroughtTask>
  /** Open tasks whose commands were not all read: too many tasks or commands. */
  readonly partlyRead: number
}

/** Reads them without starting anything. */
export const read: Effect.Effect<Brought, LogError, EventLog | Projector> = Effect.gen(function* () {
  const projector = yield* Projector
  const registry = yield* projector.current(PluginRegistry.projection)
  const open = Tasks.open(yield* projector.current(Tasks.projection))
  const found = yield* Effect.forEach(open.slice(0, MAX_TASKS), ([taskId]) => approvalsIn(taskId))
  return {
    plugins: Object.entries(registry).flatMap(([name, plugin]) =>
      plugin.active && !isInProcess(plugin) ? [pluginOf(name, plugin)] : [],
    ),
    approvals: found.flatMap(({ approvals }) => approvals),
    openTasks: open.map(([taskId, { agent, goal }]) => ({ taskId, agent, goal })),
    partlyRead: open.length - found.filter(({ isWhole }) => isWhole).length,
  }
})

/** Maximum open tasks to search for approvals. */
const MAX_TASKS = 200

const pluginOf = (plugin: string, found: PluginRegistry.Plugin): BroughtPlugin => {
  const { version, digest, grants } = found
  return {
    plugin,
    version,
    digest,
    grants: Schema.is(Grants.Grants)(grants) ? GrantComputation.flags(grants) : [],
    intervals: (manifestOf(found).peas.sensors ?? []).flatMap(({ name: sensor, interval }) =>
      interval === undefined ? [] : [{ sensor, everyMs: interval }],
    ),
  }
}

interface Waiting {
  readonly actuator: string
  readonly args: JsonObject
  readonly confirmationId?: string
}

/**
 * A stranger may have made the task arbitrarily large: reads page by page, and keeps at most `MAX_WAITING` commands.
 */
const approvalsIn = (taskId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const waiting = new Map<string, Waiting>()
    const approved = new Map<string, string>()
    let isWhole = true
    const take = (event: Event) => {
      if (is(event, "ActuatorCommanded")) {
        const { commandId, actuator, args } = event.payload
        if (waiting.size < MAX_WAITING) waiting.set(commandId, { actuator, args: excerptOf(args as JsonObject) })
        else isWhole = false
      } else if (is(event, "ConfirmationRequested")) {
        const { commandId, confirmationId } = event.payload
        const command = commandId === undefined ? undefined : waiting.get(commandId)
        if (commandId === undefined || command === undefined) return
        approved.delete(command.confirmationId ?? "")
        waiting.set(commandId, { ...command, confirmationId })
      } else if (is(event, "ConfirmationDecided")) {
        const confirmationId = confirmationOf(event.stream)
        if (!event.payload.approved || confirmationId === undefined) return
        if (approved.size < MAX_WAITING) approved.set(confirmationId, event.payload.by)
        else isWhole = false
      } else if (typeof event.payload.commandId === "string") {
        approved.delete(waiting.get(event.payload.commandId)?.confirmationId ?? "")
        waiting.delete(event.payload.commandId)
      }
    }
    for (let after = 0; ; ) {
      const page = yield* log.readPage({ taskId, types: TYPES, after }, PAGE)
      page.forEach(take)
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) break
      after = last.position
      yield* yieldToEventLoop
    }
    const approvals = [...waiting.values()].flatMap(
      ({ actuator, args, confirmationId }): ReadonlyArray<BroughtApproval> => {
        const by = approved.get(confirmationId ?? "")
        return by === undefined ? [] : [{ taskId, actuator, args, by }]
      },
    )
    return { approvals, isWhole }
  })

const TYPES = ["ActuatorCommanded", "ConfirmationRequested", "ConfirmationDecided", ...ENDS] as const

/** Few, since each may be large. */
const PAGE = 16

/** A kernel lets far fewer wait. */
const MAX_WAITING = 1000

/** Keeps no arguments that are too long to show. */
const excerptOf = (args: JsonObject): JsonObject => {
  const text = JSON.stringify(args)
  return text.length <= MAX_ARGUMENTS ? args : { excerpt: text.slice(0, MAX_ARGUMENTS) }
}

const MAX_ARGUMENTS = 1000
