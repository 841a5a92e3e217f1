/** The directory in which a fork starts: the files of the moment, and copies of files that snapshots leave out. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect } from "effect"
import * as GitIndex from "../../../platform/git/GitIndex.ts"
import { realpathOfExisting } from "../../../platform/realpath.ts"
import * as CopiedFiles from "../../../workspace/bisect/CopiedFiles.ts"
import type { Tree } from "../../../workspace/model/Entry.ts"
import type { RecordedFiles } from "../../../workspace/questions/RecordedFiles.ts"
import * as RestoredFiles from "../../../workspace/questions/RestoredFiles.ts"
import * as NotRecorded from "../../../workspace/restore/NotRecorded.ts"
import type * as RestoreInto from "../../../workspace/restore/RestoreInto.ts"
import { BadInput } from "../../command/BadInput.ts"

export interface ForkDirectory {
  /** An absolute path without links. */
  readonly directory: string
  readonly restored: number
  /** Files that the recorder left out on purpose, such as secrets. */
  readonly omitted: ReadonlyArray<RestoreInto.Left>
  /** Files that should be there. */
  readonly lost: ReadonlyArray<RestoreInto.Left>
  /** Names in the workspace that are neither among the recorded files nor among the copies. */
  readonly missing: ReadonlyArray<string>
}

export interface Places {
  readonly directory: string
  /** The first prompt, next to the directory. */
  readonly handover: string
  /** Removes everything that the fork created. */
  readonly remove: () => void
}

/** Where to write. After a failure, `remove` leaves nothing. */
export const placesFor = (into: string | undefined, root: string) =>
  Effect.gen(function* () {
    if (into === undefined) {
      const own = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "hindcast-fork-"))
      const remove = () => fs.rmSync(own, { recursive: true, force: true })
      return { directory: path.join(own, nameFor(root)), handover: path.join(own, HANDOVER), remove }
    }
    const directory = yield* Effect.promise(() => realpathOfExisting(path.resolve(into)))
    const repository = yield* Effect.try({
      try: () => GitIndex.repositoryAround(path.dirname(directory))?.root,
      catch: (cause) => {
        const found = cause instanceof Error ? cause.message : String(cause)
        return new BadInput({ input: `--into ${into}`, expected: "a place that you can read", found })
      },
    })
    if (repository !== undefined)
      return yield* new BadInput({
        input: `--into ${into}`,
        expected: "a directory outside of every Git repository",
        found: `one in ${repository}, to which a session there would belong`,
        advice: "Without --into, it is a new one below the directory for temporary files.",
      })
    const handover = `${directory}.${HANDOVER}`
    if (fs.existsSync(handover))
      return yield* new BadInput({ input: `--into ${into}`, expected: `no file ${handover}`, found: "one" })
    return { directory, handover, remove: removing(directory, handover) } satisfies Places
  })

/** The recorded directory's name, unless it leads elsewhere or to the first prompt. */
const nameFor = (root: string): string => {
  const name = path.basename(root)
  return /^\.*$/.test(name) || name.toLowerCase() === HANDOVER ? "files" : name
}

/** Keeps an empty directory that was there before, and every file of somebody else. */
const removing = (directory: string, handover: string): (() => void) => {
  const force = { recursive: true, force: true } as const
  const found = fs.lstatSync(directory, { throwIfNoEntry: false })
  if (found === undefined) {
    const first = firstMissing(directory)
    return () => {
      fs.rmSync(handover, { force: true })
      fs.rmSync(directory, force)
      for (let above = path.dirname(directory); above.length >= first.length; above = path.dirname(above))
        if (!removedEmpty(above)) return
    }
  }
  if (!found.isDirectory() || fs.readdirSync(directory).length > 0) return () => {}
  return () => {
    fs.rmSync(handover, { force: true })
    for (const name of fs.readdirSync(directory)) fs.rmSync(path.join(directory, name), force)
  }
}

const firstMissing = (place: string): string => {
  const parent = path.dirname(place)
  return fs.existsSync(parent) ? place : firstMissing(parent)
}

const removedEmpty = (directory: string): boolean => {
  try {
    fs.rmdirSync(directory)
    return true
  } catch {
    // Somebody else has put a file there.
    return false
  }
}

const HANDOVER = "conversation.md"

/** Reads the files to copy. Runs before any writing, so that a mistyped path leaves nothing. */
export const copiesFor = (root: string, paths: ReadonlyArray<string>, tree: Tree) =>
  CopiedFiles.of(
    root,
    paths.map((one) => one.replace(/\/+$/, "")),
    tree,
  )

/** Writes the files. Fails with `DirectoryUnfit` or a system error. */
export const write = ({ directory }: Places, tree: Tree, copies: CopiedFiles.CopiedFiles, recorded: RecordedFiles) =>
  Effect.gen(function* () {
    const { store } = recorded
    const whole = new Map([...tree, ...copies.tree])
    const contents = {
      get: (digest: string) => store.get(digest) ?? copies.contents.get(digest),
      isPurged: (digest: string) => store.isPurged(digest),
    }
    const written = yield* RestoredFiles.write(directory, whole, contents)
    const isOmitted = ({ path: file }: RestoreInto.Left) => whole.get(file)?.omitted !== undefined
    return {
      directory: written.directory,
      restored: written.restored.length,
      omitted: written.left.filter(isOmitted),
      lost: written.left.filter((one) => !isOmitted(one)),
      missing: yield* NotRecorded.namesIn(recorded, tree, copies.tree),
    } satisfies ForkDirectory
  })
