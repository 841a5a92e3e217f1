import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import { targetsOf } from "../../../src/kernel/critics/Critic.ts"
import * as Model from "../../../src/kernel/critics/Model.ts"
import * as ModelCritic from "../../../src/kernel/critics/ModelCritic.ts"
import type { Rubric } from "../../../src/kernel/rules/Rubric.ts"
import { closed, judgeWith, lamp, opened, story } from "./given.ts"

const rubric: Rubric = {
  name: "test",
  measures: [
    {
      name: "light",
      description: "Is there light?",
      rewards: [
        { name: "lit", when: "The lamp was on.", weight: 0.5 },
        { name: "each", when: "The lamp was turned on.", weight: 0.1, per: "occurrence" },
      ],
    },
  ],
}

const task = story(opened, lamp(true), lamp(false), lamp(true), closed)

const yes = (because: ReadonlyArray<number>, more: Partial<Model.ModelAnswer> = {}): Model.ModelAnswer => ({
  verdict: true,
  because,
  rationale: "I saw it",
  ...more,
})

/** What a script's answers come to, what was recorded, and what was asked. */
const judged = (
  script: (question: Model.ModelRequest) => Model.ModelAnswer | undefined,
  { events = task, ...asking }: Partial<Model.ModelOptions> & { readonly events?: typeof task } = {},
) =>
  Effect.gen(function* () {
    const recorded: Array<CoreNewEvent> = []
    const asked: Array<Model.ModelRequest> = []
    const model = Model.scripted("test@1", (question) => {
      asked.push(question)
      return script(question)
    })
    const record = (event: CoreNewEvent) => Effect.sync(() => `id-${recorded.push(event)}`)
    const critic = ModelCritic.make({ model, ...asking }, targetsOf(rubric), record)
    return { critic, asked, recorded, judgements: yield* judgeWith(critic, events) }
  })

/** Asks about `lit` alone; the other is no. */
const lit = (script: (question: Model.ModelRequest) => Model.ModelAnswer | undefined, repeats = 1) =>
  Effect.map(
    judged((question) => (question.reward.name === "lit" ? script(question) : NO), { repeats }),
    ({ judgements }) => judgements,
  )

const NO: Model.ModelAnswer = { verdict: false, because: [], rationale: "no" }

describe("a model that judges", () => {
  it.effect("is asked about each reward with the task's events, and gives what it found with its evidence", () =>
    Effect.gen(function* () {
      const { critic, asked, judgements } = yield* judged(({ reward }) =>
        reward.name === "lit" ? yes([4, 2]) : yes([2, 4], { occurrences: 2 }),
      )
      expect(judgements).toEqual([
        {
          measure: "light",
          name: "lit",
          kind: "reward",
          weight: 0.5,
          amount: 0.5,
          because: [2, 4],
          occurrences: 1,
          rationale: "3 of 3: I saw it",
        },
        {
          measure: "light",
          name: "each",
          kind: "reward",
          weight: 0.1,
          amount: 0.2,
          because: [2, 4],
          rationale: "3 of 3: I saw it",
        },
      ])
      expect(asked).toHaveLength(6)
      expect(asked[0]).toEqual({
        measure: "light",
        description: "Is there light?",
        repeat: 1,
        repeats: 3,
        omitted: 0,
        settings: {},
        reward: { kind: "reward", name: "lit", when: "The lamp was on.", per: "task" },
        task: { id: "t1", goal: "Light it", agent: "a@1", outcome: "achieved" },
        evidence: task.map(({ position, type, payload }) => ({ at: position, type, by: "kernel", payload })),
      })
      expect(critic).toMatchObject({ name: "model:script/test@1", exact: false })
    }),
  )

  it.effect("counts by the majority of the repeats", () =>
    Effect.gen(function* () {
      const twoOfThree = ({ repeat }: Model.ModelRequest) =>
        repeat === 2 ? NO : yes([2], { rationale: `at ${repeat}` })
      expect(yield* lit(twoOfThree, 3)).toMatchObject([{ amount: 0.5, rationale: "2 of 3: at 1" }])
      expect(yield* lit(({ repeat }) => (repeat === 2 ? yes([2]) : NO), 3)).toEqual([])
      expect(yield* lit(({ repeat }) => (repeat === 2 ? yes([2]) : NO), 2)).toMatchObject([
        { reason: "script/test@1: no majority in 2: found it 0 times; found it 1 times" },
      ])
    }),
  )

  it.effect("leaves unscored what it answers badly, with the reason", () =>
    Effect.gen(function* () {
      const reason = (answer: object | undefined) =>
        Effect.map(
          lit(() => answer as Model.ModelAnswer),
          ([first]) => (first?.kind === "unscored" ? first.reason : undefined),
        )
      expect(yield* reason(yes([2, 9]))).toBe("script/test@1: no majority in 1: it cited @9, which it was not shown")
      expect(yield* reason(yes([]))).toContain("it cited nothing that made it true")
      expect(yield* reason(yes([2], { occurrences: 3 }))).toContain("it found 3 times what counts once a task")
      expect(yield* reason({ verdict: "perhaps", because: [2], rationale: "" })).toContain("its answer, at /verdict: ")
      expect(yield* reason({ ...yes([2]), occurrences: Number.NaN })).toContain("its answer, at /occurrences: ")
      expect(yield* reason(undefined)).toContain("it has no answer to this")
    }),
  )

  it.effect("a model that throws time and again is asked no more", () =>
    Effect.gen(function* () {
      const { asked, judgements } = yield* judged(
        () => {
          throw new Error("out of order")
        },
        { repeats: 9 },
      )
      expect(asked).toHaveLength(5)
      expect(judgements).toMatchObject([
        { name: "lit", reason: "script/test@1: no majority in 9: out of order; it was given up: out of order" },
        { name: "each", reason: "script/test@1: no majority in 9: it was given up: out of order" },
      ])
    }),
  )

  it.effect("has every question and answer recorded, the events once a task", () =>
    Effect.gen(function* () {
      const { asked, recorded } = yield* judged(() => yes([2]), { settings: { temperature: 0 } })
      expect(recorded.map(({ type }) => type)).toEqual(
        Array.from({ length: 6 }, () => ["ModelCalled", "ModelResponded"]).flat(),
      )
      const [first, answer, second] = recorded
      expect(first).toMatchObject({ payload: { provider: "script", model: "test@1", request: { ...asked[0] } } })
      expect(answer).toMatchObject({ causationId: "id-1", payload: { response: yes([2]) } })
      expect(second?.payload).toMatchObject({ request: { repeat: 2, task: { id: "t1" } } })
      expect(second?.payload).not.toMatchObject({ request: { evidence: expect.anything() } })
    }),
  )

  it.effect("is shown the first and the last events of a long task, and how many are between them", () =>
    Effect.gen(function* () {
      const long = story(opened, ...Array(20_000).fill(lamp("x".repeat(50))), lamp("y".repeat(9_000)), closed)
      const { asked } = yield* judged(() => NO, { events: long, repeats: 1 })
      const { evidence = [], omitted } = asked[0] ?? {}
      expect(evidence.length + (omitted ?? 0)).toBe(long.length)
      expect(evidence[0]).toMatchObject({ at: 1, type: "TaskOpened" })
      expect(evidence.at(-2)?.payload).toMatchObject({ cut: expect.stringMatching(/^\{.*y+$/), characters: 9_062 })
      expect(evidence.at(-1)).toMatchObject({ at: 20_003, type: "TaskClosed" })
      expect(JSON.stringify(evidence).length).toBeLessThan(70_000)
    }),
  )

  it.effect("is not shown personal data, which would outlive its key in what is recorded", () =>
    Effect.gen(function* () {
      const personal = { keyId: "k", readable: true }
      const sealed = task.map((event) => ({ ...event, personal }))
      const { asked } = yield* judged(() => NO, { events: sealed, repeats: 1 })
      expect(asked[0]?.task.goal).toBe("[shredded]")
      expect(JSON.stringify(asked)).not.toContain("Light it")
    }),
  )

  it("tells by its digest what it asks, how often and with which settings", () => {
    const model = Model.scripted("test@1", () => NO)
    const digests = [
      { model },
      { model: Model.scripted("test@2", () => NO) },
      { model, repeats: 5 },
      { model, settings: { temperature: 1 } },
    ].map((asking) => ModelCritic.identityOf(asking).digest)
    expect(new Set(digests).size).toBe(4)
    expect(ModelCritic.identityOf({ model, repeats: 3 }).digest).toBe(digests[0])
    expect(ModelCritic.callsFor(targetsOf(rubric), { model, repeats: 5 })).toBe(10)
  })
})
