/** All events of a timeline in columns, without payloads: the kind, the agent, the plugin and the call of each. */

import type { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { Spans } from "../../projections/conversation/Spans.ts"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"
import { ownersOf } from "../course/facts/TaskSpans.ts"
import { outlined } from "../course/Outline.ts"
import { KINDS, type Kind } from "../wire/Kind.ts"
import { type EventFilter, isFiltering, MOST_NAMES, rowsOf } from "../wire/Rows.ts"
import { Bins, type Counted, KIND_BY_CODE, type Range } from "./Bins.ts"
import { bytes, integers, Names } from "./Columns.ts"

/** How a list shows the events. */
export interface Showing extends EventFilter {
  /** Whether a call is one row. */
  readonly folded: boolean
  /** The positions of the first events of calls that are shown the other way round. */
  readonly turned: ReadonlySet<number>
}

/** The rows of a list. */
export interface Listed {
  readonly length: number
  readonly hidden: number
  /** The index of the event of a row. */
  readonly indexAt: (row: number) => number
  /** The last row whose event is at or before a position, or -1. */
  readonly rowOf: (position: number) => number
}

/** The spans of a task, and how many of the first ones are known to have ended. */
interface Followed {
  readonly spans: Spans
  ended: number
}

/** The types of the events with which calls and requests begin. */
const BEGINNINGS: ReadonlySet<string> = new Set(["ActuatorCommanded", "ModelCalled"])

export class TimelineEvents {
  readonly #positions = integers()
  readonly #codes = bytes()
  readonly #agents = integers()
  readonly #plugins = integers()
  /** The position of the first event of its call; 0 without one. */
  readonly #calls = integers()
  readonly #tasks = integers()
  readonly #taskNames = new Names()
  readonly #agentNames = new Names()
  readonly #pluginNames = new Names()
  readonly #counts = KINDS.map(() => 0)
  /** The calls and requests of tasks that are open, or whose calls have not ended. */
  readonly #spans = new Map<string, Followed>()
  /** The numbers of the closed tasks. */
  readonly #closed = new Set<number>()
  #listed: { readonly key: string; readonly rows: Listed } | undefined

  /** The last position. */
  last = 0

  get length(): number {
    return this.#positions.length
  }

  /** The number of tasks whose calls and requests are in memory. */
  get followed(): number {
    return this.#spans.size
  }

  take(event: Event): void {
    const task = event.taskId === null ? 0 : this.#taskNames.add(event.taskId)
    const followed = event.taskId === null ? undefined : this.#followedOf(event.taskId, task, event.type)
    const span = followed?.spans.take(event)
    const { agent, plugin } = ownersOf(event, span)
    const code = outlined(event, event).code.charCodeAt(0)
    this.#positions.push(event.position)
    this.#codes.push(code)
    this.#agents.push(agent === undefined ? 0 : this.#agentNames.add(agent))
    this.#plugins.push(plugin === undefined ? 0 : this.#pluginNames.add(plugin))
    this.#tasks.push(task)
    this.#calls.push(span?.kind === "call" ? (span.events[0] ?? 0) : 0)
    const { kind } = KIND_BY_CODE[code] ?? { kind: KINDS.length - 1 }
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1
    this.last = event.position
    if (event.taskId === null) return
    if (event.type === "TaskClosed") this.#closed.add(task)
    if (this.#closed.has(task) && followed !== undefined && haveEnded(followed)) this.#spans.delete(event.taskId)
  }

  /** The spans that an event may be part of. After the end of a task and of its calls, only a new one needs any. */
  #followedOf(taskId: string, task: number, type: string): Followed | undefined {
    const known = this.#spans.get(taskId)
    if (known !== undefined || (this.#closed.has(task) && !BEGINNINGS.has(type))) return known
    const followed = { spans: new Spans(), ended: 0 }
    this.#spans.set(taskId, followed)
    return followed
  }

  positionAt(index: number): number {
    return this.#positions.at(index)
  }

  taskAt(index: number): string | undefined {
    return this.#taskNames.nameOf(this.#tasks.at(index))
  }

  /** The position of the first event of an event's call; 0 without one. */
  callAt(index: number): number {
    return this.#calls.at(index)
  }

  /** The kinds of the events, each with its number of events. */
  get kinds(): ReadonlyArray<readonly [kind: Kind, events: number]> {
    return KINDS.flatMap((kind, index) => {
      const events = this.#counts[index] ?? 0
      return events === 0 ? [] : [[kind, events] as const]
    })
  }

  get agents(): ReadonlyArray<string> {
    return this.#agentNames.first(MOST_NAMES)
  }

  get plugins(): ReadonlyArray<string> {
    return this.#pluginNames.first(MOST_NAMES)
  }

  /** Computed again only after a change. */
  rows(showing: Showing): Listed {
    const { turned, ...rest } = showing
    const key = JSON.stringify([rest, [...turned], this.length])
    if (this.#listed?.key !== key) this.#listed = { key, rows: this.#list(showing) }
    return this.#listed.rows
  }

  #list({ folded, turned, ...filter }: Showing): Listed {
    const { rows, hidden } = rowsOf({
      length: this.length,
      callAt: (index) => this.#calls.at(index),
      isFirst: (index) => this.#calls.at(index) === this.#positions.at(index),
      holds: this.#holds(filter),
      isOpen: (call) => turned.has(call) === folded,
    })
    return {
      length: rows.length,
      hidden,
      indexAt: (row) => rows[row] ?? 0,
      rowOf: (position) => countUpTo(rows.length, (row) => this.#positions.at(rows[row] ?? 0), position) - 1,
    }
  }

  /** The number of events of each kind that satisfy a filter, along a range. */
  density(range: Range, filter: EventFilter): Counted {
    const bins = new Bins(range)
    const holds = this.#holds(filter)
    const start = countUpTo(this.length, (index) => this.#positions.at(index), range.from - 1)
    for (let index = start; index < this.length; index++) {
      const position = this.#positions.at(index)
      if (position > range.to) break
      if (holds?.(index) ?? true) bins.add(position, this.#codes.at(index))
    }
    return bins.density(this.last)
  }

  #holds(filter: EventFilter): ((index: number) => boolean) | null {
    if (!isFiltering(filter)) return null
    const [agent, plugin] = [this.#agentNames.numberOf(filter.agent), this.#pluginNames.numberOf(filter.plugin)]
    return (index) =>
      (filter.kind === "" || KINDS[KIND_BY_CODE[this.#codes.at(index)]?.kind ?? -1] === filter.kind) &&
      (filter.agent === "" || (agent !== 0 && this.#agents.at(index) === agent)) &&
      (filter.plugin === "" || (plugin !== 0 && this.#plugins.at(index) === plugin))
  }
}

/** Whether all spans have ended. Looks at each ended one once. */
const haveEnded = (followed: Followed): boolean => {
  const { all } = followed.spans
  while (all[followed.ended] !== undefined && all[followed.ended]?.to !== null) followed.ended += 1
  return followed.ended >= all.length
}

/** How many of `length` ordered numbers are at most `limit`. */
const countUpTo = (length: number, at: (index: number) => number, limit: number): number => {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (at(middle) <= limit) low = middle + 1
    else high = middle
  }
  return low
}

/** Reads the log's own events after those taken so far. Other requests get their turn between two pages. */
export const extend = (past: TimelineHistory, events: TimelineEvents): Effect.Effect<void, LogError> =>
  Pages.forEach(past.readPage, { after: events.last, whole: true }, (page) => {
    for (const event of page) events.take(event)
  })
