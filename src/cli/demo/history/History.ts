/** Generates the log of `hindcast demo --tasks N`: the tasks, their scores, and a crash in between. */
import * as fs from "node:fs"
import { Data, Effect } from "effect"
import { layerSqlite } from "../../../events/index.ts"
import * as Hindcast from "../../../kernel/Hindcast.ts"
import * as OwnerOnly from "../../../platform/OwnerOnly.ts"
import type { Wanted } from "../../../plugins/sandbox/Tier.ts"
import * as Contents from "./Contents.ts"
import * as Plan from "./Plan.ts"
import * as Rescored from "./Rescored.ts"
import * as Season from "./Season.ts"
import * as Start from "./Start.ts"

/**
 * The log's file or one of its directories exists already; a history needs a new log. To recover, name another file or
 * move this one away.
 */
export class LogExists extends Data.TaggedError("LogExists")<{ readonly file: string }> {
  override get message() {
    return `${this.file}: expected nothing of this name, for a history begins its own log, found that it exists. Move it away, or name another log with --log FILE.`
  }
}

/** The options of a history. */
export interface Options {
  readonly filename: string
  readonly tasks: number
  readonly seed: number
  readonly sandbox: Wanted
  /** Called after each closed task. */
  readonly onProgress: (done: number, of: number) => Effect.Effect<void>
}

/** The generated history. */
export interface History extends Contents.SeasonContents {
  /** The directory that the agent `clerk` works in. */
  readonly workspace: string
  readonly scoreSets: Effect.Effect.Success<ReturnType<typeof Rescored.rescore>>
}

/**
 * Writes a log of many tasks, by agents of different skill in several environments, with failures of all kinds.
 * Kernels, plugin processes and confirmations are real, and the first kernel is killed. The same `tasks` and `seed`
 * give the same tasks with the same events in the same order; ids, times, process ids and paths differ. If interrupted,
 * the log is readable and no process is left running.
 */
export const write = ({ filename, tasks, seed, sandbox, onProgress }: Options) =>
  Effect.gen(function* () {
    const workspace = `${filename}.workspace`
    for (const file of [filename, workspace, `${filename}.plugins`]) {
      if (fs.existsSync(file)) return yield* new LogExists({ file })
    }
    const paths = { filename, workspace, seed, sandbox }
    const plan = Plan.plan(tasks, seed)
    let done = 0
    const onDone = Effect.suspend(() => onProgress(++done, tasks))

    // The log is opened first, because its error describes a wrong path best.
    yield* Effect.gen(function* () {
      fs.mkdirSync(workspace, { mode: OwnerOnly.DIRECTORY_MODE })
      if (plan.cutOff.length === 0) return
      yield* Start.andKill({ tasks, ...paths }, plan, onDone)
      done += plan.cutOff.length
    }).pipe(Effect.provide(layerSqlite({ filename })))
    yield* Season.afterTheCrash(paths, plan, onDone)
    return yield* Effect.gen(function* () {
      const scoreSets = yield* Rescored.rescore(plan)
      return { workspace, scoreSets, ...(yield* Contents.gather) } satisfies History
    }).pipe(Effect.provide(Hindcast.layerLog({ log: filename, workspace })))
  })
