/**
 * The world `pendulum`: a torque at its joint swings a pendulum up and keeps it there. The dynamics, their order of
 * operations and the draws follow Gymnasium's Pendulum-v1 with numpy 2. The state holds float64 numbers; observations,
 * actions and the terms of the action alone hold float32.
 */
import type { ElementaryFunctions, Json, JsonObject, World, WorldPlugin } from "hindcast/plugin"

const MAX_SPEED = 8
const MASS = 1
const LENGTH = 1
/** Seconds per step. */
const TAU = 0.05

interface State {
  /** Radians from upright, counter-clockwise, including whole turns. */
  readonly angle: number
  readonly angularVelocity: number
  /** `angle` in [-π, π). */
  readonly lean: number
  /** Of the last step. */
  readonly torque: number
  /** Acceleration of gravity. */
  readonly gravity: number
}

let state: State = { angle: 0, angularVelocity: 0, lean: 0, torque: 0, gravity: 10 }

const numberIn = (document: JsonObject, name: string, otherwise?: number): number => {
  const value: Json | undefined = document[name] ?? otherwise
  if (typeof value !== "number") throw new TypeError(`${name}: expected a number, found ${JSON.stringify(value)}`)
  return value
}

/** The remainder with the divisor's sign, as in Python. */
const modulo = (value: number, divisor: number): number => {
  const remainder = value % divisor
  return remainder < 0 ? remainder + divisor : remainder
}

const leanOf = (angle: number): number => modulo(angle + Math.PI, 2 * Math.PI) - Math.PI

/** numpy multiplies float32 by a number in float32. */
const timesFloat32 = (factor: number, value: number): number => Math.fround(Math.fround(factor) * value)

/**
 * A step's cost: lean and velocity before it, and its torque. numpy squares a float64 by `pow`, whose last bit may
 * differ.
 */
const costOf = ({ lean, angularVelocity }: State, torque: number, { pow }: ElementaryFunctions): number =>
  pow(lean, 2) + 0.1 * pow(angularVelocity, 2) + timesFloat32(0.001, Math.fround(torque * torque))

const turned = ({ angle, angularVelocity, gravity }: State, torque: number, { sin }: ElementaryFunctions): State => {
  const acceleration = ((3 * gravity) / (2 * LENGTH)) * sin(angle) + timesFloat32(3 / (MASS * LENGTH * LENGTH), torque)
  const velocity = Math.min(Math.max(angularVelocity + acceleration * TAU, -MAX_SPEED), MAX_SPEED)
  const next = angle + velocity * TAU
  return { angle: next, angularVelocity: velocity, lean: leanOf(next), torque, gravity }
}

const environment: World = {
  reset: ({ rng }, options) => {
    const furthest = numberIn(options, "x_init", Math.PI)
    const fastest = numberIn(options, "y_init", 1)
    const gravity = numberIn(options, "g", 10)
    const angle = rng.uniform(-furthest, furthest)
    const angularVelocity = rng.uniform(-fastest, fastest)
    state = { angle, angularVelocity, lean: leanOf(angle), torque: 0, gravity }
  },
  observe: ({ math }) => [math.cos(state.angle), math.sin(state.angle), state.angularVelocity].map(Math.fround),
  step: ({ math }, [action]: readonly [number]) => {
    const torque = Math.fround(action)
    const reward = -costOf(state, torque, math)
    state = turned(state, torque, math)
    return { reward }
  },
  state: () => ({ ...state }),
  restore: (_context, _options, document) => {
    state = {
      angle: numberIn(document, "angle"),
      angularVelocity: numberIn(document, "angularVelocity"),
      lean: numberIn(document, "lean"),
      torque: numberIn(document, "torque"),
      gravity: numberIn(document, "gravity"),
    }
  },
}

export default { environment } satisfies WorldPlugin
