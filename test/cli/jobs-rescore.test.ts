import * as fs from "node:fs"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { workplace } from "../workplace.ts"
import { hindcast } from "./hindcast.ts"

const place = workplace()
const log = place.file("log.db")
const rubric = place.file("rubric.yaml")

const TASKS = 120
const READINGS = 40
/** Tasks that are open at the same time. */
const AT_ONCE = 6
const ARCHIVED = 2_000

const opened = { type: "TaskOpened" as const, payload: { goal: "g", measures: [], agent: "a@1" } }
const reading = (n: number) => ({
  type: "SensorRead" as const,
  payload: { sensor: "room/view", reading: { n, odd: n % 2 === 1 }, priority: 0, latencyMs: 1 },
})
const closed = (index: number) => ({
  type: "TaskClosed" as const,
  payload: { outcome: index % 3 === 0 ? ("failed" as const) : ("achieved" as const) },
})

/** Tasks that overlap, the last of them open; then a fork of one, which goes on by itself. */
const fill = Effect.gen(function* () {
  const events = yield* EventLog
  const append = (
    task: string,
    what: ReadonlyArray<Parameters<typeof events.append>[0]["events"][number]>,
    timeline = "main",
  ) => events.append({ stream: `task/${task}`, taskId: task, timeline, actor: "kernel", events: [...what] })
  for (let first = 0; first < TASKS; first += AT_ONCE) {
    const group = Array.from({ length: AT_ONCE }, (_, index) => first + index)
    for (const index of group) yield* append(`t${index}`, [opened])
    for (let number = 0; number < READINGS; number++)
      for (const index of group) yield* append(`t${index}`, [reading(index * number)])
    for (const index of group) if (index < TASKS - 2) yield* append(`t${index}`, [closed(index)])
  }
  const { position: at } = yield* events.head
  yield* append(
    "t118",
    [{ type: "TimelineForked", payload: { timeline: "fork-1", parent: "main", at, overrides: {} } }],
    "fork-1",
  )
  yield* append("t118", [reading(7), closed(118)], "fork-1")
})

beforeAll(async () => {
  fs.writeFileSync(
    rubric,
    `name: readings
measures:
  - name: seen
    description: What was read
    rewards:
      - { name: odd, when: odd, weight: 0.1, per: occurrence, rule: 'event.type == "SensorRead" && event.payload.reading.odd' }
      - { name: achieved, when: achieved, weight: 1, rule: 'task.outcome == "achieved"' }
      - { name: by nobody, when: a person says so, weight: 1 }
    punishments:
      - { name: large, when: large, weight: 1, rule: 'state.readings["room/view"].n > 1000' }
`,
  )
  await Effect.runPromise(
    Effect.zipRight(
      fill,
      Effect.flatMap(Archive, (archive) => archive.archive({ until: ARCHIVED, actor: "human:test" })),
    ).pipe(Effect.provide(layerSqlite({ filename: log }))),
  )
})
afterAll(place.remove)

/** The events of the newest score set, without what names it and its events. */
const newestSet = (timeline: string): Promise<ReadonlyArray<unknown>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const events = yield* EventLog
      const sets = yield* events.readPage({ types: ["ScoringStarted"] }, 100)
      const stream = sets.at(-1)?.stream ?? ""
      const page = yield* events.readPage({ stream }, 5_000)
      return page.map(({ timeline, version, type, taskId, actor, payload }: Event) => {
        const { scoreSetId: _, range: __, ...said } = payload as Record<string, unknown>
        return { timeline, version, type, taskId, actor, said }
      })
    }).pipe(
      Effect.provide(layerSqlite({ filename: log, readonly: true })),
      Effect.tap((found) => {
        expect(found.every((event) => (event as { timeline: string }).timeline === timeline)).toBe(true)
      }),
    ),
  )

const scored = async (jobs: number, ...args: ReadonlyArray<string>) => {
  const { code, stderr } = await hindcast([
    "rescore",
    "--rubric",
    rubric,
    "--log",
    log,
    "--jobs",
    String(jobs),
    ...args,
  ])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
}

describe("rescore --jobs", () => {
  it.each([
    ["all closed tasks, some of them archived", "main", []],
    ["the tasks of a fork", "fork-1", ["--timeline", "fork-1"]],
    [
      "every tenth task, and one that is open",
      "main",
      ["--task", Array.from({ length: 12 }, (_, n) => `t${n * 10 + 9}`).join(",")],
    ],
  ])("gives the same verdicts in the same order: %s", async (_, timeline, args) => {
    await scored(1, ...args)
    const one = await newestSet(timeline)
    await scored(3, ...args)
    expect(one.length).toBeGreaterThan(20)
    expect(await newestSet(timeline)).toEqual(one)
  })
})
