/** Finds names in a workspace that snapshots of a moment left out: a directory restored elsewhere lacks them. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Contents } from "../history/Content.ts"
import type { Look } from "../history/Looks.ts"
import type { Tree } from "../model/Entry.ts"
import * as IgnoreRules from "../scan/IgnoreRules.ts"
import { reading, type StoreUnavailable } from "../store/StoreFile.ts"
import * as IgnoredThen from "./IgnoredThen.ts"
import * as RemovalEvidence from "./RemovalEvidence.ts"

export interface Moment {
  readonly root: string
  readonly position: number
  readonly log: Pick<EventLog.Service, "readPage">
  readonly store: Contents
  /** Up to the position. */
  readonly looks: ReadonlyArray<Look>
}

/**
 * Names in the workspace's root now, below which no tree has a file, and of which the moment's snapshots left out a
 * part. Without the names of later files.
 *
 * @param recorded the files of the moment
 */
export const namesIn = (
  { root, position, log, store, looks }: Moment,
  recorded: Tree,
  ...others: ReadonlyArray<Tree>
): Effect.Effect<ReadonlyArray<string>, LogError | StoreUnavailable> =>
  Effect.gen(function* () {
    const known = new Set(
      [recorded, ...others].flatMap((tree) => [...tree.keys()].map((file) => file.split("/", 1)[0])),
    )
    const present = entriesOf(root).filter(({ name }) => !known.has(name) && !OWN.has(name.toLowerCase()))
    if (present.length === 0) return []
    const noted = yield* RemovalEvidence.notedIn(log, looks, position)
    const isIgnoredToday = IgnoreRules.outside(root)
    const wasHidden = IgnoredThen.of({ tree: recorded, contents: store, isIgnoredToday, ...noted })
    return yield* reading(() =>
      present.flatMap((entry) => (isLeftOut(root, entry.name, entry, wasHidden) ? [entry.name] : [])).sort(),
    )
  })

/** Whether snapshots left out a path, or something below it. */
const isLeftOut = (root: string, file: string, entry: fs.Dirent, wasHidden: IgnoredThen.WasHidden): boolean => {
  const pending = [{ file, entry }]
  for (let seen = 0; seen < MAX_SEEN; seen++) {
    const next = pending.pop()
    if (next === undefined) return false
    const isDirectory = next.entry.isDirectory()
    if (wasHidden(next.file, isDirectory) || !(isDirectory || next.entry.isFile() || next.entry.isSymbolicLink()))
      return true
    const below = isDirectory ? entriesOf(path.join(root, next.file)) : []
    for (const one of below)
      if (one.name.toLowerCase() !== ".git") pending.push({ file: `${next.file}/${one.name}`, entry: one })
  }
  // Nobody looked at the rest.
  return true
}

const MAX_SEEN = 10_000

const entriesOf = (directory: string): ReadonlyArray<fs.Dirent> => {
  try {
    return fs.readdirSync(directory, { withFileTypes: true })
  } catch {
    // It vanished, or nobody may read it. A snapshot could not have read it either, as the task noted.
    return []
  }
}

const OWN: ReadonlySet<string> = new Set([".git", ".hindcast"])
