/** Agents' observations of the grid, and their spaces. */
import type { Json, JsonObject, Spaces } from "hindcast/plugin"
import { ACTIONS } from "./actions.ts"
import { codeOf, GOAL, isThing, LETTERS, letterOf } from "./cells.ts"
import { LONGEST, type Place, settingsOf, thingsOf } from "./level.ts"
import { type Grid, indexOf, occupied, type Walker } from "./state.ts"

/** The spaces of a level. Throws an error that names the first invalid option. */
export const spacesFor = (options: JsonObject): Spaces => {
  const side = 2 * settingsOf(options).radius + 1
  return {
    observation: {
      type: "Dict",
      subspaces: {
        position: { type: "Box", dtype: "int32", shape: [2], low: 0, high: LONGEST - 1 },
        goal: { type: "Box", dtype: "int32", shape: [2], low: -1, high: LONGEST - 1 },
        view: { type: "Box", dtype: "uint8", shape: [side, side, 3], low: 0, high: 8 },
        keys: { type: "MultiBinary", n: LETTERS },
        things: { type: "Discrete", n: thingsOf(options) + 1 },
      },
    },
    action: { type: "Discrete", n: ACTIONS.length },
  }
}

/** Observes one moment of a grid for all its agents. */
export const perception = (grid: Grid): ((name: string, walker: Walker) => Json) => {
  const agents = occupied(grid)
  const goals = grid.cells.flatMap((row, y) => row.flatMap((cell, x) => (cell === GOAL ? [{ x, y }] : [])))
  return (name, walker) => {
    const { x, y } = grid.settings.goals.get(name) ?? nearest(goals, walker) ?? { x: -1, y: -1 }
    return {
      position: [walker.x, walker.y],
      goal: [x, y],
      view: viewOf(grid, walker, agents),
      keys: Array.from({ length: LETTERS }, (_, index) => (walker.carrying.includes("abcdef".charAt(index)) ? 1 : 0)),
      things: [...walker.carrying].filter(isThing).length,
    }
  }
}

const nearest = (goals: ReadonlyArray<Place>, { x, y }: Place): Place | undefined => {
  const distance = (goal: Place) => Math.abs(goal.x - x) + Math.abs(goal.y - y)
  return goals.reduce<Place | undefined>(
    (best, goal) => (best === undefined || distance(goal) < distance(best) ? goal : best),
    undefined,
  )
}

/** Rows of columns of (cell, letter, agent) around the agent. Nothing blocks the view. */
const viewOf = (grid: Grid, walker: Walker, agents: ReadonlySet<number>): Json => {
  const { radius } = grid.settings
  const view = []
  for (let y = walker.y - radius; y <= walker.y + radius; y++) {
    const row = []
    for (let x = walker.x - radius; x <= walker.x + radius; x++) {
      const cell = grid.cells[y]?.[x]
      const isOther = !(x === walker.x && y === walker.y)
      if (cell === undefined) row.push([0, 0, 0])
      else row.push([codeOf(cell), letterOf(cell), isOther && agents.has(indexOf(grid, { x, y })) ? 1 : 0])
    }
    view.push(row)
  }
  return view
}
