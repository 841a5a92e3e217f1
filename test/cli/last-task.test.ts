import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as EventLog from "../../src/events/index.ts"
import { workplace } from "../workplace.ts"
import { run } from "./fromSource.ts"

const place = workplace()

/** A log with these tasks, opened in this order. */
const logOf = async (name: string, tasks: ReadonlyArray<string>): Promise<string> => {
  const filename = place.file(name)
  const work = Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    for (const taskId of tasks) {
      const payload = { goal: `Goal of ${taskId}`, agent: "clerk", measures: [], plugins: [] }
      yield* log.append({
        stream: `task/${taskId}`,
        taskId,
        actor: "kernel",
        events: [{ type: "TaskOpened", payload }],
      })
    }
  })
  await Effect.runPromise(Effect.provide(work, EventLog.layerSqlite({ filename })))
  return filename
}

const shown = async (log: string) => {
  const { code, stdout, error } = await run(["task", "show", "last", "--log", log, "--json"])
  return code === 0 ? JSON.parse(stdout).audit.taskId : error
}

describe("`last` for a task", () => {
  it("is the one that was opened last, whatever its id looks like", async () => {
    expect(await shown(await logOf("words.db", ["task-b", "task-a"]))).toBe("task-a")
    // Keys of an object that look like numbers come first, in their order.
    expect(await shown(await logOf("numbers.db", ["task-9", "300", "20"]))).toBe("20")
  })

  it("is a task of that name where there is one", async () => {
    expect(await shown(await logOf("named.db", ["last", "later"]))).toBe("last")
  })

  it("names none in a log without tasks", async () => {
    expect(await shown(await logOf("none.db", []))).toContain('No task "last"')
  })

  it("chooses the tasks of other commands", async () => {
    const log = await logOf("chosen.db", ["task-1", "task-2"])
    const said = await run(["audit", "last", "--log", log])
    expect(said.stdout).toContain("task-2")
    expect(said.stdout).not.toContain("task-1")
  })
})
