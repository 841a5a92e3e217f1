/** The projection of running plugin processes, as far as the log records them. */

import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import type { RecordBuilder } from "../fold/RecordBuilder.ts"
import { recordProjection } from "../fold/RecordProjection.ts"

/** A plugin process that was started and whose end is not in the log. */
export const Process = Schema.Struct({
  plugin: Schema.String,
  pid: Schema.Int,
  instance: Schema.String.annotations({ description: "`kernel`, or a task's id" }),
  birth: optional(Schema.String),
  kernel: optional(Schema.String.annotations({ description: "The identity of the kernel that started it" })),
}).annotations({ identifier: "Process" })

export type Process = typeof Process.Type

/**
 * The processes by plugin, process id and kernel. The operating system can reuse a process id for another plugin before
 * the first exit is recorded, and kernels in two containers can have processes with the same id.
 */
export const Processes = Schema.Record({ key: Schema.String, value: Process }).annotations({ identifier: "Processes" })

export type Processes = typeof Processes.Type

const keyOf = (plugin: string, pid: number, kernel = ""): string => [pid, plugin, kernel].join(" ").trimEnd()

const given = (fields: { readonly birth: string | undefined; readonly kernel: string | undefined }) => ({
  ...defined({ birth: fields.birth, kernel: fields.kernel }),
})

const apply = (processes: RecordBuilder<Process>, event: Event): void => {
  if (is(event, "PluginStarted")) {
    const { plugin, pid, instance, birth, kernel } = event.payload
    processes.set(keyOf(plugin, pid, kernel), { plugin, pid, instance, ...given({ birth, kernel }) })
  } else if (is(event, "PluginExited")) {
    const { plugin, pid, kernel } = event.payload
    for (const [key, found] of Object.entries(processes.record())) {
      if (found.plugin === plugin && found.pid === pid && (kernel ?? found.kernel) === found.kernel)
        processes.remove(key)
    }
  } else if (is(event, "KernelStarted")) {
    // Before 0.3.1, events did not name the kernel. For those that do, each kernel's recovery records the end.
    for (const [key, { kernel }] of Object.entries(processes.record())) if (kernel === undefined) processes.remove(key)
  }
}

/**
 * The processes of all plugins, including those that were removed or imported again and may still run. They belong to
 * the kernel that started them: another kernel's start ends only those that name no kernel.
 */
export const projection = recordProjection({ name: "Processes", version: 2, state: Processes, apply })
