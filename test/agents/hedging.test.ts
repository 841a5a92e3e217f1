import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as Conversation from "../../src/agents/Conversation.ts"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import type { ModelAgentOptions } from "../../src/agents/ModelAgentOptions.ts"
import type { TurnRequest } from "../../src/agents/models/Model.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { seen } from "../kernel/given.ts"
import { type TestKernelOptions, testKernel } from "../kernel/testKernel.ts"
import { call, counter, eventsOf, failed, model, type Scripted, say, text, turn, typesOf } from "./given.ts"

const never: Scripted = () => Effect.never

/** Answers once the other request of the turn has begun. */
const afterOther =
  (begun: Deferred.Deferred<void>, words: string): Scripted =>
  () =>
    Effect.as(Deferred.await(begun), turn([text(words)]))

/** Begins, and never answers. */
const beginning =
  (begun: Deferred.Deferred<void>): Scripted =>
  () =>
    Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)

/** An agent that hedges after a millisecond. */
const hedged = (options: Partial<ModelAgentOptions> & Pick<ModelAgentOptions, "model">) =>
  fromModel({ hedge: { afterMs: 1 }, retries: 0, ...options })

const ran = (options: Parameters<typeof hedged>[0], kernel: TestKernelOptions = {}) =>
  Effect.gen(function* () {
    const { run } = yield* (yield* testKernel({ plugins: [counter], ...kernel })).start
    const exit = yield* Effect.exit(
      run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(hedged(options), { goal: "Count", id: "t" }))),
    )
    const events = yield* run(eventsOf("t"))
    return { run, exit, events, calls: callsIn(events) }
  })

/** The events of requests to models, each with its request's number. */
const callsIn = (events: ReadonlyArray<Event>) => {
  const called = events.filter(({ type }) => type === "ModelCalled")
  const number = (id: unknown) => called.findIndex((event) => event.id === id)
  return events.flatMap(({ type, id, causationId, payload }) => {
    if (type === "ModelCalled") {
      const of = payload.hedgeOf === undefined ? "" : ` for ${number(payload.hedgeOf)}`
      return [`ask ${number(id)}${of}: ${payload.model}`]
    }
    if (type === "ModelResponded") return [`answer ${number(causationId)}`]
    return type === "ModelFailed" ? [`${payload.kind} ${number(causationId)}`] : []
  })
}

const replayed = (of: Effect.Effect.Success<ReturnType<typeof ran>>, options: Partial<ModelAgentOptions> = {}) => {
  const silent = model([])
  return Effect.map(
    of.run(Effect.flatMap(Kernel, ({ replay }) => replay("t", hedged({ model: silent.model, ...options })))),
    (report) => ({ ...report, asked: silent.requests.length }),
  )
}

const IDENTICAL = { verdict: "identical", complete: true, divergence: null, asked: 0 }

describe("a hedged request", () => {
  it.scopedLive("is answered by the second request if the first is slow, and each has one end", () =>
    Effect.gen(function* () {
      const one = model([never, [call("a", "counter__add", { by: 2 })], [text("It is 2.")]])
      // The second turn is answered at once, far sooner than it would be hedged in a slow machine.
      const of = yield* ran({ model: one.model, hedge: { afterMs: 50 } })
      expect(of.calls).toEqual(["ask 0: one", "ask 1 for 0: one", "cancelled 0", "answer 1", "ask 2: one", "answer 2"])
      expect(of.events.find(({ type }) => type === "ModelFailed")?.payload).toMatchObject({
        reason: "the other request for this answer was faster",
      })
      expect(of.events.at(-1)?.type).not.toBe("ModelCalled")
      // Both were the same request, and the next one goes on from the answer.
      const [first, second, third] = one.requests as [TurnRequest, TurnRequest, TurnRequest]
      expect(second).toEqual(first)
      expect(third.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"])
      const conversation = Conversation.of(of.events)
      expect(conversation.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"])
      expect(yield* replayed(of)).toMatchObject(IDENTICAL)
      // An agent that does not hedge follows the recording too.
      expect(yield* replayed(of, { hedge: { afterMs: 60_000 } })).toMatchObject(IDENTICAL)
    }),
  )

  it.scopedLive("is answered by the first request if that is faster after all", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const one = model([afterOther(begun, "First."), beginning(begun)])
      const of = yield* ran({ model: one.model })
      expect(of.calls).toEqual(["ask 0: one", "ask 1 for 0: one", "cancelled 1", "answer 0"])
      expect(of.events.find(({ type }) => type === "MessageSent")?.payload).toMatchObject({ content: "First." })
      expect(Conversation.of(of.events).messages.map(({ role }) => role)).toEqual(["user", "assistant"])
      expect(yield* replayed(of)).toMatchObject(IDENTICAL)
    }),
  )

  it.scopedLive("is made once if it is answered in time, or if nobody asks for more", () =>
    Effect.gen(function* () {
      const one = model([[text("Done.")]])
      const of = yield* ran({ model: one.model, hedge: { afterMs: 60_000 } })
      expect(of.calls).toEqual(["ask 0: one", "answer 0"])
    }),
  )

  it.scopedLive("goes to the next fallback, if the agent says so", () =>
    Effect.gen(function* () {
      const [one, two] = [model([never]), model([[text("Done.")]], "two")]
      const of = yield* ran({ model: one.model, fallbacks: [two.model], hedge: { afterMs: 1, to: "fallback" } })
      expect(of.calls).toEqual(["ask 0: one", "ask 1 for 0: two", "cancelled 0", "answer 1"])
      expect(yield* replayed(of, { fallbacks: [two.model] })).toMatchObject(IDENTICAL)
    }),
  )

  it.scopedLive("is decided by the other request if one fails, and its failure is recorded", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const failsFirst: Scripted = () => Effect.zipRight(Deferred.await(begun), failed("overloaded", "busy"))
      const one = model([
        failsFirst,
        () => Effect.as(Effect.zipRight(Deferred.succeed(begun, undefined), Effect.sleep(50)), turn([text("Done.")])),
      ])
      const of = yield* ran({ model: one.model })
      expect(of.calls).toEqual(["ask 0: one", "ask 1 for 0: one", "overloaded 0", "answer 1"])
      expect(of.events.find(({ type }) => type === "ModelFailed")?.payload).not.toHaveProperty("retryInMs")
      expect(Conversation.of(of.events).messages.map(({ role }) => role)).toEqual(["user", "assistant"])
      expect(yield* replayed(of)).toMatchObject(IDENTICAL)
    }),
  )

  it.scopedLive("fails once both have, and is then retried as a whole", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const one = model([
        () => Effect.zipRight(Deferred.await(begun), failed("overloaded", "busy")),
        () =>
          Effect.zipRight(
            Effect.zipRight(Deferred.succeed(begun, undefined), Effect.sleep(50)),
            failed("timed-out", "late"),
          ),
        [text("Done.")],
      ])
      const of = yield* ran({ model: one.model, retries: 1 })
      expect(of.calls.slice(0, 6)).toEqual([
        ...["ask 0: one", "ask 1 for 0: one", "overloaded 0", "timed-out 1", "ask 2: one", "answer 2"],
      ])
      expect(
        of.events.filter(({ type }) => type === "ModelFailed").map(({ payload }) => "retryInMs" in payload),
      ).toEqual([...[false, true]])
      expect(yield* replayed(of, { retries: 1 })).toMatchObject(IDENTICAL)
    }),
  )

  it.scopedLive("counts what the other request used, where that is known", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const used = { inputTokens: 500, outputTokens: 40 }
      const metered: Scripted = () => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)
      const one = model([afterOther(begun, "Looking."), metered])
      const reporting = {
        ...one.model,
        turn: (...[request, onDelta, onUsage]: Parameters<typeof one.model.turn>) => {
          onUsage?.(used)
          return one.model.turn(request, onDelta)
        },
      }
      const of = yield* ran({ model: reporting, budget: { tokens: 10_000 } })
      const audit = of.exit._tag === "Success" ? of.exit.value : undefined
      // The answer used 110 tokens, and the cancelled request 540.
      expect(audit?.model).toMatchObject({ inputTokens: 600, outputTokens: 50 })
      expect(of.events.find(({ type }) => type === "ModelFailed")?.payload).toMatchObject({ usage: used })
      expect(yield* replayed(of, { budget: { tokens: 10_000 } })).toMatchObject(IDENTICAL)
    }),
  )

  it.scopedLive("is not hedged if the rate limit has no place for another request", () =>
    Effect.gen(function* () {
      const one = model([() => Effect.as(Effect.sleep(100), turn([text("Done.")])), [text("Unasked.")]])
      const of = yield* ran({ model: one.model }, { rateLimits: { "test/one": { requestsPerMinute: 1 } } })
      expect(of.calls).toEqual(["ask 0: one", "answer 0"])
      expect(typesOf(of.events)).not.toContain("ModelCallDelayed")
    }),
  )

  it.scopedLive("ends with its task: both requests are cancelled", () =>
    Effect.gen(function* () {
      const one = model([never, never])
      const { run } = yield* (yield* testKernel()).start
      const working = yield* Effect.fork(
        run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(hedged({ model: one.model }), { goal: "Go", id: "t" }))),
      )
      yield* run(seen(({ type, payload }) => type === "ModelCalled" && payload.hedgeOf !== undefined))
      yield* Fiber.interrupt(working)
      const calls = callsIn(yield* run(eventsOf("t")))
      expect(calls.slice(0, 2)).toEqual(["ask 0: one", "ask 1 for 0: one"])
      expect(calls.slice(2).sort()).toEqual(["cancelled 0", "cancelled 1"])
    }),
  )

  it.scopedLive("is interrupted by an input, which the agent hears next", () =>
    Effect.gen(function* () {
      const one = model([never, never, [text("Yes?")]])
      const { run } = yield* (yield* testKernel()).start
      const options = { model: one.model, hedge: { afterMs: 30 } }
      const working = yield* Effect.fork(
        run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(hedged(options), { goal: "Go", id: "t" }))),
      )
      yield* run(seen(({ type, payload }) => type === "ModelCalled" && payload.hedgeOf !== undefined))
      yield* run(say("t", "Wait!", "interrupting"))
      yield* Fiber.join(working)
      const events = yield* run(eventsOf("t"))
      expect(callsIn(events).slice(0, 4).sort()).toEqual([
        ...["ask 0: one", "ask 1 for 0: one", "cancelled 1", "interrupted 0"],
      ])
      expect(JSON.stringify(one.requests.at(-1)?.messages)).toContain("Wait!")
      const report = yield* run(
        Effect.flatMap(Kernel, ({ replay }) => replay("t", hedged({ ...options, model: model([]).model }))),
      )
      expect(report).toMatchObject({ verdict: "identical", complete: true })
    }),
  )

  it.scopedLive("is answered from the log in a fork that begins later", () =>
    Effect.gen(function* () {
      const one = model([never, [call("a", "counter__add", { by: 2 })], [text("It is 2.")]])
      const of = yield* ran({ model: one.model, hedge: { afterMs: 50 } })
      const last = of.events.filter(({ type }) => type === "ModelCalled").at(-1)
      const other = model([[text("Two, I say.")]], "two")
      const forked = yield* of.run(
        Effect.flatMap(Kernel, ({ fork }) =>
          fork(fromModel({ model: other.model }), { task: "t", at: (last?.position ?? 0) - 1 }),
        ),
      )
      expect(forked).toMatchObject({ audit: { outcome: "achieved" } })
      expect(other.requests).toHaveLength(1)
      expect(other.requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"])
    }),
  )

  it("has a delay, and fallbacks if it goes to one", () => {
    const given = (hedge: unknown) => () => fromModel({ model: model([]).model, hedge: hedge as { afterMs: 1 } })
    for (const wrong of [7, {}, { afterMs: 0 }, { afterMs: 1.5 }, { afterMs: 1, to: "other" }]) {
      expect(given(wrong)).toThrow(/hedge/)
    }
    expect(given({ afterMs: 1, to: "fallback" })).toThrow(/hedge.to: expected fallbacks/)
  })
})
