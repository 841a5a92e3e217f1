/** An agent that learns from its past tasks, so that the season's scores show a trend. */
import type { Agent } from "hindcast"
import * as Room from "./Room.ts"

/** The course of one task, folded from its events. */
export interface Experience {
  /** In order. The result is null for a refused command. */
  readonly tries: ReadonlyArray<Try>
  readonly won: boolean
}

export interface Try {
  readonly room: string
  readonly act: Room.Act
  readonly result: Result | null
}

/** The parts of a command's result that the apprentice uses. */
export interface Result {
  readonly room?: string
  readonly found?: ReadonlyArray<string>
  readonly contains?: ReadonlyArray<string>
  readonly unlocked?: string
  readonly opened?: string
  readonly taken?: string
}

/** Follows from the experiences, in their order. */
interface Memory {
  tasks: number
  /** The best known sequence of commands, its number of useful steps, and whether it wins. */
  route: ReadonlyArray<Room.Act>
  progress: number
  won: boolean
  /** Since the last improvement. New commands are tried first. */
  tried: ReadonlySet<string>
  /** A task without one of these failed. */
  needed: ReadonlySet<string>
}

/** An agent whose memory is a fold of its own past events, which `learn` adds. */
export interface Apprentice extends Agent.DecidingAgent {
  readonly learn: (experience: Experience) => void
}

/**
 * An agent that follows its best known route and tries new commands from the route's end. Once a route wins, it tries
 * to leave commands out. It is often distracted at first, and less so with each task. It works on one task at a time.
 */
export const apprentice = (): Apprentice => {
  const memory: Memory = { tasks: 0, route: [], progress: 0, won: false, tried: new Set(), needed: new Set() }
  let route: Array<Room.Act> = []
  return {
    name: "apprentice",
    version: "1.0.0",
    decide: (context) => {
      if (context.step === 0) route = chooseRoute(memory, context)
      const seen = Room.seen(context)
      if (seen === undefined) return { done: "abandoned", reason: "There is nothing to see." }
      if (seen.won) return { done: "achieved", reason: "That was it." }
      if (context.random() < distraction(memory.tasks)) {
        const act = Room.pick(Room.doable(seen).filter(isIdle), context.random())
        if (act !== undefined) return { ...act, rationale: "What is this?" }
      }
      const known = route.shift()
      if (known !== undefined) return { ...known, rationale: "As it went best so far." }
      if (memory.won) return { done: "failed", reason: "What was left out is needed." }
      return explore(memory, seen, context) ?? { done: "failed", reason: "There is nothing left to try." }
    },
    learn: (experience) => remember(memory, experience),
  }
}

/** The best route. Once it wins, one of three tasks leaves out a command that may be unnecessary. */
const chooseRoute = ({ route, won, needed }: Memory, { random }: Agent.DecisionContext): Array<Room.Act> => {
  const candidates = route.filter((act) => !needed.has(Room.keyOf(act)))
  const omitted = won && random() < 1 / 3 ? Room.pick(candidates, random()) : undefined
  return route.filter((act) => act !== omitted)
}

/** The probability of a useless step: one half at first; the part above 0.04 is halved every fifteen tasks. */
const distraction = (tasks: number): number => 0.04 + 0.46 * 0.5 ** (tasks / 15)

const isIdle = ({ act }: Room.Act): boolean => act === "text-room/read" || act === "text-room/examine"

/** A new command in this room, otherwise an exit. */
const explore = ({ tried }: Memory, seen: Room.RoomObservation, { random }: Agent.DecisionContext) => {
  const exits = seen.exits.map(Room.go)
  const unknown = [...Room.doable(seen), ...exits].filter((act) => !tried.has(keyIn(seen.room, act)))
  return Room.pick(unknown.length > 0 ? unknown : exits, random())
}

const keyIn = (room: string, act: Room.Act): string => `${room}: ${Room.keyOf(act)}`

/** Remembers the tried commands, and their route if it made more progress, or won with fewer steps. */
const remember = (memory: Memory, { tries, won }: Experience): void => {
  memory.tasks += 1
  const { route, progress } = usefulPart(tries)
  const done = new Set(tries.map(({ act }) => Room.keyOf(act)))
  const omitted = memory.route.map(Room.keyOf).filter((key) => !done.has(key))
  if (won ? !memory.won || route.length < memory.route.length : !memory.won && progress > memory.progress) {
    Object.assign(memory, { route, progress, won, tried: new Set() })
  } else if (memory.won && !won) {
    memory.needed = new Set([...memory.needed, ...omitted])
  }
  memory.tried = new Set([...memory.tried, ...tries.map(({ room, act }) => keyIn(room, act))])
}

/** The useful part of a task: finding and taking hidden things, opening locks, and the moves between them. */
const usefulPart = (
  tries: Experience["tries"],
): { readonly route: ReadonlyArray<Room.Act>; readonly progress: number } => {
  const route: Array<Room.Act> = []
  const worthTaking = new Set<string>()
  let moves: Array<{ readonly act: Room.Act; readonly to: string }> = []
  let from = tries[0]?.room
  let progress = 0
  const useful = (result: Result): boolean =>
    (result.found ?? []).length > 0 ||
    result.unlocked !== undefined ||
    (result.opened !== undefined && (result.contains ?? []).length > 0) ||
    (result.taken !== undefined && worthTaking.has(result.taken))
  for (const { act, result } of tries) {
    if (result === null) continue
    if (result.room !== undefined) {
      // A return to a visited room removes the moves of the circle.
      const back = moves.findIndex(({ to }) => to === result.room)
      moves = result.room === from ? [] : back < 0 ? [...moves, { act, to: result.room }] : moves.slice(0, back + 1)
    } else if (useful(result)) {
      route.push(...moves.map(({ act }) => act), act)
      from = moves.at(-1)?.to ?? from
      moves = []
      progress += 1
    }
    for (const name of [...(result.found ?? []), ...(result.contains ?? [])]) worthTaking.add(name)
  }
  return { route, progress }
}
