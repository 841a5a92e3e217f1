import * as fs from "node:fs"
import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../../src/events/sqlite/SqliteEventLog.ts"
import { newId } from "../../../src/events/vocabulary/Event.ts"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

/** Two sessions in one project: the second breaks what the first mended. */
const project = async () => {
  const made = await Session.project()
  opened.push(made)
  made.write("sum.txt", "3\n")
  made.write("notes.txt", "a\nb\n")
  const tasks: Array<string> = []
  for (const [id, text] of [
    ["mends", "4\n"],
    ["breaks", "5\n"],
  ] as const) {
    const { prompt, call } = made.session(id)
    await prompt("make it four")
    await call("Write", { file_path: "sum.txt", text }, () => made.write("sum.txt", text))
    if (id === "mends") await call("Bash", { command: "rm notes.txt" }, () => fs.rmSync(made.at("notes.txt")))
  }
  await made.close()
  const { versions } = await made.json("history", "sum.txt")
  for (const { taskId } of versions) if (!tasks.includes(taskId)) tasks.push(taskId)
  return { ...made, tasks }
}

/** A task that records no files. */
const taskWithout = async (filename: string) => {
  const taskId = newId()
  const payload = { goal: "think", agent: "thinker@1", measures: [], plugins: [] }
  await EventLog.pipe(
    Effect.flatMap((log) =>
      log.append({ stream: `task/${taskId}`, taskId, actor: "test", events: [{ type: "TaskOpened", payload }] }),
    ),
    Effect.provide(SqliteEventLog.layer({ filename })),
    Effect.runPromise,
  )
  return taskId
}

const CHECK = 'test "$(cat sum.txt)" = 4 || { echo "it is $(cat sum.txt)"; exit 3; }'

describe("files compare", () => {
  it("shows what each task changed since its start, and whether a command succeeds on its last files", async () => {
    const { json, files, tasks, root } = await project()
    const [first = "", second = ""] = tasks
    const before = fs.readdirSync(root)
    const { tasks: compared } = await json("compare", first, second, "--verify", CHECK)
    expect(compared).toMatchObject([
      {
        taskId: first,
        files: { changed: 2, lines: { added: 1, removed: 3, uncounted: 0 } },
        verified: { verdict: "good", exitCode: 0, cached: false },
      },
      {
        taskId: second,
        files: { changed: 1, lines: { added: 1, removed: 1 } },
        verified: { verdict: "bad", exitCode: 3, cached: false, output: "it is 5\n" },
      },
    ])
    expect(fs.readdirSync(root)).toEqual(before)

    const again = await files("compare", first, second, "--verify", CHECK)
    expect(again).toMatchObject({ code: 0 })
    expect(again.stdout).toMatch(/succeeds \(.*, recorded before\)/)
    expect(again.stdout).toMatch(/fails with 3 \(.*, recorded before\)/)
    expect(again.stdout).toContain("  it is 5")
    const fresh = await json("compare", first, second, "--verify", CHECK, "--fresh")
    expect(fresh.tasks[0].verified.cached).toBe(false)
    // A bisection finds the same results.
    const bisected = await json("bisect", "--run", CHECK, "--task", second)
    expect(bisected.tested.every(({ cached }: { cached: boolean }) => cached)).toBe(true)
  })

  it("compares without a command, and refuses what needs one", async () => {
    const { json, files, tasks } = await project()
    const [first = "", second = ""] = tasks
    const { command, tasks: compared } = await json("compare", first, second)
    expect([command, compared[0].verified]).toEqual([null, null])
    const refused = async (...words: ReadonlyArray<string>) => {
      const said = await files("compare", ...words)
      expect(said.code).not.toBe(0)
      return said.error
    }
    expect(await refused(first, second, "--fresh")).toContain("--fresh: expected --verify COMMAND with it")
    expect(await refused(first, second, "--verify", " ")).toContain('--verify: expected a command, such as "npm test"')
    expect(await refused(first)).toContain("Missing argument <task>")
    expect(await refused(first, "main")).toContain("main: expected a task, or TIMELINE@TASK")
  })

  it("says that nothing was run for a task without files, and fails where no task has any", async () => {
    const { json, files, tasks, log } = await project()
    const without = await taskWithout(log)
    const [first = ""] = tasks
    const { tasks: compared } = await json("compare", first, without, "--verify", CHECK)
    expect(compared[1]).toMatchObject({ files: null, verified: null })
    const said = await files("compare", first, without, "--verify", CHECK)
    expect(said.stdout).toContain("not run: no files recorded")
    const none = await files("compare", without, without, "--verify", CHECK)
    expect(none.code).not.toBe(0)
    expect(none.error).toContain("Expected a task whose files were recorded, found none of these tasks")
  })

  it("ends a run at its time limit", async () => {
    const { json, tasks } = await project()
    const [first = "", second = ""] = tasks
    const { tasks: compared } = await json("compare", first, second, "--verify", "sleep 60", "--timeout", "0.2")
    expect(compared[0].verified).toMatchObject({ verdict: "bad", exitCode: null })
  })
})
