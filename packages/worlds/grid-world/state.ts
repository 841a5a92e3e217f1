/** A level at one moment of an episode: cells and agents. */
import type { Json, JsonObject } from "hindcast/plugin"
import { CELLS, FLOOR, isItem, isPassable, START } from "./cells.ts"
import type { Place, Settings } from "./level.ts"

/** A walking agent occupies its cell. One that has arrived or is lost has left the grid. */
export type Status = "walking" | "arrived" | "lost"

export interface Walker {
  x: number
  y: number
  status: Status
  /** Glyphs, in the order of picking up. */
  carrying: string
  /** Number of moves without effect. */
  blocked: number
}

export interface Grid {
  readonly settings: Settings
  /** The rows of a level that was generated. */
  readonly drawn: ReadonlyArray<string> | undefined
  readonly cells: Array<Array<string>>
  /** Sorted by name. */
  agents: ReadonlyMap<string, Walker>
  round: number
}

/** The grid before any agent enters. */
export const begin = (settings: Settings, drawn?: ReadonlyArray<string>): Grid => ({
  settings,
  drawn,
  cells: settings.rows.map((row) => [...row.replaceAll(START, FLOOR)]),
  agents: new Map(),
  round: 0,
})

export const cellAt = ({ cells }: Grid, { x, y }: Place): string | undefined => cells[y]?.[x]

export const setCell = ({ cells }: Grid, { x, y }: Place, cell: string): void => {
  const row = cells[y]
  if (row !== undefined) row[x] = cell
}

/** A cell's number, row by row. */
export const indexOf = ({ cells }: Grid, { x, y }: Place): number => y * (cells[0]?.length ?? 0) + x

/** Cells that agents occupy. */
export const occupied = (grid: Grid): ReadonlySet<number> =>
  new Set([...grid.agents.values()].filter(isWalking).map((walker) => indexOf(grid, walker)))

export const isWalking = ({ status }: Walker): boolean => status === "walking"

/**
 * Places agents, in the order of their names: at starts from the options, else at cells marked `S` row by row, else on
 * floor chosen by `draw`. Throws if there is no room.
 */
export const enter = (grid: Grid, newcomers: ReadonlyArray<string>, draw: (count: number) => number): void => {
  const agents = new Map(grid.agents)
  const taken = new Set(occupied(grid))
  const place = (name: string, at: Place) => {
    taken.add(indexOf(grid, at))
    agents.set(name, { x: at.x, y: at.y, status: "walking", carrying: "", blocked: 0 })
  }
  const { starts } = grid.settings
  const sorted = [...newcomers].sort()
  for (const name of sorted) {
    const at = starts.get(name)
    if (at === undefined) continue
    if (taken.has(indexOf(grid, at)) || !isPassable(cellAt(grid, at) ?? "#"))
      throw failure("no-room", `${name} cannot start at [${at.x}, ${at.y}]: the cell is not free.`)
    place(name, at)
  }
  const free = places(grid).filter((at) => cellAt(grid, at) === FLOOR && !taken.has(indexOf(grid, at)))
  const marked = free.filter((at) => grid.settings.rows[at.y]?.[at.x] === START)
  for (const name of sorted.filter((agent) => !starts.has(agent))) {
    const next = marked.shift()
    const [at] = free.splice(next === undefined ? draw(free.length) : free.indexOf(next), 1)
    if (at === undefined) throw failure("no-room", `There is no free floor for ${name}.`)
    place(name, at)
  }
  grid.agents = new Map([...agents].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Removes an agent. The nearest floor takes what it carries. */
export const leave = (grid: Grid, name: string): void => {
  const walker = grid.agents.get(name)
  if (walker === undefined) return
  const distance = (at: Place) => Math.abs(at.x - walker.x) + Math.abs(at.y - walker.y)
  const floor = places(grid).filter((at) => cellAt(grid, at) === FLOOR)
  const nearest = floor.sort((a, b) => distance(a) - distance(b))
  for (const [index, item] of [...walker.carrying].entries()) {
    const at = nearest[index]
    if (at !== undefined) setCell(grid, at, item)
  }
  grid.agents = new Map([...grid.agents].filter(([other]) => other !== name))
}

/** All cells, row by row. */
const places = ({ cells }: Grid): ReadonlyArray<Place> => cells.flatMap((row, y) => row.map((_, x) => ({ x, y })))

/** The state document. */
export const documentOf = ({ cells, agents, round, drawn }: Grid): JsonObject => ({
  round,
  rows: cells.map((row) => row.join("")),
  agents: Object.fromEntries([...agents].map(([name, walker]) => [name, { ...walker }])),
  ...(drawn === undefined ? {} : { generated: { rows: [...drawn] } }),
})

/** The rows of a generated level in a state document. Throws if there are none. */
export const drawnIn = (kept: Json): ReadonlyArray<string> => {
  const rows = isRecord(kept) ? kept.rows : undefined
  if (Array.isArray(rows) && rows.every((row) => typeof row === "string")) return rows
  throw failure("bad-state", "Expected the state of a generated level: generated.rows.")
}

/** Restores a state document. Throws if it does not fit the settings. */
export const restored = (
  settings: Settings,
  { round, rows, agents }: JsonObject,
  drawn?: ReadonlyArray<string>,
): Grid => {
  const cells = Array.isArray(rows) ? rows.map((row) => [...String(row)].filter((cell) => CELLS.includes(cell))) : []
  const isWhole =
    cells.length === settings.rows.length && cells.every((row, y) => row.length === settings.rows[y]?.length)
  if (!isWhole || typeof round !== "number" || !isRecord(agents))
    throw failure("bad-state", "Expected the state of this level: round, rows, agents.")
  const entries = Object.keys(agents)
    .sort()
    .map((name) => [name, walkerOf(agents[name])] as const)
  return { settings, drawn, cells, agents: new Map(entries), round }
}

const walkerOf = (value: Json | undefined): Walker => {
  const { x, y, status, carrying, blocked } = isRecord(value) ? value : {}
  const isStatus = status === "walking" || status === "arrived" || status === "lost"
  if (typeof x !== "number" || typeof y !== "number" || typeof blocked !== "number" || !isStatus)
    throw failure("bad-state", "Expected the state of an agent: x, y, status, carrying, blocked.")
  return { x, y, status, carrying: [...String(carrying ?? "")].filter(isItem).join(""), blocked }
}

const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The code becomes the code of the command's failure. */
export const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })
