import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Rubric from "../../src/kernel/rules/Rubric.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import { Projector } from "../../src/projections/projector/Projector.ts"
import * as ScoreSets from "../../src/projections/state/ScoreSets.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { TimeTravel } from "../../src/projections/timetravel/TimeTravel.ts"
import * as RunTable from "../../src/projections/timetravel/table/RunTable.ts"
import * as EventText from "../../src/search/words/EventText.ts"
import { kindOf } from "../../src/studio/course/EventKind.ts"
import type { Studio } from "../../src/studio/Studio.ts"
import type {
  Comparison,
  FindLine,
  Located,
  PathHistory,
  RowDifferences,
  SearchAnswer,
} from "../../src/studio/wire/Asking.ts"
import type { Effects, WholeEvent, Why } from "../../src/studio/wire/CourseSlice.ts"
import { KINDS } from "../../src/studio/wire/Kind.ts"
import type { Density, LogInfo, PluginRow } from "../../src/studio/wire/Log.ts"
import type { VerdictTable } from "../../src/studio/wire/Scoring.ts"
import type { Course, RewardRow, TaskGroup, TaskHead, TaskList } from "../../src/studio/wire/Task.ts"
import type { JsonObject } from "../../src/values/Json.ts"
import { demoLog } from "../demoLog.ts"
import { page, query, served } from "./given.ts"

const onDemo = <A, E>(test: Effect.Effect<A, E, EventLog | Projector | TimeTravel | Studio>) =>
  Effect.flatMap(
    Effect.promise(() => demoLog(23, 7)),
    (file) => Effect.provide(test, served(file)),
  )

/** The task of the story of `docs/tutorials/look-back.md`. */
const BURST = "task-0015"

/** Waits until the index has every event. */
const indexed = Effect.gen(function* () {
  const { get } = yield* page
  return yield* Effect.repeat(get<LogInfo>("/api/log"), { until: ({ head, indexed }) => indexed === head })
})

const lines = (path: string) =>
  Effect.gen(function* () {
    const { send } = yield* page
    const { text, headers } = yield* send(path)
    expect(headers["content-type"]).toBe("application/x-ndjson; charset=utf-8")
    return text
      .trimEnd()
      .split("\n")
      .map((line): FindLine => JSON.parse(line))
  })

/** The names of a rubric's rewards and punishments, in its order. */
const namesIn = (rubric: JsonObject | undefined): ReadonlyArray<string> =>
  (Schema.decodeUnknownSync(Rubric.Rubric)(rubric).measures ?? []).flatMap(({ rewards = [], punishments = [] }) =>
    [...rewards, ...punishments].map(({ name }) => name),
  )

const hits = (found: ReadonlyArray<FindLine>) => found.flatMap((line) => ("hit" in line ? [line.hit.position] : []))

describe("Studio answers as the library does", () => {
  it.live("what the log and its tasks are", () =>
    onDemo(
      Effect.gen(function* () {
        const { get } = yield* page
        const { position } = yield* (yield* EventLog).head
        expect(yield* indexed).toMatchObject({
          name: "demo.db",
          head: position,
          timelines: [{ name: "main", parent: null }],
          notes: [],
          agents: [],
          indexed: position,
        })
        const tasks = yield* (yield* Projector).current(Tasks.projection)
        const oldest = yield* get<TaskList>("/api/tasks?order=oldest&limit=500")
        expect(oldest.total).toBe(Object.keys(tasks).length)
        for (const row of oldest.rows) {
          const { goal, agent, outcome, from, to, steps, openedAt, closedAt } = tasks[row.id] ?? {}
          expect(row).toMatchObject({ goal, agent, outcome, from, to, steps, openedAt, closedAt, waits: 0 })
          const audit = yield* TaskAudit.load(row.id)
          const { pointers } = yield* (yield* Projector).current(ScoreSets.projection)
          const counts = audit.scores.find(({ scoreSetId }) => scoreSetId === pointers.official) ?? audit.scores[0]
          expect(row.score?.net).toBe(counts?.net)
          expect(row.strip.length).toBeLessThanOrEqual(80)
          const { durationMs, use } = yield* get<TaskHead>(`/api/task?task=${row.id}`)
          expect(durationMs).toBe(audit.durationMs)
          const { calls, inputTokens, outputTokens, unmetered, cost } = audit.model ?? {}
          expect(use).toEqual(
            audit.model === undefined
              ? null
              : { calls, inputTokens, outputTokens, unmetered, cost: { usd: cost?.usd, atLeast: cost?.atLeast } },
          )
        }
        const newest = yield* get<TaskList>("/api/tasks?order=newest&offset=3&limit=4")
        expect(newest.rows.map(({ id }) => id)).toEqual(
          [...oldest.rows]
            .reverse()
            .slice(3, 7)
            .map(({ id }) => id),
        )
        const worst = yield* get<TaskList>("/api/tasks?order=worst&limit=500")
        const bad = worst.rows.map(({ outcome }) => outcome === "failed" || outcome === "abandoned")
        expect(bad.lastIndexOf(true)).toBe(bad.indexOf(false) - 1)
        const nets = worst.rows.flatMap(({ score }, index) =>
          bad[index] === true && score !== null ? [score.net] : [],
        )
        expect(nets).toEqual([...nets].sort((a, b) => a - b))
        // By words of the id and the goal, among all tasks.
        const last = worst.rows.at(-1)
        const word = (last?.goal ?? "").split(" ")[0]?.toUpperCase()
        const named = yield* get<TaskList>(`/api/tasks?order=worst&limit=3&named=${last?.id}%20${word}`)
        expect(named.rows.map(({ id }) => id)).toEqual([last?.id])
        expect((yield* get<TaskList>("/api/tasks?named=nobody")).total).toBe(0)
      }),
    ),
  )

  it.live("one task: its sentence, its worst moment, its score sets, its course and its rewards", () =>
    onDemo(
      Effect.gen(function* () {
        const { get } = yield* page
        const log = yield* EventLog
        const head = yield* get<TaskHead>(`/api/task?task=${BURST}`)
        expect(head.sentence).toMatch(
          /^Failed after 6 steps \(“There is no boiler any more\.”\); boiler\/heat \{"power":1\} failed with PluginExited/,
        )
        const { pointers, sets, rubrics } = yield* (yield* Projector).current(ScoreSets.projection)
        expect(head.sets.map(({ set, label }) => [set, label])).toEqual(
          Object.entries(sets).flatMap(([id, { taskIds, label }]) => (taskIds.includes(BURST) ? [[id, label]] : [])),
        )
        expect(head.sets.flatMap((set) => set.pointers).every((pointer) => pointers[pointer] !== undefined)).toBe(true)
        expect(head.plugins).toEqual(["boiler"])
        const rewards = yield* get<ReadonlyArray<RewardRow>>(`/api/rewards?task=${BURST}`)
        const burst = rewards.find(({ name }) => name === "burst")
        expect(head.worst).toBe(burst?.at)
        expect(rewards.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(head.score?.net ?? 0)
        const given = yield* log.readPage({ taskId: BURST, types: ["RewardGiven", "PunishmentGiven"] }, 100)
        const ofSet = given.filter(({ payload }) => payload.scoreSetId === head.score?.set)
        expect(rewards.map(({ position }) => position).sort()).toEqual(ofSet.map(({ position }) => position).sort())
        const table = yield* get<VerdictTable>(`/api/verdicts?task=${BURST}`)
        expect(table).toMatchObject({ sets: head.sets.map(({ set }) => set), left: 0 })
        for (const [column, { set, net }] of head.sets.entries()) {
          const verdicts = table.rows.map((row) => row.verdicts[column] ?? null)
          expect(verdicts.reduce((sum, verdict) => sum + (verdict?.amount ?? 0), 0)).toBeCloseTo(net)
          const asked = verdicts.flatMap((verdict, row) => (verdict === null ? [] : [table.rows[row]?.name]))
          expect(asked).toEqual(namesIn(rubrics[sets[set]?.rubricDigest ?? ""]))
          const held = verdicts.filter((verdict) => verdict !== null && verdict.times > 0)
          const events = yield* log.readPage({ taskId: BURST, types: ["RewardGiven", "PunishmentGiven"] }, 100)
          expect(held).toHaveLength(events.filter(({ payload }) => payload.scoreSetId === set).length)
        }
        expect(table.rows.find(({ name }) => name === "burst")?.verdicts[0]).toMatchObject({
          times: 1,
          amount: burst?.amount,
          because: burst?.because,
          unscored: null,
          rule: expect.stringContaining("event.type"),
        })
        const course = yield* get<Course>(`/api/course?task=${BURST}`)
        const own = yield* log.readPage({ taskId: BURST }, 1000)
        let position = 0
        expect(course.positions.map((difference) => (position += difference))).toEqual(
          own.map((event) => event.position),
        )
        expect(course.kinds).toHaveLength(own.length)
      }),
    ),
  )

  it.live("one event, its causes and what it caused", () =>
    onDemo(
      Effect.gen(function* () {
        const { get, refused } = yield* page
        const travel = yield* TimeTravel
        const [closed] = yield* (yield* EventLog).readPage({ taskId: BURST, types: ["CommandFailed"] }, 1)
        const position = closed?.position ?? 0
        const whole = yield* get<WholeEvent>(`/api/event?position=${position}`)
        const { stream, version, schemaVersion, causationId, hash, payload, id } = closed ?? {}
        expect(whole).toMatchObject({ stream, version, schemaVersion, causationId, hash, payload, id, bad: true })
        const why = yield* get<Why>(`/api/why?position=${position}`)
        expect(why.map((event) => event.position)).toEqual(
          (yield* travel.why(`@${position}`)).map((event) => event.position),
        )
        expect(whole.cause?.position).toBe(why[1]?.position)
        const root = why.at(-1)?.position ?? 0
        const effects = yield* get<Effects>(`/api/effects?position=${root}`)
        const known = yield* travel.effects(`@${root}`, { limit: 200 })
        expect(effects.map((event) => [event.position, event.depth])).toEqual(
          known.events.slice(1).map(({ event, depth }) => [event.position, depth]),
        )
        for (const path of ["event", "why", "effects"]) {
          expect(yield* refused(`/api/${path}?position=999999`)).toMatchObject({ status: 404, error: "EventNotFound" })
          expect(yield* refused(`/api/${path}?position=0`)).toMatchObject({ status: 400 })
        }
      }),
    ),
  )

  it.live("every value of a path, and where a moment is", () =>
    onDemo(
      Effect.gen(function* () {
        const { get, refused } = yield* page
        const history = yield* get<PathHistory>(`/api/history?${query({ path: `/tasks/${BURST}/outcome` })}`)
        expect(history).toMatchObject({ cut: false, values: [{ type: "TaskClosed", value: "failed" }] })
        const at = history.values[0]?.position ?? 0
        expect(yield* get<Located>(`/api/locate?moment=@${at}`)).toEqual({
          timeline: "main",
          position: at,
          task: BURST,
        })
        const { id } = yield* get<WholeEvent>(`/api/event?position=${at}`)
        expect((yield* get<Located>(`/api/locate?moment=${id}`)).position).toBe(at)
        expect(yield* refused(`/api/history?${query({ path: "/tasks/task-0015/nothing" })}`)).toMatchObject({
          status: 404,
          error: "PathNeverExisted",
        })
        expect(yield* refused(`/api/history?${query({ path: "tasks" })}`)).toMatchObject({ error: "PathInvalid" })
        expect(yield* refused("/api/locate?moment=yesterday")).toMatchObject({ status: 400, error: "MomentInvalid" })
        expect(yield* refused("/api/locate?moment=@99999")).toMatchObject({ status: 404, error: "PositionOutOfRange" })
      }),
    ),
  )

  it.live("where something holds, and which texts have some words", () =>
    onDemo(
      Effect.gen(function* () {
        const { get, refused } = yield* page
        const log = yield* EventLog
        const failed = yield* log.readPage({ types: ["CommandFailed"] }, 1000)
        const when = 'event.type == "CommandFailed"'
        const all = yield* lines(`/api/find?${query({ when })}`)
        expect(hits(all)).toEqual(failed.map(({ position }) => position))
        expect(all.at(-1)).toEqual({ end: true, cut: false })
        const ofTask = hits(yield* lines(`/api/find?${query({ when, task: BURST })}`))
        expect(ofTask).toEqual(failed.flatMap(({ taskId, position }) => (taskId === BURST ? [position] : [])))
        const closed = yield* log.readPage({ taskId: BURST, types: ["TaskClosed"] }, 1)
        const turned = hits(yield* lines(`/api/find?${query({ when: `state.tasks["${BURST}"].open == false` })}`))
        expect(turned).toEqual(closed.map(({ position }) => position))
        const text = '"There IS no boiler"'
        const { hits: containing, next } = yield* get<SearchAnswer>(`/api/search?${query({ text, limit: 500 })}`)
        const pages = yield* log.readPage({}, 5000)
        const expected = pages.filter(({ type, payload }) =>
          EventText.of(type, payload)?.text.includes("There is no boiler"),
        )
        expect(containing.map(({ position }) => position)).toEqual(expected.map(({ position }) => position).reverse())
        expect({ next, some: containing.length > 0 }).toEqual({ next: null, some: true })
        const first = yield* get<SearchAnswer>(`/api/search?${query({ text: "boiler", kind: "argument", limit: 1 })}`)
        expect(first.hits).toMatchObject([{ kind: "argument", task: expect.stringMatching(/^task-/) }])
        const rest = { text: "boiler", kind: "argument", limit: 1, before: first.next ?? 1 }
        const earlier = yield* get<SearchAnswer>(`/api/search?${query(rest)}`)
        expect(earlier.hits[0]?.position).toBeLessThan(first.hits[0]?.position ?? 0)
        const never = yield* lines(`/api/find?${query({ when: `state.tasks["${BURST}"].opne` })}`)
        expect(never.flatMap((line) => ("problem" in line ? [line.problem] : []))).toEqual([
          expect.stringContaining(`existed at no moment up to @`),
        ])
        expect(JSON.stringify(never)).toContain(`nearest: state.tasks`)
        expect(yield* refused(`/api/find?${query({ when: "state.tsks ==" })}`)).toMatchObject({ status: 400 })
        expect(yield* refused("/api/search?text=")).toMatchObject({ status: 400, error: "InvalidParameters" })
      }),
    ),
  )

  it.live("by its index how many events there are, and which tasks are alike", () =>
    onDemo(
      Effect.gen(function* () {
        const { get, refused } = yield* page
        const { head } = yield* indexed
        const events = yield* (yield* EventLog).readPage({}, 5000)
        const density = yield* get<Density>(`/api/density?from=101&to=1300&bins=7`)
        const counts = Array.from({ length: 7 }, () => KINDS.map(() => 0))
        for (const { position, type } of events.slice(100, 1300)) {
          const bin = counts[Math.floor(((position - 101) * 7) / 1200)]
          const kind = KINDS.indexOf(kindOf(type))
          if (bin !== undefined) bin[kind] = (bin[kind] ?? 0) + 1
        }
        expect(density).toMatchObject({ from: 101, to: 1300, indexed: head, counts })
        const where = 'task.outcome == "failed" && task.agent.startsWith("daredevil")'
        const found = yield* get<TaskList>(`/api/tasks?${query({ where })}`)
        const { rows } = yield* get<TaskList>("/api/tasks?limit=500")
        const expected = rows.filter(({ outcome, agent }) => outcome === "failed" && agent?.startsWith("daredevil"))
        // The rows of the index are those that are read from the log.
        expect(found).toEqual({ total: expected.length, rows: expected, found: null })
        expect(expected.length).toBeGreaterThan(0)
        const below = yield* get<TaskList>(`/api/tasks?${query({ where: "task.score.net < -1" })}`)
        expect(below.total).toBe(rows.filter(({ score }) => score !== null && score.net < -1).length)
        const groups = yield* get<ReadonlyArray<TaskGroup>>("/api/groups?by=outcome")
        expect(groups.reduce((sum, { tasks }) => sum + tasks, 0)).toBe(rows.length)
        const failed = groups.find(({ key }) => key === "failed")
        expect(failed?.outcomes).toEqual({ failed: rows.filter(({ outcome }) => outcome === "failed").length })
        for (const bad of ["task.", "1 + 1", "task.nothing > 1", "tsk.steps > 1"]) {
          expect(yield* refused(`/api/tasks?${query({ where: bad })}`)).toMatchObject({
            status: 400,
            error: "WhereInvalid",
          })
        }
        expect(yield* refused("/api/density?from=9&to=3&bins=2")).toMatchObject({ status: 400, error: "RangeEmpty" })
        expect(yield* refused("/api/groups?by=colour")).toMatchObject({ status: 400, error: "InvalidParameters" })
      }),
    ),
  )

  it.live("how two tasks compare, and what plugins did", () =>
    onDemo(
      Effect.gen(function* () {
        const { get, refused } = yield* page
        const travel = yield* TimeTravel
        const [a, b] = ["task-0001", BURST]
        const aligned = yield* travel.align({ taskId: a }, { taskId: b })
        const compared = yield* get<Comparison>(`/api/compare?${query({ a: `main/${a}`, b: `main/${b}` })}`)
        expect(compared.pairs).toHaveLength(aligned.pairs.length)
        expect(compared.pairs.map(([, inA, inB]) => [inA, inB])).toEqual(
          aligned.pairs.map((pair) => [pair.a?.position ?? 0, pair.b?.position ?? 0]),
        )
        expect(compared).toMatchObject({ divergence: aligned.divergence, shared: 0, a: { id: a }, b: { id: b } })
        // The page, the command line and assistants say the same.
        expect(compared.sentence).toBe(aligned.sentence)
        const [, atA, atB] = compared.pairs[compared.split ?? -1] ?? []
        const { split } = aligned.decisions
        expect([atA, atB]).toEqual([split?.a?.event.position, split?.b?.event.position])
        expect(compared.notes).toContain("Their goals differ.")
        const runs = [a, b, "task-0003"].map((taskId) => ({ timeline: "main", taskId }))
        const asked = JSON.stringify(runs.map(({ timeline, taskId }) => `${timeline}/${taskId}`))
        const table = yield* get<RunTable.RunTable>(`/api/runs?${query({ runs: asked })}`)
        expect(table).toEqual(JSON.parse(JSON.stringify(yield* RunTable.load(runs))))
        expect(table.runs[1]?.split?.sentence).toBe(aligned.sentence)
        for (const bad of ["", "x", '["main/x"]', '["x","y"]', JSON.stringify(Array(51).fill(`main/${a}`))]) {
          expect((yield* refused(`/api/runs?${query({ runs: bad })}`)).status).toBeGreaterThanOrEqual(400)
        }
        // One rubric for both sides, or none.
        const { scored } = compared
        expect(scored?.sets).toHaveLength(2)
        for (const [side, head] of [compared.a, compared.b].entries()) {
          const set = head.sets.find((row) => row.set === scored?.sets[side])
          expect([scored?.rubric, null]).toContain(set?.rubric ?? null)
        }
        const changed = compared.pairs.filter(([kind]) => kind === "~").slice(0, 20)
        const rows = changed.map(([, inA, inB]) => `${inA}-${inB}`).join(",")
        const differences = yield* get<RowDifferences>(`/api/differences?${query({ rows })}`)
        expect(differences).toHaveLength(changed.length)
        expect(differences[0]?.shown.map(({ path }) => path)).toContain("/goal")
        for (const bad of ["", "1", "1-", "1-2,", "0x1-2", Array(101).fill("1-2").join(",")]) {
          expect(yield* refused(`/api/differences?${query({ rows: bad })}`)).toMatchObject({ status: 400 })
        }
        expect(yield* refused("/api/differences?rows=1-999999")).toMatchObject({ status: 404 })
        expect(yield* refused("/api/differences?rows=0-1")).toMatchObject({ status: 404 })
        expect(yield* refused(`/api/compare?${query({ a: "main", b: "main/x" })}`)).toMatchObject({
          error: "RunInvalid",
        })
        expect(yield* refused(`/api/compare?${query({ a: `main/${a}`, b: "main/nobody" })}`)).toMatchObject({
          status: 404,
        })
        const plugins = yield* get<ReadonlyArray<PluginRow>>("/api/plugins")
        expect(plugins.map(({ name }) => name)).toEqual(["text-room", "workspace", "boiler"])
        const boiler = plugins.find(({ name }) => name === "boiler")
        expect(boiler?.crashes.length).toBeGreaterThan(0)
        expect(plugins.find(({ name }) => name === "workspace")?.requests.last.length).toBeGreaterThan(0)
      }),
    ),
  )
})
