/** The projection of running plugin processes, as far as the log records them. */

import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { RecordBuilder } from "../fold/RecordBuilder.ts"
import { recordProjection } from "../fold/RecordProjection.ts"

/** A plugin process that was started, and whose end is not in the log. */
export const Process = Schema.Struct({
  plugin: Schema.String,
  pid: Schema.Int,
  instance: Schema.String.annotations({ description: "`kernel`, or a task's id" }),
  birth: optional(Schema.String),
}).annotations({ identifier: "Process" })

export type Process = typeof Process.Type

/**
 * The processes by plugin and process id. The operating system can reuse the id of a process for another plugin before
 * the exit of the first is recorded.
 */
export const Processes = Schema.Record({ key: Schema.String, value: Process }).annotations({ identifier: "Processes" })

export type Processes = typeof Processes.Type

const keyOf = (plugin: string, pid: number): string => `${pid} ${plugin}`

const apply = (processes: RecordBuilder<Process>, event: Event): void => {
  if (is(event, "PluginStarted")) {
    const { plugin, pid, instance, birth } = event.payload
    processes.set(keyOf(plugin, pid), { plugin, pid, instance, ...(birth === undefined ? {} : { birth }) })
  } else if (is(event, "PluginExited")) {
    processes.remove(keyOf(event.payload.plugin, event.payload.pid))
  } else if (is(event, "KernelStarted")) {
    for (const key of Object.keys(processes.record())) processes.remove(key)
  }
}

/**
 * The processes of all plugins, including plugins that were removed or imported again and may still run. The start of a
 * kernel ends all processes of the previous kernel.
 */
export const projection = recordProjection({ name: "Processes", version: 1, state: Processes, apply })
