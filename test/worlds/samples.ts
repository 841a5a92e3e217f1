import type { World as AuthorWorld, MultiAgentWorld, Spaces } from "../../src/plugins/author.ts"
import { inMemory } from "./InMemoryWorld.ts"

/** The limit of steps. */
interface Limit {
  readonly maxSteps?: number
}

const COUNT: Spaces = {
  observation: { type: "Box", dtype: "float64", shape: [2], low: [-100, 0], high: [100, 1] },
  action: { type: "Discrete", n: 3, start: -1 },
}

/** A counter that an action moves; it draws a number at each step. 3 is won, -3 lost. */
export const counter = (maxSteps?: number) => {
  let [at, drawn] = [0, 0]
  const world: AuthorWorld = {
    reset: ({ rng }) => {
      at = 0
      drawn = rng.random()
      return { info: { began: true } }
    },
    observe: () => [at, drawn],
    step: ({ rng }, action: number) => {
      at += action
      drawn = rng.random()
      return {
        reward: { way: at, effort: -Math.abs(action) / 2 },
        terminated: Math.abs(at) >= 3,
        outcome: at > 0 ? "achieved" : "failed",
        info: { at },
      }
    },
    state: () => ({ at, drawn }),
  }
  return inMemory(world, { spaces: COUNT, ...(maxSteps === undefined ? {} : { maxSteps }) })
}

/** A world that shows the last action, which is of 2 numbers with bounds of their own. */
export const pusher = () => {
  let pushed: ReadonlyArray<number> = [0, 0]
  const box = { type: "Box", dtype: "float64", shape: [2] } as const
  const world: AuthorWorld = {
    reset: () => {
      pushed = [0, 0]
    },
    observe: () => pushed,
    step: (_, action: ReadonlyArray<number>) => {
      pushed = action
      return { reward: 1 }
    },
    state: () => ({ pushed }),
  }
  const spaces: Spaces = {
    observation: { ...box, low: -10, high: 10 },
    action: { ...box, low: [-2, 0], high: [2, 0.3] },
  }
  return inMemory(world, { spaces })
}

const NUMBERS: Spaces = {
  observation: { type: "Dict", subspaces: { left: { type: "Discrete", n: 10 } } },
  action: { type: "Discrete", n: 3 },
}

/** Each takes 0 to 2 of its own 5 matches at once, and is out when it has none. The reward is what the others took. */
export const matches = (agents: ReadonlyArray<string> = ["alice", "bob"], limit: Limit = {}) => {
  let left: Record<string, number> = {}
  const world: MultiAgentWorld = {
    mode: "parallel",
    reset: ({ agents }) => {
      left = Object.fromEntries(agents.map((agent) => [agent, 5]))
    },
    observe: ({ agent }) => ({ left: left[agent] ?? 0 }),
    step: (_, actions: { readonly [agent: string]: number }) => {
      const all = Object.values(actions).reduce((sum, taken) => sum + taken, 0)
      for (const [agent, taken] of Object.entries(actions)) left[agent] = Math.max(0, (left[agent] ?? 0) - taken)
      return Object.fromEntries(
        Object.entries(actions).map(([agent, taken]) => [
          agent,
          { reward: all - taken, terminated: left[agent] === 0, info: { taken } },
        ]),
      )
    },
    state: () => ({ left }),
  }
  return inMemory(world, { spaces: NUMBERS, agents, ...limit })
}

/** Nim: two in turn take 1 or 2 of 5 matches; who takes the last one wins. */
export const nim = (limit: Limit = {}) => {
  const agents = ["alice", "bob"]
  let [left, next] = [5, 0]
  const world: MultiAgentWorld = {
    mode: "turn-based",
    reset: () => {
      left = 5
      next = 0
    },
    observe: () => ({ left }),
    step: ({ agent }, actions: { readonly [agent: string]: number }) => {
      const taken = actions[agent] ?? 0
      if (taken === 0 || taken > left) throw Object.assign(new Error("take 1 or 2"), { code: "IllegalMove" })
      left -= taken
      next = 1 - next
      const over = left === 0
      return Object.fromEntries(
        agents.map((name) => [name, { reward: over ? (name === agent ? 1 : -1) : 0, terminated: over }]),
      )
    },
    turn: () => (left === 0 ? null : (agents[next] ?? null)),
    state: () => ({ left, next }),
  }
  return inMemory(world, { spaces: NUMBERS, agents, ...limit })
}

/** Two take turns that change nothing but their number, which both are shown. */
export const shifting = () => {
  const agents = ["alice", "bob"]
  let turns = 0
  const world: MultiAgentWorld = {
    mode: "turn-based",
    reset: () => {
      turns = 0
    },
    observe: () => [turns],
    step: (_, actions: { readonly [agent: string]: number }) => {
      turns += 1
      return Object.fromEntries(Object.keys(actions).map((agent) => [agent, { reward: 1 }]))
    },
    turn: () => agents[turns % 2] ?? null,
    state: () => ({ turns }),
  }
  const spaces: Spaces = {
    observation: { type: "Box", dtype: "float64", shape: [1], low: 0, high: 100 },
    action: { type: "Discrete", n: 1 },
  }
  return inMemory(world, { spaces, agents })
}
