import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { size } from "../../src/cli/terminal/Text.ts"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { MAIN } from "../built.ts"
import { workplace } from "../workplace.ts"
import { asLibraryWrites, document, hindcast, start } from "./hindcast.ts"

const place = workplace()
const log = place.file("log.db")
const SECRET = "Anna lives in Petersburg"

/** Events of a log that is longer than what is gathered before anything is written. */
const COUNT = 4_000

const note = (text: string) => ({ type: "NoteAdded" as const, payload: { about: "", text } })

const append = (events: ReadonlyArray<ReturnType<typeof note>>, subject?: string) =>
  Effect.flatMap(EventLog, (log) =>
    log.append({
      stream: "task/t-1",
      taskId: "t-1",
      actor: "human:ada",
      events,
      ...(subject === undefined ? {} : { subject }),
    }),
  )

const inLog = <A, E>(effect: Effect.Effect<A, E, EventLog>) =>
  Effect.runPromise(Effect.provide(effect, layerSqlite({ filename: log })))

beforeAll(() =>
  inLog(
    Effect.gen(function* () {
      const opened = { goal: "g", measures: [], agent: "walker@1.0.0" }
      const reading = { sensor: "room/view", reading: { room: "hall" }, priority: 0, latencyMs: 1 }
      yield* (yield* EventLog).append({
        stream: "task/t-1",
        taskId: "t-1",
        actor: "kernel",
        events: [
          { type: "TaskOpened", payload: opened },
          { type: "SensorRead", payload: reading },
        ],
      })
      yield* append([note(SECRET)], "anna")
      yield* append(Array.from({ length: COUNT - 3 }, (_, index) => note(`${index} ${"x".repeat(500)}`)))
    }),
  ),
)
afterAll(() => place.remove())

const linesOf = (file: string) => fs.readFileSync(file, "utf8").split("\n").slice(0, -1)

const failing = async (args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await hindcast([...args, "--json"])
  expect(stdout).toBe("")
  return { code, error: JSON.parse(stderr).error }
}

describe("hindcast export events", () => {
  it("writes what hindcast log import makes the same log of", async () => {
    const [file, copy] = [place.file("all.jsonl"), place.file("copy.db")]
    const exported = await document(["export", "events", "--log", log, "--output", file])
    expect(exported).toMatchObject({ file, format: "jsonl", events: COUNT, upTo: COUNT, bytes: fs.statSync(file).size })
    expect(linesOf(file)).toHaveLength(COUNT)
    expect(fs.readFileSync(file, "utf8")).not.toContain(SECRET)

    const imported = await document(["log", "import", file, "--log", copy])
    const verified = await document(["log", "verify", "--log", copy])
    expect(verified).toMatchObject({ intact: true, events: COUNT, head: exported.head })
    expect(imported).toEqual({ log: copy, head: exported.head })
  })

  it("tells people what it wrote, and a parquet file by its name", async () => {
    const file = place.file("all.parquet")
    const { code, stdout } = await hindcast(["export", "events", "--log", log, "--output", file])
    const bytes = fs.statSync(file).size
    expect([code, stdout]).toEqual([
      0,
      `Exported ${COUNT} events (${size(bytes)}) to ${file}, of the log up to @${COUNT}.\n`,
    ])
    expect(fs.readFileSync(file).subarray(0, 4).toString()).toBe("PAR1")
  })

  it("writes to the standard output for -, and nothing else there", async () => {
    const { code, stdout, stderr } = await hindcast([
      "export",
      "events",
      "--log",
      log,
      "--output",
      "-",
      "--until",
      "@2",
    ])
    expect(code).toBe(0)
    expect(stdout.split("\n").map((line) => line && JSON.parse(line).type)).toEqual(["TaskOpened", "SensorRead", ""])
    expect(stderr).toMatch(/^Exported 2 events \(\d+(\.\d)? k?B\) to -, of the log up to @2\.\n$/)
  })

  it("exports what is selected", async () => {
    const typesOf = async (...args: ReadonlyArray<string>) => {
      const { stdout, stderr } = await hindcast(["export", "events", "--log", log, "--output", "-", ...args])
      expect(stderr).toMatch(/^Exported/)
      return stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line).position)
    }
    expect(await typesOf("--since", "@1", "--until", "@3")).toEqual([2, 3])
    expect(await typesOf("--type", "TaskOpened", "--type", "SensorRead")).toEqual([1, 2])
    expect(await typesOf("--task", "t-1", "--timeline", "main", "--until", "@2")).toEqual([1, 2])
  })

  it("decrypts only where it is told to", async () => {
    const { stdout } = await hindcast(["export", "events", "--log", log, "--output", "-", "--until", "@3", "--decrypt"])
    expect(JSON.parse(stdout.split("\n")[2] ?? "").payload.text).toBe(SECRET)
  })

  it("refuses a file that is there, a missing directory, and a type or timeline that is none", async () => {
    const file = place.file("mine.jsonl", "mine")
    const exporting = (...args: ReadonlyArray<string>) => failing(["export", "events", "--log", log, ...args])
    const [there, nowhere, type, timeline, own] = await Promise.all([
      exporting("--output", file),
      exporting("--output", place.file("none/x.jsonl")),
      exporting("--output", "-", "--type", "SensorRed"),
      exporting("--output", "-", "--timeline", "none"),
      exporting("--output", `${log}-wal`, "--force"),
    ])
    expect(there).toMatchObject({ code: 1, error: { tag: "OutputExists" } })
    expect(fs.readFileSync(file, "utf8")).toBe("mine")
    expect(nowhere).toMatchObject({ code: 1, error: { tag: "OutputUnavailable" } })
    expect(type.error.message).toContain("such as SensorRead")
    expect(timeline.error.tag).toBe("TimelineNotFound")
    expect(own.error.message).toContain("it is part of the log that is being read")
    await document(["export", "events", "--log", log, "--output", file, "--force", "--until", "@1"])
    expect(linesOf(file)).toHaveLength(1)
  })

  it("leaves no half-written file where the disk has no room", async () => {
    const directory = place.file("small")
    fs.mkdirSync(directory)
    const args = ["export", "events", "--log", log, "--output", path.join(directory, "all.jsonl"), "--json"]
    const child = spawn("prlimit", ["--fsize=1500000", process.execPath, MAIN, ...args])
    let stderr = ""
    child.stderr.on("data", (text) => {
      stderr += text
    })
    const code = await new Promise((resolve) => child.on("close", resolve))
    expect([code, JSON.parse(stderr).error.tag]).toEqual([1, "OutputDiskFull"])
    expect(fs.readdirSync(directory)).toEqual([])
  })

  it("exports the log as it was when it began, however much is appended meanwhile", async () => {
    const pipe = place.file("pipe")
    execFileSync("mkfifo", [pipe])
    const { ended } = start(["export", "events", "--log", log, "--output", pipe])
    let text = ""
    let appended = 0
    // What the pipe does not hold, the export waits with: it has begun, and is not done.
    for await (const chunk of fs.createReadStream(pipe, { encoding: "utf8", highWaterMark: 1024 })) {
      text += chunk
      if (appended === 0) appended = (await inLog(append([note("late"), note("later")]))).events.length
    }
    expect(await ended).toMatchObject({ code: 0, stderr: "" })
    expect(appended).toBe(2)
    const positions = text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line).position)
    expect(positions).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1))
  })
})

describe("hindcast log import", () => {
  it("refuses a line that was altered, with its number, and leaves no log", async () => {
    const whole = await hindcast(["export", "events", "--log", log, "--output", "-", "--until", "@40"])
    const lines = whole.stdout.split("\n")
    const altered = lines.with(16, (lines[16] ?? "").replace('"actor":"human:ada"', '"actor":"human:eve"'))
    const cases = [
      [altered, 17, /@17 does not match its hash: it was altered/],
      [lines.toSpliced(9, 1), 10, /expected @10, found @11/],
      [lines.with(4, (lines[4] ?? "").slice(0, 50)), 5, /it is not JSON/],
      [lines.slice(3), 1, /it is @4, and a log begins at @1/],
    ] as const
    for (const [content, line, reason] of cases) {
      const directory = place.file(`import-${line}`)
      fs.mkdirSync(directory)
      const copy = path.join(directory, "copy.db")
      const { code, error } = await failing([
        "log",
        "import",
        place.file("altered.jsonl", content.join("\n")),
        "--log",
        copy,
      ])
      expect([code, error.tag]).toEqual([1, "NotImported"])
      expect(error.message).toMatch(new RegExp(`^${copy}: line ${line}: `))
      expect(error.message).toMatch(reason)
      expect(fs.readdirSync(directory)).toEqual([])
    }
  })

  it("refuses a file that is not there, is no text, and a log that is there", async () => {
    const copy = place.file("none.db")
    const missing = await failing(["log", "import", place.file("none.jsonl"), "--log", copy])
    expect(missing).toMatchObject({ code: 3, error: { tag: "BadInput" } })
    const binary = place.file("binary.jsonl")
    fs.writeFileSync(binary, Buffer.from([0xff, 0xfe, 0x00]))
    const bytes = await failing(["log", "import", binary, "--log", copy])
    expect(bytes.error.message).toContain("line 1: the file is not UTF-8 text")
    expect(fs.existsSync(copy)).toBe(false)
    const there = await failing(["log", "import", binary, "--log", log])
    expect(there.error.message).toContain("expected no log there yet, found")
  })
})

describe("hindcast export otlp, mcap, piaavt", () => {
  it("write what their readers read", async () => {
    const [otlp, mcap, lines] = [place.file("x.otlp"), place.file("x.mcap"), place.file("x.piaavt")]
    const until = ["--log", log, "--until", "@5"]
    expect(await document(["export", "otlp", ...until, "--output", otlp, "--service", "mine"])).toMatchObject({
      format: "otlp",
      events: 5,
    })
    const [traces] = linesOf(otlp).map((line) => JSON.parse(line))
    expect(traces.resourceSpans[0].resource.attributes[0].value.stringValue).toBe("mine")
    expect(await document(["export", "mcap", ...until, "--output", mcap])).toMatchObject({ format: "mcap" })
    expect(fs.readFileSync(mcap).subarray(1, 5).toString()).toBe("MCAP")
    // The task was opened before the first of these events; its agent is known all the same.
    const options = ["--since", "@1", "--experiment", "e-1", "--timestamps", "seconds"]
    expect(await document(["export", "piaavt", ...until, ...options, "--output", lines])).toMatchObject({
      format: "piaavt",
      events: 4,
    })
    const [first] = linesOf(lines).map((line) => JSON.parse(line))
    expect(first).toMatchObject({
      experiment_id: "e-1",
      agent_id: "walker@1.0.0",
      simulation_run_id: "t-1",
      source_component_id: "room/view",
      timestamp: expect.any(Number),
    })
  })

  it("leave out lines below a level, and say how many events that were", async () => {
    const lines = place.file("levels.piaavt")
    const least = ["--level", "CRITICAL", "--level", "room/view=info"]
    const { events, leftOut } = await document(["export", "piaavt", "--log", log, ...least, "--output", lines])
    expect(Number(events)).toBeGreaterThan(0)
    expect(Number(leftOut)).toBeGreaterThan(0)
    const sources = linesOf(lines).map((line) => JSON.parse(line).source_component_id)
    expect([...new Set(sources)]).toEqual(["room/view"])
    const wrong = await hindcast(["export", "piaavt", "--log", log, "--level", "loud", "--output", "-"])
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("--level: expected TRACE, DEBUG")])
  })

  it("say what is possible where something else is asked for", async () => {
    const { code, stderr } = await hindcast(["export", "piaavt", "--log", log, "--output", "-", "--timestamps", "ms"])
    expect(code).toBe(1)
    expect(asLibraryWrites(stderr)).toContain('--timestamps: expected one of iso, seconds, found "ms"')
  })
})
