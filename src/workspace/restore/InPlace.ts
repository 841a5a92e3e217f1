/** Plans a restore over the present files, and carries out its steps, one by one. Synchronous; follows no link. */

import * as fs from "node:fs"
import * as path from "node:path"
import * as Content from "../history/Content.ts"
import type { OwnChange } from "../model/Changes.ts"
import type { Tree } from "../model/Entry.ts"
import { isOneOf } from "../Snapshots.ts"
import * as IgnoreRules from "../scan/IgnoreRules.ts"
import * as IgnoredThen from "./IgnoredThen.ts"
import * as Removal from "./Removal.ts"
import { attempt, bytesOf } from "./RestoreInto.ts"
import * as RestorePlan from "./RestorePlan.ts"
import * as WrittenFile from "./WrittenFile.ts"

export interface Planning {
  /** An absolute path without links. */
  readonly root: string
  /** The files of a snapshot that was just taken. */
  readonly present: Tree
  readonly recorded: Tree
  readonly store: Content.Contents & { readonly has: (digest: string) => boolean }
  /** Files of the recorder, by absolute paths. */
  readonly own: ReadonlyArray<string>
  readonly evidence: Removal.Evidence
  /** Whether the present contents will be in the store before a step runs. */
  readonly willHold: boolean
}

/** Plans a restore. Also looks at files that the snapshot lacks. */
export const plan = ({ root, present, recorded, store, own, evidence, willHold }: Planning): RestorePlan.Plan => {
  const isOfRecorder = isOneOf(own)
  const held = new Set(willHold ? [...present.values()].flatMap(({ digest }) => digest ?? []) : [])
  return RestorePlan.of({
    present,
    recorded,
    has: (digest) => store.has(digest) || (held.has(digest) && store.isPurged?.(digest) !== true),
    inTheWay: unseenAt(root, present),
    whyKept: (file, entry) => Removal.whyNot(file, entry, evidence),
    isOwn: (file) => file.split("/").includes(".hindcast") || isOfRecorder(WrittenFile.placeIn(root, file)),
  })
}

/** The files that steps add and that the present rules hide: a snapshot could not show that nothing was there. */
export const unhidden = (
  root: string,
  steps: ReadonlyArray<OwnChange>,
  present: Tree,
  contents: Content.Contents,
): ReadonlyArray<string> => {
  const isIgnoredToday = IgnoreRules.outside(root)
  const isIgnored = IgnoredThen.of({ tree: present, contents, outerRules: [], isIgnoredToday, unread: new Set() })
  return steps.flatMap((step) => (step.kind === "added" && isIgnored(step.path) ? [step.path] : []))
}

export interface Place {
  /** An absolute path without links. */
  readonly root: string
  readonly contents: Content.Contents
  /** A directory that stays even if it becomes empty, because a program works in it. */
  readonly stays: string
}

/**
 * Carries out a step, or says why it left the path alone. Looks at the file right before: if it differs from the plan,
 * somebody wrote it in the meantime, and it stays.
 */
export const carryOut = (place: Place, step: OwnChange): string | undefined =>
  attempt(() => {
    const { root, contents } = place
    if (step.kind === "added") {
      const bytes = bytesOf(Content.of(step.after, contents))
      if (typeof bytes === "string") return bytes
      return added(() => {
        makeRoom(place, step.path)
        WrittenFile.write(root, step.path, step.after, bytes, "add")
      })
    }
    const held = bytesOf(Content.of(step.before, contents))
    if (typeof held === "string") return `its present content is in no snapshot: ${held}`
    if (step.kind === "removed") return changedSince(place, step) ?? remove(place, step.path)
    const bytes = bytesOf(Content.of(step.after, contents))
    if (typeof bytes === "string") return bytes
    const why = changedSince(place, step)
    if (why !== undefined) return why
    if (step.kind !== "mode")
      // Checked again, because writing takes longer than replacing: an editor may save in between.
      return WrittenFile.write(root, step.path, step.after, bytes, "replace", () => changedSince(place, step))
    WrittenFile.setMode(root, step.path, step.after)
    return undefined
  })

const changedSince = ({ root }: Place, { path, before }: Exclude<OwnChange, { kind: "added" }>): string | undefined => {
  const difference = WrittenFile.difference(root, path, before)
  return difference === undefined ? undefined : `it changed after the snapshot: ${difference}`
}

const added = (write: () => unknown): string | undefined => {
  try {
    write()
    return undefined
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "EEXIST") return "something else is in its place"
    throw cause
  }
}

/** Removes a directory in the place of a file if it contains no file: directories are not recorded. */
const makeRoom = ({ root, stays }: Place, file: string): void => {
  const place = WrittenFile.placeIn(root, file)
  if (!WrittenFile.isReachable(root, file) || !isWithoutFiles(place)) return
  if (stays === place || stays.startsWith(place + path.sep)) return
  removeDirectories(place)
}

/** Whether a path is a directory that contains nothing but such directories. */
const isWithoutFiles = (place: string): boolean =>
  fs.lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true &&
  fs.readdirSync(place).every((name) => isWithoutFiles(path.join(place, name)))

/** Removes directories from the deepest up. The system refuses one that has received a file. */
const removeDirectories = (place: string): void => {
  for (const name of fs.readdirSync(place)) removeDirectories(path.join(place, name))
  fs.rmdirSync(place)
}

/** Removes a file, and the directories above it that become empty. */
const remove = ({ root, stays }: Place, file: string): undefined => {
  fs.unlinkSync(WrittenFile.placeIn(root, file))
  for (const directory of RestorePlan.directoriesOf(file).toReversed()) {
    const place = WrittenFile.placeIn(root, directory)
    if (stays === place || stays.startsWith(place + path.sep)) return
    try {
      fs.rmdirSync(place)
    } catch {
      // It is not empty, or may not be removed: directories are not recorded.
      return
    }
  }
}

/** The difference between the disk and a step's intended result. */
export const difference = (root: string, step: OwnChange): string | undefined =>
  attempt(() => {
    if (step.kind !== "removed") return WrittenFile.difference(root, step.path, step.after)
    if (!WrittenFile.isReachable(root, step.path)) return undefined
    const place = WrittenFile.placeIn(root, step.path)
    const found = fs.lstatSync(place, { throwIfNoEntry: false })
    // A directory in its place belongs to another step, or to somebody else.
    if (found === undefined || found.isDirectory()) return undefined
    // A file system may find it under a name in other case.
    return fs.readdirSync(path.dirname(place)).includes(path.basename(place)) ? "it is there" : undefined
  })

/** Words for something on the disk at a path that no snapshot contains. For paths that the present tree lacks. */
const unseenAt = (root: string, present: Tree): ((file: string) => string | undefined) => {
  const directories = new Set<string>()
  const names = new Set<string>()
  for (const file of present.keys()) {
    names.add(RestorePlan.folded(file))
    for (const directory of RestorePlan.directoriesOf(file)) directories.add(RestorePlan.folded(directory))
  }
  return (file) =>
    attempt(() => {
      for (const one of [...RestorePlan.directoriesOf(file), file]) {
        const found = fs.lstatSync(WrittenFile.placeIn(root, one), { throwIfNoEntry: false })
        // A step removes the file of the present tree first.
        if (found === undefined || names.has(RestorePlan.folded(one))) return undefined
        if (one !== file && !found.isDirectory()) return `${one} is no directory, and in no snapshot`
        if (one !== file) continue
        if (!found.isDirectory()) return "something that no snapshot holds is in its place"
        if (directories.has(RestorePlan.folded(one))) return undefined
        return isWithoutFiles(WrittenFile.placeIn(root, one)) ? undefined : "a directory is in its place"
      }
      return undefined
    })
}
