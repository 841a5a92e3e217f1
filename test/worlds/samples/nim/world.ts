/** A heap of sticks: two take turns, and who takes the last one loses. */
import type { WorldPlugin } from "hindcast/plugin"

let heap = 0
let players: ReadonlyArray<string> = []
let turn = 0

const whose = (): string | null => (heap === 0 ? null : (players[turn % players.length] ?? null))

export default {
  environment: {
    mode: "turn-based",
    reset: (context) => {
      heap = context.rng.integers(10, 30)
      players = context.agents
      turn = 0
    },
    observe: () => heap,
    mask: () => [1, 2, 3].map((count) => (count <= heap ? 1 : 0)),
    turn: whose,
    step: (context, actions: { readonly [agent: string]: number }) => {
      const taken = actions[context.agent] ?? 0
      if (taken > heap) throw Object.assign(new Error(`there are ${heap} sticks`), { code: "TooFewSticks" })
      heap -= taken
      turn += 1
      const over = heap === 0
      const reward = (agent: string) => (over ? (agent === context.agent ? -1 : 1) : 0)
      return Object.fromEntries(
        (over ? players : [context.agent]).map((agent) => [agent, { reward: reward(agent), terminated: over }]),
      )
    },
    state: () => ({ heap, players, turn }),
  },
} satisfies WorldPlugin
