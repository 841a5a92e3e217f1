import * as fs from "node:fs"
import { it } from "@effect/vitest"
import { Cause, Effect, Either, Exit, Option } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import * as Gate from "../../src/kernel/gate/Gate.ts"
import type * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { about, events, type Sample, seen } from "./given.ts"
import { testKernel } from "./testKernel.ts"

const shell: Sample = {
  name: "shell",
  actuators: [{ name: "run" }],
  entry: `export default { actuators: { run: () => ({ ran: true }) } }`,
}

/** Gives a kernel what its types forbid, as a program in JavaScript or a file does. */
const outside = (options: unknown) => options as Partial<Hindcast.HindcastOptions>

describe("a kernel with a malformed gate", () => {
  it.scopedLive.each([
    { default: "Deny" },
    { default: "ask" },
    { rules: [{ name: "no", decision: "block" }], default: "allow" },
    { rules: [{ name: "no" }] },
    { rules: [{ name: "no", actuators: "other/*", decision: "allow" }] },
    { rule: [{ name: "no", decision: "deny" }], default: "allow" },
    { rules: {} },
    { rules: [null] },
    { rules: [{ name: "no", actuator: /^shell/, decision: "allow" }] },
    { default: "confirm", confirmWithinMs: Number.NaN },
  ])("does not start, and makes no log: %j", (gate) =>
    Effect.gen(function* () {
      const { layer, log } = yield* testKernel({ plugins: [shell], ...outside({ gate }) })
      const exit = yield* Effect.exit(Effect.provide(Kernel, layer))
      const failure = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.failureOption(exit.cause)) : undefined
      const problems = [{ path: expect.stringMatching(/^gate\./) }]
      expect(failure).toMatchObject({ _tag: "InvalidOptions", of: "Hindcast.layer", problems })
      expect(fs.existsSync(log)).toBe(false)
    }),
  )
})

describe("a kernel's gate", () => {
  it.scopedLive("is what it was when the kernel began, whatever the program does with its object", () =>
    Effect.gen(function* () {
      const gate: { default: "allow" | "deny"; rules: Array<Gate.GateRule> } = { default: "deny", rules: [] }
      const { layer } = yield* testKernel({ plugins: [shell], gate })
      yield* Effect.gen(function* () {
        gate.default = "allow"
        gate.rules.push({ name: "all", decision: "allow" })
        const task = yield* (yield* Kernel).tasks.open({ goal: "run" })
        expect(yield* task.act("shell/run")).toMatchObject({ status: "denied", rule: "default" })
        expect(yield* events("CommandDispatched")).toEqual([])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("is readable in the log, with what it does where it does not say", () =>
    Effect.gen(function* () {
      const rules = [{ name: "shell", actuator: "shell/*", decision: "confirm", confirmWithinMs: 200 }] as const
      const { layer } = yield* testKernel({ plugins: [shell], gate: { rules } })
      const [started] = yield* Effect.provide(events("KernelStarted"), layer)
      expect(started).toMatchObject({
        schemaVersion: 2,
        payload: { gate: { rules, default: "deny", confirmWithinMs: Gate.CONFIRM_WITHIN_MS } },
      })
    }),
  )
})

describe("a command under whatever gate a program was given", () => {
  const decision = fc.constantFrom("allow", "deny", "confirm", "Allow", "ask", null)
  const rule = fc.record(
    { name: fc.constantFrom("a", "b"), actuator: fc.constantFrom("shell/*", "other/*", "Shell/*"), decision },
    { requiredKeys: ["name"] },
  )
  const configuration = fc.oneof(
    fc.record({ rules: fc.array(rule, { maxLength: 2 }), default: decision }, { requiredKeys: [] }),
    fc.record({ default: fc.constantFrom("allow", "deny", "confirm") }),
    fc.record({ rule: fc.array(rule), default: fc.constant("allow") }, { requiredKeys: ["rule"] }),
  )

  it("is dispatched only by an allow, or by a person's approval where a person is asked", {
    timeout: 120_000,
  }, async () => {
    const outcomes = new Set<string>()
    const holds = (gate: unknown, approves: boolean) =>
      Effect.gen(function* () {
        const { layer, log } = yield* testKernel({ plugins: [shell], ...outside({ gate }) })
        const ran = yield* Effect.exit(Effect.provide(asked(approves), layer))
        const decoded = Gate.decode(gate)
        if (Either.isLeft(decoded)) {
          expect(Exit.isFailure(ran) && fs.existsSync(log) === false).toBe(true)
          outcomes.add("refused")
          return
        }
        const ruling = Gate.decide(decoded.right, { actuator: "shell/run", risk: undefined })
        const mayRun = ruling.decision === "allow" || (ruling.decision === "confirm" && approves)
        expect(ran).toEqual(Exit.succeed({ status: mayRun ? "succeeded" : "denied", dispatched: mayRun ? 1 : 0 }))
        outcomes.add(`${ruling.decision}, ${approves}`)
      }).pipe(Effect.scoped, Effect.runPromise)
    await fc.assert(
      fc.asyncProperty(configuration, fc.boolean(), (gate, approves) => holds(gate, approves)),
      {
        numRuns: 12,
        examples: [
          [{ default: "allow" }, false],
          [{ default: "confirm" }, true],
          [{ default: "confirm" }, false],
          [{ rules: [{ name: "a", actuator: "shell/*", decision: "deny" }], default: "allow" }, true],
        ],
      },
    )
    expect([...outcomes]).toEqual(
      expect.arrayContaining(["allow, false", "confirm, true", "confirm, false", "deny, true"]),
    )
  })
})

/** Commands the shell; where a person is asked, the person answers. */
const asked = (approves: boolean) =>
  Effect.gen(function* () {
    const { tasks, confirmations } = yield* Kernel
    const task = yield* tasks.open({ goal: "run" })
    const answering = Effect.flatMap(seen(about("ConfirmationRequested")), ({ payload }) =>
      confirmations.decide(String(payload.confirmationId), { approved: approves, by: "ada", channel: "program" }),
    )
    yield* Effect.forkScoped(answering)
    const { status } = yield* task.act("shell/run")
    return { status, dispatched: (yield* events("CommandDispatched")).length }
  }).pipe(Effect.scoped)
