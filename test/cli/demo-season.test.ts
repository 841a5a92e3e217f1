import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Stream } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { demoLog } from "../demoLog.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, start } from "./hindcast.ts"
import { differing, everything } from "./season.ts"

const place = workplace()
afterAll(place.remove)

/** Enough for every kind of thing that happens. */
const TASKS = 23

describe("a season of 23 tasks", () => {
  let log: string
  let events: ReadonlyArray<Event>
  const of = (...types: ReadonlyArray<string>) => events.filter(({ type }) => types.includes(type))
  beforeAll(async () => {
    log = await demoLog(TASKS, 7)
    events = await everything(log)
  }, 120_000)

  it("has every task in its order, each closed, and is intact", async () => {
    expect(of("TaskOpened").map(({ taskId }) => taskId)).toEqual(
      Array.from({ length: TASKS }, (_, index) => `task-${String(index + 1).padStart(4, "0")}`),
    )
    expect(of("TaskClosed")).toHaveLength(TASKS)
    expect(await document(["log", "verify", "--log", log])).toMatchObject({ intact: true })
  })

  it("has tasks that were achieved, failed, abandoned and truncated", () => {
    const outcomes = new Set(of("TaskClosed").map(({ payload }) => payload.outcome))
    expect([...outcomes].sort()).toEqual(["abandoned", "achieved", "failed", "truncated"])
  })

  it("has commands denied, and questions approved, rejected, expired and withdrawn", () => {
    const rules = new Set(of("CommandDenied").map(({ payload }) => payload.rule))
    expect([...rules].sort()).toEqual([
      ...["active-actuators", "args-schema", "ask-the-night-watch", "ask-the-reviewer", "recovery", "valves-stay-free"],
    ])
    expect(new Set(of("ConfirmationDecided").map(({ payload }) => payload.approved))).toEqual(new Set([true, false]))
    expect(of("ConfirmationExpired")).toHaveLength(1)
    expect(of("ConfirmationWithdrawn")).toHaveLength(1)
  })

  it("has a sensor that fails now and then, a process that crashed, and an agent that threw", () => {
    const failed = of("SensorFailed").map(({ payload }) => payload.error)
    expect(failed).toContainEqual({ code: "no-signal", message: "The gauge gave no signal. Read it again." })
    expect(of("CommandFailed").map(({ payload }) => payload.error)).toContainEqual(
      expect.objectContaining({ code: "PluginExited" }),
    )
    expect(of("TaskClosed").map(({ payload }) => payload.reason)).toContainEqual(
      expect.stringMatching(/^Agent glass@0\.3\.1 failed: Cannot read/),
    )
  })

  it("has a kernel that was killed with a decision, a command and a question under way, and the recovery of the next", () => {
    expect(of("KernelStarted", "KernelStopped").map(({ type }) => type)).toEqual([
      ...["KernelStarted", "KernelStarted", "KernelStopped"],
    ])
    const second = of("KernelStarted")[1]?.position ?? 0
    const cut = of("TaskClosed").filter(({ payload }) => payload.reason === "its kernel ended")
    expect(cut.map(({ payload }) => payload.outcome)).toEqual(["abandoned", "abandoned", "abandoned"])
    expect(cut.every(({ position }) => position < second)).toBe(true)
    const unknown = of("CommandOutcomeUnknown").map(({ payload }) => payload.commandId)
    const commanded = of("ActuatorCommanded").filter(({ payload }) => unknown.includes(payload.commandId))
    expect(commanded.map(({ payload }) => payload.actuator)).toEqual(["boiler/simmer"])
  })

  it("has score sets that `baseline` and `official` name, of which the stricter one gives less", async () => {
    const comparison = await document(["compare", "baseline", "official", "--log", log])
    expect(comparison).toMatchObject({ a: { label: "shipped" }, b: { label: "stricter" }, onlyInA: [], onlyInB: [] })
    expect(Number(comparison.difference)).toBeLessThan(0)
  })
})

describe("a history of too few tasks for everything", () => {
  it("has what comes first, says what it leaves out, and is the same when it is made again, but for what chance gives", {
    timeout: 60_000,
  }, async () => {
    const log = place.file("few.db")
    const { code, stdout, stderr } = await hindcast(["demo", "--tasks", "3", "--seed", "7", "--log", log])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/few\.db: 3 tasks, \d+ events$/m)
    expect(stdout).toMatch(/^left out with so few tasks: .*kernels killed, /m)
    expect((await document(["task", "ls", "--log", log])).tasks).toHaveLength(3)
    // A whole season is made again in `test/long/`.
    expect(differing(await everything(log), await everything(await demoLog(3, 7)))).toEqual([])
  })
})

describe("a history that cannot be written", () => {
  it("says how many tasks there can be", async () => {
    const log = place.file("never.db")
    const tries = ["0", "-1", "2.5", "many", "1e9"].map(async (tasks) => {
      const { code, stderr } = await hindcast(["demo", "--tasks", tasks, "--log", log])
      expect(code).toBe(1)
      expect(stderr).toMatch(/--tasks: expected (a whole number, 1 or more|at most 10000), found/)
    })
    await Promise.all(tries)
    expect(fs.existsSync(log)).toBe(false)
  })

  it("is refused where its log or what stands beside it is there already, and leaves that as it is", async () => {
    const refused = async (log: string, found: string) => {
      const { code, stderr } = await hindcast(["demo", "--tasks", "1", "--log", log])
      expect(code).toBe(1)
      expect(stderr).toContain(`${found}: a season needs a new log, and this path exists`)
      expect(stderr).toContain("name another log with --log FILE")
    }
    const log = place.file("there.db", "mine")
    await refused(log, log)
    expect(fs.readFileSync(log, "utf8")).toBe("mine")
    const other = place.file("other.db")
    fs.mkdirSync(`${other}.workspace`)
    await refused(other, `${other}.workspace`)
    expect(fs.existsSync(other)).toBe(false)
  })
})

describe("a history that is stopped half way", () => {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGKILL", null],
  ] as const) {
    it.concurrent(`a history that is stopped half way by ${signal} leaves a log that opens and is intact, and no process`, {
      timeout: 60_000,
    }, async () => {
      const log = place.file(`${signal}.db`)
      const { child, ended } = start(["demo", "--tasks", "40", "--log", log])
      await untilClosed(log, 1, ended)
      child.kill(signal)
      expect((await ended).code).toBe(code)
      await untilNoProcessNames(log)
      expect(await document(["log", "verify", "--log", log])).toMatchObject({ intact: true })
      expect((await document(["task", "ls", "--log", log])).tasks).not.toEqual([])
    })
  }
})

/** Waits until so many tasks were closed in the log that a process makes. */
const untilClosed = async (filename: string, tasks: number, ended: Promise<unknown>) => {
  // A kernel makes it, on a log that is there.
  await vi.waitUntil(() => fs.existsSync(`${filename}.plugins`), { timeout: 30_000, interval: 20 })
  await Effect.flatMap(EventLog, (log) =>
    log.follow({ types: ["TaskClosed"] }).pipe(
      Stream.filter((item) => "id" in item),
      Stream.take(tasks),
      Stream.runDrain,
    ),
  ).pipe(
    Effect.provide(layerSqlite({ filename, readonly: true })),
    Effect.raceFirst(
      Effect.flatMap(
        Effect.promise(() => ended),
        (found) => Effect.dieMessage(JSON.stringify(found)),
      ),
    ),
    Effect.runPromise,
  )
}

/** The processes of its kernels and of plugins have the log's name on their command lines. */
const untilNoProcessNames = (file: string) =>
  vi.waitFor(() => expect(commandLines().filter((line) => line.includes(file))).toEqual([]), {
    timeout: 10_000,
    interval: 50,
  })

const commandLines = (): ReadonlyArray<string> =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [fs.readFileSync(path.join("/proc", pid, "cmdline"), "utf8").replaceAll("\0", " ")]
      } catch {
        return [] // It ended while we looked.
      }
    })
