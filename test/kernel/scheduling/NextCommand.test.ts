import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as NextCommand from "../../../src/kernel/acting/queue/NextCommand.ts"

interface Command extends NextCommand.Waiting {
  readonly lane: number
}

/** What happens to a scheduler: a command comes to a lane, or one that is under way ends. */
type Step = { readonly comes: { readonly lane: number; readonly priority: number } } | { readonly ends: number }

const priority = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.double({ noNaN: true }))
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ comes: fc.record({ lane: fc.nat({ max: 3 }), priority }) }),
  fc.record({ ends: fc.nat({ max: 20 }) }),
)
const rooms = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 4, maxLength: 4 })

/** A scheduler that asks for the next one until nobody can go, and tells everything that it saw. */
const scheduler = (
  rooms: ReadonlyArray<number>,
  onChosen: (chosen: Command, waiting: ReadonlyArray<Command>) => void,
) => {
  let waiting: ReadonlyArray<Command> = []
  let underWay: ReadonlyArray<Command> = []
  let arrived = 0
  const canGo = ({ lane }: Command) => underWay.filter((other) => other.lane === lane).length < (rooms[lane] ?? 0)
  const letGo = () => {
    for (
      let chosen = NextCommand.next(waiting, canGo);
      chosen !== undefined;
      chosen = NextCommand.next(waiting, canGo)
    ) {
      onChosen(chosen, waiting.filter(canGo))
      waiting = waiting.filter((one) => one !== chosen)
      underWay = [...underWay, chosen]
    }
  }
  const take = (step: Step) => {
    if ("comes" in step) waiting = [...waiting, { ...step.comes, arrived: ++arrived }]
    else underWay = underWay.filter((_, index) => index !== step.ends)
    letGo()
  }
  return { take, canGo, waiting: () => waiting, underWay: () => underWay }
}

const inOrder = (a: Command, b: Command) => b.priority - a.priority || a.arrived - b.arrived

describe("the choice of who goes next", () => {
  it("is never one while another that can go has a higher priority, or the same and came before it", () => {
    fc.assert(
      fc.property(rooms, fc.array(step, { maxLength: 80 }), (rooms, steps) => {
        const scheduled = scheduler(rooms, (chosen, ready) => expect(ready.toSorted(inOrder)[0]).toBe(chosen))
        for (const step of steps) scheduled.take(step)
      }),
    )
  })

  it("leaves nobody waiting who could go: a full lane holds nobody up in another", () => {
    fc.assert(
      fc.property(rooms, fc.array(step, { maxLength: 80 }), (rooms, steps) => {
        const scheduled = scheduler(rooms, () => undefined)
        for (const step of steps) {
          scheduled.take(step)
          expect(scheduled.waiting().filter(scheduled.canGo)).toEqual([])
        }
      }),
    )
  })

  it("comes to everybody once nothing new comes, after only what goes before it", () => {
    fc.assert(
      fc.property(rooms, fc.array(step, { maxLength: 80 }), (rooms, steps) => {
        const chosen: Array<Command> = []
        const scheduled = scheduler(rooms, (one) => chosen.push(one))
        for (const step of steps) scheduled.take(step)
        const left = scheduled.waiting()
        const before = chosen.length
        while (scheduled.underWay().length > 0) scheduled.take({ ends: 0 })
        expect(scheduled.waiting()).toEqual([])
        const lanes = rooms.keys()
        for (const lane of lanes) {
          const inLane = (one: Command) => one.lane === lane
          expect(chosen.slice(before).filter(inLane)).toEqual(left.filter(inLane).toSorted(inOrder))
        }
      }),
    )
  })

  it("does not depend on the order in which they are looked at", () => {
    const commands = fc.array(fc.record({ lane: fc.nat({ max: 3 }), priority }), { maxLength: 20 })
    fc.assert(
      fc.property(commands, fc.infiniteStream(fc.nat()), (given, random) => {
        const waiting = given.map((command, arrived) => ({ ...command, arrived }))
        const shuffled = waiting
          .map((command) => ({ command, key: random.next().value }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ command }) => command)
        const canGo = ({ lane }: Command) => lane !== 0
        expect(NextCommand.next(shuffled, canGo)).toBe(NextCommand.next(waiting, canGo))
      }),
    )
  })
})
