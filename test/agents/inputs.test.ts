import { describe, expect, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer } from "effect"
import * as Conversation from "../../src/agents/Conversation.ts"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import type { Message } from "../../src/agents/models/Message.ts"
import type { TurnRequest } from "../../src/agents/models/Model.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Timelines from "../../src/events/read/Timelines.ts"
import type * as Agent from "../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { seen } from "../kernel/given.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { call, counter, eventsOf, model, type Scripted, say, text, turn, typesOf } from "./given.ts"

const started = Effect.flatMap(testKernel({ plugins: [counter] }), ({ start }) => start)

/** A turn in which something is said before it is answered. */
const during =
  <E>(saying: Effect.Effect<unknown, E>, parts: ReadonlyArray<Parameters<typeof turn>[0][number]>): Scripted =>
  () =>
    Effect.as(Effect.orDie(saying), turn(parts))

/** What the model was told by people, request after request. */
const toldIn = ({ messages }: TurnRequest): ReadonlyArray<string> =>
  messages.map(({ role, content }: Message) => {
    const words = content.flatMap((part) => ("text" in part ? [part.text] : []))
    return words.length === 0 ? role : `${role}: ${words.join(" | ")}`
  })

const replayed = (taskId: string, timeline = "main", options = {}) =>
  Effect.flatMap(Kernel, ({ replay }) =>
    replay(taskId, fromModel({ model: model([]).model, ...options }), { timeline }),
  )

const inTimeline = (taskId: string, timeline: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    return yield* Effect.provideService(eventsOf(taskId), EventLog, view)
  })

describe("what is said to an agent at work", () => {
  const story = Effect.gen(function* () {
    const { run } = yield* started
    const log = yield* run(EventLog)
    const saying = (words: string, delivery?: "queued" | "steering") =>
      Effect.provideService(say("t", words, delivery), EventLog, log)
    const scripted = model([
      during(Effect.zipRight(saying("And then to 6"), saying("By threes", "steering")), [
        call("a", "counter__add", { by: 2 }),
      ]),
      [call("b", "counter__add", { by: 3 })],
      [text("It is 5.")],
      [text("It is 6.")],
    ])
    const audit = yield* run(
      Effect.flatMap(Kernel, ({ tasks }) =>
        tasks.run(fromModel({ model: scripted.model }), { goal: "Count to 5", id: "t" }),
      ),
    )
    return { run, scripted, audit, events: yield* run(eventsOf("t")) }
  })

  it.scopedLive("steers its next turn, or is queued until it is done", () =>
    Effect.gen(function* () {
      const { scripted, audit, events } = yield* story
      expect(audit.outcome).toBe("achieved")
      expect(scripted.requests.map((request) => toldIn(request).at(-1))).toEqual([
        "user: Count to 5",
        "user: By threes",
        "tool",
        "user: And then to 6",
      ])
      const received = events.flatMap(({ type, position }) => (type === "InputReceived" ? [position] : []))
      const delivered = events.flatMap(({ type, payload }) => (type === "InputDelivered" ? [payload.inputs] : []))
      expect(delivered).toEqual([[received[1]], [received[0]]])
      const decisions = events.flatMap(({ type, payload }) => (type === "DecisionMade" ? [payload.basedOn] : []))
      expect(decisions[1]).toContain(received[1])
      expect(decisions[2]).not.toContain(received[0])
      expect(decisions[3]).toEqual([received[0]])
    }),
  )

  it.scopedLive("is in the conversation of the log, and a replay tells it at the same place", () =>
    Effect.gen(function* () {
      const { run, scripted, events } = yield* story
      expect(Conversation.of(events).messages.slice(0, -1)).toEqual(scripted.requests.at(-1)?.messages)
      expect(yield* run(replayed("t"))).toMatchObject({ verdict: "identical", complete: true })
      expect(yield* run(eventsOf("t"))).toEqual(events)
    }),
  )

  it.scopedLive("is told in a fork where it was received before and not delivered, and not where it came later", () =>
    Effect.gen(function* () {
      const { run, events } = yield* story
      const forked = (at: number, timeline: string, turns: ReadonlyArray<Scripted>) =>
        Effect.gen(function* () {
          const scripted = model(turns)
          yield* run(
            Effect.flatMap(Kernel, ({ fork }) =>
              fork(fromModel({ model: scripted.model }), {
                at: `main@${at}`,
                task: "t",
                timeline,
                acceptUnrewound: true,
              }),
            ),
          )
          const inFork = yield* run(inTimeline("t", timeline))
          expect(yield* run(replayed("t", timeline))).toMatchObject({ verdict: "identical", complete: true })
          expect(Conversation.of(inFork).messages.slice(0, -1)).toEqual(scripted.requests.at(-1)?.messages)
          return scripted.requests.map((request) => toldIn(request).at(-1))
        })
      const received = events.findLast(({ type }) => type === "InputReceived")?.position ?? 0
      const first = events.find(({ type }) => type === "CommandSucceeded")?.position ?? 0
      expect(yield* forked(first, "both", [[text("Done.")], [text("Done again.")]])).toEqual([
        "user: By threes",
        "user: And then to 6",
      ])
      const called = events.find(({ type }) => type === "ModelCalled")?.position ?? 0
      expect(received).toBeGreaterThan(called)
      expect(yield* forked(called, "neither", [[text("Done.")]])).toEqual(["user: Count to 5"])
    }),
  )

  it.scopedLive("may come from another process, and in a form that is no text", () =>
    Effect.gen(function* () {
      const kernel = yield* testKernel({ plugins: [counter] })
      const { run } = yield* kernel.start
      const other = yield* Layer.build(kernel.layerLog)
      const from = (saying: ReturnType<typeof say>) => Effect.provide(saying, other)
      const file = { type: "file", mediaType: "image/png", data: "aGk=" } as const
      const scripted = model([
        during(Effect.all([from(say("t", [text("See"), file], "steering")), from(say("t", { n: 1 }, "steering"))]), [
          call("a", "counter__add", { by: 2 }),
        ]),
        during(Effect.all([from(say("t", " ")), from(say("t", null)), from(say("t", []))]), [text("It is 2.")]),
      ])
      const agent = fromModel({ model: scripted.model })
      const audit = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { goal: "Count", id: "t" })))
      expect(audit.outcome).toBe("achieved")
      expect(scripted.requests[1]?.messages.at(-1)).toEqual({
        role: "user",
        content: [text("See"), file, text('{"n":1}')],
      })
    }),
  )
})

describe("an interrupting input", () => {
  it.scopedLive("ends the answer that is under way; what had come stays, and a replay fails the same request", () =>
    Effect.gen(function* () {
      const { run } = yield* started
      const aborted = yield* Deferred.make<void>()
      const streaming = yield* Deferred.make<void>()
      const scripted = model([
        (_, onDelta) =>
          Effect.gen(function* () {
            onDelta({ index: 0, kind: "text", text: "I would " })
            onDelta({ index: 1, kind: "call", text: '{"by"' })
            yield* Deferred.succeed(streaming, undefined)
            return yield* Effect.never
          }).pipe(Effect.onInterrupt(() => Deferred.succeed(aborted, undefined))),
        [text("Stopped.")],
        [text("Nor later.")],
      ])
      const fiber = yield* Effect.fork(
        run(
          Effect.flatMap(Kernel, ({ tasks }) =>
            tasks.run(fromModel({ model: scripted.model }), { goal: "Count", id: "t" }),
          ),
        ),
      )
      yield* Deferred.await(streaming)
      yield* run(say("t", "Not now", "queued"))
      yield* run(say("t", "Stop!", "interrupting"))
      expect((yield* Fiber.join(fiber)).outcome).toBe("achieved")
      yield* Deferred.await(aborted)
      const events = yield* run(eventsOf("t"))
      expect(events.filter(({ type }) => type === "ModelFailed")).toMatchObject([
        { payload: { kind: "interrupted", response: { parts: [text("I would "), { type: "call" }] } } },
      ])
      expect(scripted.requests[1]?.messages).toEqual([
        { role: "user", content: [text("Count")] },
        { role: "assistant", content: [text("I would ")] },
        { role: "user", content: [text("Stop!")] },
      ])
      expect(typesOf(events)).not.toContain("ActuatorCommanded")
      // The queued one was taken once the model was done, and there was no answer to it in the script.
      expect(Conversation.of(events).messages.slice(0, 3)).toEqual(scripted.requests[1]?.messages)
      expect(yield* run(replayed("t"))).toMatchObject({ verdict: "identical" })
    }),
  )
})

describe("a conversation", () => {
  /** A model that repeats what it was told last. */
  const echo = (count: number) =>
    model(
      Array.from(
        { length: count },
        (): Scripted => (request) => Effect.succeed(turn([text(`You said ${toldIn(request).at(-1)}`)])),
      ),
    )

  const spoken = (count: number) => seen(({ type }) => type === "MessageSent", count)

  it.scopedLive("goes on with each input, does not count the time that people take, and ends by their closing it", () =>
    Effect.gen(function* () {
      const { run } = yield* started
      let now = 1_000_000
      const clock = Object.assign(Clock.make(), { currentTimeMillis: Effect.sync(() => now) })
      const scripted = echo(3)
      const agent = fromModel({ model: scripted.model, conversation: true, budget: { wallMs: 1000 } })
      const task = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.open({ goal: "Hello", id: "t" })))
      const patient: Agent.AgentTask = {
        ...task,
        random: () => 0,
        now: () => 0,
        inputs: (options) =>
          Effect.tap(task.inputs(options), () =>
            Effect.sync(() => {
              if (options?.wait === true) now += 1_000_000
            }),
          ),
      }
      const fiber = yield* Effect.fork(
        Effect.withClock(
          Effect.iterate(true, {
            while: (goesOn) => goesOn,
            body: () => agent.advance(patient),
          }),
          clock,
        ),
      )
      for (const [number, words] of [
        [1, "One"],
        [2, "Two"],
      ] as const) {
        yield* run(spoken(number))
        yield* run(say("t", words))
      }
      yield* run(spoken(3))
      yield* task.close("achieved")
      expect(yield* Effect.flip(Fiber.join(fiber))).toMatchObject({ _tag: "TaskClosed" })
      const events = yield* run(eventsOf("t"))
      expect(scripted.requests.map((request) => toldIn(request).at(-1))).toEqual([
        "user: Hello",
        "user: One",
        "user: Two",
      ])
      expect(Conversation.of(events).messages).toHaveLength(6)
      expect(typesOf(events)).not.toContain("BudgetExceeded")
    }),
  )

  it.scopedLive("of two tasks at once are not mixed, and each is replayed and forked", () =>
    Effect.gen(function* () {
      const { run } = yield* started
      const scripted = echo(4)
      const agent = fromModel({ model: scripted.model, conversation: true })
      const fibers = yield* Effect.forEach(["a", "b"], (id) =>
        Effect.fork(
          run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { goal: `Hello ${id}`, id, maxSteps: 2 }))),
        ),
      )
      yield* run(spoken(2))
      yield* run(say("b", "I am b"))
      yield* run(say("a", "I am a"))
      yield* run(spoken(4))
      for (const fiber of fibers) expect((yield* Fiber.join(fiber)).outcome).toBe("truncated")
      for (const id of ["a", "b"]) {
        const events = yield* run(eventsOf(id))
        const words = events.flatMap(({ type, payload }) => (type === "MessageSent" ? [payload.content] : []))
        expect(words).toEqual([`You said user: Hello ${id}`, `You said user: I am ${id}`])
        expect(yield* run(replayed(id, "main", { conversation: true }))).toMatchObject({ verdict: "identical" })

        const second = events.filter(({ type }) => type === "MessageSent")[1]?.position ?? 0
        const other = echo(2)
        const forking = yield* Effect.fork(
          run(
            Effect.flatMap(Kernel, ({ fork }) =>
              fork(fromModel({ model: other.model, conversation: true }), {
                at: `main@${second}`,
                task: id,
                timeline: `other-${id}`,
                maxSteps: 1,
              }),
            ),
          ),
        )
        yield* run(seen(({ type, payload }) => type === "TimelineForked" && payload.timeline === `other-${id}`))
        yield* run(say(id, "Elsewhere", "queued", `other-${id}`))
        const forked = yield* Effect.either(Fiber.join(forking))
        expect(forked).toMatchObject({ _tag: "Right" })
        expect(yield* run(replayed(id, `other-${id}`, { conversation: true }))).toMatchObject({ verdict: "identical" })
      }
    }),
  )
})

describe("an agent that decides", () => {
  it.scopedLive("sees what was said since its last decision, and sees it again in a replay", () =>
    Effect.gen(function* () {
      const { run } = yield* started
      const log = yield* run(EventLog)
      const views: Array<Agent.DecisionContext["inputs"]> = []
      const agent: Agent.DecidingAgent = {
        name: "listener",
        version: "1",
        decide: ({ inputs, step }) => {
          views.push(inputs)
          if (step === 3) return { done: "achieved" }
          const saying = Effect.all([say("t", "One"), say("t", { two: 2 }, "steering")])
          return Effect.as(step === 1 ? Effect.provideService(saying, EventLog, log) : Effect.void, {
            say: `Heard ${inputs.length}`,
          })
        },
      }
      yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { goal: "Listen", id: "t" })))
      const heard = [
        { source: "test", content: "One", delivery: "queued" },
        { source: "test", content: { two: 2 }, delivery: "steering" },
      ]
      expect(views).toEqual([[], [], heard, []])
      const silent: Agent.DecidingAgent = {
        ...agent,
        decide: ({ inputs, step }) => {
          views.push(inputs)
          return step === 3 ? { done: "achieved" } : { say: `Heard ${inputs.length}` }
        },
      }
      const report = yield* run(Effect.flatMap(Kernel, ({ replay }) => replay("t", silent)))
      expect(report).toMatchObject({ verdict: "identical", complete: true })
      expect(views.slice(4)).toEqual(views.slice(0, 4))
    }),
  )

  it.scopedLive("that does not take what the recorded one was given has diverged", () =>
    Effect.gen(function* () {
      const { run } = yield* started
      const log = yield* run(EventLog)
      const speaking = (hears: boolean): Agent.AdvancingAgent => ({
        name: "advancing",
        version: "1",
        advance: (task) =>
          Effect.gen(function* () {
            yield* Effect.provideService(say("t", "Hello"), EventLog, log)
            const inputs = hears ? yield* task.inputs({ wait: true }) : []
            yield* task.say(`Heard ${inputs.length}`)
            return false
          }),
      })
      yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(speaking(true), { goal: "Listen", id: "t" })))
      const report = (agent: Agent.Agent) => run(Effect.flatMap(Kernel, ({ replay }) => replay("t", agent)))
      expect(yield* report(speaking(true))).toMatchObject({ verdict: "identical", complete: true })
      expect(yield* report(speaking(false))).toMatchObject({
        divergence: { kind: "another-request", expected: { inputs: [expect.any(Number)] }, found: { say: "Heard 0" } },
      })
      const twice: Agent.AdvancingAgent = {
        ...speaking(true),
        advance: (task) => Effect.zipRight(speaking(true).advance(task), Effect.as(task.inputs({ wait: true }), false)),
      }
      expect(yield* report(twice)).toMatchObject({ divergence: { kind: "asked-for-more", found: { inputs: [] } } })
      const wrong: Agent.AdvancingAgent = {
        ...speaking(true),
        advance: (task) => Effect.as(task.inputs({ deliveries: ["later"] as never }), false),
      }
      const refused = run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(wrong, { goal: "Listen" })))
      expect((yield* Effect.flip(refused)).message).toContain("deliveries[0]")
    }),
  )
})
