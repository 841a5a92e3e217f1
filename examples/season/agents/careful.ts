/** An agent that explores a text room systematically. */
import type { Agent } from "hindcast"
import * as Room from "./Room.ts"

interface Notes {
  /** Exits by room, and the room behind each if it is known. */
  readonly exits: Map<string, Map<string, string | undefined>>
  /** Locked containers by room. */
  readonly locked: Map<string, Set<string>>
  /** The commands it gave. It gives none twice. */
  readonly done: Set<string>
  last?: { readonly from: string; readonly act: Room.Act }
}

/**
 * An agent that examines everything once: the things in a room, then each exit, each key with each lock. It does not
 * repeat refused commands, and gives up when nothing is left to do. It works on one task at a time.
 */
export const careful = (): Agent.DecidingAgent => {
  let notes = newNotes()
  return {
    name: "careful",
    version: "1.0.0",
    decide: (context) => {
      if (context.step === 0) notes = newNotes()
      const seen = Room.seen(context)
      if (seen === undefined) return { done: "abandoned", reason: "There is nothing to see." }
      if (seen.won) return { done: "achieved", reason: "It is in hand." }
      if (seen.lost) return { done: "failed", reason: "The time is up." }
      learn(notes, context, seen)
      const next = nextCommandIn(notes, seen) ?? nextMove(notes, seen)
      if (next === undefined) return { done: "abandoned", reason: "Every thing was looked at, and every key tried." }
      notes.last = { from: seen.room, act: next }
      notes.done.add(Room.keyOf(next))
      return next satisfies Agent.Choice
    },
  }
}

const newNotes = (): Notes => ({ exits: new Map(), locked: new Map(), done: new Set() })

/** Learns where the last command led, and which containers are locked. */
const learn = (
  { exits, locked, last }: Notes,
  { lastOutcome }: Agent.DecisionContext,
  seen: Room.RoomObservation,
): void => {
  const known = exits.get(seen.room) ?? new Map(seen.exits.map((direction) => [direction, undefined]))
  exits.set(seen.room, known)
  const direction = last?.act.act === "text-room/go" ? last.act.args?.direction : undefined
  if (last !== undefined && typeof direction === "string" && lastOutcome?.status === "succeeded") {
    exits.get(last.from)?.set(direction, seen.room)
  }
  const lockedHere =
    lastOutcome?.status === "failed" && lastOutcome.error.code === "locked" ? lastOutcome.args.target : undefined
  if (typeof lockedHere === "string") locked.set(seen.room, new Set(locked.get(seen.room)).add(lockedHere))
  if (lastOutcome?.status === "succeeded" && lastOutcome.actuator === "text-room/use") {
    locked.get(seen.room)?.delete(String(lastOutcome.args.on))
  }
}

const nextCommandIn = ({ done, locked }: Notes, seen: Room.RoomObservation): Room.Act | undefined => {
  const lockedHere = locked.get(seen.room)
  const isNew = (act: Room.Act) => !done.has(Room.keyOf(act))
  const keys = seen.carried.filter(({ name }) => isKey(name))
  return [
    ...[...(lockedHere ?? [])].flatMap((container) => keys.map(({ name }) => Room.use(name, container))),
    ...seen.things.filter(({ takeable }) => takeable).map(({ name }) => Room.take(name)),
    ...seen.things.filter(({ takeable }) => !takeable).map(({ name }) => Room.examine(name)),
    ...seen.things.filter(({ open }) => open === false).flatMap(({ name }) => openable(name, lockedHere, done)),
  ].find(isNew)
}

const isKey = (name: string): boolean => name.includes("key")

/** A locked container is opened again after a key was used on it. */
const openable = (
  name: string,
  lockedHere: ReadonlySet<string> | undefined,
  done: Set<string>,
): ReadonlyArray<Room.Act> => {
  if (lockedHere?.has(name) === true) return []
  const act = Room.open(name)
  if (lockedHere !== undefined) done.delete(Room.keyOf(act))
  return [act]
}

/** The first move towards the nearest room with an untried key or exit. */
const nextMove = (notes: Notes, { room, carried }: Room.RoomObservation): Room.Act | undefined => {
  const keys = carried.filter(({ name }) => isKey(name))
  const isWorthIt = (of: string) =>
    [...(notes.locked.get(of) ?? [])].some((container) =>
      keys.some(({ name }) => !notes.done.has(Room.keyOf(Room.use(name, container)))),
    )
  const isOpenEnded = (of: string) => [...(notes.exits.get(of)?.values() ?? [])].includes(undefined)
  return stepTowards(notes, room, isWorthIt) ?? stepTowards(notes, room, isOpenEnded)
}

/** Breadth-first search over the known exits. In the target room itself, its first unknown exit. */
const stepTowards = ({ exits }: Notes, from: string, isWanted: (room: string) => boolean): Room.Act | undefined => {
  const queue: Array<readonly [room: string, first: string | undefined]> = [[from, undefined]]
  const visited = new Set([from])
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [room, first] = next
    if (isWanted(room)) {
      const direction = first ?? [...(exits.get(room) ?? [])].find(([, to]) => to === undefined)?.[0]
      return direction === undefined ? undefined : Room.go(direction)
    }
    for (const [direction, to] of exits.get(room) ?? []) {
      if (to === undefined || visited.has(to)) continue
      visited.add(to)
      queue.push([to, first ?? direction])
    }
  }
  return undefined
}
