/**
 * The world `cliff-walking`: walk along a cliff to the goal; stepping off returns to the start. The rules,
 * probabilities and draws follow Gymnasium's CliffWalking-v1.
 */
import type { Json, JsonObject, World, WorldPlugin } from "hindcast/plugin"

const ROWS = 4
const COLUMNS = 12
const START = { row: ROWS - 1, column: 0 }

/** S is the start, C the cliff, G the goal. */
const FIELD = ["............", "............", "............", "SCCCCCCCCCCG"]

/** Up, right, down, left: an action's neighbours are at right angles to it. */
const DIRECTIONS = [
  { row: -1, column: 0 },
  { row: 0, column: 1 },
  { row: 1, column: 0 },
  { row: 0, column: -1 },
]

interface Place {
  readonly row: number
  readonly column: number
}

interface State extends Place {
  /** Number of falls off the cliff. */
  readonly falls: number
}

let isSlippery = false
let state: State = { ...START, falls: 0 }

const numberIn = (document: JsonObject, name: string): number => {
  const value: Json | undefined = document[name]
  if (typeof value !== "number") throw new TypeError(`${name}: expected a number, found ${JSON.stringify(value)}`)
  return value
}

const within = (value: number, size: number): number => Math.min(Math.max(value, 0), size - 1)

const isCliff = ({ row, column }: Place): boolean => row === ROWS - 1 && column > 0 && column < COLUMNS - 1

const isGoal = ({ row, column }: Place): boolean => row === ROWS - 1 && column === COLUMNS - 1

/** The equally likely directions of an action. */
const outcomesOf = (action: number): ReadonlyArray<number> =>
  isSlippery ? [(action + 3) % 4, action, (action + 1) % 4] : [action]

const environment: World = {
  reset: ({ rng }, options) => {
    isSlippery = options.is_slippery === true
    // Gymnasium draws the start, although there is only one.
    rng.random()
    state = { ...START, falls: 0 }
    return { info: { prob: 1 } }
  },
  observe: () => state.row * COLUMNS + state.column,
  step: ({ rng }, action: number) => {
    const outcomes = outcomesOf(action)
    const direction = outcomes[rng.categorical(outcomes.map(() => 1 / outcomes.length))] ?? action
    const { row, column } = DIRECTIONS[direction] ?? { row: 0, column: 0 }
    const place = { row: within(state.row + row, ROWS), column: within(state.column + column, COLUMNS) }
    const fell = isCliff(place)
    state = fell ? { ...START, falls: state.falls + 1 } : { ...place, falls: state.falls }
    return { reward: fell ? -100 : -1, terminated: isGoal(state), info: { prob: 1 / outcomes.length } }
  },
  // The field is for drawing the world.
  state: () => ({ ...state, field: FIELD }),
  restore: (_context, options, document) => {
    isSlippery = options.is_slippery === true
    state = {
      row: numberIn(document, "row"),
      column: numberIn(document, "column"),
      falls: numberIn(document, "falls"),
    }
  },
}

export default { environment } satisfies WorldPlugin
