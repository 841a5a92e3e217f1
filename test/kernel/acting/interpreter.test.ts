import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as CommandState from "../../../src/kernel/acting/CommandState.ts"
import * as Interpreter from "../../../src/kernel/acting/Interpreter.ts"
import type { ConfirmationResult, RequestedEvent } from "../../../src/kernel/gate/ConfirmationRequests.ts"

const question = { id: "q", type: "ConfirmationRequested", payload: {} } as unknown as RequestedEvent
const answer = { kind: "approved", event: { id: "a" } } as unknown as ConfirmationResult

/** A command that was asked about, by what is judged about it now. */
const asked = (decision: "confirm" | "deny"): Interpreter.ActiveCommand => ({
  request: { commandId: "c", actuator: "program/publish", args: {}, argsDigest: "", priority: 0 },
  judgement: { decision, rule: "args-schema", reason: "wrong arguments", confirmWithinMs: 0 },
  state: { ...CommandState.unrecorded("before"), at: "asked", last: "q", requested: "r", version: 1, question },
})

/** What an interpreter does with a command. */
const done = (active: Interpreter.ActiveCommand): ReadonlyArray<string> => {
  const does: Array<string> = []
  const say = (what: string) => does.push(what)
  const ways: Interpreter.Ways<Interpreter.ActiveCommand, Interpreter.Entered, never> = {
    record: (events) =>
      Effect.as(
        Effect.sync(() => say(events.map(({ type }) => type).join(" "))),
        events,
      ),
    ask: () =>
      Effect.as(
        Effect.sync(() => say("ask")),
        answer,
      ),
    withdraw: ({ id }, reason) => Effect.sync(() => void say(`withdraw ${id}: ${reason}`)),
    ended: (_, step) => say(`ended by ${step.do}`),
    carryOut: (_, ledger) =>
      Effect.sync(() => void say(`carry out with ${ledger.entries().map(({ step }) => step.do)}`)),
  }
  Effect.runSync(Interpreter.drive([active], ways))
  return does
}

describe("a command that a person was asked about", () => {
  it("is denied for wrong arguments, and its question withdrawn", () => {
    expect(done(asked("deny"))).toEqual(["withdraw q: wrong arguments", "CommandDenied", "ended by deny"])
  })

  it("is allowed in the commit of its dispatch, once it is approved", () => {
    expect(done(asked("confirm"))).toEqual(["ask", "carry out with allow"])
  })
})
