import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import type { CoreNewEvent } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Projection from "../../src/projections/fold/Projection.ts"
import * as RecordedFiles from "../../src/projections/state/files/RecordedFiles.ts"
import * as LineDiff from "../../src/workspace/history/LineDiff.ts"
import { LineTable } from "../../src/workspace/history/LineTable.ts"
import { moved } from "../../src/workspace/OwnLines.ts"
import * as TaskFiles from "../../src/workspace/TaskFiles.ts"
import * as Workspaces from "../../src/workspace/Workspaces.ts"
import { event, idOf, place, type Unplaced } from "../projections/given.ts"

const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-own-lines-")))
afterAll(() => fs.rmSync(base, { recursive: true, force: true }))

let made = 0

/** A task that records a directory, by one process after the other. */
const given = () => {
  const root = path.join(base, `root${++made}`)
  fs.mkdirSync(root)
  const log = path.join(base, `log${made}`)
  fs.writeFileSync(log, "")
  const told: Array<Unplaced> = []
  let failing = false
  const tell = async (...events: ReadonlyArray<CoreNewEvent>) => {
    if (failing) throw new Error("the log is busy")
    for (const { type, payload, causationId } of events)
      told.push(event(type as never, payload as never, { causationId: causationId ?? null }))
  }
  const open = () => {
    const past: ReadonlyArray<Event> = place(told)
    const workspaces = Workspaces.make({ log, hasSecret: () => false })
    return { workspaces, files: TaskFiles.make({ workspaces, root, past, openedBy: idOf(1), tell }) }
  }
  let process = open()
  let calls = 0
  return {
    root,
    write: (file: string, lines: ReadonlyArray<string>) =>
      fs.writeFileSync(path.join(root, file), lines.map((line) => `${line}\n`).join("")),
    look: () => process.files.look(),
    /** The task's own call, which is the only one. */
    call: async (work: () => void) => {
      const commandId = `c${++calls}`
      const args = {}
      told.push(event("ActuatorCommanded", { commandId, actuator: "x/Bash", args, argsDigest: "d", priority: 0 }))
      await process.files.before({ commandId, last: idOf(told.length), args })
      work()
      told.push(event("CommandSucceeded", { commandId, result: null, latencyMs: 1 }))
      await process.files.after({ commandId, end: idOf(told.length) })
    },
    restart: () => {
      process.files.leave()
      process.workspaces.close()
      process = open()
    },
    /** The log refuses what a look tells. */
    failingLook: async () => {
      failing = true
      await process.files.look().catch(() => {})
      failing = false
    },
    facts: () => RecordedFiles.section(Projection.fold(RecordedFiles.projection, place(told))),
    close: () => process.workspaces.close(),
  }
}

/** The lines after a change, one by one: those that the difference leaves are whose they were. */
const replayed = (
  before: ReadonlyArray<readonly [line: string, isOwn: boolean]>,
  after: ReadonlyArray<string>,
  isOwn: boolean,
): ReadonlyArray<readonly [line: string, isOwn: boolean]> => {
  const table = new LineTable()
  const [old, now] = [table.numbersOf(before.map(([line]) => line)), table.numbersOf(after)]
  const lines = [...before]
  for (const { oldStart, oldEnd, newStart, newEnd } of LineDiff.between(old, now).hunks.toReversed()) {
    const added = after.slice(newStart, newEnd).map((line) => [line, isOwn] as const)
    lines.splice(oldStart, oldEnd - oldStart, ...added)
  }
  expect(lines.map(([line]) => line)).toEqual(after)
  return lines
}

describe("the lines of a task's own calls", () => {
  it("are followed through edits, renames, a person's changes and a look that the log refused", async () => {
    const { write, look, call, facts, root, restart, failingLook, close } = given()
    write("a", ["1", "2", "3"])
    await look()
    await call(() => write("a", ["1", "own 1", "2", "own 2", "3"]))
    expect(facts()?.linesKept).toBe(2)
    write("a", ["1", "2", "own 2", "by hand", "3"])
    await failingLook()
    await look()
    expect(facts()).toMatchObject({ linesKept: 1, linesAdded: 2, outside: 1 })
    write("a", ["1", "own 2", "by hand", "3"])
    await look()
    expect(facts()?.linesKept).toBe(1)
    restart()
    await call(() => write("a", ["0", "1", "own 2", "by hand"]))
    expect(facts()?.linesKept).toBe(2)
    await call(() => fs.renameSync(path.join(root, "a"), path.join(root, "b")))
    expect(facts()?.linesKept).toBe(2)
    await call(() => fs.chmodSync(path.join(root, "b"), 0o755))
    expect(facts()?.linesKept).toBe(2)
    await call(() => write("b", ["by hand", "own 3"]))
    expect(facts()?.linesKept).toBe(1)
    await call(() => fs.rmSync(path.join(root, "b")))
    expect(facts()?.linesKept).toBe(0)
    close()
  })

  it("are unknown in a file that a call made no text, until it is gone", async () => {
    const { write, look, call, facts, root, close } = given()
    await look()
    await call(() => fs.writeFileSync(path.join(root, "image"), Buffer.from([0, 1, 2])))
    expect(facts()).toMatchObject({ touched: 1 })
    expect(facts()).not.toHaveProperty("linesKept")
    await call(() => write("image", ["text"]))
    expect(facts()).not.toHaveProperty("linesKept")
    await call(() => fs.rmSync(path.join(root, "image")))
    await call(() => write("image", ["text"]))
    expect(facts()?.linesKept).toBe(1)
    close()
  })

  it("are those of a slow count, whoever edits and however often the recorder starts again", async () => {
    const step = fc.record({
      by: fc.constantFrom("own", "hand", "restart"),
      file: fc.constantFrom("a", "b"),
      at: fc.nat(6),
      remove: fc.nat(3),
      add: fc.nat(3),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const { write, look, call, restart, facts, close } = given()
        const files = new Map([
          ["a", ["a1", "a2", "a3"]],
          ["b", ["b1"]],
        ])
        for (const [file, lines] of files) write(file, lines)
        await look()
        for (const [index, { by, file, at, remove, add }] of steps.entries()) {
          if (by === "restart") {
            restart()
            continue
          }
          const lines = [...(files.get(file) ?? [])]
          lines.splice(at, remove, ...Array.from({ length: add }, (_, one) => `${by} ${index}.${one}`))
          files.set(file, lines)
          if (by === "own") await call(() => write(file, lines))
          else {
            write(file, lines)
            await look()
          }
        }
        const kept = [...files.values()].flat().filter((line) => line.startsWith("own")).length
        expect(facts()?.linesKept).toBe(kept)
        close()
      }),
      { numRuns: 30 },
    )
  })

  it("are those of a slow replay of all differences where lines are equal, however often the recorder starts again", async () => {
    const lines = fc.array(fc.constantFrom("", "}", "a", "b"), { maxLength: 7 })
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.tuple(fc.constantFrom("own", "hand"), lines) },
      { weight: 1, arbitrary: fc.constant(["restart", []] as const) },
    )
    await fc.assert(
      fc.asyncProperty(lines, fc.array(step, { maxLength: 12 }), async (start, steps) => {
        const { write, look, call, restart, facts, close } = given()
        write("a", start)
        await look()
        // Each line, and whether a call of the task wrote it.
        let now: ReadonlyArray<readonly [line: string, isOwn: boolean]> = start.map((line) => [line, false])
        let hasOwn = false
        for (const [by, after] of steps) {
          if (by === "restart") restart()
          else {
            now = replayed(now, after, by === "own")
            hasOwn ||= by === "own"
            if (by === "own") await call(() => write("a", after))
            else {
              write("a", after)
              await look()
            }
          }
          if (hasOwn) expect(facts()?.linesKept ?? 0).toBe(now.filter(([, isOwn]) => isOwn).length)
        }
        close()
      }),
      { numRuns: 40 },
    )
  })

  it("move with the lines around them, and join", () => {
    const hunk = (oldStart: number, oldEnd: number, newStart: number, newEnd: number) => ({
      ...{ oldStart, oldEnd, newStart, newEnd },
    })
    expect(moved([[2, 6]], [hunk(3, 4, 3, 3)], false)).toEqual([[2, 5]])
    expect(moved([[2, 6]], [hunk(3, 4, 3, 5)], false)).toEqual([
      [2, 3],
      [5, 7],
    ])
    expect(moved([[2, 6]], [hunk(0, 1, 0, 0), hunk(6, 6, 5, 7)], true)).toEqual([[1, 7]])
    expect(moved([[0, 2]], [hunk(0, 2, 0, 0)], true)).toEqual([])
  })
})
