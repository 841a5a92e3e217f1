/** Matching pennies: two show a side at once. The first wins if they match, the other one if not. */
import type { WorldPlugin } from "hindcast/plugin"

const NOTHING_SHOWN = 2

let sides: ReadonlyArray<number> = []

export default {
  environment: {
    mode: "parallel",
    reset: (context) => {
      sides = context.agents.map(() => NOTHING_SHOWN)
    },
    observe: () => sides,
    step: (context, actions: { readonly [agent: string]: number }) => {
      sides = context.agents.map((agent) => actions[agent] ?? NOTHING_SHOWN)
      const [first, second] = sides
      return Object.fromEntries(
        context.agents.map((agent, index) => [agent, { reward: (first === second) === (index === 0) ? 1 : -1 }]),
      )
    },
    state: () => ({ sides }),
  },
} satisfies WorldPlugin
