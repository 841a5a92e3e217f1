/**
 * The world `mountain-car-continuous`: a car too weak for the hill gains momentum in the valley, and pays for each force.
 * The dynamics, their order of operations and the draw follow Gymnasium's MountainCarContinuous-v0 with numpy 2. That world
 * begins in float64 and keeps its state in float32 from the first step on; its rewards are float64.
 */
import type { ElementaryFunctions, Json, JsonObject, World, WorldPlugin } from "hindcast/plugin"

const LEFT_WALL = -1.2
const RIGHT_WALL = 0.6
const MAX_SPEED = 0.07
const FLAG = 0.45
const POWER = 0.0015
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
  /** Whether the car has not moved yet, so that its state is float64. */
  readonly fresh: boolean
}

let state: State = { position: 0, velocity: 0, highest: 0, altitude: 0, goalVelocity: 0, fresh: true }

const numberIn = (document: JsonObject, name: string, otherwise?: number): number => {
  const value: Json | undefined = document[name] ?? otherwise
  if (typeof value !== "number") throw new TypeError(`${name}: expected a number, found ${JSON.stringify(value)}`)
  return value
}

const altitudeAt = (position: number, { sin }: ElementaryFunctions): number => sin(3 * position) * 0.45 + 0.55

/**
 * The state after one step with `action`, a float32. numpy computes with a float32 and a number of Python's in float32,
 * and with a float64 in float64: `kept` rounds as it does. An action outside [-1, 1] becomes a number of Python's.
 */
const driven = (
  from: State,
  action: number,
  math: ElementaryFunctions,
): { readonly next: State; readonly ends: boolean } => {
  const kept = from.fresh ? (value: number) => value : Math.fround
  const pull = GRAVITY * math.cos(kept(3 * from.position))
  const acceleration =
    Math.abs(action) > 1
      ? Math.sign(action) * POWER - pull
      : Math.fround(Math.fround(action * Math.fround(POWER)) - Math.fround(pull))
  const within = (value: number, low: number, high: number): number =>
    value > kept(high) ? high : value < kept(low) ? low : value
  const velocity = within(kept(from.velocity + kept(acceleration)), -MAX_SPEED, MAX_SPEED)
  const position = within(kept(from.position + kept(velocity)), LEFT_WALL, RIGHT_WALL)
  const isStopped = kept(position) <= kept(LEFT_WALL) && velocity < 0
  const next = Math.fround(position)
  return {
    next: {
      ...from,
      position: next,
      velocity: isStopped ? 0 : Math.fround(velocity),
      highest: Math.max(from.highest, next),
      altitude: altitudeAt(next, math),
      fresh: false,
    },
    ends: position >= kept(FLAG) && kept(isStopped ? 0 : velocity) >= kept(from.goalVelocity),
  }
}

const environment: World = {
  reset: ({ rng, math }, options) => {
    const low = numberIn(options, "low", -0.6)
    const high = numberIn(options, "high", -0.4)
    if (low > high) throw new RangeError(`low: expected at most high, found ${low} and ${high}`)
    const goalVelocity = numberIn(options, "goal_velocity", 0)
    const position = rng.uniform(low, high)
    state = {
      position,
      velocity: 0,
      highest: position,
      altitude: altitudeAt(position, math),
      goalVelocity,
      fresh: true,
    }
  },
  observe: () => [state.position, state.velocity].map(Math.fround),
  step: ({ math }, [action]: readonly [number]) => {
    const given = Math.fround(action)
    const { next, ends } = driven(state, given, math)
    state = next
    return { reward: (ends ? 100 : 0) - given * given * 0.1, terminated: ends }
  },
  state: () => ({ ...state }),
  restore: (_context, _options, document) => {
    state = {
      position: numberIn(document, "position"),
      velocity: numberIn(document, "velocity"),
      highest: numberIn(document, "highest"),
      altitude: numberIn(document, "altitude"),
      goalVelocity: numberIn(document, "goalVelocity"),
      fresh: document.fresh === true,
    }
  },
}

export default { environment } satisfies WorldPlugin
