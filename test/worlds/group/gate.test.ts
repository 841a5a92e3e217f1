import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import type { EventLog } from "../../../src/events/log/EventLog.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { TaskControl } from "../../../src/kernel/control/TaskControl.ts"
import { Confirmations } from "../../../src/kernel/gate/Confirmations.ts"
import type { GateConfig } from "../../../src/kernel/gate/Gate.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { eventsOf } from "../../agents/given.ts"
import { about, seen } from "../../kernel/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"

const arena = (gate: GateConfig) =>
  Effect.flatMap(testKernel({ gate, plugins: [inRepository("test/worlds/samples/arena")] }), ({ start, layerLog }) =>
    Effect.map(start, (kernel) => ({ ...kernel, layerLog })),
  )

/** A round of two agents in the task `t`. */
const round = (
  actions: { readonly [agentId: string]: number },
  withinMs: { readonly [agentId: string]: number } = {},
) =>
  Effect.gen(function* () {
    const { tasks } = yield* Kernel
    const task = yield* tasks.open({ id: "t", goal: "walk", seed: 5, plugins: ["arena"], agents: ["ada", "bob"] })
    return yield* task.together(
      Object.entries(actions).map(([agentId, action]) => {
        const ms = withinMs[agentId]
        return { agentId, actuator: "arena/step", args: { action }, ...(ms === undefined ? {} : { withinMs: ms }) }
      }),
    )
  })

/** Answers the question about an agent's action once it is asked. */
const answer = (agent: string, approved: boolean) =>
  Effect.gen(function* () {
    const people = yield* Confirmations
    const isAbout = (event: Event) =>
      about("ConfirmationRequested")(event) && (event.payload.shown as { readonly agent?: string }).agent === agent
    const { payload } = yield* seen(isAbout)
    return yield* people.decide(String(payload.confirmationId), { approved, by: "eve", channel: "test" })
  })

const told = (events: ReadonlyArray<Event>, pattern: RegExp) =>
  events.flatMap(({ type }) => (pattern.test(type) ? [type] : []))

const ask: GateConfig = { default: "allow", rules: [{ name: "ask", actuator: "arena/step", decision: "confirm" }] }

describe("a round whose agents have no time left", () => {
  it.scopedLive("ends as a whole, also for one that had ended before", () =>
    Effect.gen(function* () {
      const { run } = yield* arena(ask)
      const outcomes = yield* run(
        Effect.gen(function* () {
          yield* Effect.fork(answer("ada", false))
          return yield* round({ ada: 1, bob: 1 }, { ada: 1_500, bob: 1_500 })
        }),
      )
      expect(outcomes).toMatchObject([
        { status: "denied", rule: "ask" },
        { status: "denied", rule: "interrupted", reason: expect.stringContaining("budget of time was used up") },
      ])
    }),
  )

  it.scopedLive("goes on while one of them has some", () =>
    Effect.gen(function* () {
      const { run } = yield* arena(ask)
      const outcomes = yield* run(
        Effect.gen(function* () {
          yield* Effect.fork(Effect.zipRight(answer("ada", true), answer("bob", true)))
          return yield* round({ ada: 1, bob: 1 }, { ada: 0 })
        }),
      )
      expect(outcomes).toMatchObject([{ status: "succeeded" }, { status: "succeeded" }])
    }),
  )
})

describe("a round of a world at the gate", () => {
  it.scopedLive("steps with the actions that a person approved, and says of whom an action is", () =>
    Effect.gen(function* () {
      const { run } = yield* arena(ask)
      const outcomes = yield* run(
        Effect.gen(function* () {
          yield* Effect.fork(Effect.zipRight(answer("ada", true), answer("bob", false)))
          return yield* round({ ada: 1, bob: 1 })
        }),
      )
      expect(outcomes).toMatchObject([
        { status: "succeeded", result: { reward: 1 } },
        { status: "denied", rule: "ask" },
      ])
      const events = yield* run(eventsOf("t"))
      expect(told(events, /Dispatched|Succeeded|Denied/)).toEqual([
        ...["CommandDenied", "CommandDispatched", "CommandSucceeded"],
      ])
      const changed = events.find(({ type }) => type === "EnvironmentChanged")
      expect(JSON.stringify(changed?.payload)).not.toContain("places/bob")
    }),
  )

  it.scopedLive("goes on without the action that is denied", () =>
    Effect.gen(function* () {
      const { run } = yield* arena({ default: "allow" })
      expect(yield* run(round({ ada: 9, bob: 1 }))).toMatchObject([
        { status: "denied", rule: "args-schema" },
        { status: "succeeded", result: { reward: 1 } },
      ])
    }),
  )

  const asked = Effect.gen(function* () {
    const { run, layerLog } = yield* arena(ask)
    const working = yield* Effect.fork(Effect.exit(run(round({ ada: 1, bob: 1 }))))
    const control = <A, E>(effect: (control: TaskControl.Service) => Effect.Effect<A, E>) =>
      Effect.provide(Effect.flatMap(TaskControl, effect), layerLog)
    const approve = (agent: string): Effect.Effect<unknown, unknown> =>
      run(answer(agent, true) as Effect.Effect<Event, unknown, Confirmations | EventLog>)
    yield* approve("ada")
    yield* run(seen((event) => about("ConfirmationRequested")(event) && JSON.stringify(event.payload).includes("bob")))
    return { run, working, control, approve }
  })

  it.scopedLive("waits while the task is paused, and is then taken as one", () =>
    Effect.gen(function* () {
      const { run, working, control, approve } = yield* asked
      yield* control((tasks) => tasks.pause("t", { by: "eve" }))
      yield* approve("bob")
      yield* run(seen(about("CommandAllowed")))
      expect(told(yield* run(eventsOf("t")), /Dispatched/)).toEqual([])
      yield* control((tasks) => tasks.continue("t", { by: "eve" }))
      expect(yield* Fiber.join(working)).toMatchObject({ value: [{ status: "succeeded" }, { status: "succeeded" }] })
      expect(told(yield* run(eventsOf("t")), /TaskContinued|Dispatched|Succeeded/)).toEqual([
        ...["TaskContinued", "CommandDispatched", "CommandDispatched", "CommandSucceeded", "CommandSucceeded"],
      ])
    }),
  )

  it.scopedLive("is not taken once the task is cancelled: each of its commands is denied once", () =>
    Effect.gen(function* () {
      const { run, working, control } = yield* asked
      yield* control((tasks) => tasks.cancel("t", { by: "eve" }))
      expect((yield* Fiber.join(working))._tag).toBe("Failure")
      yield* run(seen(about("TaskClosed")))
      expect(told(yield* run(eventsOf("t")), /Dispatched|Succeeded|Denied|Withdrawn/)).toEqual([
        ...["ConfirmationWithdrawn", "CommandDenied", "CommandDenied"],
      ])
    }),
  )
})

describe("what is no round", () => {
  const opened = Effect.flatMap(Kernel, ({ tasks }) =>
    tasks.open({ id: "t", goal: "walk", seed: 5, plugins: ["arena"], agents: ["ada", "bob"] }),
  )

  it.scopedLive("is denied: what is ruled on is a world's step, or the world is not stepped", () =>
    Effect.gen(function* () {
      const { run } = yield* arena({ default: "allow" })
      const outcomes = yield* run(
        Effect.flatMap(opened, (task) =>
          task.together([{ agentId: "ada", actuator: "arena/wave", args: { action: 1 } }]),
        ),
      )
      expect(outcomes).toMatchObject([{ status: "denied", rule: "world-step" }])
      const events = yield* run(eventsOf("t"))
      expect(told(events, /Dispatched|EnvironmentChanged/)).toEqual([])
    }),
  )

  it.scopedLive(
    "is refused before anything is recorded: two commands of one agent, and commands of two actuators",
    () =>
      Effect.gen(function* () {
        const { run } = yield* arena({ default: "allow" })
        const step = { agentId: "ada", actuator: "arena/step", args: { action: 1 } }
        const [twice, mixed] = yield* run(
          Effect.flatMap(opened, (task) =>
            Effect.all([
              Effect.flip(task.together([step, step])),
              Effect.flip(task.together([step, { ...step, agentId: "bob", actuator: "arena/wave" }])),
            ]),
          ),
        )
        expect(twice.message).toContain("one command of each agent")
        expect(mixed.message).toContain("commands of one actuator")
        const events = yield* run(eventsOf("t"))
        expect(told(events, /^Actuator|^Command/)).toEqual([])
      }),
  )
})
