/**
 * The world `corridor`: walk from the first position to the last. It is AgentOS's Corridor without two faults:
 * observations stay in their space, and the episode ends exactly at the last position.
 */
import type { Json, JsonObject, World, WorldPlugin } from "hindcast/plugin"

interface State {
  readonly position: number
  /** The number of positions. */
  readonly length: number
}

let state: State = { position: 0, length: 5 }

const numberIn = (document: JsonObject, name: string, otherwise?: number): number => {
  const value: Json | undefined = document[name] ?? otherwise
  if (typeof value !== "number") throw new TypeError(`${name}: expected a number, found ${JSON.stringify(value)}`)
  return value
}

const environment: World = {
  spaces: (options) => ({
    observation: { type: "Discrete", n: numberIn(options, "length", 5) },
    action: { type: "Discrete", n: 2 },
  }),
  reset: (_context, options) => {
    state = { position: 0, length: numberIn(options, "length", 5) }
  },
  observe: () => state.position,
  step: (_context, action: 0 | 1) => {
    const last = state.length - 1
    const position = Math.min(Math.max(state.position + (action === 1 ? 1 : -1), 0), last)
    state = { ...state, position }
    return { reward: -1, terminated: position === last }
  },
  state: () => ({ ...state }),
  restore: (_context, _options, document) => {
    state = { position: numberIn(document, "position"), length: numberIn(document, "length") }
  },
}

export default { environment } satisfies WorldPlugin
