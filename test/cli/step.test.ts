import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as EventLog from "../../src/events/index.ts"
import { MAIN } from "../built.ts"
import { event, requestOf, type Unplaced } from "../projections/given.ts"
import { hindcast } from "./hindcast.ts"
import { inTerminal, KEYS, type TerminalProgram } from "./terminal.ts"

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-step-"))
const log = path.join(directory, "log.db")

const inTask = (taskId: string, unplaced: Unplaced): Unplaced => ({ ...unplaced, envelope: { taskId } })
const look = (reading: number) => event("SensorRead", { sensor: "room/look", reading, priority: 0, latencyMs: 1 })
const reward = event("RewardGiven", {
  scoreSetId: "s",
  measure: "room/quick",
  name: "found",
  weight: 2,
  amount: 2,
  because: [4],
})

/** @1 opened a, @2 opened b, @3 … @12 readings 1 … 10, of b where they are even, @13 a reward of a, @14 a closed. */
const EVENTS: ReadonlyArray<Unplaced> = [
  inTask("a", event("TaskOpened", { goal: "find a thing", measures: [], agent: "me@1" })),
  inTask("b", event("TaskOpened", { goal: "do nothing", measures: [], agent: "me@1" })),
  ...Array.from({ length: 10 }, (_, index) => inTask(index % 2 === 0 ? "a" : "b", look(index + 1))),
  inTask("a", reward),
  inTask("a", event("TaskClosed", { outcome: "achieved" })),
]

beforeAll(async () => {
  const append = Effect.gen(function* () {
    const opened = yield* EventLog.EventLog
    for (const each of EVENTS) yield* opened.append(requestOf(each))
  })
  await Effect.runPromise(Effect.provide(append, EventLog.layerSqlite({ filename: log })))
})

afterAll(() => fs.rmSync(directory, { recursive: true }))

/** Steps through the log; whatever happens, the program ends. */
const stepping = async (args: ReadonlyArray<string>, body: (terminal: TerminalProgram) => Promise<void>) => {
  const terminal = inTerminal(["step", ...args, "--log", log])
  try {
    await body(terminal)
  } finally {
    terminal.kill("SIGKILL")
  }
}

describe("hindcast step", () => {
  it("shows an event, and the keys at the bottom, in a terminal of 80 × 24", () =>
    stepping([], async (terminal) => {
      const lines = await terminal.shows(/main@1 of @14[\s\S]*q quit/)
      expect(lines).toHaveLength(24)
      expect(lines[1]).toContain("TaskOpened")
      expect(lines[2]).toBe("me@1: find a thing")
      expect(lines[3]).toMatch(/^\[event\] {2}events {3}value {3}world {3}diff 1 {3}why {3}rewards {3}conversation/)
      expect(lines.at(-2)).toBe("n/p next/back N/P ±10 c change r reward b failure f run to m worst ! why failed")
      expect(lines.at(-1)).toBe("e E events v value V world d diff w why s rewards a talk / g go t task ? q quit")
      expect(terminal.isOwnScreen()).toBe(true)
    }))

  it("goes forward and back, one event or ten, and says where the log ends", () =>
    stepping([], async (terminal) => {
      await terminal.shows("main@1 of")
      terminal.type("n")
      await terminal.shows("main@2 of")
      terminal.type("N")
      await terminal.shows("main@12 of")
      terminal.type("P")
      await terminal.shows("main@2 of")
      terminal.type("p")
      await terminal.shows("main@1 of")
      terminal.type("p")
      await terminal.shows("This is the first event.")
      terminal.type(KEYS.end)
      await terminal.shows("main@14 of")
      terminal.type("n")
      await terminal.shows("This is the last event.")
      terminal.type(KEYS.home)
      await terminal.shows("before the first event")
      // No key is lost that is pressed while it looks.
      terminal.type("nnnnnnnnn")
      await terminal.shows("main@9 of")
    }))

  it("stays on the timeline that it steps through, at its beginning, its end and any position of its history", async () => {
    const forked = path.join(directory, "forked.db")
    const timeline = "fork-1"
    const after: ReadonlyArray<Unplaced> = [
      event("TimelineForked", { timeline, parent: "main", at: 6, overrides: {} }, { taskId: "a", timeline }),
      event("TaskClosed", { outcome: "failed" }, { taskId: "a", timeline }),
      inTask("b", look(11)),
    ]
    const append = Effect.gen(function* () {
      const opened = yield* EventLog.EventLog
      for (const each of [...EVENTS, ...after]) yield* opened.append(requestOf(each))
    })
    await Effect.runPromise(Effect.provide(append, EventLog.layerSqlite({ filename: forked })))
    const terminal = inTerminal(["step", "--at", "fork-1@15", "--log", forked])
    try {
      await terminal.shows("fork-1@15 of @17")
      terminal.type("p")
      await terminal.shows("fork-1@6 of")
      terminal.type(KEYS.end)
      await terminal.shows(/fork-1@16 of[\s\S]*TaskClosed/)
      terminal.type(`g4${KEYS.enter}`)
      await terminal.shows("fork-1@4 of")
      terminal.type(KEYS.home)
      await terminal.shows("fork-1@0 of")
      terminal.type(`g9${KEYS.enter}`)
      await terminal.shows("main@9 of")
    } finally {
      terminal.kill("SIGKILL")
    }
  })

  it("goes to the next and the last change of a path", () =>
    stepping(["--at", "@6"], async (terminal) => {
      await terminal.shows("main@6 of")
      terminal.type(`/\u0015/tasks/a/readings${KEYS.enter}`)
      await terminal.shows(/\/tasks\/a\/readings\n\{\n {2}"room\/look": 3/)
      terminal.type("c")
      await terminal.shows(/main@7 of[\s\S]*"room\/look": 5/)
      terminal.type("C")
      await terminal.shows(/main@5 of[\s\S]*"room\/look": 3/)
      terminal.type("CC")
      await terminal.shows(/main@1 of/)
      terminal.type("C")
      await terminal.shows("Nothing changes /tasks/a/readings before this.")
    }))

  it("goes to the next and the last reward, and to where a predicate turns true", () =>
    stepping([], async (terminal) => {
      await terminal.shows("main@1 of")
      terminal.type("r")
      await terminal.shows(/main@13 of[\s\S]*RewardGiven/)
      terminal.type("r")
      await terminal.shows("No reward or punishment comes after this.")
      terminal.type(`${KEYS.end}R`)
      await terminal.shows("main@13 of")
      terminal.type(KEYS.home)
      await terminal.shows("main@0 of")
      terminal.type(`fstate.tasks["b"].readings["room/look"] >= 6.0${KEYS.enter}`)
      await terminal.shows("main@8 of")
      terminal.type("f")
      await terminal.shows("The predicate does not become true after this")
      terminal.type(`${KEYS.end}F`)
      await terminal.shows("main@8 of")
      terminal.type(`gevent.type == "TaskOpened"${KEYS.enter}`)
      await terminal.shows("does not become true after this: event.type")
      terminal.type("F")
      await terminal.shows("main@2 of")
    }))

  it("shows the state, what an event changed, and why it happened", () =>
    stepping(["--at", "@5"], async (terminal) => {
      await terminal.shows("main@5 of")
      terminal.type("v")
      await terminal.shows(/\[value\][\s\S]*\/tasks\/a {2}\(\/ shows another path\)[\s\S]*"room\/look": 3/)
      terminal.type("d")
      await terminal.shows(/\[diff 1\][\s\S]*~ \/tasks\/a\/readings\/room~1look 1 → 3/)
      terminal.type("w")
      await terminal.shows(/\[why\][\s\S]*@5 SensorRead/)
      terminal.type("?")
      await terminal.shows("a CEL predicate is true")
    }))

  it("steps through one task, from its opening", () =>
    stepping(["b"], async (terminal) => {
      await terminal.shows("main@2 of @14  only task b")
      terminal.type("n")
      await terminal.shows("main@4 of")
      terminal.type("t")
      await terminal.shows("Stepping through all events.")
      terminal.type("n")
      await terminal.shows("main@5 of")
      terminal.type("t")
      await terminal.shows("Stepping only through events of task a")
    }))

  it("says what is wrong with what was typed, and stays where it is", () =>
    stepping([], async (terminal) => {
      await terminal.shows("main@1 of")
      terminal.type(`g\u0015@99${KEYS.enter}`)
      await terminal.shows("There is no position @99")
      terminal.type(`gnever${KEYS.enter}`)
      await terminal.shows('"@never" is not a moment')
      terminal.type(`/nowhere${KEYS.enter}`)
      await terminal.shows('"nowhere" is not a path')
      terminal.type(`f1 + 1${KEYS.enter}`)
      await terminal.shows("it gives a value of type int")
      terminal.type(`gstate. == 1${KEYS.enter}`)
      await terminal.shows("Predicate `state. == 1`, line 1")
      terminal.type("z")
      const lines = await terminal.shows("z does nothing here; ? lists the keys.")
      expect(lines[0]).toContain("main@1 of")
      terminal.type(`g${KEYS.escape}`)
      await terminal.shows(/^(?![\s\S]*Go to: )/)
    }))

  it("fits a terminal of any size", () =>
    stepping(["--at", "@5"], async (terminal) => {
      await terminal.shows("main@5 of")
      for (const [columns, rows] of [
        [40, 12],
        [20, 2],
        [80, 7],
        [200, 60],
      ] as const) {
        terminal.resize(columns, rows)
        const keys = "n/p next/back[^\\n]*\\ne E events[^\\n]*$"
        const lines = await terminal.shows(new RegExp(rows >= 7 ? `^main@5 of[^]*${keys}` : `^${keys}`))
        expect(lines).toHaveLength(rows)
      }
    }))

  it("quits by q, by Ctrl-C and when it is told to end, and gives the terminal back as it was", () =>
    Promise.all(
      [
        { end: (terminal: TerminalProgram) => terminal.type("q"), code: 0, left: "" },
        { end: (terminal: TerminalProgram) => terminal.type("\u0003"), code: 0, left: "" },
        { end: (terminal: TerminalProgram) => terminal.kill("SIGTERM"), code: 130, left: "error: Interrupted." },
        { end: (terminal: TerminalProgram) => terminal.kill("SIGHUP"), code: 130, left: "error: Interrupted." },
      ].map(async ({ end, code, left }) => {
        const terminal = inTerminal(["step", "--log", log])
        await terminal.shows("main@1 of")
        end(terminal)
        expect(await terminal.ended).toBe(code)
        expect(terminal.isOwnScreen()).toBe(false)
        expect(terminal.screen().join("").trim()).toBe(left)
      }),
    ))

  // The machine of the tests has Python; one of a person may have none.
  it.runIf(spawnSync("python3", ["--version"]).status === 0)(
    "leaves the terminal's line discipline as it was, also when the terminal hangs up",
    () => {
      // Python's pty shows the modes of the terminal after the program has ended.
      const program = `
import fcntl, json, os, pty, signal, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
modes = lambda: termios.tcgetattr(terminal)[3] & (termios.ICANON | termios.ECHO | termios.ISIG)
before, shown = modes(), b""
while b"main@1" not in shown:
    shown += os.read(terminal, 65536)
during = modes()
os.kill(pid, getattr(signal, os.environ["WAY"]))
try:
    while os.read(terminal, 65536): pass
except OSError:
    pass
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(json.dumps({ "raw": during != before, "restored": modes() == before, "status": status }))
`
      for (const WAY of ["SIGHUP", "SIGTERM", "SIGINT"]) {
        const args = ["-c", program, process.execPath, MAIN, "step", "--log", log]
        const { stdout, stderr } = spawnSync("python3", args, {
          encoding: "utf8",
          timeout: 20_000,
          env: { ...process.env, WAY },
        })
        expect({ WAY, stderr }).toEqual({ WAY, stderr: "" })
        expect(JSON.parse(stdout)).toEqual({ raw: true, restored: true, status: 130 })
      }
    },
  )

  it("shows the events around the moment, and follows it", () =>
    stepping(["--at", "@6"], async (terminal) => {
      await terminal.shows("main@6 of")
      terminal.type("E")
      await terminal.shows(/\[events\][\s\S]*@5 SensorRead[^\n]*\n▸ @6 SensorRead[^\n]*\n {2}@7 SensorRead/)
      terminal.type("j")
      await terminal.shows(/\n {2}@6 SensorRead[^\n]*\n▸ @7 SensorRead/)
      terminal.type("t")
      await terminal.shows(/\n {2}@5 SensorRead[^\n]*\n▸ @7 SensorRead[^\n]*\n {2}@9 SensorRead/)
    }))

  it("shows no rewards of an event without a task, and none of a task without a finished scoring", () =>
    stepping(["a"], async (terminal) => {
      await terminal.shows("main@1 of")
      terminal.type("s")
      await terminal.shows(/\[rewards\][\s\S]*This task has no score by live\./)
      terminal.type(`t${KEYS.home}`)
      await terminal.shows(/main@0 of[\s\S]*This event belongs to no task\./)
      terminal.type("a")
      await terminal.shows(/\[conversation\][\s\S]*This event belongs to no task\./)
      terminal.type("S")
      await terminal.shows(/\[saw\][\s\S]*found no event/)
    }))

  it("needs a terminal, and says what answers without one", async () => {
    const { code, stderr } = await hindcast(["step", "--log", log])
    expect(code).toBe(1)
    expect(stderr).toContain("expected a terminal, found its input in a pipe or a file")
    expect(stderr).toMatch(/`[^`]* log ls[^`]*`/)
  })

  it("refuses a task, a moment or a log that is not there, on the screen that a person sees", () =>
    Promise.all(
      [
        { args: ["nobody", "--log", log], wanted: 'No task "nobody"' },
        { args: ["--at", "@99", "--log", log], wanted: "There is no position @99" },
        { args: ["--scores", "strict", "--log", log], wanted: "strict" },
        { args: ["--log", `${log}.none`], wanted: "expected a log, found no such file" },
      ].map(async ({ args, wanted }) => {
        const terminal = inTerminal(["step", ...args])
        expect(await terminal.ended).toBe(3)
        expect(terminal.screen().join(" ").replaceAll(/\s+/g, " ")).toContain(wanted)
        expect(terminal.isOwnScreen()).toBe(false)
      }),
    ))
})
