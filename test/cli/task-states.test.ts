import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layerSqlite } from "../../src/events/index.ts"
import { type CoreNewEvent, EventLog } from "../../src/events/log/EventLog.ts"
import { streamOf } from "../../src/projections/state/ConfirmationAnswer.ts"
import { sha } from "../projections/given.ts"
import { asKernel } from "../studio/browser/writing.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
const log = place.file("log.db")
afterAll(place.remove)

const opening = (goal: string): CoreNewEvent => ({
  type: "TaskOpened",
  payload: { goal, measures: [], agent: "me@1", seed: 1 },
})

const question: CoreNewEvent = {
  type: "ConfirmationRequested",
  payload: {
    ...{ confirmationId: "q", commandId: "c", argsDigest: sha("a"), shown: { actuator: "room/go" } },
    ...{ shownDigest: sha("s"), risk: "high", expiresAt: 4e12 },
  },
}

beforeAll(() =>
  Effect.gen(function* () {
    const { append } = yield* EventLog
    const on = (task: string, stream = `task/${task}`) => ({ stream, taskId: task, actor: "kernel" })
    yield* append({ ...on("working"), events: [opening("Work")] })
    yield* append({ ...on("asking"), events: [opening("Ask")] })
    yield* append({ ...on("asking", streamOf("q")), events: [question] })
    yield* append({ ...on("pausing"), events: [opening("Pause"), { type: "TaskPaused", payload: { by: "ada" } }] })
    yield* append({ ...on("done"), events: [opening("End"), { type: "TaskClosed", payload: { outcome: "failed" } }] })
  }).pipe(Effect.provide(layerSqlite({ filename: log })), Effect.runPromise),
)

const statesOf = async (...args: ReadonlyArray<string>) => {
  const { tasks } = await document(["task", "ls", "--log", log, ...args])
  return Object.fromEntries(
    (tasks as ReadonlyArray<{ id: string; activity: string | null }>).map(({ id, activity }) => [id, activity]),
  )
}

describe("what goes on in open tasks", () => {
  it("is running, waiting or paused while their kernel lives", () =>
    asKernel(log, async () => {
      expect(await statesOf()).toEqual({ working: "running", asking: "waiting", pausing: "paused", done: null })
      expect(await statesOf("--outcome", "running", "--outcome", "failed")).toEqual({
        working: "running",
        done: null,
      })
      expect(Object.keys(await statesOf("--outcome", "open"))).toEqual(["working", "asking", "pausing"])
      const { stdout } = await hindcast(["task", "ls", "--log", log])
      expect(stdout).toMatch(/^working +running /m)
      expect(stdout).toMatch(/^asking +waiting /m)
      expect(stdout).not.toMatch(/ open /)
      const shown = await hindcast(["task", "show", "asking", "--log", log])
      expect(shown.stdout).toMatch(/^ {2}outcome +waiting for a person$/m)
    }))

  it("stopped once their kernel is gone", async () => {
    expect(await statesOf("--outcome", "stopped")).toEqual({
      working: "stopped",
      asking: "stopped",
      pausing: "stopped",
    })
    const { stdout } = await hindcast(["task", "show", "working", "--log", log])
    expect(stdout).toMatch(/^ {2}outcome +stopped unexpectedly: its process ended without closing the task$/m)
    expect(await document(["task", "show", "done", "--log", log])).toMatchObject({ activity: null })
    expect(await hindcast(["task", "ls", "--outcome", "running", "--log", log])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("Expected a task with --outcome running, found none among"),
    })
  })

  it("is the same in the tables of audit and align as in the list", async () => {
    const inTables = async () => {
      const { rows } = await document(["audit", "--all", "--log", log])
      const { runs } = await document(["align", "working", "asking", "pausing", "done", "--log", log])
      const statesIn = (of: unknown) =>
        Object.fromEntries(
          (of as ReadonlyArray<{ taskId: string; activity: string | null }>).map(({ taskId, activity }) => [
            taskId,
            activity,
          ]),
        )
      const audited = await hindcast(["audit", "--all", "--log", log])
      const marked = await hindcast(["audit", "--all", "--markdown", "--log", log])
      const aligned = await hindcast(["align", "working", "asking", "pausing", "done", "--log", log])
      const printed = [audited, marked, aligned].map(({ stdout }) => stdout).join("\n")
      return { audit: statesIn(rows), align: statesIn(runs), printed }
    }
    const dead = await inTables()
    const stopped = { working: "stopped", asking: "stopped", pausing: "stopped", done: null }
    expect(dead).toMatchObject({ audit: stopped, align: stopped })
    expect(dead.printed).not.toMatch(/\bopen\b/)
    await asKernel(log, async () => {
      const alive = await inTables()
      const states = await statesOf()
      expect(alive).toMatchObject({ audit: states, align: states })
      expect(alive.printed).toMatch(/^working +running /m)
      expect(alive.printed).not.toMatch(/\bopen\b/)
    })
  })

  it("unfinished where an import has no end", async () => {
    const imported = place.file("imported.db")
    const events: ReadonlyArray<CoreNewEvent> = [
      { type: "TaskOpened", payload: { goal: "Go on", measures: [], agent: "coder@1", plugins: [] } },
    ]
    await Effect.runPromise(
      Effect.flatMap(EventLog, ({ append }) =>
        append({ stream: "task/half", taskId: "half", actor: "import:claude-code", events }),
      ).pipe(Effect.provide(layerSqlite({ filename: imported }))),
    )
    const { tasks } = await document(["task", "ls", "--log", imported])
    expect(tasks).toMatchObject([{ outcome: null, activity: "unfinished" }])
    const { stdout } = await hindcast(["task", "ls", "--log", imported])
    expect(stdout).toMatch(/ unfinished /)
  })
})
