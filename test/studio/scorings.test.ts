import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type CoreNewEvent, EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import * as SharedAnswers from "../../src/studio/shared/SharedAnswers.ts"
import type { Comparison } from "../../src/studio/wire/Asking.ts"
import type { TaskOverview } from "../../src/studio/wire/Overview.ts"
import { scoringOf } from "../../src/studio/wire/Scoring.ts"
import type { RewardRow, Scorings, TaskHead, TaskList } from "../../src/studio/wire/Task.ts"
import { temporaryDirectory } from "../temporary.ts"
import { page, query, served } from "./given.ts"

const SHA = "0".repeat(64)

const rubric = { name: "tidy", measures: [{ plugin: "room", name: "tidy", rewards: [{ name: "found", weight: 2 }] }] }

/** A score set of one task that earned this much. */
const scoring = (task: string, scoreSetId: string, label: string, net: number, finished = true) => {
  const set = { scoreSetId, label, rubric, rubricDigest: SHA, critic: "rule@4", criticDigest: SHA }
  const earned = { measure: "room/tidy", name: "found", weight: 2, amount: net, because: [] }
  return [
    { type: "ScoringStarted", payload: { ...set, taskIds: [task], range: { from: 1, to: 2 } } },
    { type: "RewardGiven", payload: { scoreSetId, ...earned } },
    ...(finished
      ? [
          {
            type: "ScoringFinished",
            payload: { scoreSetId, totals: { [task]: { earned: net, lost: 0, net, unscored: 0 } } },
          },
        ]
      : []),
  ] as ReadonlyArray<CoreNewEvent>
}

const TASKS: Readonly<Record<string, ReadonlyArray<CoreNewEvent>>> = {
  both: [
    ...scoring("both", "set-both-live", "live", 1),
    ...scoring("both", "set-both-strict", "strict", 0.5),
    ...scoring("both", "set-both-newest", "lenient", 2),
  ],
  live: scoring("live", "set-live", "live", 1.5),
  other: [...scoring("other", "set-other", "lenient", 0.25), ...scoring("other", "set-half", "half", 2, false)],
  none: [],
}

const onTasks = <A, E>(
  test: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof served>>>,
  official?: string,
): Effect.Effect<A, unknown, never> =>
  Effect.gen(function* () {
    const filename = path.join(yield* temporaryDirectory, "log.db")
    yield* Effect.scoped(
      Effect.gen(function* () {
        const log = Context.get(yield* Layer.build(SqliteEventLog.layer({ filename })), EventLog)
        for (const [id, scores] of Object.entries(TASKS)) {
          const task = { stream: `task/${id}`, taskId: id, actor: "kernel" }
          const opened = { type: "TaskOpened", payload: { goal: id, measures: [], agent: "me@1" } } as const
          const closed = { type: "TaskClosed", payload: { outcome: "achieved" } } as const
          yield* log.append({ ...task, events: [opened, closed, ...scores] })
        }
        // On the fork alone, the task `none` is scored.
        const { position: at } = yield* log.head
        const forked = { timeline: "fork-1", parent: "main", at, overrides: {} }
        const events = [
          { type: "TimelineForked", payload: forked } as const,
          ...scoring("none", "set-forked", "bold", 0.75),
        ]
        const none = { stream: "task/none", taskId: "none", actor: "kernel" }
        yield* log.append({ ...none, timeline: "fork-1", events })
        if (official === undefined) return
        const promoted = { type: "ScoreSetPromoted", payload: { pointer: "official", scoreSetId: official } } as const
        yield* log.append({ stream: `scores/${official}`, actor: "ada", events: [promoted] })
      }),
    )
    return yield* Effect.provide(test, served(filename))
  }).pipe(Effect.scoped)

const netsBy = (scores?: string) =>
  Effect.gen(function* () {
    const { get } = yield* page
    const asked = query({ order: "oldest", ...(scores === undefined ? {} : { scores }) })
    const { rows } = yield* get<TaskList>(`/api/tasks?${asked}`)
    return Object.fromEntries(rows.map(({ id, score }) => [id, score?.net ?? null]))
  })

describe("the scores of tasks", () => {
  it.live("are those that count, or those of a scoring that has a name", () =>
    onTasks(
      Effect.gen(function* () {
        const { get, refused } = yield* page
        expect(yield* netsBy()).toEqual({ both: 1, live: 1.5, other: 0.25, none: null })
        expect(yield* netsBy("live")).toEqual({ both: 1, live: 1.5, other: null, none: null })
        expect(yield* netsBy("lenient")).toEqual({ both: 2, live: null, other: 0.25, none: null })
        expect(yield* netsBy("set-both-strict")).toEqual({ both: 0.5, live: null, other: null, none: null })
        // What is not finished is unknown, and not the part that is there.
        expect(yield* netsBy("half")).toEqual({ both: null, live: null, other: null, none: null })
        const head = yield* get<TaskHead>(`/api/task?${query({ task: "both", scores: "strict" })}`)
        expect(head.score).toMatchObject({ set: "set-both-strict", net: 0.5, possible: 2 })
        const rewards = yield* get<ReadonlyArray<RewardRow>>(
          `/api/rewards?${query({ task: "both", scores: "strict" })}`,
        )
        expect(rewards.map(({ amount }) => amount)).toEqual([0.5])
        const totals = yield* get<TaskOverview>(`/api/overview?${query({ scores: "lenient" })}`)
        expect(totals.score).toEqual({ mean: 1.125, tasks: 2, sets: ["lenient"] })
        for (const scores of ["none", "__proto__", "x".repeat(500), "\u202e<b>"]) {
          expect(yield* refused(`/api/tasks?${query({ scores })}`)).toMatchObject({
            status: 404,
            error: "ScoringNotFound",
          })
        }
      }),
    ),
  )

  it.live("are unknown by a scoring that only another timeline has, alone and in a comparison", () =>
    onTasks(
      Effect.gen(function* () {
        const { get, refused } = yield* page
        const headOn = (timeline: string, task: string, scores: string) =>
          Effect.map(get<TaskHead>(`/api/task?${query({ timeline, task, scores })}`), ({ score }) => score?.net ?? null)
        for (const name of ["bold", "set-forked"]) {
          expect(yield* headOn("fork-1", "none", name)).toBe(0.75)
          expect(yield* headOn("main", "none", name)).toBe(null)
          expect(yield* netsBy(name)).toEqual({ both: null, live: null, other: null, none: null })
          const sides = query({ a: "main/none", b: "fork-1/none", scores: name })
          const { scored } = yield* get<Comparison>(`/api/compare?${sides}`)
          expect(scored?.sets).toEqual([null, "set-forked"])
        }
        expect(yield* refused(`/api/task?${query({ task: "none", scores: "nowhere" })}`)).toMatchObject({ status: 404 })
      }),
    ),
  )

  it.live("follow the pointer `official` where it covers a task", () =>
    onTasks(
      Effect.gen(function* () {
        const { get } = yield* page
        expect(yield* netsBy()).toEqual({ both: 0.5, live: 1.5, other: 0.25, none: null })
        expect(yield* netsBy("official")).toEqual({ both: 0.5, live: null, other: null, none: null })
        expect(yield* get<Scorings>("/api/scorings")).toEqual({
          rows: [
            { name: "official", isPointer: true, tasks: 1 },
            { name: "lenient", isPointer: false, tasks: 2 },
            { name: "live", isPointer: false, tasks: 2 },
            { name: "strict", isPointer: false, tasks: 1 },
          ],
          left: 0,
        })
      }),
      "set-both-strict",
    ),
  )

  it.live("can be chosen in a shared file, which has the answers by each of them", () =>
    onTasks(
      Effect.gen(function* () {
        const { answers } = yield* SharedAnswers.collect({
          tasks: [
            { timeline: "main", task: "both" },
            { timeline: "main", task: "live" },
          ],
          notes: [],
        }).pipe(Effect.provide(SharedAnswers.layer))
        for (const scores of ["official", "live", "strict", "lenient"]) {
          expect(answers.has(`tasks?scores=${scores}`)).toBe(true)
          for (const task of ["both", "live"]) {
            expect(answers.has(`task?scores=${scores}&task=${task}&timeline=main`)).toBe(true)
            expect(answers.has(`failure?scores=${scores}&task=${task}&timeline=main`)).toBe(true)
          }
        }
      }),
      "set-both-strict",
    ),
  )

  it("have a name that other tasks have too, if it names this set", () => {
    const set = (id: string, label: string, more: object = {}) => ({
      ...{ set: id, label, finished: true, pointers: [] as ReadonlyArray<string> },
      ...more,
    })
    const [first, second, odd] = [set("a", "live"), set("b", "live"), set("c", "odd", { finished: false })]
    expect([first, second, odd].map((one) => scoringOf(one, [first, second, odd]))).toEqual(["a", "live", "c"])
    const pointed = set("d", "x", { pointers: ["live"] })
    expect(scoringOf(second, [first, second, pointed])).toBe("b")
  })
})
