/**
 * The world `acrobot`: a torque between two links that hang from a joint swings the lower end above a line. The
 * dynamics (Sutton and Barto's book), their order of operations and the draws follow Gymnasium's Acrobot-v1. The state
 * holds float64 numbers, the first one float32; observations hold float32.
 */
import type { ElementaryFunctions, Json, JsonObject, World, WorldPlugin } from "hindcast/plugin"

/** Seconds per step: one step of the Runge-Kutta method. */
const TAU = 0.2
const GRAVITY = 9.8
const MAX_VELOCITIES = [4 * Math.PI, 9 * Math.PI] as const
/** Both links: 1 m, 1 kg, 1 kg m², centre of mass halfway. */
const LENGTH = 1
const MASS = 1
const CENTRE = 0.5
const INERTIA = 1
const CENTRE_SQUARED = CENTRE * CENTRE

/** Two angles, then their velocities: of the upper link from hanging, and of the lower link from the upper one. */
type Motion = readonly [number, number, number, number]

interface State {
  readonly motion: Motion
  /** Height of the lower end above the joint, in link lengths. The line is at 1. */
  readonly height: number
}

let state: State = { motion: [0, 0, 0, 0], height: -2 }

const stateOf = (motion: Motion, { cos }: ElementaryFunctions): State => ({
  motion,
  height: -cos(motion[0]) - cos(motion[1] + motion[0]),
})

const numberIn = (document: JsonObject, name: string, otherwise?: number): number => {
  const value: Json | undefined = document[name] ?? otherwise
  if (typeof value !== "number") throw new TypeError(`${name}: expected a number, found ${JSON.stringify(value)}`)
  return value
}

/** The motion's time derivatives. */
const derivatives = (
  [theta1, theta2, velocity1, velocity2]: Motion,
  torque: number,
  { sin, cos }: ElementaryFunctions,
): Motion => {
  const [sine2, cosine2] = [sin(theta2), cos(theta2)]
  const d1 =
    MASS * CENTRE_SQUARED +
    MASS * (LENGTH * LENGTH + CENTRE_SQUARED + 2 * LENGTH * CENTRE * cosine2) +
    INERTIA +
    INERTIA
  const d2 = MASS * (CENTRE_SQUARED + LENGTH * CENTRE * cosine2) + INERTIA
  const phi2 = MASS * CENTRE * GRAVITY * cos(theta1 + theta2 - Math.PI / 2)
  const phi1 =
    -MASS * LENGTH * CENTRE * (velocity2 * velocity2) * sine2 -
    2 * MASS * LENGTH * CENTRE * velocity2 * velocity1 * sine2 +
    (MASS * CENTRE + MASS * LENGTH) * GRAVITY * cos(theta1 - Math.PI / 2) +
    phi2
  const acceleration2 =
    (torque + (d2 / d1) * phi1 - MASS * LENGTH * CENTRE * (velocity1 * velocity1) * sine2 - phi2) /
    (MASS * CENTRE_SQUARED + INERTIA - (d2 * d2) / d1)
  return [velocity1, velocity2, -(d2 * acceleration2 + phi1) / d1, acceleration2]
}

const combined = (one: Motion, other: Motion, by: (a: number, b: number) => number): Motion => [
  by(one[0], other[0]),
  by(one[1], other[1]),
  by(one[2], other[2]),
  by(one[3], other[3]),
]

/** The motion after a step, by the fourth-order Runge-Kutta method. */
const integrated = (from: Motion, torque: number, math: ElementaryFunctions): Motion => {
  const after = (time: number, change: Motion) => combined(from, change, (a, b) => a + time * b)
  const k1 = derivatives(from, torque, math)
  const k2 = derivatives(after(TAU / 2, k1), torque, math)
  const k3 = derivatives(after(TAU / 2, k2), torque, math)
  const k4 = derivatives(after(TAU, k3), torque, math)
  const plusTwice = (sum: Motion, k: Motion) => combined(sum, k, (a, b) => a + 2 * b)
  const sum = combined(plusTwice(plusTwice(k1, k2), k3), k4, (a, b) => a + b)
  return combined(from, sum, (a, b) => a + (TAU / 6) * b)
}

/** The angle in [-π, π], minus whole turns. */
const wrapped = (angle: number): number => {
  let value = angle
  while (value > Math.PI) value -= 2 * Math.PI
  while (value < -Math.PI) value += 2 * Math.PI
  return value
}

const bounded = (value: number, most: number): number => Math.min(Math.max(value, -most), most)

const swung = (from: Motion, torque: number, math: ElementaryFunctions): Motion => {
  const [theta1, theta2, velocity1, velocity2] = integrated(from, torque, math)
  return [
    wrapped(theta1),
    wrapped(theta2),
    bounded(velocity1, MAX_VELOCITIES[0]),
    bounded(velocity2, MAX_VELOCITIES[1]),
  ]
}

const motionOf = (document: JsonObject): Motion => {
  const [a, b, c, d] = Array.isArray(document.motion) ? document.motion : []
  const numbers: JsonObject = { a, b, c, d }
  return [numberIn(numbers, "a"), numberIn(numbers, "b"), numberIn(numbers, "c"), numberIn(numbers, "d")]
}

const environment: World = {
  reset: ({ rng, math }, options) => {
    const low = numberIn(options, "low", -0.1)
    const high = numberIn(options, "high", 0.1)
    if (low > high) throw new RangeError(`low: expected at most high, found ${low} and ${high}`)
    const [theta1 = 0, theta2 = 0, velocity1 = 0, velocity2 = 0] = rng.uniform(low, high, 4).map(Math.fround)
    state = stateOf([theta1, theta2, velocity1, velocity2], math)
  },
  observe: ({ math: { sin, cos } }) => {
    const [theta1, theta2, velocity1, velocity2] = state.motion
    return [cos(theta1), sin(theta1), cos(theta2), sin(theta2), velocity1, velocity2].map(Math.fround)
  },
  step: ({ math }, action: 0 | 1 | 2) => {
    state = stateOf(swung(state.motion, action - 1, math), math)
    return state.height > 1 ? { reward: 0, terminated: true } : { reward: -1 }
  },
  state: () => ({ ...state }),
  restore: ({ math }, _options, document) => {
    state = stateOf(motionOf(document), math)
  },
}

export default { environment } satisfies WorldPlugin
