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

/** Name another file, or move this one away: a history begins with its log. */
export class LogExists extends Data.TaggedError("LogExists")<{ readonly file: string }> {
  override get message() {
    return `${this.file}: expected nothing of this name, for a history begins its own log, found that it exists. Move it away, or name another log with --log FILE.`
  }
}

/** What a history is made of. */
export interface Options {
  readonly filename: string
  readonly tasks: number
  readonly seed: number
  readonly sandbox: Wanted
  /** Told after each task that was closed. */
  readonly onProgress: (done: number, of: number) => Effect.Effect<void>
}

/** A history as it was written. */
export interface History extends Contents.SeasonContents {
  /** The directory of the clerk's files. */
  readonly workspace: string
  readonly scoreSets: Effect.Effect.Success<ReturnType<typeof Rescored.rescore>>
}

/**
 * Writes the log of many tasks, done by agents of differing skill in several worlds, with all that goes wrong on the way.
 * Everything is real: kernels, plugins' processes, questions that are answered or not, and a first kernel that is killed in
 * the middle. The same number and seed give the same tasks with the same events in the same order; ids, times, process ids
 * and paths differ. Interrupted, it leaves a log that opens, and no process.
 */
export const write = ({ filename, tasks, seed, sandbox, onProgress }: Options) =>
  Effect.gen(function* () {
    const workspace = `${filename}.workspace`
    for (const file of [filename, workspace, `${filename}.plugins`]) {
      if (fs.existsSync(file)) return yield* new LogExists({ file })
    }
    const place = { filename, workspace, seed, sandbox }
    const plan = Plan.plan(tasks, seed)
    let done = 0
    const onDone = Effect.suspend(() => onProgress(++done, tasks))

    // The log first: it says best what is wrong with its place.
    yield* Effect.gen(function* () {
      fs.mkdirSync(workspace, { mode: OwnerOnly.DIRECTORY_MODE })
      if (plan.cutOff.length === 0) return
      yield* Start.andKill({ tasks, ...place }, plan, onDone)
      done += plan.cutOff.length
    }).pipe(Effect.provide(layerSqlite({ filename })))
    yield* Season.afterTheCrash(place, plan, onDone)
    return yield* Effect.gen(function* () {
      const scoreSets = yield* Rescored.rescore(plan)
      return { workspace, scoreSets, ...(yield* Contents.gather) } satisfies History
    }).pipe(Effect.provide(Hindcast.layerLog({ log: filename, workspace })))
  })
