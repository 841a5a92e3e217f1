/** Finds the calls that may have changed a file: those in progress between two snapshots. Pure. */

import type { InferenceRule } from "../events/vocabulary/Inference.ts"
import type { Json } from "../values/Json.ts"
import { isObject } from "../values/JsonObjects.ts"
import type { Change } from "./model/Changes.ts"

/** A call that may change files. */
export interface RunningCall {
  readonly commandId: string
  /** The event to name as the cause of the call's changes. */
  readonly last: string
  readonly args: Json
}

/** Calls that were in progress since the last snapshot, and those of other tasks in the same directory. */
export interface Suspects {
  readonly own: ReadonlyArray<RunningCall>
  readonly others: ReadonlyArray<RunningCall>
  /**
   * False if unseen calls are possible: an earlier recorder ended, a call was announced late, or a recorder in another
   * process had a call.
   */
  readonly isWatched: boolean
}

export type Cause =
  | { readonly kind: "call"; readonly call: RunningCall; readonly rule: InferenceRule }
  /** One or more of these calls did it. */
  | { readonly kind: "calls"; readonly commandIds: ReadonlyArray<string> }
  /** Nobody watched. */
  | { readonly kind: "not-watched" }
  /** No recorded call was in progress: a person or another program did it. */
  | { readonly kind: "no-call" }
  /** The recorder restored the files of an earlier moment. */
  | { readonly kind: "restored" }

/** Groups changes by cause. */
export const attribute = (
  changes: ReadonlyArray<Change>,
  suspects: Suspects,
  root: string,
): ReadonlyArray<{ readonly cause: Cause; readonly changes: ReadonlyArray<Change> }> => {
  const groups = new Map<string, { cause: Cause; changes: Array<Change> }>()
  for (const change of changes) {
    const cause = causeOf(change, suspects, root)
    const key = cause.kind === "call" ? `${cause.rule} ${cause.call.commandId}` : cause.kind
    const group = groups.get(key) ?? { cause, changes: [] }
    group.changes.push(change)
    groups.set(key, group)
  }
  return [...groups.values()]
}

const causeOf = (change: Change, { own, others, isWatched }: Suspects, root: string): Cause => {
  const all = [...own, ...others]
  const [only, ...more] = own
  if (isWatched && all.length === 1 && only !== undefined && more.length === 0)
    return { kind: "call", call: only, rule: "between-snapshots" }
  const naming = own.filter(({ args }) => names(args, change.path, root))
  const [one, ...further] = naming
  if (one !== undefined && further.length === 0 && !others.some(({ args }) => names(args, change.path, root)))
    return { kind: "call", call: one, rule: "named-file" }
  if (!isWatched) return { kind: "not-watched" }
  return all.length === 0 ? { kind: "no-call" } : { kind: "calls", commandIds: all.map(({ commandId }) => commandId) }
}

/** Whether an argument is the file's path, absolute or relative to the root, or a list with it. */
const names = (args: Json, file: string, root: string): boolean => {
  if (!isObject(args)) return false
  const isPath = (value: Json | undefined) => value === `${root}/${file}` || value === file || value === `./${file}`
  return Object.values(args).some(
    (value) =>
      isPath(value) ||
      (Array.isArray(value) && value.some((one) => isPath(one) || (isObject(one) && isPath(one.path)))),
  )
}
