/** A task's spans, and the agent and the plugin of each of its events. Later reads continue it. */

import { Effect } from "effect"
import type { LogError } from "../../../events/log/EventLog.ts"
import * as Pages from "../../../events/read/Pages.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import { type Span, Spans } from "../../../projections/conversation/Spans.ts"
import type { TimelineHistory } from "../../../projections/timetravel/TimelineHistory.ts"
import { textOf } from "../../../values/JsonObjects.ts"
import { MOST_SPANS, type Owners, type TaskSpans as Wire } from "../../wire/Spans.ts"
import * as TaskPlugins from "./TaskPlugins.ts"

/** The folded events of a task. */
export class TaskSpans {
  position = 0
  readonly #spans = new Spans()
  readonly #agents = new Owned()
  readonly #plugins = new Owned()

  /** The number of spans and runs, about 200 bytes each. */
  get size(): number {
    return this.#spans.all.length + this.#agents.length + this.#plugins.length
  }

  take(event: Event): void {
    const { agent, plugin } = ownersOf(event, this.#spans.take(event))
    this.#agents.add(agent)
    this.#plugins.add(plugin)
    this.position = event.position
  }

  /** The call whose first event has this position. */
  callFrom(position: number): Span | undefined {
    const { all } = this.#spans
    let [low, high] = [0, all.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((all[middle]?.from ?? 0) < position) low = middle + 1
      else high = middle
    }
    return all[low]?.from === position && all[low]?.kind === "call" ? all[low] : undefined
  }

  answer(): Wire {
    const { all } = this.#spans
    return {
      spans: all.slice(0, MOST_SPANS),
      isCut: all.length > MOST_SPANS,
      until: this.position,
      agents: this.#agents.answer(),
      plugins: this.#plugins.answer(),
    }
  }
}

/**
 * The agent and the plugin of an event.
 *
 * @param span the call or the request that it is part of
 */
export const ownersOf = (
  event: Event,
  span: Span | undefined,
): { readonly agent: string | undefined; readonly plugin: string | undefined } => {
  const [plugin = span?.kind === "call" ? pluginOf(span.name) : undefined] = TaskPlugins.namesIn(event)
  return { agent: textOf(event.payload.agentId) ?? span?.agentId ?? undefined, plugin }
}

/** A component is `plugin/component`. A tool of a recorded program has no plugin. */
const pluginOf = (tool: string): string | undefined => (tool.includes("/") ? tool.split("/")[0] : undefined)

class Owned {
  readonly #names = new Map<string, number>()
  readonly #runs: Array<number> = []
  #last: number | undefined

  get length(): number {
    return this.#runs.length
  }

  add(name: string | undefined): void {
    const index = name === undefined ? -1 : (this.#names.get(name) ?? this.#names.size)
    if (name !== undefined) this.#names.set(name, index)
    if (this.#last === index) this.#runs.push((this.#runs.pop() ?? 0) + 1)
    else this.#runs.push(index, 1)
    this.#last = index
  }

  answer(): Owners {
    return { names: [...this.#names.keys()], runs: [...this.#runs] }
  }
}

/** Reads the log's own events after those folded so far, as the course of the task does. */
export const of = (past: TimelineHistory, taskId: string, folded: TaskSpans): Effect.Effect<TaskSpans, LogError> =>
  Pages.forEach(past.readPage, { taskId, after: folded.position, whole: true }, (page) => {
    // A concurrent request may have folded the same events.
    for (const event of page) if (event.position > folded.position) folded.take(event)
  }).pipe(Effect.as(folded))
