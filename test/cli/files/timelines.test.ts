import * as fs from "node:fs"
import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../../src/events/sqlite/SqliteEventLog.ts"
import { temporary } from "../../record/recorded.ts"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

/** A session that changes a file twice, and a fork of its log between the two. */
const forked = async () => {
  const made = await Session.project()
  opened.push(made)
  made.write("a.txt", "one\n")
  const { prompt, call } = made.session()
  await prompt("change it")
  for (const text of ["two\n", "three\n"])
    await call("Write", { file_path: "a.txt", text }, () => made.write("a.txt", text))
  await made.close()
  const { versions } = await made.json("history", "a.txt")
  const at: number = versions[1].position
  const payload = { timeline: "other", parent: "main", at, overrides: {} }
  await EventLog.pipe(
    Effect.flatMap((log) =>
      log.append({
        stream: "timelines",
        timeline: "other",
        actor: "test",
        events: [{ type: "TimelineForked", payload }],
      }),
    ),
    Effect.provide(SqliteEventLog.layer({ filename: made.log })),
    Effect.runPromise,
  )
  return made
}

describe("the files of a fork", () => {
  it("are those where it branched off, whatever its parent recorded later", async () => {
    const { files, json } = await forked()
    expect((await files("show", "a.txt", "--at", "other@now")).stdout).toBe("two\n")
    expect((await files("show", "a.txt")).stdout).toBe("three\n")
    expect((await json("history", "a.txt", "--at", "other@now")).versions).toHaveLength(2)
    const into = temporary("restored")
    expect(await files("restore", "other@now", "--into", into)).toMatchObject({ code: 0 })
    expect(fs.readFileSync(`${into}/a.txt`, "utf8")).toBe("two\n")
  })

  it("keep their contents when those of earlier moments go", async () => {
    const { files, json } = await forked()
    expect(await json("purge", "--before", "now", "--reason", "90 days", "--yes")).toMatchObject({ contents: 1 })
    expect((await files("show", "a.txt", "--at", "other@now")).stdout).toBe("two\n")
    expect((await files("show", "a.txt")).stdout).toBe("three\n")
  })
})
