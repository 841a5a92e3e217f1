import type { Choice, DecidingAgent, View } from "../../../../kernel/agents/Agent.ts"
import * as Room from "./Room.ts"

/** What it keeps in mind during one task. */
interface Notes {
  /** Exits by room: where each leads, as far as it went through. */
  readonly exits: Map<string, Map<string, string | undefined>>
  /** Containers that are locked, by the room they stand in. */
  readonly locked: Map<string, Set<string>>
  /** What it did: it does nothing twice. */
  readonly done: Set<string>
  last?: { readonly from: string; readonly act: Room.Act }
}

/**
 * An agent that looks at everything once: what stands in a room before it goes on, every exit, every key on every lock. What
 * was refused it does not try again, and it says so when nothing is left. It works on one task at a time.
 */
export const careful = (): DecidingAgent => {
  let notes = fresh()
  return {
    name: "careful",
    version: "1.0.0",
    decide: (view) => {
      if (view.step === 0) notes = fresh()
      const seen = Room.seen(view)
      if (seen === undefined) return { done: "abandoned", reason: "There is nothing to see." }
      if (seen.won) return { done: "achieved", reason: "It is in hand." }
      if (seen.lost) return { done: "failed", reason: "The time is up." }
      learn(notes, view, seen)
      const next = nextIn(notes, seen) ?? wayOn(notes, seen)
      if (next === undefined) return { done: "abandoned", reason: "Every thing was looked at, and every key tried." }
      notes.last = { from: seen.room, act: next }
      notes.done.add(Room.keyOf(next))
      return next satisfies Choice
    },
  }
}

const fresh = (): Notes => ({ exits: new Map(), locked: new Map(), done: new Set() })

/** Takes note of where the last command led, and of what it found locked. */
const learn = ({ exits, locked, last }: Notes, { lastOutcome }: View, seen: Room.RoomObservation): void => {
  const known = exits.get(seen.room) ?? new Map(seen.exits.map((direction) => [direction, undefined]))
  exits.set(seen.room, known)
  const direction = last?.act.act === "text-room/go" ? last.act.args?.direction : undefined
  if (last !== undefined && typeof direction === "string" && lastOutcome?.status === "succeeded") {
    exits.get(last.from)?.set(direction, seen.room)
  }
  const shut =
    lastOutcome?.status === "failed" && lastOutcome.error.code === "locked" ? lastOutcome.args.target : undefined
  if (typeof shut === "string") locked.set(seen.room, new Set(locked.get(seen.room)).add(shut))
  if (lastOutcome?.status === "succeeded" && lastOutcome.actuator === "text-room/use") {
    locked.get(seen.room)?.delete(String(lastOutcome.args.on))
  }
}

/** The next thing to do here that was not done before. */
const nextIn = ({ done, locked }: Notes, seen: Room.RoomObservation): Room.Act | undefined => {
  const shut = locked.get(seen.room)
  const isNew = (act: Room.Act) => !done.has(Room.keyOf(act))
  const keys = seen.carried.filter(({ name }) => isKey(name))
  return [
    ...[...(shut ?? [])].flatMap((container) => keys.map(({ name }) => Room.use(name, container))),
    ...seen.things.filter(({ takeable }) => takeable).map(({ name }) => Room.take(name)),
    ...seen.things.filter(({ takeable }) => !takeable).map(({ name }) => Room.examine(name)),
    ...seen.things.filter(({ open }) => open === false).flatMap(({ name }) => openable(name, shut, done)),
  ].find(isNew)
}

const isKey = (name: string): boolean => name.includes("key")

/** A container that was locked is opened again once a key has turned in it. */
const openable = (name: string, shut: ReadonlySet<string> | undefined, done: Set<string>): ReadonlyArray<Room.Act> => {
  if (shut?.has(name) === true) return []
  const act = Room.open(name)
  if (shut !== undefined) done.delete(Room.keyOf(act))
  return [act]
}

/** The first step to the nearest room with something left to do: a key to try there, or an exit to go through. */
const wayOn = (notes: Notes, { room, carried }: Room.RoomObservation): Room.Act | undefined => {
  const keys = carried.filter(({ name }) => isKey(name))
  const isWorthIt = (of: string) =>
    [...(notes.locked.get(of) ?? [])].some((container) =>
      keys.some(({ name }) => !notes.done.has(Room.keyOf(Room.use(name, container)))),
    )
  const isOpenEnded = (of: string) => [...(notes.exits.get(of)?.values() ?? [])].includes(undefined)
  return stepTowards(notes, room, isWorthIt) ?? stepTowards(notes, room, isOpenEnded)
}

/** Breadth first over the exits that are known; from the room that is looked for itself, its first unknown exit. */
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
