/**
 * The world `cart-pole`: pushes to a cart balance the pole on it. The dynamics, their order of operations and the draws
 * follow Gymnasium's CartPole-v1. The state holds float64 numbers, observations float32.
 */
import type { ElementaryFunctions, Json, JsonObject, World, WorldPlugin } from "hindcast/plugin"

const GRAVITY = 9.8
const POLE_MASS = 0.1
const TOTAL_MASS = 0.1 + 1.0
/** Half the pole's length, in metres. */
const HALF_LENGTH = 0.5
const POLE_MASS_LENGTH = POLE_MASS * HALF_LENGTH
/** Newtons per push. */
const FORCE = 10
/** Seconds per step. */
const TAU = 0.02
const POSITION_LIMIT = 2.4
/** 12° */
const ANGLE_LIMIT = (12 * 2 * Math.PI) / 360

/** In metres, radians and seconds; `widest` is the largest absolute angle of the episode. */
interface State {
  readonly position: number
  readonly velocity: number
  readonly angle: number
  readonly angularVelocity: number
  readonly widest: number
}

let state: State = { position: 0, velocity: 0, angle: 0, angularVelocity: 0, widest: 0 }

const numberIn = (document: JsonObject, name: string, otherwise?: number): number => {
  const value: Json | undefined = document[name] ?? otherwise
  if (typeof value !== "number") throw new TypeError(`${name}: expected a number, found ${JSON.stringify(value)}`)
  return value
}

/** The state after one step with `force`, by Euler's method. */
const pushed = (
  { position, velocity, angle, angularVelocity, widest }: State,
  force: number,
  { sin, cos }: ElementaryFunctions,
): State => {
  const cosine = cos(angle)
  const sine = sin(angle)
  const temporary = (force + POLE_MASS_LENGTH * (angularVelocity * angularVelocity) * sine) / TOTAL_MASS
  const angularAcceleration =
    (GRAVITY * sine - cosine * temporary) / (HALF_LENGTH * (4 / 3 - (POLE_MASS * (cosine * cosine)) / TOTAL_MASS))
  const acceleration = temporary - (POLE_MASS_LENGTH * angularAcceleration * cosine) / TOTAL_MASS
  const next = angle + TAU * angularVelocity
  return {
    position: position + TAU * velocity,
    velocity: velocity + TAU * acceleration,
    angle: next,
    angularVelocity: angularVelocity + TAU * angularAcceleration,
    widest: Math.max(widest, Math.abs(next)),
  }
}

const hasFallen = ({ position, angle }: State): boolean =>
  Math.abs(position) > POSITION_LIMIT || Math.abs(angle) > ANGLE_LIMIT

const environment: World = {
  reset: ({ rng }, options) => {
    const low = numberIn(options, "low", -0.05)
    const high = numberIn(options, "high", 0.05)
    if (low > high) throw new RangeError(`low: expected at most high, found ${low} and ${high}`)
    const [position = 0, velocity = 0, angle = 0, angularVelocity = 0] = rng.uniform(low, high, 4)
    state = { position, velocity, angle, angularVelocity, widest: Math.abs(angle) }
  },
  observe: () => [state.position, state.velocity, state.angle, state.angularVelocity].map(Math.fround),
  step: ({ math }, action: 0 | 1) => {
    state = pushed(state, action === 1 ? FORCE : -FORCE, math)
    return hasFallen(state) ? { reward: 1, terminated: true, outcome: "failed" } : { reward: 1 }
  },
  state: () => ({ ...state }),
  restore: (_context, _options, document) => {
    state = {
      position: numberIn(document, "position"),
      velocity: numberIn(document, "velocity"),
      angle: numberIn(document, "angle"),
      angularVelocity: numberIn(document, "angularVelocity"),
      widest: numberIn(document, "widest"),
    }
  },
}

export default { environment } satisfies WorldPlugin
