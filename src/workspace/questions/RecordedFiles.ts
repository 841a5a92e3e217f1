/** Opens the recorded files of a workspace at a moment: its looks, the store of contents, and the typed path. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Data, Effect } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { isInside } from "../../plugins/manifest/paths.ts"
import { NO_SNAPSHOTS } from "../../projections/state/files/FileStates.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import * as FileVersions from "../history/FileVersions.ts"
import * as Looks from "../history/Looks.ts"
import type { Tree } from "../model/Entry.ts"
import { ContentStore } from "../store/ContentStore.ts"
import { fileOf, reading, StoreUnavailable } from "../store/StoreFile.ts"

export { reading } from "../store/StoreFile.ts"

/** The log contains no task with recorded files, or the named task has none. `found` says which, in words. */
export class NoFilesRecorded extends Data.TaggedError("NoFilesRecorded")<{ readonly found: string }> {
  override get message() {
    return `Expected a task whose files were recorded, found ${this.found}. \`hindcast hooks install CLIENT\` records the files of each session of a coding agent.`
  }
}

/** No recorded file has this path at the moment. `advice` begins with a space, or is empty. */
export class FileNotRecorded extends Data.TaggedError("FileNotRecorded")<{
  readonly file: string
  readonly found: string
  readonly advice: string
}> {
  override get message() {
    return `${this.file}: expected a recorded file, found ${this.found}.${this.advice}`
  }
}

/** The recorded files of a root up to a position, before its looks are read. */
export interface Opened {
  readonly log: EventLog.Service
  readonly timeline: string
  readonly position: number
  readonly root: string
  /** The looks at the starts of the tasks that worked there: one or more. */
  readonly starts: ReadonlyArray<Looks.Look>
  readonly store: ContentStore
  readonly treeOf: FileVersions.TreeOf
  readonly entryIn: FileVersions.EntryIn
  /** Paths are relative to it, or to the root. */
  readonly directory: string
  /** Paths are those of the log, without a look at the disk. */
  readonly exact: boolean
  /** Present if the recorder could take no snapshot since the last look: later changes are unknown. */
  readonly stopped: Stopped | undefined
}

/** The end of a task's snapshots before the task's end. */
export interface Stopped {
  /** The position of the note about it. */
  readonly at: number
  readonly reason: string
}

export interface RecordedFiles extends Opened {
  /** Of this root, up to the position. */
  readonly looks: ReadonlyArray<Looks.Look>
}

/** The log contains several directories, and nothing shows which one is meant. */
export class WorkspaceUnclear extends Data.TaggedError("WorkspaceUnclear")<{ readonly roots: ReadonlyArray<string> }> {
  override get message() {
    const { roots } = this
    const named = `${roots.slice(0, MAX_ROOTS).join(", ")}${roots.length > MAX_ROOTS ? " …" : ""}`
    return `The workspace: expected a working directory in one of the recorded ones, or --task, found ${roots.length} of them: ${named}.`
  }
}

const MAX_ROOTS = 5

export interface Asked {
  /** Default: now. */
  readonly at?: Moment.Moment | undefined
  /** Only this task's recordings. */
  readonly taskId?: string | undefined
  /** Default: the process's working directory; with `exact`, the directory of the task that began last. */
  readonly directory?: string | undefined
  /**
   * Whether the directory and all paths are exactly those of the log, without a look at the disk, where links may lead
   * elsewhere. Default: paths are as typed in a shell.
   */
  readonly exact?: boolean | undefined
}

/** Why there are no recorded files at a moment. */
export type OpenError =
  | Moment.LocateError
  | Timelines.TimelineNotFound
  | NoFilesRecorded
  | WorkspaceUnclear
  | StoreUnavailable

/** The recorded files at a moment, with all looks. */
export const open = (asked: Asked) => Effect.flatMap(find(asked), withLooks)

/** Reads all looks. */
export const withLooks = (opened: Opened): Effect.Effect<RecordedFiles, LogError> =>
  Effect.map(Looks.since(opened.log, opened.starts, opened.position), (looks) => ({ ...opened, looks }))

/** The looks that the files at the moment depend on. */
export const lastLooks = ({ log, starts, position }: Pick<Opened, "log" | "starts" | "position">) =>
  Looks.ofLastTask(log, starts, position)

/**
 * The recorded files at a moment: those of the workspace around the directory; or else of the moment's task; or else
 * the only recorded ones.
 */
export const find = ({ at, taskId, exact = false, directory }: Asked) =>
  Effect.gen(function* () {
    const { timeline, position } = yield* Moment.locate(at ?? "now")
    const whole = yield* EventLog
    const view = timeline === whole.timeline ? whole : Timelines.view(whole, yield* Timelines.named(whole, timeline))
    const starts = yield* Looks.starts(view, { until: position, taskId })
    if (starts.length === 0)
      return yield* new NoFilesRecorded({ found: taskId === undefined ? `none up to @${position}` : `task ${taskId}` })
    const store = yield* storeOf(whole.name)
    const momentsTask = at === undefined ? undefined : yield* Moment.taskAt(view, position)
    const typed = directory ?? process.cwd()
    const root = exact
      ? (directory ?? starts.at(-1)?.root ?? "")
      : yield* rootOf(starts, momentsTask, real(path.resolve(typed)))
    const trees = new Map<string, Tree | undefined>()
    const treeOf = (base: string) => {
      if (trees.has(base)) return trees.get(base)
      const [oldest] = trees.keys()
      if (trees.size >= MAX_TREES && oldest !== undefined) trees.delete(oldest)
      const tree = store.tree(base)
      trees.set(base, tree)
      return tree
    }
    const entryIn = (base: string, path: string) => store.entryIn(base, path)
    const own = starts.filter((start) => start.root === root)
    const place = { root, directory: exact ? root : typed, exact }
    const opened = { log: view, timeline, position, ...place, starts: own, store, treeOf, entryIn }
    return { ...opened, stopped: yield* stoppedIn(opened) } satisfies Opened
  })

/** Asks the last task that began: the looks matter only if snapshots failed. */
const stoppedIn = (opened: Pick<Opened, "log" | "starts" | "position">) =>
  Effect.gen(function* () {
    const { log, starts, position } = opened
    const taskId = starts.at(-1)?.taskId
    if (taskId === undefined) return undefined
    const query = { timeline: log.timeline, taskId, types: ["CaptureNoted"], until: position }
    const notes = yield* log.readPage(query, MAX_NOTES)
    const [stopped] = notes
      .flatMap((note): ReadonlyArray<Stopped> => {
        const found = is(note, "CaptureNoted")
          ? note.payload.unseen.find(({ what }) => what === NO_SNAPSHOTS)
          : undefined
        return found === undefined ? [] : [{ at: note.position, reason: found.target ?? "nobody knows why" }]
      })
      .slice(-1)
    if (stopped === undefined) return undefined
    const looks = yield* lastLooks(opened)
    return (looks.at(-1)?.event.position ?? 0) < stopped.at ? stopped : undefined
  })

/** A task notes once that snapshots fail. */
const MAX_NOTES = 1_000

/** Trees in memory at once: a log from elsewhere may name any number of them. */
const MAX_TREES = 8

export const storeOf = (log: string) =>
  Effect.acquireRelease(
    reading(() => ContentStore.openReadOnly(fileOf(log))),
    (store) => Effect.sync(() => store?.close()),
  ).pipe(
    Effect.flatMap((store) =>
      store === undefined
        ? new StoreUnavailable({ file: fileOf(log), reason: "there is no such file. Keep it next to the log" })
        : Effect.succeed(store),
    ),
  )

/** The innermost one around the directory; or else that of the moment's task; or else the only one. */
const rootOf = (starts: ReadonlyArray<Looks.Look>, momentsTask: string | null | undefined, directory: string) =>
  Effect.suspend(() => {
    const roots = [...new Set(starts.map(({ root }) => root))]
    const [only = ""] = roots
    if (roots.length === 1) return Effect.succeed(only)
    const [inner] = roots.filter((root) => isInside(directory, root)).sort((one, other) => other.length - one.length)
    const there = starts.findLast(({ taskId }) => taskId === momentsTask)?.root
    const found = inner ?? there
    return found === undefined ? new WorkspaceUnclear({ roots }) : Effect.succeed(found)
  })

/** Resolves links in the part of a path that exists. */
const real = (file: string): string => {
  try {
    return fs.realpathSync(file)
  } catch {
    const parent = path.dirname(file)
    return parent === file ? file : path.join(real(parent), path.basename(file))
  }
}

/**
 * The possible meanings of a typed path, relative to the root: it is relative to the directory, as in a shell, or else
 * to the root. A link at its end is the file itself.
 */
export const meanings = ({ root, directory, exact }: Opened, typed: string): ReadonlyArray<string> => {
  if (exact) return [typed]
  const absolute = path.resolve(directory, typed)
  const file = path.join(real(path.dirname(absolute)), path.basename(absolute))
  const inside = isInside(file, root) ? [portable(path.relative(root, file))] : []
  const fromRoot = path.isAbsolute(typed) ? [] : [portable(path.normalize(typed))]
  return [...new Set([...inside, ...fromRoot])]
}

const portable = (file: string): string => (path.sep === "/" ? file : file.replaceAll(path.sep, "/"))

/** The path of a file that some look knows. */
export const pathOf = (recorded: RecordedFiles, typed: string) =>
  Effect.gen(function* () {
    const { root, looks, treeOf, entryIn } = recorded
    const meant = meanings(recorded, typed)
    const found = yield* reading(() => meant.find((file) => FileVersions.hasPath(looks, file, entryIn)))
    if (found !== undefined) return found
    const recent = looks.filter(({ base }) => base !== undefined).slice(-MAX_STARTS)
    const since = looks.filter(({ event }) => event.position >= (recent[0]?.event.position ?? 0))
    const known = yield* reading(() => FileVersions.pathsIn(since, treeOf))
    const above = meant.find((file) => [...known].some((one) => one.startsWith(`${file}/`)))
    if (above !== undefined) return yield* new FileNotRecorded({ file: typed, found: "a directory", advice: "" })
    const wanted = meant.at(0) ?? typed
    return yield* new FileNotRecorded({ file: typed, found: `none in ${root}`, advice: adviceOn(wanted, known) })
  })

/** Files of the same name elsewhere, or with a similar path. */
const adviceOn = (wanted: string, known: ReadonlySet<string>): string => {
  const name = path.posix.basename(wanted)
  const sameName = [...known].filter((file) => path.posix.basename(file) === name).slice(0, 3)
  if (sameName.length > 0) return ` Did you mean ${sameName.join(" or ")}?`
  return DidYouMean.question(wanted, nearby(wanted, known))
}

/** Comparing takes time, so only paths of about the same length count. */
const nearby = (wanted: string, known: ReadonlySet<string>): ReadonlyArray<string> =>
  [...known].filter((file) => Math.abs(file.length - wanted.length) <= MAX_TYPED_WRONG).slice(0, MAX_COMPARED)

/** Maximum number of tasks whose trees are read for a suggestion. */
const MAX_STARTS = 8

const MAX_TYPED_WRONG = 8
const MAX_COMPARED = 20_000
