import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Schedule } from "effect"
import { expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as RecoveryPlan from "../../src/kernel/recovery/RecoveryPlan.ts"
import { Projector } from "../../src/projections/projector/Projector.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import * as Unfinished from "../../src/projections/unfinished/Unfinished.ts"
import { MAIN } from "../built.ts"
import * as Killable from "../killable.ts"
import { temporaryDirectory } from "../temporary.ts"

/** Runs the demo, kills it once its log has come to a position, and holds what is left against what is promised. */
export const killDemoAt = (position: number) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const filename = path.join(directory, "log.db")
    const before = yield* Effect.gen(function* () {
      const log = yield* EventLog
      const demo = yield* Killable.start([MAIN, "demo", "--world", "--log", filename])
      yield* Killable.killedAt(demo, Killable.logReaches(position))
      yield* noProcessMentions(directory)
      expect((yield* log.verify)._tag).toBe("Intact")
      const reached = (yield* log.head).position
      expect(reached).toBeGreaterThanOrEqual(position)
      // It was killed in the middle: a demo that ends says so.
      expect(yield* log.readPage({ types: ["KernelStopped"] }, 1)).toEqual([])
      return reached
    }).pipe(Effect.scoped, Effect.provide(layerSqlite({ filename })))

    yield* Effect.gen(function* () {
      yield* Kernel
      const log = yield* EventLog
      const projector = yield* Projector
      const state = yield* projector.current(Unfinished.projection)
      expect(RecoveryPlan.endings(state)).toEqual([])
      expect(Tasks.open(state.tasks)).toEqual([])
      expect((yield* log.verify)._tag).toBe("Intact")
      expect((yield* log.head).position).toBeGreaterThan(before)
      const after = yield* log.readPage({ after: before }, 1000)
      expect(after.at(-1)?.type).toBe("KernelStarted")
    }).pipe(Effect.provide(Hindcast.layer({ log: filename, workspace: directory })))
  })

/** Within two seconds, no process has the directory on its command line: the plugins' are under it. */
export const noProcessMentions = (directory: string) =>
  Effect.suspend(() => {
    const left = commandLines().filter((line) => line.includes(directory))
    return left.length === 0 ? Effect.void : Effect.fail(new Error(`left behind: ${left.join("\n")}`))
  }).pipe(Effect.retry(Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(40))))

const commandLines = (): ReadonlyArray<string> =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")]
      } catch {
        return [] // It ended while we looked.
      }
    })
