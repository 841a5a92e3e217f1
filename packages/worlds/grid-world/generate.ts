/**
 * Levels that follow from the episode's random numbers: rooms in a grid, joined as a tree by gaps and locked doors, as
 * MiniGrid's generators make them. Rooms of one cell make a maze.
 */
import type { Generator } from "hindcast/plugin"
import { FLOOR, GOAL, HAZARD, isKey, isLocked, START } from "./cells.ts"

/** How many of each. */
export interface Wanted {
  /** Rooms from west to east, and from north to south. */
  readonly across: number
  readonly down: number
  /** Cells to a room's side, without its walls. */
  readonly room: number
  /** Locked doors, each with its key. */
  readonly doors: number
  readonly hazards: number
  /** Things to fetch. */
  readonly things: number
}

const WALL = "#"
const THING = "*"
const KEYS = "abcdef"

type Place = { readonly x: number; readonly y: number }

interface Room {
  /** Column and row among the rooms. */
  readonly at: Place
  readonly depth: number
  /** The cell between the room and the one that it was joined to; undefined for the first. */
  readonly gap: Place | undefined
}

/**
 * Draws the rows of a level. Its first room has a cell `S` for each of `agents` agents, as far as there are free ones;
 * the goal is in a room as far away as any. An agent can reach every cell without entering a hazard: a door's key is in
 * a room that was joined before the room behind the door. Throws if there is no space for all that is wanted.
 *
 * The same numbers give the same level on every machine and for every number of agents, apart from `S`.
 */
export const generated = (rng: Generator, wanted: Wanted, agents: number): ReadonlyArray<string> => {
  const { across, down, room: side } = wanted
  const cells = Array.from({ length: down * (side + 1) + 1 }, () =>
    new Array<string>(across * (side + 1) + 1).fill(WALL),
  )
  const rooms = joined(rng, wanted)
  const cellsOf = ({ at }: Room): ReadonlyArray<Place> =>
    Array.from({ length: side * side }, (_, index) => ({
      x: at.x * (side + 1) + 1 + (index % side),
      y: at.y * (side + 1) + 1 + Math.floor(index / side),
    }))
  const isFree = ({ x, y }: Place) => cells[y]?.[x] === FLOOR
  const put = ({ x, y }: Place, cell: string) => {
    const row = cells[y]
    if (row !== undefined) row[x] = cell
  }
  /** Puts a cell on floor that is free in one of some rooms. False if there is none. */
  const scatter = (cell: string, among: ReadonlyArray<Room>): boolean => {
    const free = among.flatMap(cellsOf).filter(isFree)
    const at = free[drawn(rng, free.length)]
    if (at !== undefined) put(at, cell)
    return at !== undefined
  }
  for (const room of rooms) {
    for (const at of cellsOf(room)) put(at, FLOOR)
    if (room.gap !== undefined) put(room.gap, FLOOR)
  }
  const first = rooms.slice(0, 1)
  scatter(START, first)
  const farthest = rooms.reduce((best, room) => (room.depth > best.depth ? room : best))
  if (!scatter(GOAL, [farthest])) throw noSpace("a goal")
  const letters = rng.permutation([...KEYS])
  let locked = 0
  for (const index of rng.permutation(rooms.length - 1)) {
    const [key, gap] = [letters[locked], rooms[index + 1]?.gap]
    if (locked === wanted.doors || key === undefined || gap === undefined) break
    if (!scatter(key, rooms.slice(0, index + 1))) continue
    put(gap, key.toUpperCase())
    locked += 1
  }
  if (locked < wanted.doors) throw noSpace(`keys for ${wanted.doors} doors`)
  for (let count = 0; count < wanted.things; count++) {
    if (!scatter(THING, rooms)) throw noSpace(`${wanted.things} things`)
  }
  layHazards(rng, cells, wanted.hazards)
  for (let count = 1; count < agents && scatter(START, first); ) count += 1
  return cells.map((row) => row.join(""))
}

/** Whether an agent that starts at `S` can reach every cell but walls and hazards, with the keys that it finds. */
export const isWhole = (cells: ReadonlyArray<ReadonlyArray<string>>): boolean => {
  const width = cells[0]?.length ?? 0
  const all = cells.flat()
  const seen = new Set<number>()
  const open = [all.indexOf(START)]
  const found = new Set<string>()
  let barred: Array<number> = []
  while (open.length > 0) {
    const at = open.pop() ?? -1
    const cell = all[at] ?? WALL
    if (seen.has(at) || cell === WALL || cell === HAZARD) continue
    if (isLocked(cell) && !found.has(cell)) {
      barred.push(at)
      continue
    }
    seen.add(at)
    if (isKey(cell)) {
      found.add(cell.toUpperCase())
      open.push(...barred)
      barred = []
    }
    // Walls all around keep it in the level.
    open.push(at - 1, at + 1, at - width, at + width)
  }
  return seen.size === all.filter((cell) => cell !== WALL && cell !== HAZARD).length
}

/** Lays hazards where they cut nothing off. */
const layHazards = (rng: Generator, cells: ReadonlyArray<Array<string>>, count: number): void => {
  if (count === 0) return
  const free = cells.flatMap((row, y) => row.flatMap((cell, x) => (cell === FLOOR ? [{ x, y }] : [])))
  let left = count
  for (const index of rng.permutation(free.length)) {
    const { x, y } = free[index] ?? { x: 0, y: 0 }
    const row = cells[y]
    if (left === 0 || row === undefined) break
    row[x] = HAZARD
    if (isWhole(cells)) left -= 1
    else row[x] = FLOOR
  }
  if (left > 0) throw noSpace(`${count} hazards that cut nothing off`)
}

const WAYS: ReadonlyArray<Place> = [
  { x: 0, y: -1 },
  { x: 1, y: 0 },
  { x: 0, y: 1 },
  { x: -1, y: 0 },
]

/** All rooms, each after the one that it is joined to. The first is drawn. */
const joined = (rng: Generator, { across, down, room: side }: Wanted): ReadonlyArray<Room> => {
  const begin = drawn(rng, across * down)
  const rooms: Array<Room> = []
  const taken = new Set<number>()
  /** Ways out of the rooms so far. */
  const ways: Array<{ readonly from: Room; readonly way: Place }> = []
  const add = (room: Room) => {
    rooms.push(room)
    taken.add(room.at.y * across + room.at.x)
    for (const way of WAYS) ways.push({ from: room, way })
  }
  add({ at: { x: begin % across, y: Math.floor(begin / across) }, depth: 0, gap: undefined })
  while (rooms.length < across * down) {
    const [next] = ways.splice(drawn(rng, ways.length), 1)
    if (next === undefined) break
    const { from, way } = next
    const at = { x: from.at.x + way.x, y: from.at.y + way.y }
    const isInside = at.x >= 0 && at.x < across && at.y >= 0 && at.y < down
    if (!isInside || taken.has(at.y * across + at.x)) continue
    add({ at, depth: from.depth + 1, gap: gapBetween(from.at, at, side, drawn(rng, side)) })
  }
  return rooms
}

/** A cell in the wall between two rooms that touch, `along` cells from its northern or western end. */
const gapBetween = (one: Place, other: Place, side: number, along: number): Place => {
  const corner = { x: Math.max(one.x, other.x) * (side + 1), y: Math.max(one.y, other.y) * (side + 1) }
  return one.y === other.y ? { x: corner.x, y: corner.y + 1 + along } : { x: corner.x + 1 + along, y: corner.y }
}

/** An index below a length; 0 without a draw if there is no choice. */
const drawn = (rng: Generator, length: number): number => (length > 1 ? rng.integers(0, length) : 0)

const noSpace = (what: string): Error =>
  Object.assign(new Error(`The option generate: expected space for ${what}, found too few free cells.`), {
    code: "bad-option",
  })
