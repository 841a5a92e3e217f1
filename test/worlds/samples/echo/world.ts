/** Shows the last action. Its masks leave lists of two, three or four. */
import type { Json, WorldPlugin } from "hindcast/plugin"

let last: Json = [0, []]

export default {
  environment: {
    reset: () => {
      last = [0, []]
    },
    observe: () => last,
    mask: () => [[[2, 3, 4], null], null],
    step: (_context, action: Json) => {
      last = action
      return { reward: 0 }
    },
    state: () => ({ last }),
    restore: (_context, _options, state) => {
      last = state.last ?? null
    },
  },
} satisfies WorldPlugin
