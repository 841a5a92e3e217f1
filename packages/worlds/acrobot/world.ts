/**
 * The world `acrobot`: two links hang from a joint; a torque between them swings the lower end above a line. The dynamics
 * (those of Sutton and Barto's book), their order of operations and the draws are those of Gymnasium's Acrobot-v1. The
 * state has float64 numbers, but for the first one, which has float32; observations have float32.
 */
import type { Json, JsonObject, Plugin, World } from "../author.ts"

/** The duration of a step, in seconds. It is one step of the method of Runge and Kutta. */
const TAU = 0.2
const GRAVITY = 9.8
const MAX_VELOCITIES = [4 * Math.PI, 9 * Math.PI] as const
/** Both links are as long, as heavy and as inert as each other: 1 m, 1 kg, 1 kg m², with the centre of mass halfway. */
const LENGTH = 1
const MASS = 1
const CENTRE = 0.5
const INERTIA = 1

/** Two angles, then two angular velocities: of the upper link from hanging, and of the lower one from the upper one. */
type Motion = readonly [number, number, number, number]

interface State {
  readonly motion: Motion
  /** How far the lower end is above the joint, in lengths of a link. The line is at 1. */
  readonly height: number
}

let state: State = { motion: [0, 0, 0, 0], height: -2 }

const stateOf = (motion: Motion): State => ({
  motion,
  height: -Math.cos(motion[0]) - Math.cos(motion[1] + motion[0]),
})

const numberIn = (document: JsonObject, name: string, otherwise?: number): number => {
  const value: Json | undefined = document[name] ?? otherwise
  if (typeof value !== "number") throw new TypeError(`${name}: expected a number, found ${JSON.stringify(value)}`)
  return value
}

/** The derivatives of the motion by time. */
const derivatives = ([theta1, theta2, velocity1, velocity2]: Motion, torque: number): Motion => {
  const d1 =
    MASS * CENTRE ** 2 + MASS * (LENGTH ** 2 + CENTRE ** 2 + 2 * LENGTH * CENTRE * Math.cos(theta2)) + INERTIA + INERTIA
  const d2 = MASS * (CENTRE ** 2 + LENGTH * CENTRE * Math.cos(theta2)) + INERTIA
  const phi2 = MASS * CENTRE * GRAVITY * Math.cos(theta1 + theta2 - Math.PI / 2)
  const phi1 =
    -MASS * LENGTH * CENTRE * (velocity2 * velocity2) * Math.sin(theta2) -
    2 * MASS * LENGTH * CENTRE * velocity2 * velocity1 * Math.sin(theta2) +
    (MASS * CENTRE + MASS * LENGTH) * GRAVITY * Math.cos(theta1 - Math.PI / 2) +
    phi2
  const acceleration2 =
    (torque + (d2 / d1) * phi1 - MASS * LENGTH * CENTRE * (velocity1 * velocity1) * Math.sin(theta2) - phi2) /
    (MASS * CENTRE ** 2 + INERTIA - (d2 * d2) / d1)
  return [velocity1, velocity2, -(d2 * acceleration2 + phi1) / d1, acceleration2]
}

const combined = (one: Motion, other: Motion, by: (a: number, b: number) => number): Motion => [
  by(one[0], other[0]),
  by(one[1], other[1]),
  by(one[2], other[2]),
  by(one[3], other[3]),
]

/** The motion after a step, by the method of Runge and Kutta of the fourth order. */
const integrated = (from: Motion, torque: number): Motion => {
  const after = (time: number, change: Motion) => combined(from, change, (a, b) => a + time * b)
  const k1 = derivatives(from, torque)
  const k2 = derivatives(after(TAU / 2, k1), torque)
  const k3 = derivatives(after(TAU / 2, k2), torque)
  const k4 = derivatives(after(TAU, k3), torque)
  const plusTwice = (sum: Motion, k: Motion) => combined(sum, k, (a, b) => a + 2 * b)
  const sum = combined(plusTwice(plusTwice(k1, k2), k3), k4, (a, b) => a + b)
  return combined(from, sum, (a, b) => a + (TAU / 6) * b)
}

/** The angle in [-π, π], by as many whole turns as it takes. */
const wrapped = (angle: number): number => {
  let value = angle
  while (value > Math.PI) value -= 2 * Math.PI
  while (value < -Math.PI) value += 2 * Math.PI
  return value
}

const bounded = (value: number, most: number): number => Math.min(Math.max(value, -most), most)

const swung = (from: Motion, torque: number): Motion => {
  const [theta1, theta2, velocity1, velocity2] = integrated(from, torque)
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
  reset: ({ rng }, options) => {
    const low = numberIn(options, "low", -0.1)
    const high = numberIn(options, "high", 0.1)
    if (low > high) throw new RangeError(`low: expected at most high, found ${low} and ${high}`)
    const [theta1 = 0, theta2 = 0, velocity1 = 0, velocity2 = 0] = rng.uniform(low, high, 4).map(Math.fround)
    state = stateOf([theta1, theta2, velocity1, velocity2])
  },
  observe: () => {
    const [theta1, theta2, velocity1, velocity2] = state.motion
    return [Math.cos(theta1), Math.sin(theta1), Math.cos(theta2), Math.sin(theta2), velocity1, velocity2].map(
      Math.fround,
    )
  },
  step: (_context, action: 0 | 1 | 2) => {
    state = stateOf(swung(state.motion, action - 1))
    return state.height > 1 ? { reward: 0, terminated: true } : { reward: -1 }
  },
  state: () => ({ ...state }),
  restore: (_context, _options, document) => {
    state = stateOf(motionOf(document))
  },
}

export default { environment } satisfies Plugin
