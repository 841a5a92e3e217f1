import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as EventLog from "../../src/events/index.ts"
import { event, inTask, requestOf } from "../projections/given.ts"
import { changed, importedWith, reset } from "../projections/worlds.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"
import { inTerminal } from "./terminal.ts"

const place = workplace()
const log = place.file("log.db")

const opened = event("TaskOpened", { goal: "look", measures: [], agent: "me@1" })

/** @1 imported, @2 a opened, @3 its world, @4 updated, @5 its world changed, @6 a closed, @7 b opened without a world. */
const EVENTS = [
  importedWith("At {/at}, {/nowhere}."),
  ...inTask("task-a", [opened, reset]),
  importedWith("In the {/at} <now>!"),
  ...inTask("task-a", [changed, event("TaskClosed", { outcome: "achieved" })]),
  ...inTask("task-b", [opened]),
]

beforeAll(() =>
  Effect.gen(function* () {
    const opened = yield* EventLog.EventLog
    for (const each of EVENTS) yield* opened.append(requestOf(each))
  }).pipe(Effect.provide(EventLog.layerSqlite({ filename: log })), Effect.runPromise),
)
afterAll(place.remove)

const run = (...args: ReadonlyArray<string>) => hindcast([...args, "--log", log])

describe("state --view", () => {
  it("draws the worlds of a moment as the manifest of that moment says", async () => {
    expect(await run("state", "--view", "--at", "@3")).toMatchObject({
      code: 0,
      stdout: "room\nAt hall, ∅.\n\n∅ nothing at /nowhere\n",
    })
    expect((await run("state", "--view", "room", "--at", "@5")).stdout).toBe("room\nIn the study <now>!\n")
  })

  it("draws the task that is named; without one, that of the event, or the last that can be drawn", async () => {
    for (const args of [
      ["--task", "task-a"],
      ["--at", "@4"],
      ["--at", "@6"],
    ]) {
      expect((await run("state", "--view", ...args)).stdout).toContain("In the ")
    }
    expect(await run("state", "--view")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("Expected a world with a view of task task-b at @7, found none."),
    })
  })

  it("answers with the lines and the image as JSON", async () => {
    const told = await document(["state", "--view", "--task", "task-a", "--log", log])
    expect(told).toMatchObject({
      at: 7,
      taskId: "task-a",
      views: [{ plugin: "room", text: ["In the study <now>!"], svg: expect.stringContaining("study &#60;now&#62;!") }],
    })
  })

  it("refuses a plugin without a view, and a plugin without --view", async () => {
    const other = await run("state", "--view", "boiler", "--at", "@5")
    expect(other).toMatchObject({ code: 3, stderr: expect.stringContaining("Worlds with a view: room.") })
    const alone = await run("state", "room")
    expect(alone.code).not.toBe(0)
    expect(alone.stderr).toContain("PLUGIN: expected --view with it")
  })
})

describe("the view of a world", () => {
  it("is a pane of the stepper", async () => {
    const terminal = inTerminal(["step", "--at", "@3", "--log", log])
    try {
      await terminal.shows("EnvironmentReset")
      terminal.type("V")
      const lines = await terminal.shows("At hall, ∅.")
      expect(lines[3]).toMatch(/value\s+\[world\]\s+diff/)
      terminal.type("n")
      await terminal.shows("No world has a view")
      terminal.type("n")
      await terminal.shows("In the study <now>!")
    } finally {
      terminal.kill("SIGKILL")
    }
  })

  it("ends the report of a task as it last stood", async () => {
    const { stdout } = await run("export", "html", "--task", "task-a", "--output", "-")
    expect(stdout).toContain("What did the world look like at the end?")
    expect(stdout).toContain("In the study &#60;now&#62;!")
    expect((await run("export", "html", "--task", "task-b", "--output", "-")).stdout).not.toContain("world look like")
  })
})
