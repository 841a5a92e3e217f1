/**
 * The world `bus-stop`, which moves by itself. Buses come by a timetable with random delays, wait for a moment and
 * leave, whether or not passengers have decided. A passenger waits, boards the bus at the stop, or walks home.
 */

import type { Generator, Json, JsonObject, MultiAgentWorld, Step, WorldPlugin } from "hindcast/plugin"

/** A passenger's actions. */
const [WAIT, BOARD, WALK] = [0, 1, 2] as const

/** Options of an episode. Times are in seconds. */
interface Settings {
  readonly interval: number
  readonly delay: number
  readonly dwell: number
  readonly seats: number
  readonly pace: number
}

/** A bus at the stop. */
type Bus = {
  readonly leaves: number
  readonly seats: number
}

type Passenger = {
  readonly status: "waits" | "rides" | "walks"
  /** In seconds. */
  readonly waited: number
  /** Buses that left while the passenger waited. */
  readonly missed: number
}

interface Stop {
  readonly settings: Settings
  /** Seconds since the episode began. */
  readonly time: number
  readonly bus: Bus | null
  /** The next bus: its time in the timetable and its arrival. */
  readonly scheduled: number
  readonly arrives: number
  /** Number of buses that left. */
  readonly departed: number
  /** Sorted by name. */
  readonly passengers: { readonly [name: string]: Passenger }
}

const NEWCOMER: Passenger = { status: "waits", waited: 0, missed: 0 }

/** Minutes of the way home, which the reward of 10 loses. */
const [RIDE, WALKING] = [5, 20] as const

/** Maximum time of one tick: a day, in seconds. */
const LONGEST = 86_400

let current: Stop | undefined

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const standing = (): Stop => {
  if (current === undefined) throw failure("no-stop", "There is no bus stop yet: the world was not reset.")
  return current
}

const settingsOf = (options: JsonObject): Settings => ({
  interval: numberIn(options, "interval", 300, 60, 3_600),
  delay: numberIn(options, "delay", 120, 0, 3_600),
  dwell: numberIn(options, "dwell", 20, 1, 600),
  seats: numberIn(options, "seats", 2, 1, 100, Number.isInteger),
  pace: numberIn(options, "pace", 10, 0, 600),
})

const numberIn = (
  options: JsonObject,
  name: string,
  otherwise: number,
  least: number,
  most: number,
  fits: (value: number) => boolean = Number.isFinite,
): number => {
  const { [name]: value = otherwise } = options
  if (typeof value === "number" && fits(value) && value >= least && value <= most) return value
  throw failure("bad-option", `The option ${name}: expected a number from ${least} to ${most}.`)
}

/** A bus comes late by chance, and not before the stop is free. */
const arrivalOf = ({ delay }: Settings, scheduled: number, free: number, rng: Generator): number =>
  Math.max(scheduled + delay * rng.random(), free)

/** Buses come and leave in order, and waiting passengers wait on. */
const after = (stop: Stop, seconds: number, rng: Generator): Stop => {
  const { settings } = stop
  const until = stop.time + seconds
  let { bus, scheduled, arrives, departed } = stop
  let missed = 0
  for (;;) {
    if (bus !== null) {
      if (bus.leaves > until) break
      const { leaves } = bus
      bus = null
      departed += 1
      missed += 1
      scheduled += settings.interval
      arrives = arrivalOf(settings, scheduled, leaves, rng)
    } else {
      if (arrives > until) break
      bus = { leaves: arrives + settings.dwell, seats: settings.seats }
    }
  }
  const passengers = mapped(stop.passengers, (passenger) =>
    passenger.status === "waits"
      ? { ...passenger, waited: passenger.waited + seconds, missed: passenger.missed + missed }
      : passenger,
  )
  return { ...stop, time: until, bus, scheduled, arrives, departed, passengers }
}

/** Waiting costs 1 per minute. */
const waiting = ({ passengers }: Stop, seconds: number): { readonly [name: string]: Step } =>
  Object.fromEntries(
    Object.entries(passengers).flatMap(([name, { status }]) =>
      status === "waits" ? [[name, { reward: { waiting: 0 - seconds / 60 } }]] : [],
    ),
  )

/** Applies a passenger's action after those of others. */
const acted = (stop: Stop, name: string, action: Json): readonly [Stop, Step] => {
  const passenger = stop.passengers[name] ?? NEWCOMER
  const leaving = (status: Passenger["status"], bus: Bus | null, minutes: number): readonly [Stop, Step] => [
    { ...stop, bus, passengers: { ...stop.passengers, [name]: { ...passenger, status } } },
    { reward: { home: 10 - minutes }, terminated: true },
  ]
  if (action === WALK) return leaving("walks", stop.bus, WALKING)
  if (action === WAIT) return [stop, { reward: 0 }]
  const { bus } = stop
  // Too late: the bus is full or has left, so the passenger waits on.
  if (bus === null || bus.seats === 0) return [stop, { reward: 0, info: { late: true } }]
  return leaving("rides", { ...bus, seats: bus.seats - 1 }, RIDE)
}

const world: MultiAgentWorld = {
  mode: "parallel",
  reset: ({ agents, rng }, options) => {
    const settings = settingsOf(options)
    const scheduled = settings.interval
    const arrives = arrivalOf(settings, scheduled, 0, rng)
    const passengers = Object.fromEntries([...agents].sort().map((name) => [name, NEWCOMER]))
    current = { settings, time: 0, bus: null, scheduled, arrives, departed: 0, passengers }
  },
  observe: ({ agent }) => {
    const { time, bus, scheduled, passengers } = standing()
    const { waited, missed } = passengers[agent] ?? NEWCOMER
    const seats = bus?.seats ?? 0
    return { bus: bus === null ? 0 : 1, seats, due: [scheduled - time], waited: [waited], missed: [missed] }
  },
  mask: () => {
    const { bus } = standing()
    return [1, bus !== null && bus.seats > 0 ? 1 : 0, 1]
  },
  step: ({ rng }, actions) => {
    let stop = standing()
    const steps: { [name: string]: Step } = {}
    for (const [name, action] of Object.entries(actions)) {
      if (stop.passengers[name]?.status !== "waits") throw failure("not-there", `${name} does not wait at the stop.`)
      if (action !== WAIT && action !== BOARD && action !== WALK)
        throw failure("no-such-action", `Expected 0 (wait), 1 (board) or 2 (walk), found ${JSON.stringify(action)}.`)
    }
    for (const name of Object.keys(actions).sort()) [stop, steps[name]] = acted(stop, name, actions[name])
    const { pace } = stop.settings
    const costs = waiting(stop, pace)
    current = after(stop, pace, rng)
    const all = { ...costs, ...mapped(steps, (step, name) => (step.terminated ? step : { ...step, ...costs[name] })) }
    return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
  },
  tick: ({ rng }, milliseconds) => {
    const seconds = milliseconds / 1_000
    if (!(seconds >= 0 && seconds <= LONGEST))
      throw failure("bad-tick", `Expected from 0 to ${LONGEST} seconds, found ${seconds}.`)
    const stop = standing()
    current = after(stop, seconds, rng)
    return waiting(stop, seconds)
  },
  join: (_context, agent) => {
    const stop = standing()
    if (Object.hasOwn(stop.passengers, agent)) throw failure("is-there-already", `${agent} is at the stop already.`)
    const passengers = Object.entries({ ...stop.passengers, [agent]: NEWCOMER }).sort(([a], [b]) => (a < b ? -1 : 1))
    current = { ...stop, passengers: Object.fromEntries(passengers) }
  },
  leave: (_context, agent) => {
    const stop = standing()
    const { [agent]: _gone, ...passengers } = stop.passengers
    current = { ...stop, passengers }
  },
  state: () => {
    const { time, bus, scheduled, arrives, departed, passengers } = standing()
    return { time, minutes: time / 60, bus, scheduled, arrives, departed, passengers }
  },
  restore: (_context, options, { time, bus, scheduled, arrives, departed, passengers }) => {
    const settings = settingsOf(options)
    if (!isRecord(passengers)) throw failure("bad-state", "Expected the state of a bus stop: time, bus, passengers.")
    current = {
      settings,
      time: Number(time),
      scheduled: Number(scheduled),
      arrives: Number(arrives),
      departed: Number(departed),
      bus: isRecord(bus) ? { leaves: Number(bus.leaves), seats: Number(bus.seats) } : null,
      passengers: mapped(passengers, passengerOf),
    }
  },
}

const mapped = <A, B>(byName: { readonly [name: string]: A }, of: (value: A, name: string) => B) =>
  Object.fromEntries(Object.entries(byName).map(([name, value]) => [name, of(value, name)]))

const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const passengerOf = (value: Json): Passenger => {
  const { status, waited, missed } = isRecord(value) ? value : {}
  if (status !== "waits" && status !== "rides" && status !== "walks")
    throw failure("bad-state", "Expected the state of a passenger: status, waited, missed.")
  return { status, waited: Number(waited), missed: Number(missed) }
}

export default { environment: world } satisfies WorldPlugin
