import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as fc from "fast-check"
import type { MemoryPolicy } from "../../../src/agents/Memory.ts"
import { fromModel } from "../../../src/agents/ModelAgent.ts"
import type { TurnRequest } from "../../../src/agents/models/Model.ts"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as Timelines from "../../../src/events/read/Timelines.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as RequestDigest from "../../../src/projections/request/RequestDigest.ts"
import * as Requests from "../../../src/projections/request/Requests.ts"
import type { WholeRequest } from "../../../src/projections/request/WholeRequest.ts"
import { call, counter, eventsOf, failed, model, type Scripted, say, text, turn } from "../../agents/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"

/** The request as its model received it; parts that the log does not have are missing. */
const received = ({ system, tools, settings, messages }: WholeRequest) => ({
  ...("value" in settings ? settings.value : {}),
  ...("value" in system ? { system: system.value } : {}),
  ...("value" in tools
    ? { tools: tools.value.map(({ name, description, schema: args }) => ({ name, description, args })) }
    : {}),
  messages: messages.map(({ role, content }) => ({ role, content })),
})

const requestsIn = (events: ReadonlyArray<Event>): ReadonlyArray<WholeRequest> =>
  Requests.turnsIn(events).flatMap(({ position }) => Requests.wholeRequest(events, position) ?? [])

const expectSame = (events: ReadonlyArray<Event>, requests: ReadonlyArray<TurnRequest>) => {
  const found = requestsIn(events)
  expect(found.map(received)).toEqual(requests)
  expect(found.map(RequestDigest.isExact)).toEqual(requests.map(() => true))
  expect(found.flatMap(({ earlier, notes, asksFor }) => (asksFor === "turn" ? [earlier, ...notes] : []))).toEqual(
    found.flatMap(({ asksFor }) => (asksFor === "turn" ? [null] : [])),
  )
}

type Step =
  | { readonly kind: "calls"; readonly count: number; readonly hears: boolean }
  | { readonly kind: "fails"; readonly how: "rate-limited" | "cut-off" | "context-too-long" }
  | { readonly kind: "interrupted"; readonly words: string }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("calls" as const),
      count: fc.integer({ min: 1, max: 3 }),
      hears: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("fails" as const),
      how: fc.constantFrom("rate-limited" as const, "cut-off" as const, "context-too-long" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("interrupted" as const), words: fc.constantFrom("", "I was about to") }),
  },
)

const policy: fc.Arbitrary<MemoryPolicy> = fc.oneof(
  fc.constant("full" as const),
  fc.record({ name: fc.constant("sliding-window" as const), turns: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    name: fc.constant("summary" as const),
    maxTokens: fc.constantFrom(50, 1_000),
    keepTurns: fc.integer({ min: 1, max: 2 }),
  }),
)

/** The answers of a model, with what people say meanwhile. A request for a summary gets one. */
const scriptOf = (
  steps: ReadonlyArray<Step>,
  saying: (words: string, how: "steering" | "interrupting") => Effect.Effect<unknown>,
) => {
  let number = 0
  const answer = (one: Step): Scripted => {
    number += 1
    const id = number
    switch (one.kind) {
      case "calls": {
        const parts = Array.from({ length: one.count }, (_, index) =>
          call(`c${id}-${index}`, index === 1 ? "counter__fail" : "counter__add", { by: id }),
        )
        return () =>
          Effect.as(one.hears ? saying(`Steered ${id}`, "steering") : Effect.void, turn([text(`Turn ${id}`), ...parts]))
      }
      case "fails":
        return failed(one.how, "it failed")
      case "interrupted":
        return (_, onDelta) => {
          if (one.words !== "") onDelta({ index: 0, kind: "text", text: one.words })
          return Effect.zipRight(saying(`Interrupted ${id}`, "interrupting"), Effect.never)
        }
    }
  }
  const script = [...steps.map(answer), [text("Done.")]]
  const summaries: Scripted = [text("It went on.")]
  const next = (request: TurnRequest, onDelta: Parameters<Exclude<Scripted, ReadonlyArray<unknown> | Error>>[1]) => {
    const told = request.tools.length === 0 ? summaries : script.shift()
    if (told === undefined) return failed("not-recorded", "no turn is left")
    if (typeof told === "function") return told(request, onDelta)
    return "kind" in told
      ? told
      : Effect.succeed(turn(told as Exclude<Scripted, (...all: never) => unknown | Error> & ReadonlyArray<never>))
  }
  return Array.from({ length: 100 }, (): Scripted => next)
}

describe("the whole request of a model agent", () => {
  it.scopedLive(
    "is the one that its model received, over turns, memory policies, steering, interrupts, retries and forks",
    () =>
      Effect.gen(function* () {
        const { start } = yield* testKernel({ plugins: [counter] })
        const { run } = yield* start
        const log = yield* run(EventLog)
        const stories = fc.sample(fc.tuple(fc.array(step, { minLength: 1, maxLength: 8 }), policy, fc.nat()), {
          numRuns: 30,
          seed: 41,
        })
        let forks = 0
        let leftOut = 0
        let summaries = 0
        for (const [index, [steps, memory, at]] of stories.entries()) {
          const id = `t${index}`
          const saying = (on: string) => (words: string, how: "steering" | "interrupting") =>
            Effect.orDie(Effect.provideService(say(id, words, how, on), EventLog, log))
          const scripted = model(scriptOf(steps, saying("main")))
          const guide = { systemPrompt: "You count.", temperature: 0.5 }
          yield* Effect.either(
            run(
              Effect.flatMap(Kernel, ({ tasks }) =>
                tasks.run(fromModel({ model: scripted.model, guide, memory, retries: 9 }), {
                  goal: `Count ${index}`,
                  id,
                }),
              ),
            ),
          )
          const events = yield* run(eventsOf(id))
          expectSame(events, scripted.requests)
          const found = requestsIn(events)
          leftOut += found.filter(({ memory }) => (memory?.leftOut ?? 0) > 0).length
          summaries += found.filter(({ asksFor }) => asksFor === "summary").length

          const position = events[at % events.length]?.position ?? 0
          const other = model(scriptOf(steps.slice(0, 3), saying(`f${index}`)))
          const forked = yield* Effect.either(
            run(
              Effect.flatMap(Kernel, ({ fork }) =>
                fork(fromModel({ model: other.model, guide, memory, retries: 9 }), {
                  at: `main@${position}`,
                  task: id,
                  timeline: `f${index}`,
                  acceptUnrewound: true,
                }),
              ),
            ),
          )
          if (forked._tag === "Left") continue
          forks += 1
          const view = Timelines.view(log, yield* Timelines.named(log, `f${index}`))
          const inFork = yield* Effect.provideService(eventsOf(id), EventLog, view)
          const own = requestsIn(inFork).filter((request) => request.position > position)
          expect(own.slice(-other.requests.length).map(received)).toEqual(other.requests)
          expect(own.map(RequestDigest.isExact)).toEqual(own.map(() => true))
        }
        // The stories cover what they are about.
        expect(forks).toBeGreaterThan(10)
        expect(leftOut).toBeGreaterThan(10)
        expect(summaries).toBeGreaterThan(5)
      }),
    300_000,
  )

  it.scopedLive("is known in a fork whose agent has another guide and another memory policy", () =>
    Effect.gen(function* () {
      const { start } = yield* testKernel({ plugins: [counter] })
      const { run } = yield* start
      const log = yield* run(EventLog)
      const first = model([
        [call("a", "counter__add", { by: 1 })],
        [call("b", "counter__add", { by: 1 })],
        [text("Two.")],
      ])
      const guide = { systemPrompt: "You count." }
      yield* run(
        Effect.flatMap(Kernel, ({ tasks }) =>
          tasks.run(fromModel({ model: first.model, guide }), { goal: "Count", id: "t" }),
        ),
      )
      const events = yield* run(eventsOf("t"))
      const at = events.findLast(({ type }) => type === "ModelCalled")?.position ?? 0
      const other = model([[text("Two, I think.")]])
      const agent = fromModel({
        model: other.model,
        guide: { systemPrompt: "You count in words.", temperature: 1 },
        memory: { name: "sliding-window", turns: 1 },
      })
      yield* run(
        Effect.flatMap(Kernel, ({ fork }) =>
          fork(agent, { at: `main@${at - 1}`, task: "t", timeline: "words", acceptUnrewound: true }),
        ),
      )
      const view = Timelines.view(log, yield* Timelines.named(log, "words"))
      const inFork = yield* Effect.provideService(eventsOf("t"), EventLog, view)
      const last = requestsIn(inFork).at(-1)
      expect(last === undefined ? undefined : received(last)).toEqual(other.requests.at(-1))
      expect(last?.memory?.leftOut).toBe(2)
    }),
  )

  it.scopedLive("is known after another kernel continued the task", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [counter], onOpenTasks: "resume" })
      const first = model([
        [call("a", "counter__add", { by: 1 })],
        () => Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never),
      ])
      const reached = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        const { tasks } = yield* Kernel
        yield* Effect.forkDaemon(Effect.exit(tasks.run(fromModel({ model: first.model }), { goal: "Count", id: "t" })))
        yield* Deferred.await(reached)
      }).pipe(Effect.scoped, Effect.provide(layer))
      const second = model([[text("One.")]])
      const events = yield* Effect.gen(function* () {
        const { tasks } = yield* Kernel
        yield* tasks.resume("t", fromModel({ model: second.model }))
        return yield* eventsOf("t")
      }).pipe(Effect.provide(layer))
      expect(second.requests.length).toBe(1)
      expectSame(events, [...first.requests, ...second.requests])
    }),
  )
})
