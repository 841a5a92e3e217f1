import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import { type CoreNewEvent, EventLog } from "../../../src/events/log/EventLog.ts"
import * as Critics from "../../../src/kernel/critics/Critics.ts"
import * as Hindcast from "../../../src/kernel/Hindcast.ts"
import { Registry } from "../../../src/kernel/registry/Registry.ts"
import type { Rubric } from "../../../src/kernel/rules/Rubric.ts"
import { type RescoreOptions, Scoring } from "../../../src/kernel/scoring/Scoring.ts"
import * as TaskAudit from "../../../src/projections/audit/TaskAudit.ts"
import type { JsonObject } from "../../../src/values/Json.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { CONSENT } from "../given.ts"
import { closed, lamp, opened, rubric, writeJudge } from "./given.ts"

const mixed: Rubric = rubric([
  { name: "ruled", weight: 0.3, rule: "task.outcome == 'achieved'" },
  { name: "lit", weight: 0.5 },
])

const light = `
  const on = []
  for await (const { type, payload, position } of task.events) {
    if (type === "SensorRead" && payload.reading === true) on.push(position)
  }
  context.log("judged " + task.id)
  return on.length === 0 ? [] : [{ name: "lit", because: on, rationale: "version 1" }]`

/** A log with a plugin that judges, and the tasks of a lamp that was on and one that was not. */
const place = Effect.gen(function* () {
  const base = yield* temporaryDirectory
  const log = path.join(base, "log.db")
  const source = path.join(base, "source")
  const version = (light: string) => writeJudge(source, { light, rubric: mixed })
  return { log, version, layer: Hindcast.layerLog({ log, workspace: base, actor: "human:ann", host: CONSENT }) }
})

type Place = Effect.Effect.Success<typeof place>

const happened = (taskId: string, ...events: ReadonlyArray<CoreNewEvent>) =>
  Effect.flatMap(EventLog, (log) =>
    log.append({ stream: `task/${taskId}`, taskId, actor: "test", events: [opened, ...events, closed] }),
  )

const scored = <A, E>(
  test: (place: Place) => Effect.Effect<A, E, EventLog | Registry | Scoring | Critics.Critics>,
): Effect.Effect<void, unknown> =>
  Effect.flatMap(place, (made) =>
    Effect.gen(function* () {
      yield* (yield* Registry).import(made.version(light))
      yield* happened("t1", lamp(true), lamp(false))
      yield* happened("t2", lamp(false))
      yield* test(made)
    }).pipe(Effect.provide(made.layer)),
  ).pipe(Effect.scoped)

const rescore = (options: Partial<RescoreOptions> = {}) =>
  Effect.flatMap(Scoring, (scoring) => scoring.rescore({ rubric: mixed, ...options }))

/** The events of a score set that tell what was decided, and its start. */
const verdicts = (scoreSetId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const [started, ...events] = yield* log.readPage({ stream: `scores/${scoreSetId}` }, 100)
    const decided = events.filter(({ type }) => type !== "ScoringFinished")
    return {
      started: started?.payload,
      decided: decided.map(({ type, taskId, payload }): JsonObject => ({ type, taskId, ...payload })),
    }
  })

const events = (...types: ReadonlyArray<string>) => Effect.flatMap(EventLog, (log) => log.readPage({ types }, 1000))

describe("a rubric whose rewards different critics decide", () => {
  it.live("is scored by its rules and by its plugin's function, under a name and a digest that say so", () =>
    scored(() =>
      Effect.gen(function* () {
        const { scoreSetId, totals } = yield* rescore()
        const { digest } = yield* (yield* Registry).manifest("judge")
        const { started, decided } = yield* verdicts(scoreSetId)
        expect(started).toMatchObject({ critic: "rule@4+plugin:judge@1.0.0", params: { plugins: { judge: digest } } })
        expect(decided).toMatchObject([
          { taskId: "t1", name: "ruled", type: "RewardGiven" },
          { taskId: "t1", name: "lit", amount: 0.5, rationale: "version 1", because: [expect.any(Number)] },
          { taskId: "t2", name: "ruled" },
        ])
        expect(totals).toMatchObject({ t1: { earned: 0.8, unscored: 0 }, t2: { earned: 0.3, unscored: 0 } })
        const [lit] = (yield* TaskAudit.load("t1")).scores[0]?.measures[0]?.rewards.slice(1) ?? []
        expect(lit).toMatchObject({ name: "lit", times: 1, amount: 0.5 })
      }),
    ),
  )

  it.live("leaves in the log what the function logged, and no process: none of a kernel's ran", () =>
    scored(() =>
      Effect.gen(function* () {
        yield* rescore()
        const logged = yield* events("PluginLogged")
        expect(logged.map(({ payload, taskId, actor }) => [payload.message, taskId, actor])).toEqual([
          ["judged t1", null, "plugin:judge@1.0.0"],
          ["judged t2", null, "plugin:judge@1.0.0"],
        ])
        const [started] = yield* events("ScoringStarted")
        expect(logged[0]?.causationId).toBe(started?.id)
        expect(yield* events("PluginStarted", "PluginExited", "BrokerRequested")).toEqual([])
        expect((yield* (yield* Registry).state).judge?.running).toEqual({})
      }),
    ),
  )

  it.live("is scored by the plugin's version that is asked for, the installed one where none is", () =>
    scored(({ version }) =>
      Effect.gen(function* () {
        const registry = yield* Registry
        const { digest } = yield* registry.manifest("judge")
        yield* registry.import(version(light.replace("version 1", "version 2")))
        const rationale = (critics: Critics.CriticRequest) =>
          Effect.gen(function* () {
            const { decided } = yield* verdicts((yield* rescore({ tasks: ["t1"], critics })).scoreSetId)
            return decided.find(({ name }) => name === "lit")?.rationale
          })
        expect(yield* rationale({})).toBe("version 2")
        expect(yield* rationale({ versions: { judge: digest.slice(0, 12) } })).toBe("version 1")
        const unknown = yield* Effect.flip(rescore({ critics: { versions: { judge: "7.0.0" } } }))
        expect(unknown.message).toMatch(/^No version "7.0.0" of judge can judge: expected one of 1.0.0 \(/)
        const other = yield* Effect.flip(rescore({ critics: { versions: { other: "1" } } }))
        expect(other.message).toBe('No version "1" of other can judge: the rubric has no measure of it.')
      }),
    ),
  )

  it.live("leaves unscored what a plugin should judge whose copy is gone, and scores the rest", () =>
    scored(({ log }) =>
      Effect.gen(function* () {
        fs.rmSync(`${log}.plugins`, { recursive: true })
        const { decided } = yield* verdicts((yield* rescore({ tasks: ["t1"] })).scoreSetId)
        expect(decided).toMatchObject([
          { type: "RewardGiven", name: "ruled" },
          { type: "MeasureUnscored", name: "lit", reason: expect.stringContaining("expected its copy in") },
        ])
      }),
    ),
  )

  it.live("goes to whom the caller wants", () =>
    scored(() =>
      Effect.gen(function* () {
        const model = Critics.scripted("eyes@1", ({ evidence }) => ({
          verdict: true,
          because: [evidence[0]?.at ?? 0],
          rationale: "so it seems",
        }))
        const wishes = [{ critic: "model", of: "judge/light/ruled" }] as const
        const { scoreSetId } = yield* rescore({ tasks: ["t2"], critics: { model: { model, repeats: 1 }, wishes } })
        const { started, decided } = yield* verdicts(scoreSetId)
        expect(started).toMatchObject({ critic: "plugin:judge@1.0.0+model:script/eyes@1" })
        expect(decided).toMatchObject([{ name: "ruled", rationale: "1 of 1: so it seems" }])
        const wrong = yield* Effect.flip(rescore({ critics: { wishes: [{ critic: "rule", of: "judge/dark" }] } }))
        expect(wrong).toMatchObject({ _tag: "CriticPreferenceInvalid" })
      }),
    ),
  )

  it.live("says before it is scored how many questions to a model it takes", () =>
    scored(() =>
      Effect.gen(function* () {
        const model = Critics.scripted("eyes@1", () => undefined)
        const critics = { model: { model, repeats: 5 }, wishes: [{ critic: "model" }] } as const
        const plan = yield* (yield* Scoring).plan({ rubric: mixed, critics })
        expect(plan).toMatchObject({ critic: "model:script/eyes@1", modelCalls: 2 * 2 * 5 })
        expect(yield* events("ScoringStarted")).toEqual([])
      }),
    ),
  )
})

describe("a scoring that asked a model", () => {
  const asking = (answer: (asked: number) => boolean, asked: Array<string> = []): Critics.ModelOptions => ({
    repeats: 3,
    settings: { temperature: 0.5 },
    model: Critics.scripted("coin@1", ({ evidence, task, reward }) => {
      const verdict = answer(asked.push(`${task.id} ${reward.name}`))
      return { verdict, because: [evidence[0]?.at ?? 0], rationale: `answer ${asked.length}` }
    }),
  })
  const wishes = [{ critic: "model" }] as const

  it.live("can be made again from its recording, to the same verdicts and without a question", () =>
    scored(() =>
      Effect.gen(function* () {
        const asked: Array<string> = []
        // Nobody would guess these answers.
        const first = yield* rescore({ critics: { model: asking((n) => n % 4 < 2, asked), wishes } })
        expect(asked).toHaveLength(12)
        const again = yield* rescore({ critics: { answersOf: first.scoreSetId, wishes } })
        expect(asked).toHaveLength(12)
        const [before, after] = [yield* verdicts(first.scoreSetId), yield* verdicts(again.scoreSetId)]
        const told = ({ decided }: typeof before) => decided.map(({ scoreSetId: _, ...verdict }) => verdict)
        expect(told(after)).toEqual(told(before))
        expect(told(after).length).toBeGreaterThan(0)
        expect(after.started?.criticDigest).toBe(before.started?.criticDigest)
        expect(yield* events("ModelCalled")).toHaveLength(12)
      }),
    ),
  )

  it.live("leaves unscored, when it is made again, what was not asked then", () =>
    scored(() =>
      Effect.gen(function* () {
        const first = yield* rescore({ tasks: ["t1"], critics: { model: asking(() => true), wishes } })
        const again = yield* rescore({ critics: { answersOf: first.scoreSetId, wishes } })
        const { decided } = yield* verdicts(again.scoreSetId)
        expect(decided).toMatchObject([
          { taskId: "t1", type: "RewardGiven" },
          { taskId: "t1", type: "RewardGiven" },
          { taskId: "t2", type: "MeasureUnscored", reason: expect.stringContaining("no recording: score set") },
          { taskId: "t2", type: "MeasureUnscored" },
        ])
        const rules = yield* rescore({ critics: { wishes: [{ critic: "rule" }] } })
        const none = yield* Effect.flip(rescore({ critics: { answersOf: rules.scoreSetId } }))
        expect(none).toMatchObject({ _tag: "NothingRecorded", scoreSetId: rules.scoreSetId })
      }),
    ),
  )

  it.live("a scoring that was interrupted is finished by the same critics, and by no others", () =>
    scored(({ version }) =>
      Effect.gen(function* () {
        const scoring = yield* Scoring
        const critics = { model: asking(() => true), wishes: [{ critic: "model", of: "judge/light/ruled" }] } as const
        // After the first task has been recorded.
        const onProgress = ({ tasks }: { readonly tasks: number }) => (tasks === 1 ? Effect.interrupt : Effect.void)
        const fiber = yield* Effect.fork(rescore({ critics, onProgress, tasks: ["t1"] }))
        yield* Fiber.await(fiber)
        const [started] = yield* events("ScoringStarted")
        const scoreSetId = String(started?.payload.scoreSetId)
        // What is installed meanwhile does not go on with it.
        yield* (yield* Registry).import(version(light.replace("version 1", "version 2")))
        const without = yield* Effect.flip(scoring.resume(scoreSetId))
        expect(without.message).toContain("would decide, and differently")
        const { model } = critics
        const finished = yield* scoring.resume(scoreSetId, { model })
        expect(finished.totals.t1).toMatchObject({ earned: 0.8 })
        expect((yield* verdicts(scoreSetId)).decided).toMatchObject([{}, {}])
      }),
    ),
  )
})
