/** Policies that the worlds' returns are known for. */
import type { StatefulGenerator } from "../../src/plugins/numpy/Generator.ts"
import { numbersOf, type Policy } from "./Episode.ts"

/** Cart pole: push to the side to which the pole leans and falls. */
export const balance = (): Policy => (observation) => {
  const [, , angle = 0, angularVelocity = 0] = numbersOf(observation)
  return angle + angularVelocity > 0 ? 1 : 0
}

/** Mountain car: accelerate as the car rolls, and to the right from a standstill. */
export const withVelocity = (): Policy => (observation) => {
  const [, velocity = 0] = numbersOf(observation)
  return velocity >= 0 ? 2 : 0
}

/** Pendulum: any torque. */
export const anyTorque =
  (rng: StatefulGenerator): Policy =>
  () => [Math.fround(rng.uniform(-2, 2))]

/** Acrobot: a torque against the turn of the upper link. */
export const swing = (): Policy => (observation) => {
  const [, , , , velocity = 0] = numbersOf(observation)
  return velocity < 0 ? 2 : 0
}
