import * as path from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { TaskControl } from "../../src/kernel/control/TaskControl.ts"
import { PartNeeded, RunNotOpen, record, replayed } from "../../src/record/index.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { chat, exchangesOf, serving } from "./exchanged.ts"
import { eventsOf, temporary } from "./recorded.ts"

const goal = "Book a table"
const agent = "clerk"

const failing = (does: Promise<unknown>) =>
  does.then(
    () => new Error("expected it to fail, but it did not"),
    (error: unknown) => error,
  )

describe("a run that a later process continues", () => {
  const turns = exchangesOf("openai-chat-second-turn")

  /** Records a turn in a process of its own each. */
  const recorded = async (log: string) => {
    await serving(turns, async (_, ask) => {
      for (const turn of turns) {
        const run = await record({ log, goal, agent, id: "thread-7", continue: true })
        await ask(run.fetch, turn)
        await run.leave()
      }
    })
    return eventsOf(log)
  }

  it("is one task, in which a request knows what came before, and an outcome its command", async () => {
    const log = temporary("continued.db")
    const events = await recorded(log)
    expect(new Set(events.map(({ taskId }) => taskId))).toEqual(new Set(["thread-7"]))
    const types = events.map(({ type }) => type)
    expect(types.filter((type) => /^(Task|Recorder)/.test(type))).toEqual([
      ...["TaskOpened", "RecorderLeft", "RecorderJoined", "RecorderLeft"],
    ])
    const [answer] = events.filter(({ type }) => type === "ModelResponded")
    const [, second] = events.filter(({ type }) => type === "ModelCalled")
    expect(second?.payload.request).toMatchObject({ after: answer?.id, messages: [{ role: "tool" }] })
    expect(types).toContain("CommandSucceeded")
    expect(types).not.toContain("CommandOutcomeUnknown")
  })

  it("stays open until a process ends it, whoever else records to the log", async () => {
    const log = temporary("left.db")
    await recorded(log)
    await (await record({ log, goal: "Another", agent })).end("achieved")
    const last = await record({ log, goal, agent, id: "thread-7", continue: true })
    await last.end("achieved")
    const closed = (await eventsOf(log)).filter(({ type, taskId }) => type === "TaskClosed" && taskId === "thread-7")
    expect(closed.map(({ payload }) => payload)).toEqual([{ outcome: "achieved" }])
    expect(await failing(record({ log, goal, agent, id: "thread-7", continue: true }))).toBeInstanceOf(RunNotOpen)
  })

  it("stays open where a kernel opens the log, unless a person cancelled it", async () => {
    const directory = path.dirname(temporary("kernel"))
    const log = path.join(directory, "log.db")
    for (const id of ["left", "cancelled"]) await (await record({ log, goal, agent, id })).leave()
    const opening = Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ directory })).start
      return yield* run(Effect.flatMap(EventLog, (log) => log.readPage({ types: ["TaskClosed"] }, 10)))
    })
    const opened = () => Effect.runPromise(Effect.scoped(opening))
    expect(await opened()).toEqual([])
    const cancelling = Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ directory })).start
      yield* run(Effect.flatMap(TaskControl, ({ cancel }) => cancel("cancelled", { by: "human:ann" })))
    })
    await Effect.runPromise(Effect.scoped(cancelling))
    expect((await opened()).map(({ taskId }) => taskId)).toEqual(["cancelled"])
    expect(await failing(record({ log, goal, agent, id: "cancelled", continue: true }))).toBeInstanceOf(RunNotOpen)
    await (await record({ log, goal, agent, id: "left", continue: true })).end("achieved")
  })

  it("is replayed part by part, and a replay that names none says how many there are", async () => {
    const log = temporary("parts.db")
    await recorded(log)
    const replaying = (part: number | undefined, turn: number) =>
      replayed({ log, ...(part === undefined ? {} : { part }) }, async (run) => {
        const response = await run.fetch(`http://127.0.0.1:1${turns[turn]?.path}`, {
          method: "POST",
          body: turns[turn]?.request ?? "",
          headers: { "content-type": "application/json" },
        })
        const text = await response.text()
        await run.leave()
        return text
      })
    expect(await replaying(1, 0)).toBe(turns[0]?.answer)
    expect(await replaying(2, 1)).toBe(turns[1]?.answer)
    const needed = await failing(replaying(undefined, 0))
    expect(needed).toBeInstanceOf(PartNeeded)
    expect(String(needed)).toContain("2 processes")
    expect(await failing(replaying(3, 0))).toBeInstanceOf(PartNeeded)
  })

  it("needs an id, and begins where there is none", async () => {
    const log = temporary("begun.db")
    expect(String(await failing(record({ log, goal, agent, continue: true })))).toContain("id: expected")
    const run = await record({ log, goal, agent, id: "new", continue: true })
    await run.end("achieved")
    expect((await eventsOf(log)).map(({ type }) => type)).toEqual(["TaskOpened", "TaskClosed"])
  })

  it("may have two processes at once, of which each appends to it", async () => {
    const log = temporary("two.db")
    const hi = { role: "user", content: "hi" }
    const exchange = chat([hi], { content: "hello" })
    await serving([exchange], async (_, ask) => {
      const runs = [
        await record({ log, goal, agent, id: "shared", continue: true }),
        await record({ log, goal, agent, id: "shared", continue: true }),
      ]
      await Promise.all(runs.map((run) => ask(run.fetch, exchange)))
      for (const run of runs) await run.leave()
    })
    const types = (await eventsOf(log)).map(({ type }) => type)
    expect(types.filter((type) => type === "ModelResponded")).toHaveLength(2)
  })
})
