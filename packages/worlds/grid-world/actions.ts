/** An agent's actions and their effects on the grid. */
import { FLOOR, isItem, isLocked, isPassable, letterOf, opened } from "./cells.ts"
import type { Place } from "./level.ts"
import { cellAt, type Grid, setCell, type Walker } from "./state.ts"

/** By number; 0 is `stay`. */
export const ACTIONS = ["stay", "north", "south", "west", "east", "pick up", "drop", "use"] as const

export type Action = (typeof ACTIONS)[number]

/** Steps north, south, west and east: actions 1 to 4. */
export const STEPS: ReadonlyArray<Place> = [
  { x: 0, y: -1 },
  { x: 0, y: 1 },
  { x: -1, y: 0 },
  { x: 1, y: 0 },
]

/** The cell one step away. */
export const beside = ({ x, y }: Place, step: Place): Place => ({ x: x + step.x, y: y + step.y })

/** Whether an action has an effect, apart from what other agents do in the same round. */
export const isPossible = (grid: Grid, walker: Walker, action: Action): boolean => {
  const cell = cellAt(grid, walker) ?? "#"
  if (action === "stay") return true
  if (action === "pick up") return isItem(cell)
  if (action === "drop") return cell === FLOOR && walker.carrying !== ""
  if (action === "use") return doorsFor(grid, walker).length > 0
  const step = STEPS[ACTIONS.indexOf(action) - 1]
  return step !== undefined && isPassable(cellAt(grid, beside(walker, step)) ?? "#")
}

/** Applies `pick up`, `drop` and `use`; ignores moves. */
export const handle = (grid: Grid, walker: Walker, action: Action): void => {
  if (!isPossible(grid, walker, action)) return
  if (action === "pick up") {
    walker.carrying += cellAt(grid, walker) ?? ""
    setCell(grid, walker, FLOOR)
  }
  if (action === "drop") {
    setCell(grid, walker, walker.carrying.slice(-1))
    walker.carrying = walker.carrying.slice(0, -1)
  }
  if (action === "use") for (const door of doorsFor(grid, walker)) setCell(grid, door, opened())
}

/** Neighbouring locked doors that an agent has the key to. */
const doorsFor = (grid: Grid, walker: Walker): ReadonlyArray<Place> =>
  STEPS.map((step) => beside(walker, step)).filter((place) => {
    const cell = cellAt(grid, place) ?? "#"
    return isLocked(cell) && walker.carrying.includes("abcdef".charAt(letterOf(cell) - 1))
  })
