/**
 * The world `grid-world`: agents walk in one grid at the same time, pick up keys and things, open doors, avoid hazards
 * and go to their goals.
 */
import type { Generator, JsonObject, MultiAgentWorld, Step, WorldPlugin } from "hindcast/plugin"
import { ACTIONS, type Action, beside, handle, isPossible, STEPS } from "./actions.ts"
import { GOAL, HAZARD, isPassable, isThing } from "./cells.ts"
import { generated } from "./generate.ts"
import { settingsOf, wantedOf } from "./level.ts"
import { movers } from "./moves.ts"
import { perception, spacesFor } from "./perception.ts"
import {
  begin,
  cellAt,
  documentOf,
  drawnIn,
  enter,
  failure,
  type Grid,
  indexOf,
  isWalking,
  leave,
  restored,
  type Walker,
} from "./state.ts"

let current: Grid | undefined

/** The current observations; undefined after a change, until an agent looks. */
let perceived: ReturnType<typeof perception> | undefined

const playing = (): Grid => {
  if (current === undefined) throw failure("no-grid", "There is no grid yet: the world was not reset.")
  return current
}

/** Throws if the agent was never in the grid. */
const walkerOf = (grid: Grid, name: string): Walker => {
  const walker = grid.agents.get(name)
  if (walker === undefined) throw failure("no-such-agent", `${name} is not in the grid.`)
  return walker
}

/** A round's actions, sorted by agent. An agent without one stays. */
const actionsOf = (grid: Grid, actions: JsonObject): ReadonlyMap<string, Action> => {
  const chosen = Object.keys(actions)
    .sort()
    .map((name) => {
      const action = ACTIONS[Number(actions[name])]
      if (!isWalking(walkerOf(grid, name))) throw failure("has-left", `${name} has left the grid.`)
      if (action === undefined || typeof actions[name] !== "number")
        throw failure("no-such-action", `Expected an action from 0 to 7, found ${JSON.stringify(actions[name])}.`)
      return [name, action] as const
    })
  return new Map(chosen)
}

/** Moves every agent that wants to move and can. */
const move = (grid: Grid, actions: ReadonlyMap<string, Action>, rng: Generator): void => {
  const { slip } = grid.settings
  const walking = [...grid.agents].filter(([, walker]) => isWalking(walker))
  const at = new Map(walking.map(([name, walker]) => [name, indexOf(grid, walker)]))
  const targets = new Map<string, { readonly x: number; readonly y: number }>()
  const trying: Array<string> = []
  for (const [name, walker] of walking) {
    const direction = ACTIONS.indexOf(actions.get(name) ?? "stay") - 1
    if (STEPS[direction] === undefined) continue
    const step = STEPS[slip > 0 && rng.random() < slip ? rng.integers(0, STEPS.length) : direction]
    const target = beside(walker, step ?? { x: 0, y: 0 })
    trying.push(name)
    if (isPassable(cellAt(grid, target) ?? "#")) targets.set(name, target)
  }
  const wanted = new Map([...targets].map(([name, target]) => [name, indexOf(grid, target)]))
  const moving = movers(trying, at, wanted)
  for (const name of trying) {
    const walker = walkerOf(grid, name)
    const target = targets.get(name)
    if (moving.has(name) && target !== undefined) Object.assign(walker, target)
    else walker.blocked += 1
  }
}

/** A walking agent's result of the round: rewards, and whether it has left the grid. */
const outcomeOf = (grid: Grid, name: string, walker: Walker): Step => {
  const { goals, fetch, rewards } = grid.settings
  const { step } = rewards
  const cell = cellAt(grid, walker)
  if (cell === HAZARD) {
    walker.status = "lost"
    return { reward: { step, hazard: rewards.hazard }, terminated: true, outcome: "failed" }
  }
  const own = goals.get(name)
  const isThere = own === undefined ? cell === GOAL : own.x === walker.x && own.y === walker.y
  const things = [...walker.carrying].filter(isThing).length
  if (!isThere || things < fetch) return { reward: { step } }
  walker.status = "arrived"
  return {
    reward: { step, goal: rewards.goal, things: rewards.things * things },
    terminated: true,
    outcome: "achieved",
  }
}

/** Draws an index below a length; 0 without a draw if there is no choice. */
const indexBy =
  (rng: Generator) =>
  (length: number): number =>
    length > 1 ? rng.integers(0, length) : 0

const world: MultiAgentWorld = {
  mode: "parallel",
  spaces: spacesFor,
  reset: ({ agents, rng }, options) => {
    const wanted = wantedOf(options)
    const drawn = wanted === undefined ? undefined : generated(rng, wanted, agents.length)
    const grid = begin(settingsOf(options, drawn), drawn)
    enter(grid, agents, indexBy(rng))
    current = grid
    perceived = undefined
  },
  observe: ({ agent }) => {
    const grid = playing()
    perceived ??= perception(grid)
    return perceived(agent, walkerOf(grid, agent))
  },
  mask: ({ agent }) => {
    const grid = playing()
    const walker = walkerOf(grid, agent)
    return ACTIONS.map((action) => (isPossible(grid, walker, action) ? 1 : 0))
  },
  step: ({ rng }, actions) => {
    const grid = playing()
    const chosen = actionsOf(grid, actions)
    perceived = undefined
    grid.round += 1
    const walking = [...grid.agents].filter(([, walker]) => isWalking(walker))
    for (const [name, action] of chosen) handle(grid, walkerOf(grid, name), action)
    move(grid, chosen, rng)
    return Object.fromEntries(walking.map(([name, walker]) => [name, outcomeOf(grid, name, walker)]))
  },
  join: ({ rng }, agent) => {
    const grid = playing()
    if (grid.agents.has(agent)) throw failure("is-there-already", `${agent} is in the grid already.`)
    enter(grid, [agent], indexBy(rng))
    perceived = undefined
  },
  leave: (_context, agent) => {
    leave(playing(), agent)
    perceived = undefined
  },
  state: () => documentOf(playing()),
  restore: (_context, options, state) => {
    const { generated: kept = null, ...rest } = state
    const drawn = wantedOf(options) === undefined ? undefined : drawnIn(kept)
    current = restored(settingsOf(options, drawn), rest, drawn)
    perceived = undefined
  },
}

export default { environment: world } satisfies WorldPlugin
