/**
 * The world `minigrid`: the levels Empty and DoorKey of MiniGrid (Chevalier-Boisvert et al., 2023;
 * https://minigrid.farama.org). Seeds give its levels, and actions its views and rewards.
 */
import type { Json, JsonObject, World, WorldPlugin } from "hindcast/plugin"
import { type Cell, DIRECTIONS, isCell, isOpen } from "./cells.ts"
import { make, type Settings, settingsOf } from "./level.ts"
import { imageOf } from "./view.ts"

interface Episode {
  readonly settings: Settings
  readonly cells: Array<Array<Cell>>
  agent: { readonly x: number; readonly y: number; readonly direction: number }
  carrying: "K" | null
  steps: number
  /** Whether the agent has reached the goal. */
  arrived: boolean
}

const MISSIONS = {
  Empty: "get to the green goal square",
  DoorKey: "use the key to open the door and then get to the goal",
}

/** MiniGrid's seven actions. */
const LEFT = 0
const RIGHT = 1
const FORWARD = 2
const PICK_UP = 3
const DROP = 4
const TOGGLE = 5
const DONE = 6

let current: Episode | undefined

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const playing = (): Episode => {
  if (current === undefined) throw failure("no-level", "There is no level yet: the world was not reset.")
  return current
}

/** Applies an action, to the cell in front of the agent if it needs one. */
const act = (episode: Episode, action: number): void => {
  const { agent } = episode
  const { x: dx, y: dy } = DIRECTIONS[agent.direction] ?? DIRECTIONS[0]
  const ahead = { x: agent.x + dx, y: agent.y + dy }
  const cell = episode.cells[ahead.y]?.[ahead.x] ?? "#"
  const put = (next: Cell) => {
    const row = episode.cells[ahead.y]
    if (row !== undefined) row[ahead.x] = next
  }
  if (action === LEFT) episode.agent = { ...agent, direction: (agent.direction + 3) % 4 }
  if (action === RIGHT) episode.agent = { ...agent, direction: (agent.direction + 1) % 4 }
  if (action === FORWARD && isOpen(cell)) {
    episode.agent = { ...ahead, direction: agent.direction }
    episode.arrived = cell === "G"
  }
  if (action === PICK_UP && cell === "K" && episode.carrying === null) {
    episode.carrying = cell
    put(".")
  }
  if (action === DROP && cell === "." && episode.carrying !== null) {
    put(episode.carrying)
    episode.carrying = null
  }
  if (action === TOGGLE && cell === "_") put("d")
  if (action === TOGGLE && (cell === "d" || (cell === "D" && episode.carrying === "K"))) put("_")
}

/** Restores a state document. Throws if it does not fit the settings. */
const restored = (settings: Settings, { rows, agent, carrying, steps, arrived }: JsonObject): Episode => {
  const { size } = settings
  const cells = Array.isArray(rows) ? rows.map((row) => [...String(row)].filter(isCell)) : []
  const isWhole = cells.length === size && cells.every(({ length }) => length === size)
  if (!isWhole || !isPose(agent, size) || !isWithin(steps, Number.MAX_SAFE_INTEGER))
    throw failure("bad-state", `Expected the state of a level of ${size} by ${size} cells.`)
  const { x, y, direction } = agent
  return {
    settings,
    cells,
    agent: { x, y, direction },
    carrying: carrying === "K" ? carrying : null,
    steps,
    arrived: arrived === true,
  }
}

const isPose = (value: Json | undefined, size: number): value is Episode["agent"] & JsonObject =>
  typeof value === "object" &&
  value !== null &&
  "direction" in value &&
  isWithin(value.x, size - 1) &&
  isWithin(value.y, size - 1) &&
  isWithin(value.direction, 3)

const isWithin = (value: Json | undefined, most: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most

const document = ({ settings, cells, agent, carrying, steps, arrived }: Episode) => ({
  level: settings.level,
  mission: MISSIONS[settings.level],
  max_steps: settings.maxSteps,
  rows: cells.map((row) => row.join("")),
  agent: { ...agent },
  carrying,
  steps,
  arrived,
})

const world: World = {
  reset: ({ rng }, options) => {
    const settings = settingsOf(options)
    const { cells, agent } = make(settings, rng)
    current = { settings, cells: cells.map((row) => [...row]), agent, carrying: null, steps: 0, arrived: false }
  },
  observe: () => {
    const { settings, cells, agent, carrying } = playing()
    return {
      image: imageOf(cells, { ...agent, carrying }, settings.level === "Empty"),
      direction: agent.direction,
      mission: MISSIONS[settings.level],
    }
  },
  step: (_context, action: number) => {
    const episode = playing()
    if (!Number.isInteger(action) || action < LEFT || action > DONE)
      throw failure("no-such-action", `Expected an action from 0 to 6, found ${JSON.stringify(action)}.`)
    episode.steps += 1
    episode.arrived = false
    act(episode, action)
    const { maxSteps } = episode.settings
    return {
      reward: episode.arrived ? 1 - 0.9 * (episode.steps / maxSteps) : 0,
      terminated: episode.arrived,
      truncated: episode.steps >= maxSteps,
    }
  },
  state: () => document(playing()),
  restore: (_context, options, state) => {
    current = restored(settingsOf(options), state)
  },
}

export default { environment: world } satisfies WorldPlugin
