/** Makes levels from options as MiniGrid does, draw by draw. */
import type { Generator, JsonObject } from "hindcast/plugin"
import type { Cell } from "./cells.ts"

export interface Settings {
  readonly level: "Empty" | "DoorKey"
  /** Side in cells, including walls. */
  readonly size: number
  /** The agent's start in `Empty`: the corner far from the goal, or anywhere. */
  readonly start: "corner" | "random"
  readonly maxSteps: number
}

/** A new level: cells by row and column, and the agent's place and direction. */
export interface Level {
  readonly cells: ReadonlyArray<ReadonlyArray<Cell>>
  readonly agent: { readonly x: number; readonly y: number; readonly direction: number }
}

/** Throws an error that names what is invalid. */
export const settingsOf = (options: JsonObject): Settings => {
  const { level = "DoorKey", size = 8, start = "corner", max_steps: maxSteps } = options
  if (level !== "Empty" && level !== "DoorKey") throw badOption("level", '"Empty" or "DoorKey"', level)
  if (!isInteger(size, 5, 32)) throw badOption("size", "a whole number from 5 to 32", size)
  if (start !== "corner" && start !== "random") throw badOption("start", '"corner" or "random"', start)
  const most = (level === "Empty" ? 4 : 10) * size * size
  if (maxSteps !== undefined && !isInteger(maxSteps, 1, 100_000))
    throw badOption("max_steps", "a whole number from 1 to 100000", maxSteps)
  return { level, size, start, maxSteps: maxSteps ?? most }
}

/** Draws in MiniGrid's order, so that a seed gives MiniGrid's level. */
export const make = ({ level, size, start }: Settings, rng: Generator): Level => {
  const cells = room(size)
  return level === "Empty" ? empty(cells, start, rng) : doorKey(cells, rng)
}

const badOption = (name: string, expected: string, found: unknown): Error =>
  Object.assign(new Error(`The option ${name}: expected ${expected}, found ${JSON.stringify(found)}.`), {
    code: "bad-option",
  })

const isInteger = (value: unknown, least: number, most: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= least && value <= most

/** A walled room with the goal in its lower right corner. */
const room = (size: number): Array<Array<Cell>> =>
  Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_, x) => {
      if (x === 0 || y === 0 || x === size - 1 || y === size - 1) return "#"
      return x === size - 2 && y === size - 2 ? "G" : "."
    }),
  )

const empty = (cells: Array<Array<Cell>>, start: Settings["start"], rng: Generator): Level => {
  if (start === "corner") return { cells, agent: { x: 1, y: 1, direction: 0 } }
  const at = emptyCell(cells, cells.length, rng)
  return { cells, agent: { ...at, direction: rng.integers(0, 4) } }
}

const doorKey = (cells: Array<Array<Cell>>, rng: Generator): Level => {
  const size = cells.length
  const wall = rng.integers(2, size - 2)
  for (const row of cells) row[wall] = "#"
  const at = emptyCell(cells, wall, rng)
  const agent = { ...at, direction: rng.integers(0, 4) }
  put(cells, { x: wall, y: rng.integers(1, size - 2) }, "D")
  put(cells, emptyCell(cells, wall, rng, agent), "K")
  return { cells, agent }
}

/** Draws cells of the first `width` columns until one is empty and not the agent's. */
const emptyCell = (
  cells: ReadonlyArray<ReadonlyArray<Cell>>,
  width: number,
  rng: Generator,
  agent?: { readonly x: number; readonly y: number },
): { readonly x: number; readonly y: number } => {
  while (true) {
    const x = rng.integers(0, width)
    const y = rng.integers(0, cells.length)
    if (cells[y]?.[x] === "." && !(agent?.x === x && agent.y === y)) return { x, y }
  }
}

const put = (
  cells: ReadonlyArray<Array<Cell>>,
  { x, y }: { readonly x: number; readonly y: number },
  cell: Cell,
): void => {
  const row = cells[y]
  if (row !== undefined) row[x] = cell
}
