import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as TaskControl from "../../src/kernel/control/TaskControl.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { record, replayed } from "../../src/record/index.ts"
import "../built.ts"
import { inRepository } from "../repository.ts"
import { eventsOf, temporary } from "./recorded.ts"

const PROGRAM = inRepository("test", "record", "programs", "busy.mjs")
const OPENING = inRepository("test", "record", "programs", "opening.mjs")
const PROGRAMS = 4
const AT_ONCE = 9
/** What they open the log as, in turn. */
const KINDS = ["recorder", "writer", "reader"]
const CALLS = 25

/** Starts a program that records a task of this id; it says when it is half way, and waits there for a line. */
const started = async (log: string, id: string): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [PROGRAM, log, id, String(CALLS)], { stdio: ["pipe", "pipe", "inherit"] })
  await once(child.stdout, "data")
  return child
}

const endOf = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, "close")
  return child.exitCode
}

const goOn = (child: ChildProcess) => void child.stdin?.end("go on\n")

const ofTask = (events: ReadonlyArray<Event>, id: string) => events.filter(({ taskId }) => taskId === id)
const outcomeOf = (events: ReadonlyArray<Event>, id: string) =>
  ofTask(events, id).find(({ type }) => type === "TaskClosed")?.payload.outcome

describe("several programs that record into one log at once", () => {
  it("have each a whole task there, in a log that verifies, and each is replayed", async () => {
    const log = temporary("several.db")
    const ids = Array.from({ length: PROGRAMS }, (_, index) => `busy-${index}`)
    const children = await Promise.all(ids.map((id) => started(log, id)))
    children.forEach(goOn)
    expect(await Promise.all(children.map(endOf))).toEqual(ids.map(() => 0))
    const events = await eventsOf(log)
    for (const id of ids) {
      const own = ofTask(events, id)
      expect(own.map(({ version }) => version)).toEqual(own.map((_, index) => index + 1))
      expect(own.filter(({ type }) => type === "CommandSucceeded").map(({ payload }) => payload.result)).toEqual(
        Array.from({ length: CALLS * 2 }, (_, index) => `${id} ${index}`),
      )
      expect(outcomeOf(events, id)).toBe("achieved")
    }
    const verified = await Effect.flatMap(EventLog, (log) => log.verify).pipe(
      Effect.provide(Hindcast.layerLog({ log })),
      Effect.runPromise,
    )
    expect(verified._tag).toBe("Intact")
    const again = await replayed({ log, taskId: "busy-2" }, async (run) => {
      const step = run.tool("step", (number: number) => number)
      for (let index = 0; index < CALLS * 2; index++) await step(index)
      return "all"
    })
    expect(again).toBe("all")
  })

  it("open a new log at the same moment, beside kernels and readers, and none finds it busy", async () => {
    const log = temporary("at-once.db")
    const ids = Array.from({ length: AT_ONCE }, (_, index) => `opening-${index}`)
    const children = ids.map((id) =>
      spawn(process.execPath, [OPENING, log, id], { stdio: ["pipe", "pipe", "inherit"] }),
    )
    // All have loaded what they need before the first one opens the log.
    await Promise.all(children.map(({ stdout }) => once(stdout, "data")))
    const said = Promise.all(children.map(async ({ stdout }) => String((await once(stdout, "data"))[0]).trim()))
    children.forEach(goOn)
    expect(await said).toEqual(ids.map((id, index) => `${id} ${KINDS[index % KINDS.length]}`))
    expect(await Promise.all(children.map(endOf))).toEqual(ids.map(() => 0))
  })

  it("lose nothing when one is killed, and the next to come abandons that one's task alone", async () => {
    const log = temporary("killed.db")
    const [living, killed] = await Promise.all([started(log, "living"), started(log, "killed")])
    killed.kill("SIGKILL")
    await endOf(killed)
    const next = await record({ log, goal: "Come next", agent: "next", id: "next" })
    const between = await eventsOf(log)
    expect([outcomeOf(between, "killed"), outcomeOf(between, "living")]).toEqual(["abandoned", undefined])
    goOn(living)
    expect(await endOf(living)).toBe(0)
    await next.end("achieved")
    const events = await eventsOf(log)
    expect(outcomeOf(events, "living")).toBe("achieved")
    expect(ofTask(events, "living").filter(({ type }) => type === "CommandSucceeded")).toHaveLength(CALLS * 2)
  })

  it("go on beside a kernel that opens the log, which leaves their tasks as they are", async () => {
    const log = temporary("kernel.db")
    const child = await started(log, "beside")
    await Effect.gen(function* () {
      const events = yield* Effect.promise(() => eventsOf(log))
      expect(outcomeOf(events, "beside")).toBe(undefined)
      goOn(child)
      expect(yield* Effect.promise(() => endOf(child))).toBe(0)
    }).pipe(Effect.provide(Hindcast.layer({ log })), Effect.runPromise)
    expect(outcomeOf(await eventsOf(log), "beside")).toBe("achieved")
  })
})

describe("a recorded run that a person steers", () => {
  const steer = (log: string, what: "pause" | "continue" | "cancel") =>
    Effect.flatMap(TaskControl.TaskControl, (control) => control[what]("steered", { by: "ada" })).pipe(
      Effect.provide(Hindcast.layerLog({ log })),
      Effect.runPromise,
    )

  it("calls no tool while it is paused, and goes on when it is continued", async () => {
    const log = temporary("paused.db")
    const run = await record({ log, goal: "Wait", agent: "tester", id: "steered" })
    const calls: Array<string> = []
    const step = run.tool("step", (name: string) => calls.push(name))
    await step("before")
    await steer(log, "pause")
    const waiting = step("after")
    // What only observes is recorded meanwhile: the commit has met the pause.
    await run.io("look", () => "seen")()
    expect(calls).toEqual(["before"])
    await steer(log, "continue")
    await waiting
    expect(calls).toEqual(["before", "after"])
    await run.end("achieved")
    expect(outcomeOf(await eventsOf(log), "steered")).toBe("achieved")
  })

  it("is closed as abandoned when it is cancelled, and calls nothing more", async () => {
    const log = temporary("cancelled.db")
    const run = await record({ log, goal: "Wait", agent: "tester", id: "steered" })
    let calls = 0
    const step = run.tool("step", () => ++calls)
    await step()
    await steer(log, "cancel")
    await expect(step()).rejects.toMatchObject({ _tag: "TaskClosed", because: "cancelled" })
    await expect(step()).rejects.toMatchObject({ _tag: "TaskClosed" })
    expect(calls).toBe(1)
    await expect(run.end("achieved")).rejects.toMatchObject({ _tag: "TaskClosed" })
    const closed = (await eventsOf(log)).filter(({ type }) => type === "TaskClosed").map(({ payload }) => payload)
    expect(closed).toEqual([{ outcome: "abandoned", reason: "ada cancelled it" }])
  })
})
