import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as InfoPage from "../../src/cli/pages/log/InfoPage.ts"
import * as Style from "../../src/cli/terminal/Style.ts"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import type { Space } from "../../src/events/maintenance/StorageUsage.ts"
import * as GateSummary from "../../src/projections/summary/GateSummary.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, keysOf, playLostKey } from "./hindcast.ts"

const place = workplace()
const log = place.file("log.db")

beforeAll(async () => {
  await playLostKey(log)
})
afterAll(place.remove)

/** A log with many streams of rising size. */
const manyStreams = async (count: number) => {
  const filename = path.join(place.directory, "streams.db")
  const append = Effect.flatMap(EventLog, ({ append }) =>
    Effect.forEach(Array.from({ length: count }), (_, index) =>
      append({
        stream: `notes/${index}`,
        actor: "human:ada",
        events: [{ type: "NoteAdded", payload: { about: "", text: "x".repeat(index) } }],
      }),
    ),
  )
  await Effect.runPromise(Effect.provide(append, layerSqlite({ filename })))
  return filename
}

describe("log info", () => {
  it("says in JSON what the log holds, with stable keys", async () => {
    const info = await document(["log", "info", "--log", log])
    expect(keysOf(info)).toEqual(["bytes", "gate", "head", "path", "plugins", "snapshot", "space", "tasks", "types"])
    expect(keysOf(info.head)).toEqual(["hash", "position"])
    expect(info.tasks).toEqual({ all: 1, open: 0 })
    expect(info.gate).toMatchObject({ default: "deny", rules: [{ name: "little-risk" }, { name: "ask-a-person" }] })
    expect(info.plugins).toEqual([{ name: "text-room", version: "1.0.0", active: true }])
    const { position } = info.head as { readonly position: number }
    const types = info.types as Record<string, number>
    expect(types.TaskOpened).toBe(1)
    expect(Object.values(types).reduce((sum, of) => sum + of, 0)).toBe(position)
    const space = info.space as Space
    expect(keysOf(space)).toEqual(
      [
        ...["bytes", "events", "fileBytes", "freeBytes", "keptBytes", "log", "otherStreams", "parts"],
        ...["filesBytes", "segmentBytes", "streams", "types", "walBytes"],
      ].sort(),
    )
    expect(keysOf(space.events)).toEqual(["archived", "count", "envelopeBytes", "pageBytes", "payloadBytes"])
    expect(keysOf(space.parts)).toEqual(["bytes", "columns", "contentBytes", "kind", "name", "table"])
    expect(keysOf(space.types)).toEqual(["events", "name", "payloadBytes"])
    expect(space.types.map(({ name, events }) => [name, events])).toEqual(Object.entries(types))
  })

  it("counts a task once, however often it was opened, and none that never was", async () => {
    const filename = path.join(place.directory, "reopened.db")
    const opened = { type: "TaskOpened", payload: { goal: "g", measures: [], agent: "a@1" } } as const
    const closed = { type: "TaskClosed", payload: { outcome: "achieved" } } as const
    const appended = Effect.gen(function* () {
      const { append } = yield* EventLog
      const to = (taskId: string | null) => ({ stream: `task/${taskId}`, taskId, actor: "test" })
      yield* append({ ...to("t1"), events: [opened, closed, opened] })
      yield* append({ ...to("t2"), events: [opened, opened] })
      yield* append({ ...to("t3"), events: [closed] })
      yield* append({ ...to(null), events: [opened] })
    })
    await Effect.runPromise(Effect.provide(appended, layerSqlite({ filename })))
    expect((await document(["log", "info", "--log", filename])).tasks).toEqual({ all: 2, open: 1 })
    const listed = await document(["task", "ls", "--all", "--log", filename])
    expect(listed.tasks).toMatchObject([
      { id: "t1", outcome: "achieved" },
      { id: "t2", outcome: null },
    ])
  })

  it("says in one line what the gate of the last kernel decided by, and `log show` what each one did", async () => {
    const told = "little-risk allows, ask-a-person confirms, else deny"
    expect((await hindcast(["log", "info", "--log", log])).stdout).toContain(`\ngate of the last kernel: ${told}\n`)
    const listed = await hindcast(["log", "ls", "--type", "KernelStarted", "--log", log])
    expect(listed.stdout).toContain(`gate: ${told}`)
    const rule = (name: string) => ({ name, decision: "deny" })
    expect(GateSummary.of({ rules: ["a", "b", "c", "d", "e"].map(rule), default: "confirm" })).toBe(
      "a denies, b denies, c denies, 2 more, else confirm",
    )
    expect(GateSummary.of({ rules: [], default: "allow" })).toBe("allow all")
    expect(GateSummary.of({ rules: [null, { name: "\u001b[2J", decision: 7 }] })).toBe("?, \\u{1b}[2J 7, else ?")
  })

  it("shows people a page: the whole, its parts, types and streams", async () => {
    const { stdout, stderr } = await hindcast(["log", "info", "--log", log])
    const lines = stdout.trimEnd().split("\n")
    expect(stderr).toBe("")
    expect(lines[0]).toMatch(/log\.db, \d+\.\d kB$/)
    expect(lines[1]).toMatch(/^\d+ events, head @\d+ [0-9a-f]{64}$/)
    expect(lines.slice(2, 4)).toEqual(["1 task, 0 open", "1 plugin, text-room 1.0.0"])
    expect(lines).toContainEqual(expect.stringMatching(/^events: payloads +\d+\.\d kB +\d+\.\d %$/))
    expect(lines).toContainEqual(expect.stringMatching(/^events: index by stream, timeline, version +\d/))
    expect(lines).toContainEqual(expect.stringMatching(/^total +\d+\.\d kB +100\.0 %$/))
    expect(lines).toContainEqual(expect.stringMatching(/^TaskOpened +1 +\d+ B +\d+\.\d %$/))
    expect(lines).toContainEqual(expect.stringMatching(/^kernel +\d+ +\S+ k?B +\d+\.\d %$/))
  })

  it("says above what it counts by type and by stream that the archived events are not among them", async () => {
    const info = await document(["log", "info", "--log", log])
    const { space } = info as unknown as InfoPage.Info
    const page = (archived: number) =>
      InfoPage.lines(Style.plain, {
        ...(info as unknown as InfoPage.Info),
        space: { ...space, events: { ...space.events, archived } },
      })
    const heads = (lines: ReadonlyArray<string>) =>
      lines.flatMap((line, index) => (/^(?:type|stream) /.test(line) ? [lines[index - 1]] : []))
    const above = "in the file (12 more are archived)"
    expect([heads(page(12)), heads(page(0))]).toEqual([
      [above, above],
      ["", ""],
    ])
  })

  it("names the twenty largest streams to people, more to programs, and sums up the others", async () => {
    const filename = await manyStreams(25)
    const { stdout } = await hindcast(["log", "info", "--log", filename])
    const streams = stdout.split("\n").filter((line) => line.startsWith("notes/"))
    expect(streams.map((line) => line.split(" ")[0])).toEqual(Array.from({ length: 20 }, (_, at) => `notes/${24 - at}`))
    const others = Array.from({ length: 5 }, (_, at) => JSON.stringify({ about: "", text: "x".repeat(at) }).length)
    expect(stdout).toMatch(new RegExp(`\\(5 others\\) +5 +${others.reduce((sum, of) => sum + of)} B`))
    const { space } = (await document(["log", "info", "--log", filename])) as { readonly space?: Space }
    expect(space?.streams).toHaveLength(25)
    expect(space?.otherStreams).toEqual({ streams: 0, events: 0, payloadBytes: 0 })
  })

  it("shows nothing of a stream's name that a terminal would obey", async () => {
    const filename = path.join(place.directory, "hostile.db")
    const append = Effect.flatMap(EventLog, ({ append }) =>
      append({
        stream: "a\u001b[2Jb",
        actor: "human:ada",
        events: [{ type: "NoteAdded", payload: { about: "", text: "" } }],
      }),
    )
    await Effect.runPromise(Effect.provide(append, layerSqlite({ filename })))
    const { stdout } = await hindcast(["log", "info", "--log", filename])
    expect(stdout).not.toContain("\u001b")
    expect(stdout).toMatch(/^a\\u\{1b\}\[2Jb +1 /m)
  })
})
