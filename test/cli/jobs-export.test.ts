import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { MAX_INLINE_BYTES } from "../../src/events/payload/Blob.ts"
import { BLOCK } from "../../src/projections/exports/EventTable.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, start } from "./hindcast.ts"

const place = workplace()
const log = place.file("log.db")

/** Events of more than a block: some archived, some personal, some larger than a row holds, and so heavy that a block has two row groups. */
const EVENTS = BLOCK + 1_700
const PER_APPEND = 500
const note = (text: string) => ({ type: "NoteAdded" as const, payload: { about: "x", text } })

const fill = Effect.gen(function* () {
  const events = yield* EventLog
  for (let count = 0; count < EVENTS - 100; count += PER_APPEND) {
    const notes = Array.from({ length: PER_APPEND - 2 }, (_, number) => note(`${count} ${number} zwölf 🗝`))
    yield* events.append({ stream: `notes/${count % 3}`, actor: "human:eve", events: notes })
    yield* events.append({ stream: "diary", actor: "human:eve", subject: "anna", events: [note(`secret ${count}`)] })
    const text = "x".repeat(count % 2_000 === 0 ? 8 * MAX_INLINE_BYTES : 1)
    yield* events.append({ stream: "pictures", actor: "human:eve", events: [note(text)] })
  }
})

beforeAll(() =>
  Effect.runPromise(
    Effect.gen(function* () {
      yield* fill
      yield* (yield* Archive).archive({ until: 7_000, actor: "human:test" })
    }).pipe(Effect.provide(layerSqlite({ filename: log }))),
  ),
)
afterAll(place.remove)

/** The table that so many threads make, and what the command says of it. */
const exported = async (jobs: number, args: ReadonlyArray<string>) => {
  const file = place.file(`events-${jobs}.parquet`)
  const told = await document([
    ...["export", "events", "--log", log, "--output", file, "--force", "--jobs", String(jobs)],
    ...args,
  ])
  return { bytes: fs.readFileSync(file), told: { ...told, file: "" } }
}

describe("export events --jobs", () => {
  it.each([
    [
      "a range that begins and ends within blocks, with what is personal",
      ["--decrypt", "--since", "@100", "--until", `@${BLOCK + 40}`],
    ],
    ["a selection, which one thread encodes", ["--type", "NoteAdded", "--until", "@900"]],
  ])("makes the same table bit for bit: %s", async (_, args) => {
    const one = await exported(1, args)
    const three = await exported(3, args)
    expect(three.told).toEqual(one.told)
    expect(three.bytes.equals(one.bytes)).toBe(true)
  })

  it("leaves nothing behind where it is interrupted", async () => {
    const file = place.file("interrupted.parquet")
    const watcher = fs.watch(path.dirname(file))
    const { child, ended } = start(["export", "events", "--log", log, "--output", file, "--jobs", "2"])
    watcher.on("change", (_, name) => {
      // Once: a second one ends the program at once.
      if (String(name).includes("interrupted.parquet") && !child.killed) child.kill("SIGINT")
    })
    expect(await ended).toMatchObject({ code: 130, stderr: expect.stringContaining("Interrupted.") })
    watcher.close()
    expect(fs.readdirSync(path.dirname(file)).filter((name) => name.includes("interrupted"))).toEqual([])
  })

  it("is refused where it names no number of threads", async () => {
    const { code, stderr } = await hindcast([
      ...["export", "events", "--log", log, "--output", place.file("none.parquet"), "--jobs", "0"],
    ])
    expect(code).toBe(1)
    expect(stderr).toContain('--jobs: expected a whole number, 1 or more, found "0"')
  })
})
