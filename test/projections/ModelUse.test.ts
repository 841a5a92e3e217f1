import assert from "node:assert/strict"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { Either, Schema } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ModelCost, ModelUsage } from "../../src/events/vocabulary/Deciding.ts"
import * as EventJson from "../../src/events/vocabulary/EventJson.ts"
import * as ModelUse from "../../src/projections/audit/ModelUse.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import { fold } from "../../src/projections/fold/Projection.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { type Envelope, event, idOf, inTask, place, sha, type Unplaced } from "./given.ts"

const opened = event("TaskOpened", { goal: "Answer", measures: [], agent: "me@1" })
const closed = event("TaskClosed", { outcome: "achieved" })
const called = (provider = "acme", model = "large", envelope: Envelope = {}) =>
  event("ModelCalled", { provider, model, requestDigest: sha("q"), request: {} }, envelope)
const usage = (inputTokens: number, outputTokens: number, more: Partial<ModelUsage> = {}): ModelUsage => ({
  inputTokens,
  outputTokens,
  ...more,
})
const costs = (usd: number, prices = "table@1"): { readonly cost: ModelCost } => ({ cost: { usd, prices } })
/** The answer to the call at a position. */
const answered = (to: number | null, used: ModelUsage, more: { readonly cost?: ModelCost } = {}, actor = "agent:me") =>
  event(
    "ModelResponded",
    { response: {}, usage: used, latencyMs: 1, ...more },
    { causationId: to === null ? null : idOf(to), actor },
  )
type Failure = Partial<Parameters<typeof event<"ModelFailed">>[1]>
const failed = (to: number, kind: NonNullable<Failure["kind"]>, more: Failure = {}) =>
  event("ModelFailed", { kind, reason: "no", latencyMs: 1, ...more }, { causationId: idOf(to) })

/** The model section of a task that begins at the position 1 with its opening. */
const usedIn = (...events: ReadonlyArray<Unplaced>) =>
  Either.getOrThrow(TaskAudit.fold("t1", place(inTask("t1", [opened, ...events])))).model

describe("the model use of a task", () => {
  it("has what is known of a call whose other count is unknown, and says that it is not all", () => {
    const half = usage(100, 0, { unknown: ["outputTokens"] })
    expect(usedIn(called(), answered(2, half), called(), answered(4, usage(7, 1), costs(0.1)))).toMatchObject({
      inputTokens: 107,
      outputTokens: 1,
      unmetered: 1,
      cost: { usd: null, atLeast: 0.1, unpriced: 1 },
    })
  })

  it("says what caches saved, in total and by model, and in how many calls that is unknown", () => {
    const cached = usage(100, 20, { cachedTokens: 60 })
    const saving = (savedUsd: number) => ({ cost: { usd: 0.2, prices: "table@1", savedUsd } })
    const model = usedIn(
      ...[called(), answered(2, cached, saving(0.5))],
      // Writing to the cache cost more than it saved.
      ...[called(), answered(4, usage(100, 1, { cachedTokens: 0, cacheWriteTokens: 90 }), saving(-0.125))],
      ...[called("other", "small"), answered(6, cached, costs(0.1))],
      ...[called("third", "plain"), answered(8, usage(100, 20, { cachedTokens: 0 }), costs(0.1))],
    )
    const known = { usd: 0.375, known: 0.375, unknown: 0 }
    expect(model?.byModel["acme/large"]?.cost.saved).toEqual(known)
    expect(model?.byModel["other/small"]?.cost.saved).toEqual({ usd: null, known: 0, unknown: 1 })
    expect(model?.byModel["third/plain"]?.cost).not.toHaveProperty("saved")
    expect(model?.cost.saved).toEqual({ usd: null, known: 0.375, unknown: 1 })
  })

  it("is counted in total and by model, whichever call ends first", () => {
    const model = usedIn(
      called(),
      called("other", "small"),
      answered(3, usage(7, 1), costs(0.1)),
      answered(2, usage(100, 20, { cachedTokens: 60, reasoningTokens: 5 }), costs(0.2)),
      called(),
      answered(6, usage(50, 10), costs(0.2)),
    )
    const large = {
      calls: 2,
      failed: 0,
      inputTokens: 150,
      outputTokens: 30,
      cachedTokens: 60,
      reasoningTokens: 5,
      unmetered: 0,
      cost: { usd: 0.4, atLeast: 0.4, unpriced: 0, prices: ["table@1"], saved: { usd: null, known: 0, unknown: 1 } },
    }
    const small = {
      calls: 1,
      failed: 0,
      inputTokens: 7,
      outputTokens: 1,
      cachedTokens: 0,
      reasoningTokens: 0,
      unmetered: 0,
      cost: { usd: 0.1, atLeast: 0.1, unpriced: 0, prices: ["table@1"] },
    }
    expect(model).toEqual({
      calls: 3,
      failed: 0,
      inputTokens: 157,
      outputTokens: 31,
      cachedTokens: 60,
      reasoningTokens: 5,
      unmetered: 0,
      cost: { usd: 0.5, atLeast: 0.5, unpriced: 0, prices: ["table@1"], saved: { usd: null, known: 0, unknown: 1 } },
      byModel: { "acme/large": large, "other/small": small },
    })
    expect(Schema.is(ModelUse.ModelUse)(model)).toBe(true)
  })

  it("counts a step with the model whose answer its agent had last", () => {
    const commanded = (agentId?: string) =>
      event("ActuatorCommanded", {
        commandId: "c",
        actuator: "p/act",
        args: {},
        argsDigest: sha("a"),
        priority: 0,
        ...(agentId === undefined ? {} : { agentId }),
      })
    const model = usedIn(
      ...[called(), answered(2, usage(1, 1)), commanded(), commanded()],
      ...[called("other", "small"), answered(6, usage(1, 1)), commanded(), commanded("unasked")],
    )
    expect(model).toMatchObject({ steps: 3, byModel: { "acme/large": { steps: 2 }, "other/small": { steps: 1 } } })
  })

  it("counts failed and cancelled calls with the tokens and the cost that are on record", () => {
    const partial = { response: { parts: [] } }
    expect(
      usedIn(
        ...[called(), failed(2, "cut-off", { usage: usage(10, 2), ...costs(0.3), ...partial })],
        ...[called(), failed(4, "cancelled", { usage: usage(20, 3), ...costs(0.4), ...partial })],
        ...[called(), answered(6, usage(30, 4), costs(0.5))],
      ),
    ).toMatchObject({
      calls: 3,
      failed: 2,
      inputTokens: 60,
      outputTokens: 9,
      unmetered: 0,
      cost: { usd: 1.2, atLeast: 1.2, unpriced: 0 },
    })
  })

  it("has no cost in dollars where that of a call is unknown, but says what it is at least and for how many", () => {
    const model = usedIn(
      ...[called(), answered(2, usage(10, 1), costs(0.25))],
      ...[called("local", "llama"), answered(4, usage(1_000, 100))],
      ...[called(), failed(6, "cut-off", { usage: usage(5, 0) })],
    )
    expect(model?.cost).toEqual({ usd: null, atLeast: 0.25, unpriced: 2, prices: ["table@1"] })
    expect(model?.byModel["local/llama"]?.cost).toEqual({ usd: null, atLeast: 0, unpriced: 1, prices: [] })
    expect(model).toMatchObject({ inputTokens: 1_015, unmetered: 0 })
  })

  it("knows nothing of a call that may have used something and says nothing of it", () => {
    const unknown = { unmetered: 1, cost: { usd: null, unpriced: 1 } }
    expect(usedIn(called())).toMatchObject({ calls: 1, ...unknown })
    expect(usedIn(called(), failed(2, "timed-out"))).toMatchObject({ failed: 1, ...unknown })
    expect(usedIn(called(), failed(2, "cancelled"))).toMatchObject({ failed: 1, ...unknown })
    expect(usedIn(called(), failed(2, "overloaded", { response: { parts: [] } }))).toMatchObject(unknown)
    // A provider that reports no usage is recorded as 0 tokens, whose cost is computed as 0.
    expect(usedIn(called(), answered(2, usage(0, 0), costs(0)))).toMatchObject(unknown)
  })

  it("knows that a request which a provider did not accept used nothing", () => {
    const kinds = ["unauthorized", "unknown-model", "invalid-request", "context-too-long", "rate-limited"] as const
    for (const kind of [...kinds, "overloaded", "unreachable", "not-recorded"] as const) {
      expect(usedIn(called(), failed(2, kind))).toMatchObject({ failed: 1, unmetered: 0, cost: { usd: 0 } })
    }
  })

  it("names every table of prices once", () => {
    const model = usedIn(
      ...[called(), answered(2, usage(1, 1), costs(1, "b@2"))],
      ...[called(), answered(4, usage(1, 1), costs(1, "a@1"))],
      ...[called("other", "small"), answered(6, usage(1, 1), costs(1, "b@2"))],
    )
    expect(model?.cost.prices).toEqual(["a@1", "b@2"])
  })

  it("gives an answer that names no request to the oldest one without an answer, and else to an unknown model", () => {
    const model = usedIn(called(), called("other", "small"), answered(null, usage(3, 0), costs(1)))
    expect(model?.byModel).toMatchObject({ "acme/large": { inputTokens: 3 }, "other/small": { inputTokens: 0 } })
    expect(usedIn(answered(null, usage(3, 0), costs(1)))).toMatchObject({
      calls: 1,
      inputTokens: 3,
      cost: { usd: 1 },
      byModel: { unknown: { calls: 1, inputTokens: 3 } },
    })
  })

  it("has names of models that trip careless code", () => {
    const model = usedIn(called("__proto__", "constructor"), answered(2, usage(1, 1)), called("", ""))
    expect(Object.keys(model?.byModel ?? {})).toEqual(["__proto__/constructor", "/"])
  })

  it("leaves out what a critic asked about the task, and what came after its close", () => {
    const critic = { actor: "critic:model:acme/large" }
    const judged = [called("acme", "judge", critic), answered(2, usage(9, 9), costs(9), critic.actor)]
    expect(usedIn(...judged)).toBeUndefined()
    expect(usedIn(closed, called(), answered(3, usage(9, 9), costs(9)))).toBeUndefined()
    const events = place(inTask("t1", [opened, ...judged]))
    expect(fold(Tasks.projection, events).t1).not.toHaveProperty("model")
  })

  it("is absent where no model was called", () => {
    expect(usedIn(closed)).toBeUndefined()
  })

  it("stays finite, whatever calls cost and use", () => {
    const huge = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] as const
    const dear = (to: number) => answered(to, usage(...huge), costs(1.7e308))
    const events = [called(), dear(2), called(), dear(4), called("other", "small"), dear(6)]
    const model = usedIn(...events)
    expect(model).toMatchObject({
      inputTokens: Number.MAX_SAFE_INTEGER,
      outputTokens: Number.MAX_SAFE_INTEGER,
      cost: { usd: Number.MAX_VALUE, atLeast: Number.MAX_VALUE },
      byModel: { "acme/large": { cost: { usd: Number.MAX_VALUE } }, "other/small": { cost: { usd: 1.7e308 } } },
    })
    const task = fold(Tasks.projection, place(inTask("t1", [opened, ...events]))).t1
    expect(task?.model).toMatchObject({ cost: { usd: Number.MAX_VALUE }, inputTokens: Number.MAX_SAFE_INTEGER })
    for (const some of [model, task]) expect(JSON.parse(JSON.stringify(some))).toEqual(some)
  })

  it("takes numbers out of bounds, which an imported log may have, for the nearest in them", () => {
    const model = usedIn(called(), answered(2, usage(-5, 2.5, { cachedTokens: 1e300 }), costs(-1)))
    expect(model).toMatchObject({ inputTokens: 0, outputTokens: 2, cachedTokens: Number.MAX_SAFE_INTEGER })
    expect(Schema.is(ModelUse.ModelUse)(model)).toBe(true)
  })

  for (const version of ["0.1.0", "0.2.0", "0.3.0"]) {
    it(`counts the calls of a log of version ${version}, whose answers have neither a cost nor a cause`, () => {
      const file = fileURLToPath(new URL(`../golden/${version}.jsonl`, import.meta.url))
      const lines = fs.readFileSync(file, "utf8").trim().split("\n")
      const events = Either.getOrThrow(EventJson.decode(lines.map((line) => JSON.parse(line))))
      // The golden task has every type of event in the order of the vocabulary: its opening is behind them.
      const of = (type: string) => events.filter((each) => each.taskId === "t1" && each.type === type)
      const answers = of("ModelResponded")
      const task = [...of("TaskOpened"), ...of("ModelCalled"), ...answers]
      const audit = Either.getOrThrow(TaskAudit.fold("t1", task))
      expect(answers.length).toBeGreaterThan(0)
      expect(audit.model).toMatchObject({
        calls: answers.length,
        failed: 0,
        unmetered: 0,
        inputTokens: answers.reduce((sum, { payload }) => sum + Object(payload.usage).inputTokens, 0),
        cost: { usd: null, atLeast: 0, unpriced: answers.length, prices: [] },
      })
      expect(Schema.is(TaskAudit.TaskAudit)(audit)).toBe(true)
      expect(fold(Tasks.projection, task).t1?.model).toEqual(audit.model && totalsOf(audit.model))
    })
  }
})

const totalsOf = ({
  calls,
  inputTokens,
  outputTokens,
  unmetered,
  cost: { usd, atLeast, unpriced },
}: ModelUse.ModelUse) => ({
  calls,
  inputTokens,
  outputTokens,
  unmetered,
  cost: { usd, atLeast, unpriced },
})

/** Calls of some models, with any ends: one that is answered or fails ends the call before it. */
const calls: fc.Arbitrary<ReadonlyArray<Unplaced>> = fc
  .array(
    fc.record({
      model: fc.constantFrom("a", "b", "__proto__"),
      end: fc.constantFrom("answer", "cut-off", "cancelled", "rate-limited", "none" as const),
      tokens: fc.option(fc.tuple(fc.maxSafeNat(), fc.maxSafeNat(), fc.nat(9)), { nil: undefined }),
      usd: fc.option(
        fc.oneof(
          fc.nat(1_000_000).map((millionths) => millionths / 1e6),
          fc.double({ min: 0, max: Number.MAX_VALUE, noNaN: true }),
        ),
        { nil: undefined },
      ),
      prices: fc.constantFrom("a@1", "b@1"),
    }),
    { maxLength: 20 },
  )
  .map((made) => {
    const events: Array<Unplaced> = []
    for (const { model, end, tokens, usd, prices } of made) {
      events.push(called("maker", model))
      // The task is opened at the position 1.
      const to = events.length + 1
      const used = tokens === undefined ? undefined : usage(tokens[0], tokens[1], { cachedTokens: tokens[2] })
      const cost = usd === undefined ? {} : costs(usd, prices)
      if (end === "answer") events.push(answered(to, used ?? usage(0, 0), cost))
      else if (end !== "none") {
        events.push(failed(to, end as "cut-off", { ...(used === undefined ? {} : { usage: used }), ...cost }))
      }
    }
    return events
  })

describe("the parts of a task's model use", () => {
  it("add up to the total, are of the schema, and are what the list of tasks says", () => {
    fc.assert(
      fc.property(calls, (events) => {
        const model = usedIn(...events)
        const task = fold(Tasks.projection, place(inTask("t1", [opened, ...events]))).t1
        if (model === undefined) return assert.deepEqual([events.length, task?.model], [0, undefined])
        assert.ok(Schema.is(ModelUse.ModelUse)(model))
        const parts = Object.values(model.byModel)
        const sum = (of: (part: ModelUse.UseOfModel) => number, most = Number.MAX_SAFE_INTEGER) =>
          parts.reduce((total, part) => Math.min(total + of(part), most), 0)
        for (const key of ["calls", "failed", "unmetered"] as const)
          assert.equal(
            sum((part) => part[key]),
            model[key],
          )
        for (const key of ["inputTokens", "outputTokens", "cachedTokens", "reasoningTokens"] as const) {
          assert.equal(
            sum((part) => part[key]),
            model[key],
          )
        }
        assert.equal(
          sum(({ cost }) => cost.unpriced),
          model.cost.unpriced,
        )
        assert.ok(
          isClose(
            sum(({ cost }) => cost.atLeast, Number.MAX_VALUE),
            model.cost.atLeast,
          ),
        )
        assert.equal(model.cost.usd, model.cost.unpriced === 0 ? model.cost.atLeast : null)
        assert.equal(model.calls, events.filter(({ type }) => type === "ModelCalled").length)
        const { cost, ...counted } = totalsOf(model)
        assert.deepEqual(
          { ...counted, unpriced: cost.unpriced },
          task?.model && {
            calls: task.model.calls,
            inputTokens: task.model.inputTokens,
            outputTokens: task.model.outputTokens,
            unmetered: task.model.unmetered,
            unpriced: task.model.cost.unpriced,
          },
        )
        assert.ok(isClose(task?.model?.cost.atLeast ?? -1, cost.atLeast))
        assert.equal(task?.model?.cost.usd === null, cost.usd === null)
      }),
    )
  })

  it("are the same in whatever order they are added", () => {
    fc.assert(
      fc.property(fc.array(calls, { maxLength: 4 }), (tasks) => {
        const parts = tasks.flatMap((events) => Object.values(usedIn(...events)?.byModel ?? {}))
        const [one, other] = [ModelUse.total(parts), ModelUse.total(parts.toReversed())]
        assert.deepEqual({ ...one, cost: one.cost.prices }, { ...other, cost: other.cost.prices })
        assert.ok(isClose(one.cost.atLeast, other.cost.atLeast))
      }),
    )
  })
})

/** Equal but for the rounding of sums. */
const isClose = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-8 + 1e-12 * Math.max(a, b)
