import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import { type Run, record, replayed } from "../../src/record/index.ts"
import { eventsOf, temporary } from "./recorded.ts"

const SECRET = "LEVINMOWSTHEMEADOW"

/** The files of a log that say what the subject said. */
const leaking = (log: string): ReadonlyArray<string> =>
  fs
    .readdirSync(path.dirname(log))
    .filter((file) => file.startsWith(path.basename(log)))
    .filter((file) => fs.readFileSync(path.join(path.dirname(log), file)).includes(SECRET))

describe("a recorded run of a subject", () => {
  it("is in its log under the subject's key, is replayed while the key is there, and cannot be after", async () => {
    const log = temporary("log.db")
    const run = await record({ log, goal: `Ask ${SECRET}`, agent: "clerk", subject: "levin" })
    const ask = run.tool("ask", async (of: string) => `${of} says ${SECRET}`)
    expect(await ask(SECRET)).toContain(SECRET)
    await run.end("achieved", `as ${SECRET} said`)

    expect(leaking(log)).toEqual([])
    const opened = (await eventsOf(log)).find(({ type }) => type === "TaskOpened")
    expect(opened).toMatchObject({ payload: { goal: `Ask ${SECRET}` }, personal: { readable: true } })
    const asks = (run: Run) => run.tool("ask", async (_: string) => "is not called")(SECRET)
    expect(await replayed({ log }, asks)).toBe(`${SECRET} says ${SECRET}`)

    await Effect.flatMap(PersonalData, (data) =>
      data.shred({ subject: "levin", reason: "he asked", actor: "human:test" }),
    ).pipe(Effect.provide(SqliteEventLog.layer({ filename: log })), Effect.runPromise)
    expect(JSON.stringify(await eventsOf(log))).not.toContain(SECRET)
    await expect(replayed({ log }, asks)).rejects.toMatchObject({ _tag: "NotReplayable", taskId: run.taskId })
  })
})
