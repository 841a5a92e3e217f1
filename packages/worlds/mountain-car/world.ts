/**
 * The world `mountain-car`: a car too weak for the hill has to gain momentum in the valley. The dynamics, their order
 * of operations and the draw follow Gymnasium's MountainCar-v0. The state holds float64 numbers, observations float32.
 */
import type { ElementaryFunctions, Json, JsonObject, World, WorldPlugin } from "hindcast/plugin"

const LEFT_WALL = -1.2
const RIGHT_WALL = 0.6
const MAX_SPEED = 0.07
const FLAG = 0.5
const FORCE = 0.001
const GRAVITY = 0.0025

/** `highest` is the rightmost position of the episode. */
interface State {
  readonly position: number
  readonly velocity: number
  readonly highest: number
  /** The hill's height at the car, for drawing the world. */
  readonly altitude: number
  /** The minimum velocity at the flag that ends the episode. */
  readonly goalVelocity: number
}

let state: State = { position: 0, velocity: 0, highest: 0, altitude: 0, goalVelocity: 0 }

const numberIn = (document: JsonObject, name: string, otherwise?: number): number => {
  const value: Json | undefined = document[name] ?? otherwise
  if (typeof value !== "number") throw new TypeError(`${name}: expected a number, found ${JSON.stringify(value)}`)
  return value
}

const clipped = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high)

const altitudeAt = (position: number, { sin }: ElementaryFunctions): number => sin(3 * position) * 0.45 + 0.55

/** The state after one step of acceleration by `direction`: -1, 0 or 1. */
const driven = (from: State, direction: number, math: ElementaryFunctions): State => {
  const velocity = clipped(
    from.velocity + (direction * FORCE + math.cos(3 * from.position) * -GRAVITY),
    -MAX_SPEED,
    MAX_SPEED,
  )
  const position = clipped(from.position + velocity, LEFT_WALL, RIGHT_WALL)
  return {
    ...from,
    position,
    velocity: position === LEFT_WALL && velocity < 0 ? 0 : velocity,
    highest: Math.max(from.highest, position),
    altitude: altitudeAt(position, math),
  }
}

const environment: World = {
  reset: ({ rng, math }, options) => {
    const low = numberIn(options, "low", -0.6)
    const high = numberIn(options, "high", -0.4)
    if (low > high) throw new RangeError(`low: expected at most high, found ${low} and ${high}`)
    const goalVelocity = numberIn(options, "goal_velocity", 0)
    const position = rng.uniform(low, high)
    state = { position, velocity: 0, highest: position, altitude: altitudeAt(position, math), goalVelocity }
  },
  observe: () => [state.position, state.velocity].map(Math.fround),
  step: ({ math }, action: 0 | 1 | 2) => {
    state = driven(state, action - 1, math)
    return { reward: -1, terminated: state.position >= FLAG && state.velocity >= state.goalVelocity }
  },
  state: () => ({ ...state }),
  restore: (_context, _options, document) => {
    state = {
      position: numberIn(document, "position"),
      velocity: numberIn(document, "velocity"),
      highest: numberIn(document, "highest"),
      altitude: numberIn(document, "altitude"),
      goalVelocity: numberIn(document, "goalVelocity"),
    }
  },
}

export default { environment } satisfies WorldPlugin
