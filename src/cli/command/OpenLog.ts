/** Opens a command's log for reading or writing, or creates it. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Context, Data, Effect, Either, Layer, Option } from "effect"
import { LogFormatUnsupported } from "../../events/log/EventLog.ts"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import type { PostgresOptions } from "../../events/postgres/options.ts"
import * as SqliteEventLog from "../../events/sqlite/SqliteEventLog.ts"
import * as GitIndex from "../../platform/git/GitIndex.ts"
import { userAsActor } from "../../platform/user/Machine.ts"
import * as Projector from "../../projections/projector/Projector.ts"
import * as Unfinished from "../../projections/unfinished/Unfinished.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import { BadInput } from "./BadInput.ts"
import { flag } from "./CommonOptions.ts"
import * as HooksLog from "./HooksLog.ts"
import * as Output from "./Output.ts"
import * as LogAtFirstAppend from "./opening/LogAtFirstAppend.ts"

export class LogMissing extends Data.TaggedError("LogMissing")<{ readonly log: string }> {
  override get message() {
    return `${this.log}: expected a log, found no such file. Name one with --log FILE or HINDCAST_LOG; \`hindcast record -- COMMAND\`, \`hindcast import PATH\` and \`hindcast run --agent FILE --goal TEXT\` create one.`
  }
}

export class WorkspaceMissing extends Data.TaggedError("WorkspaceMissing")<{ readonly workspace: string }> {
  override get message() {
    return `--workspace ${this.workspace}: expected a directory, found none. Create it, or name another.`
  }
}

const nameOf = (log: Option.Option<string>): string =>
  Option.getOrElse(log, () => process.env.HINDCAST_LOG || path.join(".hindcast", "log.db"))

/**
 * The absolute path of the log: `--log`, else `HINDCAST_LOG`, else `.hindcast/log.db`. For a log on a server, a path
 * that no log has; `fileOf` refuses it.
 */
export const filenameOf = (log: Option.Option<string>): string => {
  const name = nameOf(log)
  return path.resolve(ServerUrl.isAddress(name) ? ServerUrl.shown(name) : name)
}

/** The log for messages: an absolute path, or a URL without a password. */
export const shownOf = (log: Option.Option<string>): string => {
  const name = nameOf(log)
  return ServerUrl.isAddress(name) ? ServerUrl.shown(name) : path.resolve(name)
}

/**
 * The URL of a log on a PostgreSQL server; undefined for a log in a file. Refuses a password among the arguments, which
 * other users of the machine can see.
 */
export const serverOf = (log: Option.Option<string>): Effect.Effect<string | undefined, BadInput> =>
  Effect.gen(function* () {
    const url = nameOf(log)
    if (!ServerUrl.isAddress(url)) return undefined
    const input = ServerUrl.shown(url)
    const { parse } = yield* Effect.promise(() => import("../../events/postgres/server/address.ts"))
    const address = parse(url)
    if (Either.isLeft(address))
      return yield* new BadInput({ input, expected: "the URL of a log", found: `a mistake: ${address.left}` })
    if (address.right.password !== undefined && process.argv.some((word) => word.includes(url)))
      return yield* new BadInput({
        input,
        expected: "a URL without a password, because other users of this machine see the arguments of commands",
        found: "one with a password",
        advice:
          "Set PGPASSWORD, write a file that PGPASSFILE names (~/.pgpass), or put the whole URL into HINDCAST_LOG.",
      })
    return url
  })

/** The modules of a server load only for a log on one. */
const postgres = (options: PostgresOptions) =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("../../events/postgres/layer.ts")),
      ({ layer }) => layer(options),
    ),
  )

/** For commands that need a log in a file. */
const inFile = (log: Option.Option<string>): Effect.Effect<void, BadInput> =>
  Effect.flatMap(serverOf(log), (url) =>
    url === undefined
      ? Effect.void
      : new BadInput({
          input: ServerUrl.shown(url),
          expected: "a log in a file, which this command needs",
          found: "one on a PostgreSQL server",
          advice: "The command log copy copies it to a file.",
        }),
  )

/** The path of a log that may not exist yet. Fails for a log on a server, and if the path is a directory or cannot hold a file. */
export const fileOf = (log: Option.Option<string>): Effect.Effect<string, BadInput> =>
  Effect.zipRight(
    inFile(log),
    Effect.suspend(() => {
      const input = filenameOf(log)
      try {
        return fs.statSync(input).isDirectory()
          ? new BadInput({ input, expected: "a file", found: "a directory" })
          : Effect.succeed(input)
      } catch (cause) {
        const found = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
        return found === "ENOENT"
          ? Effect.succeed(input)
          : new BadInput({ input, expected: "a possible path of a file", found })
      }
    }),
  )

/** A log for commands that run a kernel on it. */
export interface LogPlace {
  /** The absolute path of a file, or the URL of a server, which may have a password. */
  readonly open: string
  /** The same for messages, without a password. */
  readonly name: string
}

/** Where a log is that may not exist yet. */
export const placeOf = (log: Option.Option<string>): Effect.Effect<LogPlace, BadInput> =>
  Effect.flatMap(serverOf(log), (url) => (url === undefined ? inPlace(fileOf(log)) : Effect.succeed(onServer(url))))

/** Where an existing log is. Opening tells whether one is on a server. */
export const existingPlace = (log: Option.Option<string>): Effect.Effect<LogPlace, BadInput | LogMissing> =>
  Effect.flatMap(serverOf(log), (url) => (url === undefined ? inPlace(existing(log)) : Effect.succeed(onServer(url))))

/** Where an existing log to look at is: by default also that of the hooks. */
export const placeToLookAt = (log: Option.Option<string>): Effect.Effect<LogPlace, BadInput | LogMissing> =>
  Effect.flatMap(serverToLookAt(log), (url) =>
    url === undefined ? inPlace(toLookAt(log)) : Effect.succeed(onServer(url)),
  )

/** Refuses a log on a server to a command that records files, whose contents are next to a log's file. */
export const keepingFiles = ({ open, name }: LogPlace, input: string): Effect.Effect<void, BadInput> =>
  ServerUrl.isAddress(open)
    ? new BadInput({
        input,
        expected: "a log in a file, next to which the contents of files are kept",
        found: `the log ${name}`,
      })
    : Effect.void

/** The server of a log to look at: by default also of the hooks' log. */
const serverToLookAt = (log: Option.Option<string>) =>
  Effect.tap(serverOf(HooksLog.orOfHooks(log)), (url) => (url === undefined ? Effect.void : HooksLog.say(url)))

const inPlace = <E>(file: Effect.Effect<string, E>) =>
  Effect.map(file, (filename) => ({ open: filename, name: filename }))

const onServer = (url: string): LogPlace => ({ open: url, name: ServerUrl.shown(url) })

export const existing = (log: Option.Option<string>): Effect.Effect<string, BadInput | LogMissing> =>
  Effect.filterOrFail(fileOf(log), fs.existsSync, (filename) => new LogMissing({ log: filename })).pipe(
    Effect.tap(HooksLog.say),
  )

/** The path of an existing log to look at: by default also that of the hooks (`HooksLog`). */
export const toLookAt = (log: Option.Option<string>) => Effect.suspend(() => existing(HooksLog.orOfHooks(log)))

/**
 * The path of an existing log, for writing. Refuses an empty file, which opening for writing would turn into a log.
 * With a write-ahead log next to it, the error of opening says what to do.
 */
const existingForWriting = (log: Option.Option<string>) =>
  Effect.filterOrFail(
    existing(log),
    (filename) => fs.statSync(filename).size > 0 || fs.existsSync(`${filename}-wal`),
    (filename) => new LogFormatUnsupported({ log: filename, found: "an empty file" }),
  )

export const workspaceOf = (workspace: Option.Option<string>): Effect.Effect<string, WorkspaceMissing> =>
  Effect.suspend(() => {
    const directory = path.resolve(Option.getOrElse(workspace, () => "."))
    const found = fs.statSync(directory, { throwIfNoEntry: false })
    return found?.isDirectory() === true ? Effect.succeed(directory) : new WorkspaceMissing({ workspace: directory })
  })

/**
 * Opens an existing log read-only, for its events and their projections. Loads neither the kernel's modules nor those
 * for questions about the past. Decrypts personal data: the holder of the keys is looking. To write a file, use
 * `forSharing`.
 */
export const forEvents = (log: Option.Option<string>) => reading(log, true)

/**
 * Like `forEvents`, with the services for questions about the past. With `personal: false`, no key is at hand, so
 * reads, folds and lookups yield no personal data.
 */
export const forPast = (log: Option.Option<string>, { personal = true }: { readonly personal?: boolean } = {}) =>
  Layer.provideMerge(
    Layer.unwrapEffect(Effect.promise(async () => (await import("../../projections/timetravel/TimeTravel.ts")).layer)),
    reading(log, personal),
  )

/**
 * Marks a log that was opened to write some of it to a file. `OutputFile` requires it, so that no other log ends up in
 * a file.
 */
export class Shared extends Context.Tag("hindcast/cli/SharedLog")<Shared, { readonly decrypted: boolean }>() {}

export const decrypt = flag(
  "decrypt",
  "Write personal data as plain text where its keys still exist. The file stays readable after a key is destroyed",
)

/**
 * Opens an existing log as `forEvents` does, for writing some of it to a file for others. Unless `decrypted` is set, no
 * key is at hand, so reads, folds and lookups yield no personal data.
 */
export const forSharing = (log: Option.Option<string>, { decrypted }: { readonly decrypted: boolean }) =>
  Layer.merge(reading(log, decrypted), Layer.succeed(Shared, { decrypted }))

/** Like `forSharing`, with the services for questions about the past. */
export const forPastSharing = (log: Option.Option<string>, { decrypted }: { readonly decrypted: boolean }) =>
  Layer.merge(forPast(log, { personal: decrypted }), Layer.succeed(Shared, { decrypted }))

const reading = (log: Option.Option<string>, personal: boolean) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const url = yield* serverToLookAt(log)
      const events =
        url === undefined
          ? SqliteEventLog.layer({ filename: yield* toLookAt(log), readonly: true, personal })
          : postgres({ url, readonly: true, personal })
      return Layer.provideMerge(Projector.layerSharing(Unfinished.projection), events)
    }),
  )

/**
 * Opens a log to append events. The first append creates a log that does not exist. With `dryRun`, such a log is empty
 * and in memory.
 */
export const orCreateForEvents = (log: Option.Option<string>, dryRun: boolean) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const url = yield* serverOf(log)
      if (url !== undefined) return postgres({ url, readonly: dryRun })
      const filename = yield* fileOf(log)
      if (!dryRun) yield* warnTracked(filename)
      if (fs.existsSync(filename)) return SqliteEventLog.layer({ filename, readonly: dryRun })
      if (!dryRun) return LogAtFirstAppend.layer(filename)
      return Layer.unwrapEffect(
        Effect.promise(async () => (await import("../../events/memory/MemoryEventLog.ts")).layer()),
      )
    }),
  )

/** Opens an existing log read-only. Creates and changes nothing. */
export const forReading = (log: Option.Option<string>) => open(log, { readonly: true, mustExist: true })

/** Opens an existing log for appends that need no lease. With `personal: false`, reads yield no personal data. */
export const forWriting = (
  log: Option.Option<string>,
  workspace?: Option.Option<string>,
  { personal = true }: { readonly personal?: boolean } = {},
) => open(log, { readonly: false, mustExist: true, personal }, workspace)

/** Opens or creates a log for appends that need no lease. */
export const orCreate = (log: Option.Option<string>, workspace?: Option.Option<string>) =>
  open(log, { readonly: false, mustExist: false }, workspace)

const open = (
  log: Option.Option<string>,
  {
    readonly,
    mustExist,
    personal = true,
  }: { readonly readonly: boolean; readonly mustExist: boolean; readonly personal?: boolean },
  workspace: Option.Option<string> = Option.none(),
) => {
  const found = !mustExist ? fileOf(log) : readonly ? toLookAt(log) : existingForWriting(log)
  const fileToOpen = Effect.tap(found, readonly ? () => Effect.void : warnTracked)
  return Layer.unwrapEffect(
    Effect.gen(function* () {
      const url = yield* readonly ? serverToLookAt(log) : serverOf(log)
      const { layerLog } = yield* Effect.promise(() => import("../../kernel/Hindcast.ts"))
      return layerLog({
        log:
          url === undefined
            ? { filename: yield* fileToOpen, readonly, personal }
            : { url, readonly, create: !mustExist, personal },
        workspace: yield* workspaceOf(workspace),
        actor: userAsActor(),
      })
    }),
  )
}

const warned = new Set<string>()

/** Warns once if Git tracks a log's file, a file next to it, or anything in its `.hindcast`. Never fails. */
export const warnTracked = (filename: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (warned.has(filename) || ServerUrl.isAddress(filename)) return Effect.void
    const directory = path.dirname(filename)
    if (!fs.existsSync(directory)) return Effect.void
    const real = path.join(fs.realpathSync(directory), path.basename(filename))
    const own = path.basename(path.dirname(real)) === ".hindcast" ? path.dirname(real) : undefined
    const found = GitIndex.firstTracked(directory, (file) => {
      if (own !== undefined) return file.startsWith(own + path.sep)
      return file === real || [".", "-"].some((mark) => file.startsWith(real + mark))
    })
    if (found === undefined) return Effect.void
    warned.add(filename)
    const kept = path.relative(found.repository, own ?? real)
    const untrack = `git -C ${quoteWord(found.repository)} rm -r -q --cached ${quoteWord(own === undefined ? found.file : kept)}`
    return Output.note(
      `warning: Git tracks ${found.file}: everyone who clones the repository gets your log, and the copy in a clone is foreign. To keep it out, run \`${untrack}\` and add the line ${kept}${own === undefined ? "*" : "/"} to .gitignore.`,
    )
  })
