/** A heap of matches, from which two agents take in turns. Who takes the last one loses. */
import type { WorldPlugin } from "hindcast/plugin"

let heap = 21
let turn: string | null = null

export default {
  environment: {
    mode: "turn-based",
    reset: ({ agents }, options) => {
      heap = Number(options.heap ?? 21)
      turn = agents[0] ?? null
    },
    observe: () => heap,
    step: ({ agents }, actions: { [agent: string]: number }) => {
      const [agent = "", taken = 0] = Object.entries(actions)[0] ?? []
      if (taken > heap) throw Object.assign(new Error(`there are ${heap} left`), { code: "TooMany" })
      heap -= taken
      const other = agents.find((name) => name !== agent) ?? agent
      turn = heap === 0 ? null : other
      if (heap > 0) return { [agent]: { reward: 0 } }
      return {
        [agent]: { reward: -1, terminated: true, outcome: "failed" },
        [other]: { reward: 1, terminated: true, outcome: "achieved" },
      }
    },
    turn: () => turn,
    state: () => ({ heap, turn }),
    restore: (_context, _options, state) => {
      heap = Number(state.heap)
      turn = state.turn as string | null
    },
  },
} satisfies WorldPlugin
