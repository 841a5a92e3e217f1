/** A task's spans (`wire/Spans`), found by their events, and the agent and the plugin of each event. */
import type { Owners, Span, TaskSpans } from "../../../wire/Spans.ts"

export class SpansOfTask {
  readonly all: ReadonlyArray<Span>
  readonly agents: ReadonlyArray<string>
  readonly plugins: ReadonlyArray<string>
  readonly isCut: boolean
  /** The last position that they cover; later events are not known yet. */
  readonly until: number
  readonly #calls = new Map<number, Span>()
  readonly #agentAt: Lookup
  readonly #pluginAt: Lookup

  constructor({ spans, isCut, until, agents, plugins }: TaskSpans) {
    this.all = spans
    this.isCut = isCut
    this.until = until
    this.agents = agents.names
    this.plugins = plugins.names
    this.#agentAt = lookup(agents)
    this.#pluginAt = lookup(plugins)
    for (const span of spans) for (const position of span.events) this.#calls.set(position, span)
  }

  /** The call that an event is part of. */
  callAt(position: number): Span | undefined {
    return this.#calls.get(position)
  }

  /** @param index of the event in the task */
  agentAt(index: number): string | undefined {
    return this.#agentAt(index)
  }

  /** @param index of the event in the task */
  pluginAt(index: number): string | undefined {
    return this.#pluginAt(index)
  }
}

type Lookup = (index: number) => string | undefined

const lookup = ({ names, runs }: Owners): Lookup => {
  const ends: Array<number> = []
  const owners: Array<number> = []
  let end = 0
  for (let at = 0; at + 1 < runs.length; at += 2) {
    end += runs[at + 1] ?? 0
    ends.push(end)
    owners.push(runs[at] ?? -1)
  }
  return (index) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) <= index) low = middle + 1
      else high = middle
    }
    return names[owners[low] ?? -1]
  }
}
