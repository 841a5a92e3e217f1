import type { DecidingAgent, View } from "../../../../kernel/agents/Agent.ts"
import * as Room from "./Room.ts"

/** What became of one task, as its events say. */
export interface Experience {
  /** What was done, in order, where, and with what came of it; null where it was refused. */
  readonly tries: ReadonlyArray<Try>
  readonly won: boolean
}

export interface Try {
  readonly room: string
  readonly act: Room.Act
  readonly result: Result | null
}

/** What a command of text-room answered, as far as an apprentice cares. */
export interface Result {
  readonly room?: string
  readonly found?: ReadonlyArray<string>
  readonly contains?: ReadonlyArray<string>
  readonly unlocked?: string
  readonly opened?: string
  readonly taken?: string
}

/** What it has learned so far: everything in it follows from its experiences, in their order. */
interface Memory {
  tasks: number
  /** The best way it knows, how far that leads, and whether to the end. */
  way: ReadonlyArray<Room.Act>
  reach: number
  won: boolean
  /** What it tried since it came further than before; what is new is tried first. */
  tried: ReadonlySet<string>
  /** What of the way cannot be left out: it was, and that was no good. */
  needed: ReadonlySet<string>
}

/** An agent that gets better from task to task. What it remembers it is told: it is a fold of its own past events. */
export interface Apprentice extends DecidingAgent {
  readonly learn: (experience: Experience) => void
}

/**
 * An agent that follows the best way it knows, and tries what is new from where that ends. Once a way leads to the end, it
 * tries to leave things out. At first it is often distracted, and ever less the more tasks it has behind it. It works on one
 * task at a time.
 */
export const apprentice = (): Apprentice => {
  const memory: Memory = { tasks: 0, way: [], reach: 0, won: false, tried: new Set(), needed: new Set() }
  let way: Array<Room.Act> = []
  return {
    name: "apprentice",
    version: "1.0.0",
    decide: (view) => {
      if (view.step === 0) way = wayToGo(memory, view)
      const seen = Room.seen(view)
      if (seen === undefined) return { done: "abandoned", reason: "There is nothing to see." }
      if (seen.won) return { done: "achieved", reason: "That was it." }
      if (view.random() < distraction(memory.tasks)) {
        const act = Room.pick(Room.doable(seen).filter(isIdle), view.random())
        if (act !== undefined) return { ...act, rationale: "What is this?" }
      }
      const known = way.shift()
      if (known !== undefined) return { ...known, rationale: "As it went best so far." }
      if (memory.won) return { done: "failed", reason: "What was left out is needed." }
      return explore(memory, seen, view) ?? { done: "failed", reason: "There is nothing left to try." }
    },
    learn: (experience) => remember(memory, experience),
  }
}

/** The best way; in one of three tasks without something that may be needless, where it leads to the end. */
const wayToGo = ({ way, won, needed }: Memory, { random }: View): Array<Room.Act> => {
  const doubtful = way.filter((act) => !needed.has(Room.keyOf(act)))
  const left = won && random() < 1 / 3 ? Room.pick(doubtful, random()) : undefined
  return way.filter((act) => act !== left)
}

/** The chance of a step that leads nowhere: a half at first, halved every fifteen tasks, and never none. */
const distraction = (tasks: number): number => 0.04 + 0.46 * 0.5 ** (tasks / 15)

/** What changes nothing that matters: looking and reading. */
const isIdle = ({ act }: Room.Act): boolean => act === "text-room/read" || act === "text-room/examine"

/** Something new if there is something, else away from here. */
const explore = ({ tried }: Memory, seen: Room.RoomObservation, { random }: View) => {
  const exits = seen.exits.map(Room.go)
  const unknown = [...Room.doable(seen), ...exits].filter((act) => !tried.has(keyIn(seen.room, act)))
  return Room.pick(unknown.length > 0 ? unknown : exits, random())
}

const keyIn = (room: string, act: Room.Act): string => `${room}: ${Room.keyOf(act)}`

/** Keeps the way that was gone if it led further than any before, or as far in fewer steps, and what was tried. */
const remember = (memory: Memory, { tries, won }: Experience): void => {
  memory.tasks += 1
  const { way, reach } = essence(tries)
  const done = new Set(tries.map(({ act }) => Room.keyOf(act)))
  const left = memory.way.map(Room.keyOf).filter((key) => !done.has(key))
  if (won ? !memory.won || way.length < memory.way.length : !memory.won && reach > memory.reach) {
    Object.assign(memory, { way, reach, won, tried: new Set() })
  } else if (memory.won && !won) {
    memory.needed = new Set([...memory.needed, ...left])
  }
  memory.tried = new Set([...memory.tried, ...tries.map(({ room, act }) => keyIn(room, act))])
}

/** What of the tries led somewhere: hidden things found and taken, locks opened, and the walks between them. */
const essence = (tries: Experience["tries"]): { readonly way: ReadonlyArray<Room.Act>; readonly reach: number } => {
  const way: Array<Room.Act> = []
  const worthTaking = new Set<string>()
  let walk: Array<{ readonly act: Room.Act; readonly to: string }> = []
  let from = tries[0]?.room
  let reach = 0
  const useful = (result: Result): boolean =>
    (result.found ?? []).length > 0 ||
    result.unlocked !== undefined ||
    (result.opened !== undefined && (result.contains ?? []).length > 0) ||
    (result.taken !== undefined && worthTaking.has(result.taken))
  for (const { act, result } of tries) {
    if (result === null) continue
    if (result.room !== undefined) {
      // A walk in a circle leads nowhere.
      const back = walk.findIndex(({ to }) => to === result.room)
      walk = result.room === from ? [] : back < 0 ? [...walk, { act, to: result.room }] : walk.slice(0, back + 1)
    } else if (useful(result)) {
      way.push(...walk.map(({ act }) => act), act)
      from = walk.at(-1)?.to ?? from
      walk = []
      reach += 1
    }
    for (const name of [...(result.found ?? []), ...(result.contains ?? [])]) worthTaking.add(name)
  }
  return { way, reach }
}
