import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { Database } from "../sqlite.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, playLostKey } from "./hindcast.ts"

const place = workplace()
const log = place.file("log.db")

beforeAll(async () => {
  await playLostKey(log)
})
afterAll(place.remove)

const run = async (...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await hindcast([...args, "--log", log])
  return { code, text: code === 0 ? stdout : stderr }
}

describe("task bundle", () => {
  it("makes a log in which the task's audit is the same, but for positions", async () => {
    const { tasks } = (await document(["task", "ls", "--log", log])) as { tasks: ReadonlyArray<{ id: string }> }
    const task = tasks[0]?.id ?? ""
    const out = place.file("one.db")
    const made = await run("task", "bundle", task, "--out", out)
    expect(made).toMatchObject({ code: 0 })
    expect(made.text).toContain(`in ${out}: a log of its own`)
    const { head } = (await document(["log", "info", "--log", out])) as { head: { position: number } }
    const [, events] = /^Bundled (\d+) events/.exec(made.text) ?? []
    expect(Number(events)).toBe(head.position - 1)
    expect(made.text).toContain(`It has its own positions, @1 to @${head.position}. `)
    expect(made.text).toContain("recorded in 1 event (TaskBundled)")
    const auditIn = async (file: string) => {
      const audit = JSON.stringify(await document(["audit", task, "--log", file]))
      // Positions stand alone, in lists, and in ranges.
      return audit.replaceAll(/"(because|range)":(\[[^\]]*\]|\{[^}]*\})|"at":\d+/g, "")
    }
    expect(await auditIn(out)).toBe(await auditIn(log))
    expect(await run("task", "bundle", task, "--out", out)).toEqual({
      code: 1,
      text: `error: --out ${out}: expected a file that is not there yet, found ${out}. Nothing was written.\n`,
    })
  })
})

describe("log archive", () => {
  it("moves events beside the log, after which everything reads as before", async () => {
    const before = (await document(["log", "ls", "--after", "@0", "--log", log])).events
    const { code, text } = await run("log", "archive", "--until", "@40")
    expect(code).toBe(0)
    expect(text).toMatch(
      /^Archived 40 events, @1 to @40, in 0000000001-0000000040\.segment, \d+ bytes; recorded at @\d+\.\n/,
    )
    expect((await document(["log", "ls", "--after", "@0", "--log", log])).events).toEqual(before)
    expect(await document(["log", "verify", "--log", log])).toMatchObject({ intact: true })
    expect(await document(["log", "segments", "--log", log])).toMatchObject({ segments: [{ first: 1, last: 40 }] })
  })

  it("log archive of what is archived already, or of a moment that is none, is refused with what is possible", async () => {
    const again = await run("log", "archive", "--until", "@40")
    expect(again.code).toBe(1)
    expect(again.text).toContain("expected a position from 41 to")
    expect(await run("log", "archive", "--until", "yesterday")).toMatchObject({ code: 1 })
  })

  it("an archive whose segment was moved away says so, and where it belongs", async () => {
    const directory = `${log}.segments`
    fs.renameSync(directory, `${directory}.away`)
    const missing = await run("log", "ls", "--after", "@0")
    expect(missing.code).toBe(1)
    expect(missing.text).toContain(`the events from @1 to @40 were archived in ${directory}`)
    expect((await run("log", "segments")).text).toContain("missing")
    fs.renameSync(`${directory}.away`, directory)
  })
})

describe("log shred", () => {
  it("destroys the key of a subject that `log subjects` lists, once it is told to really", async () => {
    await Effect.runPromise(
      Effect.flatMap(EventLog, (opened) =>
        opened.append({
          stream: "diary",
          actor: "human:test",
          subject: "anna",
          events: [{ type: "NoteAdded", payload: { about: "", text: "a secret" } }],
        }),
      ).pipe(Effect.provide(layerSqlite({ filename: log }))),
    )
    expect((await run("log", "subjects")).text).toMatch(/^subject +key +since/)
    expect((await run("log", "ls")).text).toContain("a secret")
    const unsure = await run("log", "shred", "anna", "--reason", "she asked")
    expect(unsure).toMatchObject({ code: 1 })
    expect(unsure.text).toContain(
      "expected --yes, or a terminal to ask at, found neither. A destroyed key cannot be restored.",
    )

    const done = await run("log", "shred", "anna", "--reason", "she asked", "--yes")
    expect(done).toMatchObject({ code: 0 })
    expect(done.text).toMatch(/^Shredded: the key [0-9a-f-]{36} is destroyed, recorded at @\d+\./)
    const { text } = await run("log", "ls")
    expect(text).not.toContain("a secret")
    expect(text).toContain("[shredded]")
    expect(await run("log", "shred", "anna", "--reason", "again", "--yes")).toMatchObject({ code: 3 })
    expect(await document(["log", "verify", "--log", log])).toMatchObject({ intact: true })
  })
})

describe("log upgrade", () => {
  it("brings a log of the first format to the present one, which only reading refuses to do", async () => {
    const old = place.file("old.db")
    fs.copyFileSync(fileURLToPath(new URL("../golden/0.1.0.db", import.meta.url)), old)
    const refused = await hindcast(["log", "verify", "--log", old])
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.stderr).toMatch(
      /found format 1; to upgrade it to format 2, run `node \S+main\.js log upgrade --log \S+old\.db`/,
    )
    expect(await hindcast(["log", "upgrade", "--log", old])).toMatchObject({ code: 0 })
    expect(new Database(old, { readonly: true }).pragma("user_version", { simple: true })).toBe(2)
    expect(await document(["log", "verify", "--log", old])).toMatchObject({ intact: true })
  })
})
