import { assert, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { PAGE_SIZE } from "../../src/events/read/Pages.ts"
import * as Audits from "../../src/projections/audit/Audits.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import { Projector } from "../../src/projections/projector/Projector.ts"
import * as ScoreSets from "../../src/projections/state/ScoreSets.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { turnsDuring } from "../turns.ts"
import { arbitraryEvents } from "./arbitraryEvents.ts"
import { event, inTask, sha, type Unplaced } from "./given.ts"
import { append, onLog } from "./onLog.ts"

const opened = event("TaskOpened", { goal: "Find it", measures: [], agent: "me@1" })
const closed = event("TaskClosed", { outcome: "achieved" })
const read = event("SensorRead", { sensor: "room/look", reading: null, priority: 0, latencyMs: 1 })
const commanded = event("ActuatorCommanded", {
  commandId: "c",
  actuator: "room/go",
  args: {},
  argsDigest: sha("a"),
  priority: 0,
})
const unknown = event("CommandOutcomeUnknown", { commandId: "c" })
const succeeded = event("CommandSucceeded", { commandId: "c", result: null, latencyMs: 5 })

const rubric = { measures: [{ name: "tidy", rewards: [{ name: "r", weight: 0.5 }] }] }
const started = (scoreSetId: string, taskIds: ReadonlyArray<string>) =>
  event("ScoringStarted", {
    scoreSetId,
    taskIds,
    rubric,
    rubricDigest: sha("r"),
    critic: "rule",
    criticDigest: sha("c"),
    label: "again",
    range: { from: 1, to: 2 },
  })
const finished = (scoreSetId: string) => event("ScoringFinished", { scoreSetId, totals: {} })
const reward = (scoreSetId: string) =>
  event("RewardGiven", { scoreSetId, measure: "tidy", name: "r", weight: 0.5, amount: 0.5, because: [2] })

const all = (options?: Audits.Options) => Effect.map(Stream.runCollect(Audits.stream(options)), Chunk.toReadonlyArray)
const ids = (audits: ReadonlyArray<TaskAudit.TaskAudit>) => audits.map(({ taskId }) => taskId)

const onEvents = <A, E>(
  events: ReadonlyArray<Unplaced>,
  body: Effect.Effect<A, E, Effect.Effect.Context<ReturnType<typeof all>> | Projector>,
) => onLog(Effect.zipRight(append(events), body))

describe("all audits of a log", () => {
  it.live(
    "are, of some tasks, those of all tasks without the others, however few they are, and in the same order",
    () =>
      Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(arbitraryEvents(60), async (some) => {
            // Many of them: the whole log is read for these.
            const named = Array.from({ length: 65 }, (_, index) => `named-${index}`)
            const story = [...some, ...named.flatMap((taskId) => inTask(taskId, [opened]))]
            const [whole, few, many] = await Effect.runPromise(
              onEvents(
                story,
                Effect.gen(function* () {
                  const whole = yield* all()
                  const wanted = ids(whole).filter((_, index) => index % 3 === 0)
                  return [whole, yield* all({ tasks: wanted.slice(0, 64) }), yield* all({ tasks: ids(whole) })]
                }),
              ),
            )
            expect(few).toEqual(whole?.filter((_, index) => index % 3 === 0).slice(0, 64))
            expect(many).toEqual(whole)
          }),
          { numRuns: 5 },
        ),
      ),
  )

  it.live("say of how many tasks there is a score in some score sets", () =>
    onEvents(
      [
        ...inTask("a", [opened, closed]),
        ...inTask("b", [opened, closed]),
        ...inTask("c", [opened, closed]),
        started("one", ["a", "b"]),
        ...inTask("a", [reward("one")]),
        finished("one"),
        started("two", ["c"]),
        finished("two"),
      ],
      Effect.gen(function* () {
        const known = yield* (yield* Projector).current(ScoreSets.projection)
        const counted = (tasks: ReadonlyArray<string>, ...sets: ReadonlyArray<string>) =>
          ScoreSets.scoredAmong(known, tasks, sets)
        expect(counted(["a", "b", "c"], "one")).toBe(2)
        expect(counted(["b", "c"], "one", "two")).toBe(2)
        expect(counted(["a", "b"], "two")).toBe(0)
        expect(counted(["a", "b"], "unheard of")).toBe(0)
        expect(counted(["a", "b"])).toBe(0)
      }),
    ),
  )

  it.live("are what each task's own audit is, whatever the log says", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(arbitraryEvents(60), fc.array(fc.nat(60), { maxLength: 3 }), (some, openings) => {
          const story = openings.reduce<ReadonlyArray<Unplaced>>(
            (events, at, index) => events.toSpliced(at, 0, ...inTask(String(index), [opened])),
            some,
          )
          return Effect.runPromise(
            onEvents(
              story,
              Effect.gen(function* () {
                const tasks = Object.keys(yield* (yield* Projector).current(Tasks.projection))
                const audits = yield* all()
                assert.deepStrictEqual([...ids(audits)].sort(), [...tasks].sort())
                for (const audit of audits) assert.deepStrictEqual(audit, yield* TaskAudit.load(audit.taskId))
                const events = yield* Stream.runCollect((yield* EventLog).read())
                assert.deepStrictEqual(Audits.fold(Chunk.toReadonlyArray(events)), audits)
              }),
            ),
          )
        }),
        { numRuns: 40 },
      ),
    ),
  )

  it.live("come in the order in which tasks were closed, then what is open in the order of its opening", () =>
    onEvents(
      [
        ...["a", "b", "c", "d"].flatMap((id) => inTask(id, [opened])),
        ...inTask("c", [closed]),
        ...inTask("a", [closed]),
        ...inTask("b", [read]),
      ],
      Effect.map(all(), (audits) => expect(ids(audits)).toEqual(["c", "a", "b", "d"])),
    ),
  )

  it.live("hold the scores that were given long after a task was closed, and no others", () =>
    onEvents(
      [
        ...inTask("a", [opened, closed]),
        ...inTask("b", [opened, closed]),
        started("s", ["a"]),
        ...inTask("a", [reward("s")]),
        finished("s"),
      ],
      Effect.map(all(), (audits) =>
        expect(audits.map(({ scores }) => scores.map(({ net, finished }) => [net, finished]))).toEqual([
          [[0.5, true]],
          [],
        ]),
      ),
    ),
  )

  it.live("wait for a command whose outcome was not known at the close", () =>
    onEvents(
      [
        ...inTask("a", [opened, commanded, unknown, closed]),
        ...inTask("b", [opened, closed]),
        ...inTask("a", [read, succeeded]),
      ],
      Effect.map(all(), (audits) => {
        expect(ids(audits)).toEqual(["b", "a"])
        expect(audits[1]).toMatchObject({ sensing: { reads: 0 }, acting: { commanded: 1, succeeded: 1, unknown: 0 } })
      }),
    ),
  )

  it.live("are those of the tasks that were asked for, and a typed error where one was never opened", () =>
    onEvents(
      [...inTask("a", [opened, closed]), ...inTask("b", [opened]), ...inTask("c", [opened, closed])],
      Effect.gen(function* () {
        expect(ids(yield* all({ tasks: ["b", "a"] }))).toEqual(["a", "b"])
        expect(yield* all({ tasks: [] })).toEqual([])
        expect(yield* Effect.flip(all({ tasks: ["a", "x"] }))).toMatchObject({ _tag: "TaskNotFound", taskId: "x" })
      }),
    ),
  )

  it.live("are as the log stood at the position that was asked for", () =>
    onEvents(
      [...inTask("a", [opened, read, closed]), started("s", ["a"]), ...inTask("b", [opened])],
      Effect.gen(function* () {
        expect(yield* all({ until: 2 })).toMatchObject([{ taskId: "a", outcome: null, range: { from: 1, to: 2 } }])
        expect(yield* all({ until: 3 })).toMatchObject([{ taskId: "a", outcome: "achieved", scores: [] }])
        expect(yield* all({ until: 0 })).toEqual([])
      }),
    ),
  )

  it.live("tell how far they are, and let other work have its turn between pages", () =>
    onEvents(
      inTask("a", [opened]),
      Effect.gen(function* () {
        yield* append(
          inTask(
            "a",
            Array.from({ length: PAGE_SIZE }, () => read),
          ),
        )
        const told: Array<readonly [number, number]> = []
        const onProgress = (done: number, of: number) => Effect.sync(() => void told.push([done, of]))
        expect(yield* turnsDuring(all({ onProgress }))).toBeGreaterThan(2)
        expect(told.at(-1)).toEqual([PAGE_SIZE + 1, PAGE_SIZE + 1])
        expect(told.length).toBeGreaterThan(2)
      }),
    ),
  )

  it.live("are given one by one to a function as well", () =>
    onEvents(
      [...inTask("a", [opened, closed]), ...inTask("b", [opened])],
      Effect.gen(function* () {
        const given: Array<TaskAudit.TaskAudit> = []
        yield* Audits.forEach((audit) => given.push(audit))
        assert.deepStrictEqual(given, yield* all())
      }),
    ),
  )
})
