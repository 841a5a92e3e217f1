/**
 * The world `taxi`: fetch a passenger at one of four stands and take them to another. The rules, probabilities, masks
 * and draws follow Gymnasium's Taxi-v4.
 */
import type { Json, JsonObject, Step, World, WorldContext, WorldPlugin } from "hindcast/plugin"

/** `:` is a way between two squares, `|` a wall. Square (row, column) is at [row + 1][2 × column + 1]. */
const TOWN = ["+---------+", "|R: | : :G|", "| : | : : |", "| : : : : |", "| | : | : |", "|Y| : |B: |", "+---------+"]
const SIZE = 5
const STANDS = [
  { name: "R", row: 0, column: 0 },
  { name: "G", row: 0, column: 4 },
  { name: "Y", row: 4, column: 0 },
  { name: "B", row: 4, column: 3 },
] as const
/** The passenger's place in the taxi; other places are {@link STANDS}. */
const IN_TAXI = 4
const PICK_UP = 4
const DROP_OFF = 5

interface Place {
  readonly row: number
  readonly column: number
}

/** South, north, east, west: actions 0 to 3. `left` and `right` are the neighbouring directions. */
const SOUTH = { row: 1, column: 0 }
const NORTH = { row: -1, column: 0 }
const EAST = { row: 0, column: 1 }
const WEST = { row: 0, column: -1 }
const HEADINGS = [
  { ahead: SOUTH, left: EAST, right: WEST },
  { ahead: NORTH, left: WEST, right: EAST },
  { ahead: EAST, left: NORTH, right: SOUTH },
  { ahead: WEST, left: SOUTH, right: NORTH },
]

/** An episode's settings, from the options. */
interface Setting {
  readonly isRainy: boolean
  readonly rainyProbability: number
  readonly isFickle: boolean
  readonly fickleProbability: number
}

interface State extends Place {
  /** A stand, or {@link IN_TAXI}. */
  readonly passenger: number
  /** A stand. */
  readonly destination: number
  /** Whether the passenger changes the destination at the first move. */
  readonly fickle: boolean
  /** Number of failed pick-ups and drop-offs. */
  readonly mistakes: number
}

/** A possible result of an action. */
interface Outcome extends Place {
  readonly probability: number
}

const settingOf = (options: JsonObject): Setting => ({
  isRainy: options.is_rainy === true,
  rainyProbability: numberIn(options, "rainy_probability", 0.8),
  isFickle: options.fickle_passenger === true,
  fickleProbability: numberIn(options, "fickle_probability", 0.3),
})

const numberIn = (document: JsonObject, name: string, otherwise?: number): number => {
  const value: Json | undefined = document[name] ?? otherwise
  if (typeof value !== "number") throw new TypeError(`${name}: expected a number, found ${JSON.stringify(value)}`)
  return value
}

/** Gymnasium's number of a state. */
const encoded = ({ row, column, passenger, destination }: State): number =>
  ((row * SIZE + column) * 5 + passenger) * 4 + destination

const decoded = (code: number): State => ({
  destination: code % 4,
  passenger: Math.floor(code / 4) % 5,
  column: Math.floor(code / 20) % SIZE,
  row: Math.floor(code / 100),
  fickle: false,
  mistakes: 0,
})

/** Equally likely first states: the passenger waits, elsewhere than at the destination. */
const STARTS: ReadonlyArray<number> = Array.from({ length: 500 }, (_, code) => {
  const { passenger, destination } = decoded(code)
  return passenger !== IN_TAXI && passenger !== destination ? 1 / 300 : 0
})

let setting: Setting = settingOf({})
let state: State = decoded(0)

const standAt = ({ row, column }: Place): number =>
  STANDS.findIndex((stand) => stand.row === row && stand.column === column)

/** Whether the taxi can leave a square in a direction. */
const isOpen = ({ row, column }: Place, direction: Place): boolean => {
  if (direction.column === 0) return row + direction.row >= 0 && row + direction.row < SIZE
  return TOWN[row + 1]?.[2 * column + 1 + direction.column] === ":"
}

const moved = ({ row, column }: Place, direction: Place): Place =>
  isOpen({ row, column }, direction) ? { row: row + direction.row, column: column + direction.column } : { row, column }

/** Possible destinations of an action. In the rain the taxi may drift sideways, unless the way ahead is blocked. */
const outcomesOf = (action: number): ReadonlyArray<Outcome> => {
  const heading = HEADINGS[action]
  if (heading === undefined) return [{ probability: 1, row: state.row, column: state.column }]
  const ahead = moved(state, heading.ahead)
  if (!setting.isRainy) return [{ probability: 1, ...ahead }]
  const canDrift = isOpen(state, heading.ahead)
  const probability = (1 - setting.rainyProbability) / 2
  return [
    { probability: setting.rainyProbability, ...ahead },
    { probability, ...(canDrift ? moved(state, heading.left) : ahead) },
    { probability, ...(canDrift ? moved(state, heading.right) : ahead) },
  ]
}

const mistaken = (): Step => {
  state = { ...state, mistakes: state.mistakes + 1 }
  return { reward: -10 }
}

const pickUp = (): Step => {
  if (state.passenger === IN_TAXI || standAt(state) !== state.passenger) return mistaken()
  state = { ...state, passenger: IN_TAXI }
  return { reward: -1 }
}

const dropOff = (): Step => {
  const stand = standAt(state)
  if (state.passenger !== IN_TAXI || stand === -1) return mistaken()
  state = { ...state, passenger: stand }
  return stand === state.destination ? { reward: 20, terminated: true } : { reward: -1 }
}

/** Moves the taxi. The first drive may change a fickle passenger's destination. */
const drive = ({ rng }: WorldContext, { row, column }: Place): Step => {
  const hasMoved = row !== state.row || column !== state.column
  state = { ...state, row, column }
  if (state.fickle && state.passenger === IN_TAXI && hasMoved) {
    const others = STANDS.map((_, stand) => stand).filter((stand) => stand !== state.destination)
    state = { ...state, destination: rng.choice(others), fickle: false }
  }
  return { reward: -1 }
}

const maskOf = (): ReadonlyArray<number> => {
  const stand = standAt(state)
  const canPickUp = state.passenger !== IN_TAXI && stand === state.passenger
  const canDropOff = state.passenger === IN_TAXI && stand !== -1
  return [...HEADINGS.map(({ ahead }) => isOpen(state, ahead)), canPickUp, canDropOff].map(Number)
}

const environment: World = {
  reset: ({ rng }, options) => {
    setting = settingOf(options)
    const start = decoded(rng.categorical(STARTS))
    state = { ...start, fickle: setting.isFickle && rng.random() < setting.fickleProbability }
    return { info: { prob: 1 } }
  },
  observe: () => encoded(state),
  step: (context, action: number) => {
    const outcomes = outcomesOf(action)
    const index = context.rng.categorical(outcomes.map(({ probability }) => probability))
    const { probability, ...place } = outcomes[index] ?? { probability: 1, row: state.row, column: state.column }
    const info = { prob: probability }
    if (action === PICK_UP) return { ...pickUp(), info }
    if (action === DROP_OFF) return { ...dropOff(), info }
    return { ...drive(context, place), info }
  },
  mask: maskOf,
  // Town and square are for drawing the world.
  state: () => ({ ...state, town: TOWN, square: [state.row + 1, 2 * state.column + 1] }),
  restore: (_context, options, document) => {
    setting = settingOf(options)
    state = {
      row: numberIn(document, "row"),
      column: numberIn(document, "column"),
      passenger: numberIn(document, "passenger"),
      destination: numberIn(document, "destination"),
      fickle: document.fickle === true,
      mistakes: numberIn(document, "mistakes"),
    }
  },
}

export default { environment } satisfies WorldPlugin
