import { Effect } from "effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import * as CommandOrder from "../../../src/kernel/acting/queue/CommandOrder.ts"
import * as CommandQueue from "../../../src/kernel/acting/queue/CommandQueue.ts"
import * as NextCommand from "../../../src/kernel/acting/queue/NextCommand.ts"

const PRIORITIES = [0, 1, 1]
const actuatorOf = (number: number) => `actuator ${number}`
const priorityOf = (actuator: string) => PRIORITIES[Number(actuator.at(-1))]

/** Lanes of their own, and two narrow ones within a wider one. */
const LANES: ReadonlyArray<CommandQueue.Lane> = [
  { name: "one", capacity: 1 },
  { name: "two", capacity: 2 },
  { name: "left", capacity: 1, within: { name: "both", capacity: 2 } },
  { name: "right", capacity: 2, within: { name: "both", capacity: 2 } },
]

type Step =
  | { readonly do: "arrive"; readonly task: number }
  | { readonly do: "enqueue" | "takeTurn"; readonly of: number; readonly lane: number; readonly actuator: number }
  | { readonly do: "giveBack" | "leave" | "comeBack"; readonly of: number }

const of = fc.nat({ max: 11 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("arrive" as const), task: fc.nat({ max: 2 }) }),
  fc.record({
    do: fc.constantFrom("enqueue" as const, "enqueue" as const, "takeTurn" as const),
    of,
    lane: fc.nat({ max: LANES.length - 1 }),
    actuator: fc.nat({ max: PRIORITIES.length - 1 }),
  }),
  fc.record({
    do: fc.constantFrom("giveBack" as const, "giveBack" as const, "leave" as const, "comeBack" as const),
    of,
  }),
)

interface Scheduler {
  readonly arrive: (task: string) => CommandOrder.Place
  readonly enqueue: (
    place: CommandOrder.Place,
    slot: Omit<CommandQueue.Slot, "place">,
    granted: () => void,
  ) => () => void
  readonly takeTurn: (place: CommandOrder.Place, slot: Omit<CommandQueue.Slot, "place">) => (() => void) | undefined
  readonly leave: (place: CommandOrder.Place) => void
  readonly comeBack: (place: CommandOrder.Place) => void
}

/** The queue as a rule: it looks at every waiting command each time. */
const rule = (): Scheduler => {
  const order = CommandOrder.make()
  interface Entry {
    readonly slot: Omit<CommandQueue.Slot, "place">
    readonly place: CommandOrder.Place
    readonly granted: () => void
  }
  const waiting = new Set<Entry>()
  let running: ReadonlyArray<CommandQueue.Lane> = []
  const both = (lane: CommandQueue.Lane) => (lane.within === undefined ? [lane] : [lane, lane.within])
  const hasRoom = (lane: CommandQueue.Lane) =>
    both(lane).every(({ name, capacity }) => running.flatMap(both).filter((one) => one.name === name).length < capacity)
  const vacate = (lane: CommandQueue.Lane) => {
    running = running.filter((_, index) => index !== running.indexOf(lane))
  }
  const advance = () => {
    const next = () =>
      NextCommand.next(
        [...waiting].map((entry) => ({ entry, arrived: entry.place.arrived, priority: entry.slot.priority })),
        ({ entry }) => hasRoom(entry.slot.lane) && order.mayStart(entry.place),
      )
    for (let chosen = next(); chosen !== undefined; chosen = next()) {
      const { entry } = chosen
      waiting.delete(entry)
      running = [...running, entry.slot.lane]
      order.move(entry.place, "starting")
      entry.granted()
    }
  }
  const bind = (place: CommandOrder.Place, { lane, priority }: Omit<CommandQueue.Slot, "place">) =>
    Object.assign(place, { lane: lane.name, priority })
  return {
    arrive: order.arrive,
    enqueue: (place, slot, granted) => {
      const entry = { slot, place, granted }
      bind(place, slot)
      order.move(place, "waiting")
      waiting.add(entry)
      advance()
      return () => {
        if (!waiting.delete(entry)) vacate(slot.lane)
        if (place.state !== "gone") order.move(place, "coming")
        advance()
      }
    },
    takeTurn: (place, slot) => {
      bind(place, slot)
      if (!hasRoom(slot.lane) || !order.isNext(place)) return undefined
      if ([...waiting].some((entry) => entry.slot.lane.name === slot.lane.name)) return undefined
      running = [...running, slot.lane]
      order.move(place, "starting")
      return () => {
        vacate(slot.lane)
        if (place.state === "starting") order.move(place, "coming")
        advance()
      }
    },
    leave: (place) => {
      if (place.state === "gone") return
      order.move(place, "gone")
      advance()
    },
    comeBack: (place) => order.move(place, "coming"),
  }
}

const queue = (): Scheduler => {
  const { arrive, enqueue, takeTurn, leave, comeBack } = CommandQueue.make(Effect.succeed(priorityOf))
  return {
    arrive,
    enqueue: (place, slot, granted) => {
      const { given, giveBack } = Effect.runSync(enqueue({ ...slot, place }))
      Effect.runFork(Effect.tap(given, () => Effect.sync(granted)))
      return () => Effect.runSync(giveBack)
    },
    takeTurn: (place, slot) => {
      const giveBack = takeTurn(place, slot)
      return giveBack === undefined ? undefined : () => Effect.runSync(giveBack)
    },
    leave: (place) => Effect.runSync(leave(place)),
    comeBack,
  }
}

/** Tells who got turns after each step, in order. */
const granted = async (scheduler: Scheduler, steps: ReadonlyArray<Step>) => {
  const told: Array<ReadonlyArray<number | string>> = []
  const places: Array<CommandOrder.Place> = []
  const turns = new Map<number, () => void>()
  for (const step of steps) {
    const now: Array<number | string> = []
    told.push(now)
    const place = step.do === "arrive" ? undefined : places[step.of]
    const back = step.do === "arrive" ? undefined : turns.get(step.of)
    if (step.do === "arrive") places.push(scheduler.arrive(`task ${step.task}`))
    else if (place === undefined) continue
    else if (step.do === "giveBack") {
      turns.delete(step.of)
      back?.()
    } else if (step.do === "leave") scheduler.leave(place)
    else if (step.do === "comeBack") {
      if (place.state === "gone" && back === undefined) scheduler.comeBack(place)
    } else if ("lane" in step && back === undefined && place.state === "coming") {
      const actuator = actuatorOf(step.actuator)
      const lane = LANES[step.lane] as CommandQueue.Lane
      const slot = { lane, actuator, priority: priorityOf(actuator) ?? 0 }
      if (step.do === "enqueue")
        turns.set(
          step.of,
          scheduler.enqueue(place, slot, () => now.push(step.of)),
        )
      else {
        const taken = scheduler.takeTurn(place, slot)
        if (taken !== undefined) turns.set(step.of, taken)
        now.push(taken === undefined ? "must wait" : "at once")
      }
    }
    // Those with a turn go on.
    await Effect.runPromise(Effect.repeatN(Effect.yieldNow(), 2))
  }
  return told
}

it("gives the turns that a queue gives that looks at every waiting command each time", () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: "max" }), async (steps) => {
      expect(await granted(queue(), steps)).toEqual(await granted(rule(), steps))
    }),
    { numRuns: 150 },
  ))
