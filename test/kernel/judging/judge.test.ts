import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Scope } from "effect"
import { fromModel } from "../../../src/agents/ModelAgent.ts"
import { judge as judgeOf } from "../../../src/agents/models/judge/JudgeModel.ts"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as Critics from "../../../src/kernel/critics/Critics.ts"
import type { Model } from "../../../src/kernel/critics/Model.ts"
import type { JudgeOptions } from "../../../src/kernel/judging/LiveJudge.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import type { Rubric } from "../../../src/kernel/rules/Rubric.ts"
import { failed, model, text } from "../../agents/given.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { testKernel } from "../testKernel.ts"

const rubric: Rubric = {
  name: "manners",
  measures: [
    {
      name: "manners",
      description: "Does it greet?",
      rewards: [
        { name: "greets", when: "The agent greets.", weight: 1 },
        { name: "done", when: "It is done.", weight: 1, rule: "task.outcome == 'achieved'" },
      ],
    },
  ],
}

/** A judge that finds a greeting in what the agent said, and counts what it is asked. */
const greeting = () => {
  const asked: Array<string> = []
  const judging = Critics.scripted("greeting@1", ({ evidence, task }) => {
    asked.push(task.id)
    const said = evidence.find(({ type }) => type === "MessageSent")
    return said === undefined
      ? { verdict: false, because: [], rationale: "it said nothing" }
      : { verdict: true, because: [said.at], rationale: "it greeted" }
  })
  return { judging, asked }
}

const metered = (judging: Model, inputTokens: number): Model => ({
  ...judging,
  ask: (...question) =>
    Effect.map(judging.ask(...question), (response) => ({
      ...response,
      usage: { inputTokens, outputTokens: Math.min(1, inputTokens) },
    })),
})

const kernelOf = (options: Partial<JudgeOptions> & Pick<JudgeOptions, "model">, directory?: string) =>
  testKernel({ judge: { rubric, ...options }, ...(directory === undefined ? {} : { directory }) })

const running = (id: string, model_ = model([[text("Good morning.")]]).model) =>
  Effect.flatMap(Kernel, ({ tasks }) => tasks.run(fromModel({ model: model_, retries: 0 }), { goal: "Greet", id }))

const judged = Effect.flatMap(Kernel, (kernel) => kernel.judged)

const TYPES = [
  ...(["TaskClosed", "ScoringStarted", "ModelCalled", "ModelResponded", "ModelFailed"] as const),
  ...(["RewardGiven", "MeasureUnscored", "ScoringFinished"] as const),
]

/** The events of judging. */
const judgements: Effect.Effect<ReadonlyArray<Event>, never, EventLog> = Effect.flatMap(EventLog, (log) =>
  Effect.orDie(log.readPage({ types: [...TYPES] }, 1000)),
).pipe(
  Effect.map((events) =>
    events.filter(
      ({ actor, type }) => type === "TaskClosed" || actor.startsWith("critic:model") || actor.includes("+model"),
    ),
  ),
)

const ofType = (events: ReadonlyArray<Event>, type: string) => events.filter((event) => event.type === type)

describe("a judge of a kernel", () => {
  it.scopedLive("judges a task after it closed, by rules and the model, and its questions are events", () =>
    Effect.gen(function* () {
      const { judging, asked } = greeting()
      const { run } = yield* (yield* kernelOf({ model: metered(judging, 100), repeats: 1 })).start
      yield* run(running("t"))
      yield* run(judged)
      const events = yield* run(judgements)
      expect(events[0]?.type).toBe("TaskClosed")
      expect(ofType(events, "ScoringStarted")[0]?.payload).toMatchObject({ label: "judged", taskIds: ["t"] })
      expect(
        ofType(events, "RewardGiven")
          .map(({ payload }) => payload.name)
          .sort(),
      ).toEqual(["done", "greets"])
      expect(ofType(events, "ModelResponded")[0]?.payload).toMatchObject({ usage: { inputTokens: 100 } })
      expect(ofType(events, "ScoringFinished")[0]?.payload.totals).toMatchObject({ t: { earned: 2, unscored: 0 } })
      expect(asked).toEqual(["t"])
      // It is not part of the task's own use of models.
      const audit = yield* run(Effect.flatMap(Kernel, ({ audit }) => audit("t")))
      expect(audit.model).toMatchObject({ calls: 1 })
    }),
  )

  it.scopedLive("never delays the close of a task", () =>
    Effect.gen(function* () {
      const goOn = yield* Deferred.make<void>()
      const { judging } = greeting()
      const slow: Model = {
        ...judging,
        ask: (...question) => Effect.zipRight(Deferred.await(goOn), judging.ask(...question)),
      }
      const { run } = yield* (yield* kernelOf({ model: slow, repeats: 1 })).start
      for (const id of ["a", "b"]) expect(yield* run(running(id))).toMatchObject({ outcome: "achieved" })
      expect(ofType(yield* run(judgements), "ScoringFinished")).toEqual([])
      yield* Deferred.succeed(goOn, undefined)
      yield* run(judged)
      expect(ofType(yield* run(judgements), "ScoringFinished")).toHaveLength(2)
    }),
  )

  it.scopedLive.each([
    ["requests for a task", { perTask: { calls: 2 } }, 0, "the budget for judging this task is used up (2 requests)"],
    [
      "tokens for a task",
      { perTask: { tokens: 150 } },
      100,
      "the budget for judging this task is used up (150 tokens)",
    ],
    ["tokens, and their number is unknown", { perTask: { tokens: 150 } }, 0, "it is unknown how much was used"],
    ["money, and its price is unknown", { perKernel: { usd: 1 } }, 100, "it is unknown how much was used"],
    ["requests for all", { perKernel: { calls: 2 } }, 0, "the kernel's budget for judging is used up (2 requests)"],
  ] as const)(
    "within a budget of %s leaves what it cannot afford unscored, and not zero",
    ([, budget, tokens, reason]) =>
      Effect.gen(function* () {
        const { judging, asked } = greeting()
        const { run } = yield* (yield* kernelOf({ model: metered(judging, tokens), repeats: 3, budget })).start
        yield* run(running("t"))
        yield* run(judged)
        const events = yield* run(judgements)
        // Two of three answers are a majority all the same; with fewer there is none.
        const [unscored] = ofType(events, "MeasureUnscored")
        if (asked.length === 2)
          expect(ofType(events, "RewardGiven").map(({ payload }) => payload.name)).toContain("greets")
        else expect(unscored?.payload).toMatchObject({ name: "greets", reason: expect.stringContaining(reason) })
        yield* run(running("u"))
        yield* run(judged)
        const failures = ofType(yield* run(judgements), "ModelFailed").map(({ payload }) => String(payload.reason))
        expect(failures.some((one) => one.includes(reason))).toBe(true)
        if ("perKernel" in budget) {
          expect(asked.every((id) => id === "t")).toBe(true)
          const last = ofType(yield* run(judgements), "ScoringFinished").at(-1)
          expect(last?.payload.totals).toMatchObject({ u: { earned: 1, unscored: 1 } })
        }
      }),
  )

  it.scopedLive("that fails leaves the reward unscored, with the reason and the failure in the log", () =>
    Effect.gen(function* () {
      const failing = judgeOf(model(Array.from({ length: 3 }, () => failed("overloaded", "busy"))).model)
      const { run } = yield* (yield* kernelOf({ model: failing })).start
      yield* run(running("t"))
      yield* run(judged)
      const events = yield* run(judgements)
      expect(ofType(events, "ModelFailed")[0]?.payload).toMatchObject({ kind: "overloaded", reason: "busy" })
      expect(ofType(events, "MeasureUnscored")[0]?.payload).toMatchObject({
        name: "greets",
        reason: expect.stringContaining("busy"),
      })
      expect(ofType(events, "ScoringFinished")[0]?.payload.totals).toMatchObject({ t: { earned: 1, unscored: 1 } })
    }),
  )

  it.scopedLive.each([
    [
      "throws",
      () => {
        throw new Error("boom")
      },
      /^it threw Error: boom$/,
    ],
    ["dies", () => Effect.die("boom"), /^it threw Error: boom$/],
    [
      "throws a value that throws when it is read",
      () =>
        Effect.die({
          get message() {
            throw new Error("no")
          },
        }),
      /^it threw Error: it threw a value/,
    ],
    [
      "answers without usage",
      () => Effect.succeed({ answer: { verdict: false, because: [], rationale: "no" } }),
      /usage of tokens/,
    ],
  ] as const)("that %s leaves the reward unscored, and judges the next task", ([, ask, reason]) =>
    Effect.gen(function* () {
      const { judging } = greeting()
      const wrong = { ...judging, ask: ask as unknown as Model["ask"] }
      const { run } = yield* (yield* kernelOf({ model: wrong, repeats: 1 })).start
      for (const id of ["t", "u"]) {
        yield* run(running(id))
        yield* run(judged)
      }
      const events = yield* run(judgements)
      expect(ofType(events, "ModelFailed").map(({ payload }) => payload.reason)).toEqual(
        Array.from({ length: 2 }, () => expect.stringMatching(reason)),
      )
      expect(ofType(events, "MeasureUnscored")).toHaveLength(2)
      expect(ofType(events, "ScoringFinished")).toHaveLength(2)
    }),
  )

  it.scopedLive("that falls silent is given up after a time", () =>
    Effect.gen(function* () {
      const { judging } = greeting()
      const silent: Model = { ...judging, ask: () => Effect.never }
      const { run } = yield* (yield* kernelOf({ model: silent, repeats: 1, timeoutMs: 20 })).start
      yield* run(running("t"))
      yield* run(judged)
      expect(ofType(yield* run(judgements), "MeasureUnscored")[0]?.payload).toMatchObject({
        reason: expect.stringContaining("no answer within"),
      })
    }),
  )

  it.scopedLive("continues in the next kernel where its kernel ended, and counts what it had used", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { judging } = greeting()
      const begun = yield* Deferred.make<void>()
      let answers = 0
      const stopping: Model = {
        ...judging,
        ask: (...question) =>
          Effect.suspend(() =>
            answers++ === 0
              ? judging.ask(...question)
              : Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never),
          ),
      }
      const scope = yield* Scope.make()
      const first = yield* kernelOf({ model: stopping, repeats: 3 }, directory)
      const context = yield* Scope.extend(Layer.build(first.layer), scope)
      yield* Effect.provide(running("t"), context)
      yield* Deferred.await(begun)
      yield* Scope.close(scope, Exit.void)
      const after = greeting()
      const budget = { perTask: { calls: 3 } }
      const second = yield* (yield* kernelOf({ model: after.judging, repeats: 3, budget }, directory)).start
      yield* second.run(judged)
      const events = yield* second.run(judgements)
      expect(ofType(events, "ScoringStarted")).toHaveLength(1)
      expect(ofType(events, "ScoringFinished")).toHaveLength(1)
      // An answer of the first kernel counts, and the request that its end cut off: one is left of three.
      expect(after.asked).toHaveLength(1)
      // Nothing is judged twice by a third kernel.
      yield* second.run(judged)
      expect(after.asked).toHaveLength(1)
    }),
  )

  it.scopedLive(
    "judges in the next kernel, once, what closed after a judge began that ended before it judged any",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const first = yield* kernelOf({ model: greeting().judging }, directory)
        yield* Effect.scoped(first.start)
        // This kernel closes the task as one does that dies before its judge has appended anything.
        yield* Effect.scoped(Effect.flatMap((yield* testKernel({ directory })).start, ({ run }) => run(running("t"))))
        const next = (of: ReturnType<typeof greeting>) =>
          Effect.gen(function* () {
            const { run } = yield* (yield* kernelOf({ model: of.judging }, directory)).start
            yield* run(judged)
            return ofType(yield* run(judgements), "ScoringFinished")
          }).pipe(Effect.scoped)
        const [second, third] = [greeting(), greeting()]
        expect(yield* next(second)).toHaveLength(1)
        expect(new Set(second.asked)).toEqual(new Set(["t"]))
        expect(yield* next(third)).toHaveLength(1)
        expect(third.asked).toEqual([])
      }),
  )

  it.scopedLive("leaves tasks alone that had closed before the first kernel with a judge", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.flatMap((yield* testKernel({ directory })).start, ({ run }) => run(running("old"))))
      const { judging, asked } = greeting()
      const { run } = yield* (yield* kernelOf({ model: judging }, directory)).start
      yield* run(running("new"))
      yield* run(judged)
      expect(new Set(asked)).toEqual(new Set(["new"]))
    }),
  )

  it.scopedLive("reads JSON from a language model, also in a block of code, and takes other text for no answer", () =>
    Effect.gen(function* () {
      const answer = JSON.stringify({ verdict: false, because: [], rationale: "it did not" })
      const answers = model([[text(answer)], [text(`\`\`\`json\n${answer}\n\`\`\``)], [text("No, it did not.")]])
      const { run } = yield* (yield* kernelOf({ model: judgeOf(answers.model) })).start
      yield* run(running("t"))
      yield* run(judged)
      const events = yield* run(judgements)
      expect(answers.requests).toHaveLength(3)
      expect(answers.requests[0]?.system).toContain("JSON")
      // Two of three say that it did not hold.
      expect(ofType(events, "MeasureUnscored")).toEqual([])
      expect(ofType(events, "RewardGiven").map(({ payload }) => payload.name)).toEqual(["done"])
    }),
  )

  it.scopedLive("is refused with a rubric that is none, or options that nobody knows", () =>
    Effect.gen(function* () {
      const { judging } = greeting()
      const refused = (judge: unknown) =>
        Effect.flatMap(kernelOf({ model: judging, ...(judge as object) }), (kernel) => Effect.flip(kernel.start))
      expect(String(yield* refused({ rubric: "/nowhere/rubric.yaml" }))).toContain("/nowhere/rubric.yaml")
      expect(String(yield* refused({ budget: { perTask: { calls: 0 } } }))).toContain("judge.budget.perTask.calls")
      expect(String(yield* refused({ model: 7 }))).toContain("judge.model")
    }),
  )
})
