/**
 * The world `physics`: engines bring a lander down on a pad on the Moon, between boulders. Rapier computes rigid bodies
 * and contacts, in its build that is deterministic across platforms.
 */
import type { Generator, Json, JsonObject, Step, World, WorldPlugin } from "hindcast/plugin"
import { type Boulder, type Engines, FEET, type Flight, launch, type Pose, resume } from "./lander.ts"

type Status = "flying" | "landed" | "missed" | "crashed" | "astray"

interface Task {
  readonly flight: Flight
  readonly ground: Ground
  pose: Pose
  status: Status
  /** Number of steps at rest. */
  still: number
  steps: number
  /** Remaining steps of the main and the side engines. */
  fuel: { readonly main: number; readonly side: number }
}

type Ground = {
  /** Centre and half width of the pad. */
  readonly pad: { readonly x: number; readonly half: number }
  readonly boulders: ReadonlyArray<Boulder>
}

const ENGINES: ReadonlyArray<Engines> = ["none", "left", "main", "right"]

const MOST_BOULDERS = 12
/** Beyond it, sideways and upwards, the lander is astray. */
const SIDE = 12
const CEILING = 16
/** Steps that the lander must stand still. */
const REST = 10

let current: Task | undefined

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const playing = (): Task => {
  if (current === undefined) throw failure("no-flight", "There is no flight yet: the world was not reset.")
  return current
}

const begin = (task: Task): void => {
  current?.flight.free()
  current = task
}

const groundOf = (rng: Generator, boulders: number): Ground => {
  const pad = { x: rng.uniform(-5, 5), half: 1.5 }
  // A strip for each; those over the pad are skipped.
  const width = (2 * SIDE) / Math.max(boulders, 1)
  const strips = Array.from({ length: boulders }, (_, index) => ({
    x: -SIDE + width * (index + rng.random()),
    radius: rng.uniform(0.2, 0.6),
  }))
  return { pad, boulders: strips.filter(({ x, radius }) => Math.abs(x - pad.x) > pad.half + radius + 1) }
}

const bouldersOf = ({ boulders = 6 }: JsonObject): number => {
  if (typeof boulders === "number" && Number.isInteger(boulders) && boulders >= 0 && boulders <= MOST_BOULDERS)
    return boulders
  throw failure("bad-option", `The option boulders: expected a whole number from 0 to ${MOST_BOULDERS}.`)
}

/** The status after a step. */
const statusOf = ({ pose, still, ground: { pad } }: Task): Status => {
  if (Math.abs(pose.x) > SIDE || pose.y > CEILING) return "astray"
  if (pose.hit) return "crashed"
  if (still < REST) return "flying"
  return Math.abs(pose.x - pad.x) <= pad.half ? "landed" : "missed"
}

const squared = (value: number): number => value * value

/** Higher when nearer to the pad, slower and more upright. Its differences are a reward. */
const potential = ({ pose, ground: { pad } }: Task): number => {
  const height = pose.y - FEET
  const distance = Math.sqrt(squared(pose.x - pad.x) + squared(height))
  const speed = Math.sqrt(squared(pose.vx) + squared(pose.vy))
  return -10 * distance - 10 * speed - 20 * Math.abs(pose.angle) + 5 * (Number(pose.left) + Number(pose.right))
}

const isStill = ({ left, right, vx, vy, spin }: Pose): boolean =>
  left && right && Math.abs(vx) + Math.abs(vy) < 0.05 && Math.abs(spin) < 0.05

const LANDING = 100
const CRASH = -100
const MISS = -50

const world: World = {
  reset: ({ rng }, options) => {
    const boulders = bouldersOf(options)
    const ground = groundOf(rng, boulders)
    const [x, vx, vy, angle] = [rng.uniform(-6, 6), rng.uniform(-1, 1), rng.uniform(-1, 0), rng.uniform(-0.2, 0.2)]
    const flight = launch({ x, y: 10, vx, vy, angle, boulders: ground.boulders })
    begin({ flight, ground, pose: flight.pose(), status: "flying", still: 0, steps: 0, fuel: { main: 0, side: 0 } })
  },
  observe: () => {
    const { pose, ground } = playing()
    const { x, y, vx, vy, angle, spin, left, right } = pose
    return [x - ground.pad.x, y - FEET, vx, vy, angle, spin, Number(left), Number(right)].map(Math.fround)
  },
  step: (_context, action: number): Step => {
    const task = playing()
    const engines = ENGINES[action]
    if (engines === undefined)
      throw failure("no-such-action", `Expected 0, 1, 2 or 3, found ${JSON.stringify(action)}.`)
    if (task.status !== "flying") throw failure("flight-over", `The flight is over: the lander is ${task.status}.`)
    const before = potential(task)
    task.flight.step(engines)
    task.pose = task.flight.pose()
    task.steps += 1
    const { main, side } = task.fuel
    if (engines === "main") task.fuel = { main: main + 1, side }
    else if (engines !== "none") task.fuel = { main, side: side + 1 }
    task.still = isStill(task.pose) ? task.still + 1 : 0
    task.status = statusOf(task)
    return stepOf(task, engines, potential(task) - before)
  },
  state: () => {
    const { flight, ground, pose, status, still, steps, fuel } = playing()
    return { status, lander: pose, ...ground, still, steps, fuel, snapshot: flight.snapshot() }
  },
  restore: (_context, _options, state) => begin(restored(state)),
}

const stepOf = ({ status }: Task, engines: Engines, shaping: number): Step => {
  const fuel = engines === "none" ? 0 : engines === "main" ? -0.1 : -0.01
  if (status === "flying") return { reward: { shaping, fuel } }
  const landing = status === "landed" ? LANDING : status === "missed" ? MISS : CRASH
  const outcome = status === "landed" ? "achieved" : "failed"
  return { reward: { shaping, fuel, landing }, terminated: true, outcome, info: { status } }
}

const restored = (state: JsonObject): Task => {
  const { status, lander, pad, boulders, still, steps, fuel, snapshot } = state
  const isKnown =
    status === "flying" || status === "landed" || status === "missed" || status === "crashed" || status === "astray"
  if (!isKnown || typeof snapshot !== "string" || typeof still !== "number" || typeof steps !== "number")
    throw failure("bad-state", "Expected the state of a flight: status, still, steps, snapshot.")
  const at = (value: Json | undefined, name: string): number => {
    const found = isRecord(value) ? value[name] : undefined
    if (typeof found === "number") return found
    throw failure("bad-state", `Expected a number as ${name}, found ${JSON.stringify(found)}.`)
  }
  const is = (name: string): boolean => isRecord(lander) && lander[name] === true
  const flight = resume(snapshot)
  return {
    flight,
    ground: {
      pad: { x: at(pad, "x"), half: at(pad, "half") },
      boulders: (Array.isArray(boulders) ? boulders : []).map((boulder: Json) => ({
        x: at(boulder, "x"),
        radius: at(boulder, "radius"),
      })),
    },
    pose: {
      x: at(lander, "x"),
      y: at(lander, "y"),
      vx: at(lander, "vx"),
      vy: at(lander, "vy"),
      angle: at(lander, "angle"),
      spin: at(lander, "spin"),
      left: is("left"),
      right: is("right"),
      hit: is("hit"),
    },
    status,
    still,
    steps,
    fuel: { main: at(fuel, "main"), side: at(fuel, "side") },
  }
}

const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export default { environment: world } satisfies WorldPlugin
