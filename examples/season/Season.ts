/**
 * A season: many tasks by agents of different skill in several worlds, a crash in between, and their scores.
 * `hindcast demo --tasks N` writes it. It is also an example of a program that embeds Hindcast by the package's public
 * names only.
 */
import * as fs from "node:fs"
import { Data, Effect } from "effect"
import { EventLog, Hindcast } from "hindcast"
import * as Contents from "./Contents.ts"
import * as Crash from "./Crash.ts"
import * as Kernels from "./Kernels.ts"
import * as Plan from "./Plan.ts"
import * as ScoreSets from "./ScoreSets.ts"

export { INCIDENTS, type Incident, type SeasonContents } from "./Contents.ts"

/**
 * The log's file or one of its directories exists; a season needs a new log. Name another file or move this one away.
 */
export class LogExists extends Data.TaggedError("LogExists")<{ readonly file: string }> {
  override get message() {
    return `${this.file}: a season needs a new log, and this path exists already. Move it away, or name another log with --log FILE.`
  }
}

export interface SeasonOptions extends Omit<Kernels.SeasonPaths, "workspace"> {
  readonly tasks: number
  readonly onProgress: (done: number, of: number) => Effect.Effect<void>
}

/** The contents of a written season. */
export interface Season extends Contents.SeasonContents {
  /** The directory that the agent `clerk` works in. */
  readonly workspace: string
  readonly scoreSets: Effect.Effect.Success<ReturnType<typeof ScoreSets.rescore>>
}

/**
 * Writes a log of many tasks, by agents of different skill in several environments, with failures of all kinds.
 * Kernels, plugin processes and confirmations are real, and the first kernel is killed. The same `tasks` and `seed`
 * give the same tasks with the same events in the same order; ids, times, process ids and paths differ. After an
 * interrupt, the log is readable and no process is left.
 */
export const write = ({ filename, tasks, seed, sandbox, onProgress }: SeasonOptions) =>
  Effect.gen(function* () {
    const workspace = `${filename}.workspace`
    for (const file of [filename, workspace, `${filename}.plugins`]) {
      if (fs.existsSync(file)) return yield* new LogExists({ file })
    }
    const paths = { filename, workspace, seed, sandbox }
    const plan = Plan.plan(tasks, seed)
    let done = 0
    const onDone = Effect.suspend(() => onProgress(++done, tasks))

    // Open the log first: its error describes a wrong path best.
    yield* Effect.gen(function* () {
      fs.mkdirSync(workspace, { mode: OWNER_ONLY })
      if (plan.cutOff.length === 0) return
      yield* Crash.startAndKill({ tasks, ...paths }, plan, onDone)
      done += plan.cutOff.length
    }).pipe(Effect.provide(EventLog.layerSqlite({ filename })))
    yield* Kernels.afterTheCrash(paths, plan, onDone)
    return yield* Effect.gen(function* () {
      const scoreSets = yield* ScoreSets.rescore(plan)
      return { workspace, scoreSets, ...(yield* Contents.gather) } satisfies Season
    }).pipe(Effect.provide(Hindcast.layerLog({ log: filename, workspace })))
  })

/** Access for the owner only. */
const OWNER_ONLY = 0o700
