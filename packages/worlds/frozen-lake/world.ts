/**
 * The world `frozen-lake`: cross a slippery lake to the goal without falling into a hole. The rules, probabilities and
 * draws follow Gymnasium's FrozenLake-v1.
 */
import type { Json, JsonObject, Spaces, World, WorldPlugin } from "hindcast/plugin"

/** S is the start, G the goal, H a hole, F ice. */
type Lake = ReadonlyArray<string>

const LAKES: { readonly [name: string]: { readonly lake: Lake; readonly limit: number } } = {
  "4x4": { lake: ["SFFF", "FHFH", "FFFH", "HFFG"], limit: 100 },
  "8x8": {
    lake: ["SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF", "FFFHFFFF", "FHHFFFHF", "FHFFHFHF", "FFFHFFFG"],
    limit: 200,
  },
}

/** Left, down, right, up: an action's neighbours are at right angles to it. */
const DIRECTIONS = [
  { row: 0, column: -1 },
  { row: 1, column: 0 },
  { row: 0, column: 1 },
  { row: -1, column: 0 },
]

/** An episode's settings, from the options. */
interface Setting {
  readonly lake: Lake
  /** The step that truncates the episode. */
  readonly limit: number
  readonly isSlippery: boolean
  readonly successRate: number
  readonly rewards: { readonly goal: number; readonly hole: number; readonly ice: number }
}

interface State {
  readonly row: number
  readonly column: number
  readonly steps: number
}

const refusal = (message: string) => Object.assign(new Error(message), { code: "invalid-options" })

const numberIn = (document: JsonObject, name: string, otherwise?: number): number => {
  const value: Json | undefined = document[name] ?? otherwise
  if (typeof value !== "number") throw new TypeError(`${name}: expected a number, found ${JSON.stringify(value)}`)
  return value
}

const lakeOf = ({ desc, map_name = "4x4" }: JsonObject): { readonly lake: Lake; readonly limit: number } => {
  if (!Array.isArray(desc)) {
    const known = LAKES[String(map_name)]
    if (known === undefined) throw refusal(`map_name: expected "4x4" or "8x8", found ${JSON.stringify(map_name)}`)
    return known
  }
  const lake = desc.map(String)
  if (lake.some((row) => row.length !== lake[0]?.length)) throw refusal("desc: expected rows of the same length")
  if (!lake.some((row) => row.includes("S"))) throw refusal('desc: expected an "S", where it begins')
  return { lake, limit: 100 }
}

const settingOf = (options: JsonObject): Setting => {
  const { lake, limit } = lakeOf(options)
  const [goal = 1, hole = 0, ice = 0] = Array.isArray(options.reward_schedule) ? options.reward_schedule : []
  const rewards: JsonObject = { goal, hole, ice }
  return {
    lake,
    limit: numberIn(options, "max_episode_steps", limit),
    isSlippery: options.is_slippery !== false,
    successRate: numberIn(options, "success_rate", 1 / 3),
    rewards: { goal: numberIn(rewards, "goal"), hole: numberIn(rewards, "hole"), ice: numberIn(rewards, "ice") },
  }
}

const spacesOf = (lake: Lake): Spaces => ({
  observation: { type: "Discrete", n: lake.length * (lake[0]?.length ?? 0) },
  action: { type: "Discrete", n: 4 },
})

let setting: Setting = settingOf({})
let state: State = { row: 0, column: 0, steps: 0 }

const tileAt = (row: number, column: number): string => setting.lake[row]?.[column] ?? "F"

const within = (value: number, size: number): number => Math.min(Math.max(value, 0), size - 1)

const columns = (): number => setting.lake[0]?.length ?? 0

const outcomesOf = (action: number): ReadonlyArray<{ readonly direction: number; readonly probability: number }> => {
  if (!setting.isSlippery) return [{ direction: action, probability: 1 }]
  const aside = (1 - setting.successRate) / 2
  return [
    { direction: (action + 3) % 4, probability: aside },
    { direction: action, probability: setting.successRate },
    { direction: (action + 1) % 4, probability: aside },
  ]
}

const rewardFor = (tile: string): number => {
  if (tile === "G") return setting.rewards.goal
  return tile === "H" ? setting.rewards.hole : setting.rewards.ice
}

const environment: World = {
  spaces: (options) => spacesOf(lakeOf(options).lake),
  reset: ({ rng }, options) => {
    setting = settingOf(options)
    const starts = setting.lake.flatMap((row) => [...row].map((tile) => (tile === "S" ? 1 : 0)))
    const count = starts.filter((start) => start === 1).length
    const start = rng.categorical(starts.map((is) => is / count))
    state = { row: Math.floor(start / columns()), column: start % columns(), steps: 0 }
    return { info: { prob: 1 } }
  },
  observe: () => state.row * columns() + state.column,
  step: ({ rng }, action: number) => {
    const outcomes = outcomesOf(action)
    const { direction, probability } = outcomes[rng.categorical(outcomes.map((each) => each.probability))] ?? {}
    const { row, column } = DIRECTIONS[direction ?? action] ?? { row: 0, column: 0 }
    state = {
      row: within(state.row + row, setting.lake.length),
      column: within(state.column + column, columns()),
      steps: state.steps + 1,
    }
    const tile = tileAt(state.row, state.column)
    return {
      reward: rewardFor(tile),
      terminated: tile === "G" || tile === "H",
      truncated: state.steps >= setting.limit,
      ...(tile === "H" ? { outcome: "failed" as const } : {}),
      info: { prob: probability ?? 1 },
    }
  },
  state: () => ({ ...state, tile: tileAt(state.row, state.column), lake: setting.lake }),
  restore: (_context, options, document) => {
    setting = settingOf(options)
    state = {
      row: numberIn(document, "row"),
      column: numberIn(document, "column"),
      steps: numberIn(document, "steps"),
    }
  },
}

export default { environment } satisfies WorldPlugin
