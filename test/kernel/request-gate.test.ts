import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Either, Fiber, Schedule } from "effect"
import { describe, expect } from "vitest"
import * as Confirmations from "../../src/kernel/gate/Confirmations.ts"
import * as Gate from "../../src/kernel/gate/Gate.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { about, events, type Sample, seen } from "./given.ts"
import { testKernel } from "./testKernel.ts"

/** A sensor that writes a file and runs a command, which it was granted. */
const spy: Sample = {
  name: "spy",
  permissions: { write: ["."], run: ["echo"] },
  sensors: [{ name: "note" }, { name: "talk" }],
  entry: `
    const told = (asked) => asked.then((value) => value?.stdout ?? "done", ({ code, message }) => [code, message])
    export default { sensors: {
      note: (ctx) => told(ctx.writeFile("note.txt", "all of it")),
      talk: (ctx) => told(ctx.run("echo", ["hello"])),
    } }`,
}

const perceiving = Effect.gen(function* () {
  const kernel = yield* Kernel
  const task = yield* kernel.tasks.open({ goal: "look" })
  const readings = yield* task.perceive()
  return Object.fromEntries(readings.map(({ sensor, reading }) => [sensor, reading]))
})

const rulings = events("BrokerRequested", "BrokerAllowed", "BrokerDenied", "BrokerAnswered", "ConfirmationRequested")

const requests = (rules: ReadonlyArray<Gate.RequestRule>, otherwise?: Gate.Decision): Gate.GateConfig => ({
  default: "allow",
  requests: { rules, ...(otherwise === undefined ? {} : { default: otherwise }) },
})

const candidate = { kind: "run", target: "git", component: "workspace/git" } as const

describe("a gate's rules about requests", () => {
  it("allow what is granted where there are none, and deny what none of them matches", () => {
    expect(Gate.decideRequest({}, candidate)).toMatchObject({ decision: "allow", rule: "grants" })
    expect(Gate.decideRequest({ requests: {} }, candidate)).toMatchObject({
      decision: "deny",
      rule: "requests-default",
      reason: "no rule about requests matches run git by workspace/git; the default is deny",
    })
    expect(Gate.decideRequest({ requests: { default: "confirm" } }, candidate)).toMatchObject({ decision: "confirm" })
  })

  it("match by what is asked for, of what, and by which component", () => {
    const decide = (rule: Omit<Gate.RequestRule, "name" | "decision">) =>
      Gate.decideRequest(requests([{ name: "r", decision: "allow", ...rule }]), candidate).decision
    expect(decide({})).toBe("allow")
    expect(decide({ request: ["run", "write"], target: "git", component: "workspace/*" })).toBe("allow")
    expect(decide({ request: ["write"] })).toBe("deny")
    expect(decide({ target: "gi" })).toBe("deny")
    expect(decide({ target: "/work/*" })).toBe("deny")
    expect(decide({ component: "other/*" })).toBe("deny")
  })

  it("a gate's rules about requests that are not as they should be are refused, all at once, and deny", () => {
    const wrong = {
      default: "allow",
      requests: { default: "Allow", rules: [{ name: "r", request: ["exec"], targets: "x", decision: "permit" }] },
    }
    const found = Gate.decode(wrong)
    expect(Either.isLeft(found)).toBe(true)
    const message = Either.isLeft(found) ? found.left.message : ""
    expect(message).toMatch(/gate\.requests\.default: .*Did you mean "allow"/)
    for (const place of ["request", "targets", "decision"]) expect(message).toContain(`gate.requests.rules[0].${place}`)
    expect(Gate.decideRequest(JSON.parse(JSON.stringify(wrong)), candidate)).toMatchObject({
      decision: "deny",
      rule: "gate",
    })
    const twice = {
      requests: {
        rules: [
          { name: "r", decision: "allow" },
          { name: "r", decision: "deny" },
        ],
      },
    }
    expect(Either.isLeft(Gate.decode(twice))).toBe(true)
  })
})

describe("what a sensor asks of the host", () => {
  it.scopedLive("is done as it was granted where no rule is about requests, and nothing is ruled on", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [spy] })
      yield* Effect.gen(function* () {
        expect(yield* perceiving).toEqual({ "spy/note": "done", "spy/talk": "hello\n" })
        expect((yield* rulings).map(({ type }) => type).sort()).toEqual([
          ...["BrokerAnswered", "BrokerAnswered", "BrokerRequested", "BrokerRequested"],
        ])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("is denied by a rule, which the plugin is told, and each event names its cause", () =>
    Effect.gen(function* () {
      const gate = requests([{ name: "no-commands", request: ["run"], decision: "deny", reason: "not here" }], "allow")
      const { layer, directory } = yield* testKernel({ plugins: [spy], gate })
      yield* Effect.gen(function* () {
        expect(yield* perceiving).toEqual({ "spy/note": "done", "spy/talk": ["RequestDenied", "not here"] })
        expect(fs.readFileSync(path.join(directory, "note.txt"), "utf8")).toBe("all of it")
        const all = yield* rulings
        const [denied] = all.filter(({ type }) => type === "BrokerDenied")
        expect(denied?.payload).toMatchObject({ plugin: "spy", rule: "no-commands", reason: "not here" })
        const requested = all.find(({ id }) => id === denied?.causationId)
        expect(requested).toMatchObject({ type: "BrokerRequested", payload: { method: "run" } })
        const answered = all.find(({ causationId }) => causationId === denied?.id)
        expect(answered).toMatchObject({ type: "BrokerAnswered", payload: { error: { code: "RequestDenied" } } })
        expect(all.find(({ type }) => type === "BrokerAllowed")?.payload).toMatchObject({ rule: "requests-default" })
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("waits for a person who is shown all of it, for longer than its call may take, and is then done", () =>
    Effect.gen(function* () {
      const gate = requests([{ name: "ask", request: ["write"], target: "*/note.txt", decision: "confirm" }], "allow")
      const timeout = 3_000
      const hasty = { ...spy, sensors: [{ name: "note", timeout }, { name: "talk" }] }
      const { layer, directory } = yield* testKernel({ plugins: [hasty], gate })
      yield* Effect.gen(function* () {
        const looking = yield* Effect.fork(perceiving)
        const asked = yield* seen(about("ConfirmationRequested"))
        const target = path.join(fs.realpathSync(directory), "note.txt")
        expect(asked.payload.shown).toEqual({
          request: "write",
          target,
          plugin: "spy",
          during: "read spy/note",
          rule: "ask",
          args: { path: "note.txt", content: "all of it" },
        })
        expect(asked.payload).not.toHaveProperty("commandId")
        yield* Effect.repeat(
          Effect.sync(() => Date.now() >= asked.recordedAt + timeout + 500),
          { until: (past) => past, schedule: Schedule.spaced("5 millis") },
        )
        expect(fs.existsSync(target)).toBe(false)
        const confirmations = yield* Confirmations.Confirmations
        const id = String(asked.payload.confirmationId)
        const decided = yield* confirmations.decide(id, { approved: true, by: "ada", channel: "program" })
        expect(yield* Fiber.join(looking)).toEqual({ "spy/note": "done", "spy/talk": "hello\n" })
        const allowed = (yield* rulings).find(({ causationId }) => causationId === decided.id)
        expect(allowed).toMatchObject({ type: "BrokerAllowed", payload: { rule: "ask" } })
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("is denied where nobody answers, or somebody says no", () =>
    Effect.gen(function* () {
      const gate = requests([
        { name: "ask-briefly", request: ["write"], decision: "confirm", confirmWithinMs: 50 },
        { name: "ask", request: ["run"], decision: "confirm" },
      ])
      const { layer, directory } = yield* testKernel({ plugins: [spy], gate })
      yield* Effect.gen(function* () {
        const looking = yield* Effect.fork(perceiving)
        const asked = yield* seen(
          (event) => event.type === "ConfirmationRequested" && JSON.stringify(event.payload.shown).includes('"run"'),
        )
        const confirmations = yield* Confirmations.Confirmations
        const answer = { approved: false, by: "ada", channel: "program", reason: "why?" }
        yield* confirmations.decide(String(asked.payload.confirmationId), answer)
        expect(yield* Fiber.join(looking)).toEqual({
          "spy/note": ["RequestDenied", "nobody decided in time"],
          "spy/talk": ["RequestDenied", "why?"],
        })
        expect(fs.existsSync(path.join(directory, "note.txt"))).toBe(false)
        const kernel = yield* Kernel
        const { taskId } = asked
        expect((yield* kernel.audit(String(taskId))).confirming).toMatchObject({
          requested: 2,
          rejected: 1,
          expired: 1,
        })
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("is withdrawn from whoever is asked when its call ends first", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [spy], gate: requests([], "confirm") })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "look" })
        const looking = yield* Effect.fork(task.perceive())
        yield* seen(about("ConfirmationRequested"), 2)
        yield* Fiber.interrupt(looking)
        yield* seen(about("ConfirmationWithdrawn"), 2)
        expect(yield* (yield* Confirmations.Confirmations).pending).toEqual({})
        expect(yield* events("BrokerAllowed")).toEqual([])
      }).pipe(Effect.provide(layer))
    }),
  )
})
