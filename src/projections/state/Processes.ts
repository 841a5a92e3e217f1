import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Projection from "../fold/Projection.ts"
import { RecordBuilder } from "../fold/RecordBuilder.ts"

/** A plugin's process that was started, and of which the log does not say that it ended. */
export const Process = Schema.Struct({
  plugin: Schema.String,
  pid: Schema.Int,
  instance: Schema.String.annotations({ description: "`kernel`, or a task's id" }),
  birth: optional(Schema.String),
}).annotations({ identifier: "Process" })

export type Process = typeof Process.Type

/** By plugin and process id: the system may have given one plugin's id to another, before it was seen that the first is gone. */
export const Processes = Schema.Record({ key: Schema.String, value: Process }).annotations({ identifier: "Processes" })

export type Processes = typeof Processes.Type

const keyOf = (plugin: string, pid: number): string => `${pid} ${plugin}`

const take = (processes: RecordBuilder<Process>, event: Event): void => {
  if (is(event, "PluginStarted")) {
    const { plugin, pid, instance, birth } = event.payload
    processes.set(keyOf(plugin, pid), { plugin, pid, instance, ...(birth === undefined ? {} : { birth }) })
  } else if (is(event, "PluginExited")) {
    processes.remove(keyOf(event.payload.plugin, event.payload.pid))
  } else if (is(event, "KernelStarted")) {
    for (const key of Object.keys(processes.record())) processes.remove(key)
  }
}

const draft = (from: Processes, own: boolean): Projection.StateBuilder<Processes> => {
  const processes = new RecordBuilder(from, own)
  return {
    take: (event) => take(processes, event),
    state: () => processes.record(),
    paged: () => processes.paged(),
  }
}

/**
 * The processes of plugins, whatever has become of their plugins: one that was removed, or imported again, may still run.
 * A kernel's start ends all processes of the kernel before it.
 */
export const projection: Projection.Projection<Processes> = {
  name: "Processes",
  version: 1,
  state: Processes,
  initial: {},
  evolve: Projection.evolveFrom(draft),
  draft,
}
