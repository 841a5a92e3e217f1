import * as fs from "node:fs"
import * as path from "node:path"
import { Data, Effect, Layer, Option } from "effect"
import * as SqliteEventLog from "../events/sqlite/SqliteEventLog.ts"
import * as Projector from "../projections/Projector.ts"
import * as TimeTravel from "../projections/TimeTravel.ts"
import { BadInput } from "./BadInput.ts"
import { personAsActor } from "./Person.ts"

/** Name another file: there is none here. */
export class LogMissing extends Data.TaggedError("LogMissing")<{ readonly log: string }> {
  override get message() {
    return `${this.log}: expected a log, found no such file. Name one with --log FILE or HINDCAST_LOG; \`hindcast run\` and \`hindcast plugin add\` make a new one.`
  }
}

/** Name another directory: plugins cannot work in this one. */
export class WorkspaceMissing extends Data.TaggedError("WorkspaceMissing")<{ readonly workspace: string }> {
  override get message() {
    return `--workspace ${this.workspace}: expected a directory, found none. Make it, or name another.`
  }
}

/** The log that a command is about: `--log`, else `HINDCAST_LOG`, else `.hindcast/log.db`. An absolute path. */
export const filenameOf = (log: Option.Option<string>): string =>
  path.resolve(Option.getOrElse(log, () => process.env.HINDCAST_LOG || path.join(".hindcast", "log.db")))

/** The log that a command is about, which may still have to be made, and is no directory. */
export const fileOf = (log: Option.Option<string>): Effect.Effect<string, BadInput> =>
  Effect.suspend(() => {
    const filename = filenameOf(log)
    const found = fs.statSync(filename, { throwIfNoEntry: false })
    return found?.isDirectory() === true
      ? new BadInput({ input: filename, expected: "a file", found: "a directory" })
      : Effect.succeed(filename)
  })

/** The same of one that is there. */
export const existing = (log: Option.Option<string>): Effect.Effect<string, BadInput | LogMissing> =>
  Effect.filterOrFail(fileOf(log), fs.existsSync, (filename) => new LogMissing({ log: filename }))

/** A directory that exists, as an absolute path. */
export const workspaceOf = (workspace: Option.Option<string>): Effect.Effect<string, WorkspaceMissing> =>
  Effect.suspend(() => {
    const directory = path.resolve(Option.getOrElse(workspace, () => "."))
    const found = fs.statSync(directory, { throwIfNoEntry: false })
    return found?.isDirectory() === true ? Effect.succeed(directory) : new WorkspaceMissing({ workspace: directory })
  })

/** Opens a log that exists for its events and their projections alone: nothing else of Hindcast is loaded, created or changed. */
export const forEvents = (log: Option.Option<string>) =>
  Layer.unwrapEffect(
    Effect.map(existing(log), (filename) =>
      Layer.provideMerge(
        TimeTravel.layer,
        Layer.provideMerge(Projector.layer, SqliteEventLog.layer({ filename, readonly: true })),
      ),
    ),
  )

/** Opens a log that exists for looking at it: nothing is created or changed. */
export const forReading = (log: Option.Option<string>) => open(log, { readonly: true, mustExist: true })

/** Opens a log that exists for appending what needs no lease. */
export const forWriting = (log: Option.Option<string>, workspace?: Option.Option<string>) =>
  open(log, { readonly: false, mustExist: true }, workspace)

/** Opens a log for appending what needs no lease, and makes it where it does not exist. */
export const orCreate = (log: Option.Option<string>, workspace?: Option.Option<string>) =>
  open(log, { readonly: false, mustExist: false }, workspace)

const open = (
  log: Option.Option<string>,
  { readonly, mustExist }: { readonly readonly: boolean; readonly mustExist: boolean },
  workspace: Option.Option<string> = Option.none(),
) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const filename = yield* fileOf(log)
      if (mustExist && !fs.existsSync(filename)) return yield* new LogMissing({ log: filename })
      const { layerLog } = yield* Effect.promise(() => import("../kernel/Hindcast.ts"))
      return layerLog({
        log: { filename, readonly },
        workspace: yield* workspaceOf(workspace),
        actor: personAsActor(),
      })
    }),
  )
