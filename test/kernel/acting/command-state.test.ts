import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as CommandState from "../../../src/kernel/acting/CommandState.ts"
import type { ConfirmationResult } from "../../../src/kernel/gate/ConfirmationRequests.ts"
import type { Ruling } from "../../../src/kernel/gate/Gate.ts"
import type { JsonObject } from "../../../src/values/Json.ts"

const TYPES = [
  ...["ActuatorCommanded", "ConfirmationRequested", "CommandAllowed", "CommandDispatched"],
  ...CommandState.ENDS,
] as const

const COMMAND = "c"
const REQUEST = { commandId: COMMAND, actuator: "a/b", args: {}, argsDigest: "d", priority: 0 }

const eventAt = (position: number, type: string, payload: JsonObject = {}): Event => ({
  id: `e${position}`,
  position,
  version: position,
  type,
  payload: { commandId: COMMAND, ...payload },
  timeline: "main",
  stream: "task/t",
  schemaVersion: 1,
  taskId: "t",
  causationId: null,
  actor: "kernel",
  occurredAt: position,
  recordedAt: position,
  hash: "",
})

const ruling = (decision: Ruling["decision"], rule = "r"): Ruling => ({
  decision,
  rule,
  reason: `${rule} says ${decision}`,
  confirmWithinMs: 1000,
})

const answerAt = (position: number, kind: ConfirmationResult["kind"]): ConfirmationResult => ({
  kind,
  reason: "no",
  event: eventAt(position, "ConfirmationDecided"),
})

/** The state after events of these types. */
const stateAfter = (...types: ReadonlyArray<string>) =>
  types.reduce(
    (state, type, index) => CommandState.evolve(state, eventAt(index + 1, type, { rule: "r" })),
    CommandState.unrecorded("cause"),
  )

describe("what comes next for a command", () => {
  it.each([
    [[], "allow", "request"],
    [["ActuatorCommanded"], "allow", "allow"],
    [["ActuatorCommanded"], "confirm", "ask"],
    [["ActuatorCommanded"], "deny", "deny"],
    [["ActuatorCommanded", "ConfirmationRequested"], "allow", "ask"],
    [["ActuatorCommanded", "ConfirmationRequested"], "confirm", "ask"],
    [["ActuatorCommanded", "ConfirmationRequested"], "deny", "deny"],
    [["ActuatorCommanded", "CommandAllowed"], "allow", "dispatch"],
    [["ActuatorCommanded", "CommandAllowed"], "confirm", "ask"],
    [["ActuatorCommanded", "CommandAllowed"], "deny", "deny"],
    [["ActuatorCommanded", "CommandAllowed", "CommandDispatched"], "allow", "call"],
    [["ActuatorCommanded", "CommandAllowed", "CommandDispatched", "CommandSucceeded"], "allow", "nothing"],
  ] as const)("after %j, where the gate says %s, is to %s", (types, decision, step) => {
    expect(CommandState.next(stateAfter(...types), ruling(decision)).do).toBe(step)
  })

  it("is a denial where the gate says what no gate may say", () => {
    const step = CommandState.next(stateAfter("ActuatorCommanded"), ruling("perhaps" as "allow"))
    expect(step).toEqual({
      do: "deny",
      rule: "gate",
      reason: 'expected allow, deny or confirm, found "perhaps"; whatever is not allowed is denied',
    })
  })

  it.each([
    ["approved", { do: "allow", rule: "r" }],
    ["rejected", { do: "deny", rule: "r", reason: "no" }],
    ["expired", { do: "expire", rule: "r" }],
  ] as const)("is, where a person's answer is %s, as it says", (kind, step) => {
    const asked = stateAfter("ActuatorCommanded", "ConfirmationRequested")
    expect(CommandState.next(CommandState.answered(asked, answerAt(9, kind)), ruling("confirm"))).toEqual(step)
  })

  it("is another ruling where the rule that allowed it is not the one that allows it now", () => {
    const step = CommandState.next(stateAfter("ActuatorCommanded", "CommandAllowed"), ruling("allow", "other"))
    expect(step).toEqual({ do: "allow", rule: "other" })
  })

  it.each([
    ["allow", true, [], "dispatch"],
    ["allow", false, [], "doubt"],
    ["confirm", true, [], "doubt"],
    ["confirm", true, ["ConfirmationRequested"], "dispatch"],
    ["deny", true, ["ConfirmationRequested"], "doubt"],
  ] as const)(
    "is, in doubt, where the gate says %s and repeatable is %s after %j, to %s",
    (decision, isRepeatable, asked, step) => {
      const left = stateAfter("ActuatorCommanded", ...asked, "CommandAllowed", "CommandDispatched")
      expect(CommandState.next(CommandState.takenUp(left), { ...ruling(decision), isRepeatable }).do).toBe(step)
    },
  )

  it("is to look for the answer again where a kernel was left that had allowed it by one", () => {
    const left = stateAfter("ActuatorCommanded", "ConfirmationRequested", "CommandAllowed")
    expect(CommandState.next(CommandState.takenUp(left), ruling("confirm")).do).toBe("ask")
    const nobodyAsked = CommandState.takenUp(CommandState.unasked(left))
    expect(nobodyAsked).toMatchObject({ at: "requested", last: "e1" })
  })
})

describe("a command's state", () => {
  it("never changes once it has ended, and knows its request, whatever else is recorded of it", () => {
    const types = fc.array(fc.constantFrom(...TYPES), { maxLength: 12 })
    fc.assert(
      fc.property(types, (types) => {
        let state = CommandState.unrecorded("cause")
        for (const [index, type] of ["ActuatorCommanded", ...types].entries()) {
          const before = state
          state = CommandState.evolve(before, eventAt(index + 1, type, { rule: "r" }))
          if (before.at === "ended") expect(state).toBe(before)
          expect(state).toMatchObject({ requested: "e1", commandedAt: 1 })
        }
      }),
    )
  })

  it("leads on to one end, with one dispatch at most, and none without an allowance, wherever kernels end", () => {
    const kind = fc.constantFrom<ConfirmationResult["kind"]>("approved", "rejected", "expired")
    const life = fc.record({
      decision: fc.constantFrom<Ruling["decision"]>("allow", "confirm", "deny"),
      kind,
      isRepeatable: fc.boolean(),
      steps: fc.nat(6),
    })
    fc.assert(
      fc.property(fc.array(life, { minLength: 1, maxLength: 5 }), (lives) => {
        const recorded: Array<Event> = []
        let state = CommandState.unrecorded("cause")
        const record = (type: string, payload: JsonObject = {}) => {
          const event = eventAt(recorded.length + 1, type, payload)
          recorded.push(event)
          state = CommandState.evolve(state, event)
        }
        for (const [index, { decision, kind, isRepeatable, steps }] of lives.entries()) {
          // Only the last kernel comes to an end; each of the others stops after some steps.
          const most = index === lives.length - 1 ? 12 : steps
          state = CommandState.takenUp([...CommandState.fold(recorded).values()][0] ?? state)
          for (let count = 0; count < most; count += 1) {
            const step = CommandState.next(state, { ...ruling(decision), isRepeatable })
            const event = CommandState.eventOf(state, step, { id: "e", request: REQUEST })
            if (step.do === "nothing") break
            if (event !== undefined) record(event.type, event.payload)
            else if (step.do === "request") record("ActuatorCommanded")
            else if (step.do === "call") record("CommandSucceeded")
            else {
              if (state.question === undefined) record("ConfirmationRequested")
              state = CommandState.answered(state, answerAt(recorded.length, kind))
            }
          }
        }
        const at = (type: string) => recorded.flatMap((event) => (event.type === type ? [event.position] : []))
        const ends = CommandState.ENDS.flatMap(at)
        expect(state.at).toBe("ended")
        expect(ends).toEqual([recorded.length])
        expect(at("ActuatorCommanded")).toEqual([1])
        const [dispatched, ...again] = at("CommandDispatched")
        if (dispatched !== undefined) expect(at("CommandAllowed").some((allowed) => allowed < dispatched)).toBe(true)
        if (!lives.some(({ isRepeatable }) => isRepeatable)) expect(again).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
