import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layerSqlite } from "../../src/events/index.ts"
import { EventLog, type NewEvent } from "../../src/events/log/EventLog.ts"
import { streamOf } from "../../src/projections/state/ConfirmationAnswer.ts"
import { sha } from "../projections/given.ts"
import { workplace } from "../workplace.ts"
import { countingReads } from "./countedReads.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
const log = place.file("log.db")

const TASKS = 60
const EVENTS_OF_TASK = 400
const idOf = (task: number) => `task-${String(task).padStart(4, "0")}`

const reading = (reading: number): NewEvent => ({
  type: "SensorRead",
  payload: { sensor: "room/look", reading, priority: 0, latencyMs: 1 },
})

const rubric = { measures: [{ plugin: "room", name: "tidy", rewards: [{ name: "found", weight: 1 }] }] }

const scored = (task: number): ReadonlyArray<NewEvent> => {
  const scoreSetId = `live-${task}`
  const set = { scoreSetId, label: "live", rubric, rubricDigest: sha("r"), critic: "rule@4", criticDigest: sha("c") }
  return [
    { type: "ScoringStarted", payload: { ...set, taskIds: [idOf(task)], range: { from: 1, to: 2 } } },
    { type: "ScoringFinished", payload: { scoreSetId, totals: {} } },
  ]
}

/** A task of many readings, which asked a person once, and was scored. */
const taskOf = (task: number) =>
  Effect.gen(function* () {
    const { append } = yield* EventLog
    const id = idOf(task)
    const inTask = { stream: `task/${id}`, taskId: id, actor: "test" }
    const opened = { goal: `goal ${task}`, measures: [], agent: "walker@1" }
    yield* append({ ...inTask, events: [{ type: "TaskOpened", payload: opened }] })
    const confirmationId = `question-${task}`
    const asked = {
      confirmationId,
      commandId: `c${task}`,
      argsDigest: sha("a"),
      shown: { actuator: "room/go" },
      shownDigest: sha("s"),
      risk: "high",
      expiresAt: 4e12,
    }
    const question = { ...inTask, stream: streamOf(confirmationId) }
    yield* append({ ...question, events: [{ type: "ConfirmationRequested", payload: asked }] })
    yield* append({ ...inTask, events: Array.from({ length: EVENTS_OF_TASK }, (_, index) => reading(index)) })
    if (task % 10 === 0) return
    const withdrawn = { confirmationId, reason: "no longer" }
    yield* append({ ...question, events: [{ type: "ConfirmationWithdrawn", payload: withdrawn }] })
    yield* append({ ...inTask, events: [{ type: "TaskClosed", payload: { outcome: "achieved" } }, ...scored(task)] })
  })

beforeAll(async () => {
  const record = Effect.forEach(Array.from({ length: TASKS }), (_, task) => taskOf(task), { discard: true })
  await Effect.runPromise(Effect.provide(record, layerSqlite({ filename: log })))
})
afterAll(place.remove)

/** The events that a command reads. */
const readBy = async (...args: ReadonlyArray<string>) => {
  const { answer, events } = await countingReads(() => hindcast([...args, "--log", log]))
  expect(answer, answer.stderr).toMatchObject({ code: 0 })
  return events
}

/** What every command reads of the log besides. */
const FEW = 40

const ALL = TASKS * EVENTS_OF_TASK

describe("what is asked of one thing, or of the newest, reads its own events", () => {
  it("counts every event of a pass over the log, so that these counts mean something", async () => {
    expect(await readBy("export", "events", "--output", "-")).toBeGreaterThanOrEqual(ALL)
    expect(await readBy("state")).toBeGreaterThanOrEqual(ALL)
  })

  it.each([
    ["confirm ls", ["confirm", "ls"], 5 * TASKS],
    ["confirm show", ["confirm", "show", "question-20"], 5 * TASKS],
    ["score ls", ["score", "ls"], 3 * TASKS],
    ["plugin ls", ["plugin", "ls"], TASKS],
    ["timeline ls", ["timeline", "ls"], TASKS],
    ["task ls --limit 2", ["task", "ls", "--limit", "2"], 2 * EVENTS_OF_TASK + 2 * TASKS],
    ["audit of a task", ["audit", idOf(7)], EVENTS_OF_TASK + FEW],
    ["audit of a task by a part of its id", ["audit", "0007"], EVENTS_OF_TASK + TASKS + FEW],
    ["audit of the first tasks", ["audit", "--all", "--limit", "2"], 2 * EVENTS_OF_TASK + 3 * TASKS + FEW],
    ["log info", ["log", "info"], 2 * TASKS + FEW],
    ["state of a task", ["state", "--path", `/tasks/${idOf(7)}`], EVENTS_OF_TASK + FEW],
    ["state of what is shared", ["state", "--path", "/shared"], FEW],
    ["blame of a task's value", ["blame", `/tasks/${idOf(7)}/goal`], 2 * EVENTS_OF_TASK + FEW],
    ["why", ["why", "@5000"], FEW],
    ["log show", ["log", "show", "@5000"], FEW],
    ["log ls", ["log", "ls"], 60],
  ])("%s", async (_, args, most) => {
    expect(await readBy(...args)).toBeLessThanOrEqual(most)
  })

  it("task ls says that there are earlier ones, and lists all when asked to", async () => {
    const some = await document(["task", "ls", "--limit", "3", "--log", log])
    const ids = (list: unknown) => (list as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
    expect({ ids: ids(some.tasks), earlier: some.earlier }).toEqual({ ids: [57, 58, 59].map(idOf), earlier: true })
    const all = await document(["task", "ls", "--all", "--log", log])
    expect({ ids: ids(all.tasks), earlier: all.earlier }).toEqual({
      ids: Array.from({ length: TASKS }, (_, task) => idOf(task)),
      earlier: false,
    })
    const { stdout } = await hindcast(["task", "ls", "--limit", "3", "--log", log])
    expect(stdout).toContain("These are the newest 3; --limit N shows more, --all shows all.")
    expect((await hindcast(["task", "ls", "--limit", "0", "--log", log])).stderr).toContain("a whole number, 1 or more")
  })
})

describe("log snapshot", () => {
  it("stores the state at the head, after which no question about the whole log reads it all", async () => {
    const before = await document(["state", "--log", log])
    const info = await document(["log", "info", "--log", log])
    expect(info.snapshot).toBe(0)
    const { position: head } = info.head as { readonly position: number }
    const text = (await hindcast(["log", "info", "--log", log])).stdout
    expect(text).toMatch(/no snapshot of the whole state; `.*log snapshot --log .*` stores one/)
    expect(await document(["log", "snapshot", "--log", log])).toEqual({ head, before: 0, position: head })
    const again = await hindcast(["log", "snapshot", "--log", log])
    expect(again.stdout).toContain(`There is already a snapshot of @${head}.`)
    expect((await hindcast(["log", "info", "--log", log])).stdout).toContain(`snapshot of @${head}, 0 events before`)
    expect(await readBy("state")).toBeLessThan(FEW)
    expect(await readBy("task", "ls", "--all")).toBeLessThan(FEW)
    expect(await document(["state", "--log", log])).toEqual(before)
  })

  it("has nothing to store of an empty log, and says where there is none", async () => {
    const empty = place.file("empty.db")
    await Effect.runPromise(Effect.provide(Effect.asVoid(EventLog), layerSqlite({ filename: empty })))
    expect((await hindcast(["log", "snapshot", "--log", empty])).stdout).toContain("The log is empty")
    expect(await hindcast(["log", "snapshot", "--log", place.file("none.db")])).toMatchObject({ code: 3 })
  })
})
