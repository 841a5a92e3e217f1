/** The commands that wait in the queue, arranged so that finding the next one costs little, however many wait. */

import type { CommandOrder, Place } from "./CommandOrder.ts"
import * as Heap from "./Heap.ts"

/** The commands to one instance of a plugin. */
export interface Lane {
  readonly name: string
  readonly capacity: number
  /** A wider lane, in which its commands count, too. */
  readonly within?: { readonly name: string; readonly capacity: number }
}

/** A command that waits, or has waited. */
export interface Queued {
  readonly slot: { readonly lane: Lane; readonly actuator: string; readonly priority: number }
  readonly place: Place
}

/**
 * Waiting commands of one actuator and requested priority, in the order of their requests. They share one place: the
 * widest lane in which they count. A command that its task or its narrow lane holds up is set aside until one of them
 * changes, so that it is not looked at each time a turn comes free.
 */
export interface WaitingCommands<Entry extends Queued> {
  readonly add: (entry: Entry) => void
  /** Returns whether it was there. */
  readonly remove: (entry: Entry) => boolean
  readonly isEmpty: () => boolean
  /** Whether a command waits in a lane of this name. */
  readonly waitsIn: (lane: string) => boolean
  /** Tells that commands of a task may start that could not before. */
  readonly taskChanged: (task: string) => void
  /** Tells that a lane, and the wider one around it, have room again. */
  readonly vacated: (lane: Lane) => void
  /**
   * The first command of each actuator and priority that may start now. Only what was told since the last time can have
   * changed this.
   */
  readonly ready: () => ReadonlyArray<Entry>
}

interface Line<Entry> {
  readonly heap: Heap.Heap<Entry>
  size: number
}

interface Waiting<Entry> {
  readonly line: Line<Entry>
  /** Those set aside for the same reason; undefined in its line. */
  aside: Set<Entry> | undefined
}

/** @param hasRoom whether a lane has room, regardless of the wider one around it */
export const make = <Entry extends Queued>(
  { mayStart }: Pick<CommandOrder, "mayStart">,
  hasRoom: (lane: Omit<Lane, "within">) => boolean,
): WaitingCommands<Entry> => {
  const entries = new Map<Entry, Waiting<Entry>>()
  /** By the name of the widest lane, then by actuator, priority and capacity. */
  const lines = new Map<string, Map<string, Line<Entry>>>()
  /** Names of lanes whose lines may have a command that may start. */
  const changed = new Set<string>()
  const inLane = new Map<string, number>()
  const asideByTask = new Map<string, Set<Entry>>()
  const asideByLane = new Map<string, Set<Entry>>()

  const lineOf = ({ slot: { lane, actuator, priority } }: Entry): Line<Entry> => {
    const { name, capacity } = widest(lane)
    const all = lines.get(name) ?? new Map<string, Line<Entry>>()
    lines.set(name, all)
    const key = `${priority} ${capacity} ${actuator}`
    const line = all.get(key) ?? { heap: Heap.make<Entry>(byArrival), size: 0 }
    all.set(key, line)
    return line
  }

  const setAside = (entry: Entry, from: Map<string, Set<Entry>>, key: string) => {
    const aside = from.get(key) ?? new Set<Entry>()
    from.set(key, aside.add(entry))
    const waiting = entries.get(entry)
    if (waiting !== undefined) waiting.aside = aside
  }

  const takeBack = (from: Map<string, Set<Entry>>, key: string) => {
    const aside = from.get(key)
    if (aside === undefined) return
    from.delete(key)
    for (const entry of aside) {
      const waiting = entries.get(entry)
      if (waiting === undefined) continue
      waiting.aside = undefined
      waiting.line.heap.push(entry)
      changed.add(widest(entry.slot.lane).name)
    }
  }

  /** The first command of a line that may start. Those before it are set aside, and those that no longer wait are dropped. */
  const firstOf = ({ heap }: Line<Entry>): Entry | undefined => {
    for (let entry = heap.first(); entry !== undefined; entry = heap.first()) {
      const { lane } = entry.slot
      if (entries.has(entry)) {
        if (!hasRoom(widest(lane))) return undefined
        const isHeldUp = !hasRoom(lane)
        if (!isHeldUp && mayStart(entry.place)) return entry
        if (isHeldUp) setAside(entry, asideByLane, lane.name)
        else setAside(entry, asideByTask, entry.place.task)
      }
      heap.pop()
    }
    return undefined
  }

  return {
    add: (entry) => {
      const line = lineOf(entry)
      line.size += 1
      line.heap.push(entry)
      entries.set(entry, { line, aside: undefined })
      const { lane } = entry.slot
      inLane.set(lane.name, (inLane.get(lane.name) ?? 0) + 1)
      changed.add(widest(lane).name)
    },
    remove: (entry) => {
      const waiting = entries.get(entry)
      if (waiting === undefined) return false
      entries.delete(entry)
      waiting.aside?.delete(entry)
      const { lane } = entry.slot
      const left = (inLane.get(lane.name) ?? 1) - 1
      if (left > 0) inLane.set(lane.name, left)
      else inLane.delete(lane.name)
      waiting.line.size -= 1
      if (waiting.line.size === 0) forget(lines, widest(lane).name, waiting.line)
      return true
    },
    isEmpty: () => entries.size === 0,
    waitsIn: (lane) => inLane.has(lane),
    taskChanged: (task) => takeBack(asideByTask, task),
    vacated: (lane) => {
      takeBack(asideByLane, lane.name)
      const { name } = widest(lane)
      if (lines.has(name)) changed.add(name)
    },
    ready: () => {
      const found: Array<Entry> = []
      for (const name of changed) {
        const before = found.length
        for (const line of lines.get(name)?.values() ?? []) {
          const first = firstOf(line)
          if (first !== undefined) found.push(first)
        }
        if (found.length === before) changed.delete(name)
      }
      return found
    },
  }
}

const widest = (lane: Lane): Omit<Lane, "within"> => lane.within ?? lane

const byArrival = (a: Queued, b: Queued): boolean => a.place.arrived < b.place.arrived

const forget = <Entry>(lines: Map<string, Map<string, Line<Entry>>>, name: string, line: Line<Entry>) => {
  const all = lines.get(name)
  for (const [key, one] of all ?? []) if (one === line) all?.delete(key)
  if (all?.size === 0) lines.delete(name)
}
