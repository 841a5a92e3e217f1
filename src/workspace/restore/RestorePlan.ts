/** Plans the steps that turn the present files into those of a recorded tree. Pure. */

import * as Content from "../history/Content.ts"
import * as Changes from "../model/Changes.ts"
import { type Entry, isSame, type Tree } from "../model/Entry.ts"
import * as RestorablePaths from "./RestorablePaths.ts"
import { type Left, REFUSALS } from "./RestoreInto.ts"
import { isUnfinished } from "./WrittenFile.ts"

export interface Plan {
  /** In the order in which they are carried out. */
  readonly steps: ReadonlyArray<Changes.OwnChange>
  /** Paths that stay although the recorded tree differs. */
  readonly left: ReadonlyArray<Left>
}

export interface Planning {
  readonly present: Tree
  readonly recorded: Tree
  /** Whether a content can be read from the store. */
  readonly has: (digest: string) => boolean
  /** Words for something at a path that the present tree lacks: no snapshot contains it. */
  readonly inTheWay: (path: string) => string | undefined
  /** Why a present file that the recorded tree lacks stays; undefined if it may go. */
  readonly whyKept: (path: string, present: Entry) => string | undefined
  /** Whether the path belongs to the recorder itself. */
  readonly isOwn: (path: string) => boolean
}

/** Plans only steps that can be undone: each content that a step removes is in the present tree and in the store. */
export const of = (planning: Planning): Plan => {
  const refusals = RestorablePaths.refused(planning.recorded)
  const left: Array<Left> = []
  const removals: Array<Changes.OwnChange> = []
  const writes: Array<Exclude<Changes.OwnChange, { kind: "removed" }>> = []
  for (const change of Changes.ofPaths(planning.present, planning.recorded)) {
    const { path } = change
    // A link's mode means nothing, and differs between systems.
    if (change.kind === "mode" && change.after.kind === "link") continue
    const refusal = refusals.get(path)
    const why = refusal === undefined ? whyNot(change, planning) : REFUSALS[refusal]
    if (why !== undefined) left.push({ path, why })
    else if (change.kind === "removed") removals.push(change)
    else writes.push(change)
  }
  const isInTheWay = takingPlaces(writes.map(({ path }) => path))
  return {
    steps: [
      ...removals.filter(({ path }) => isInTheWay(path)),
      ...writes.filter(({ after }) => after.kind === "file"),
      // On a file system that ignores case, an existing link could capture a file's path.
      ...writes.filter(({ after }) => after.kind === "link"),
      ...removals.filter(({ path }) => !isInTheWay(path)),
    ],
    left,
  }
}

const whyNot = (change: Changes.OwnChange, planning: Planning): string | undefined => {
  const { path } = change
  if (planning.isOwn(path)) return "it belongs to Hindcast"
  if (change.kind !== "added") {
    const why = lacking(change.before, planning)
    if (why !== undefined) return `its present content is in no snapshot: ${why}`
  }
  if (change.kind === "removed") return planning.whyKept(path, change.before)
  const why = lacking(change.after, planning)
  if (why !== undefined) return why
  return change.kind === "added" ? planning.inTheWay(path) : undefined
}

/** Why the store has no content of an entry. */
const lacking = ({ digest, omitted }: Entry, { has }: Planning): string | undefined => {
  if (omitted !== undefined) return Content.WHY[omitted]
  return digest !== undefined && has(digest) ? undefined : Content.WHY.gone
}

/** Whether a path has to go before others can be written: a file for a directory, the reverse, or another case. */
const takingPlaces = (written: ReadonlyArray<string>): ((path: string) => boolean) => {
  const files = new Set<string>()
  const places = new Set<string>()
  for (const path of written) {
    files.add(folded(path))
    for (const one of [path, ...directoriesOf(path)]) places.add(folded(one))
  }
  return (path) => places.has(folded(path)) || directoriesOf(path).some((one) => files.has(folded(one)))
}

/** Equal for names that a file system without case cannot tell apart. */
export const folded = (path: string): string => path.normalize("NFC").toLowerCase()

/** The directories above a path, without the root. */
export const directoriesOf = (path: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) found.push(path.slice(0, end))
  return found
}

/**
 * Whether each file is as in one of two trees: the result of an interrupted restore from one to the other, without
 * anyone's later work.
 */
export const isBetween = (present: Tree, one: Tree, other: Tree): boolean => {
  for (const path of new Set([...present.keys(), ...one.keys(), ...other.keys()])) {
    const found = present.get(path)
    const isExpected = [one.get(path), other.get(path)].some((entry) =>
      found === undefined || entry === undefined ? found === entry : isSame(found, entry),
    )
    if (!isExpected && !isUnfinished(path)) return false
  }
  return true
}
