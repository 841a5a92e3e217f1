/** Reads the paths that a rule depends on, and detects changes between events. */

import type { RuleContext } from "./RuleContext.ts"
import type { ReadPath } from "./RuleDependencies.ts"

/**
 * Compares (`!==`) with `seen` and updates it. Identical values mean the same result, because states share the parts
 * that no event changed.
 */
export const differs = (context: RuleContext, readPaths: ReadonlyArray<ReadPath>, seen: Array<unknown>): boolean => {
  let changed = false
  for (let index = 0; index < readPaths.length; index++) {
    const readPath = readPaths[index]
    if (readPath === undefined) continue
    const value = at(context, readPath)
    if (seen[index] !== value) {
      seen[index] = value
      changed = true
    }
  }
  return changed
}

/** If plain records cannot resolve the path, a fresh object, which always compares as changed. */
export const at = (context: RuleContext, readPath: ReadPath): unknown => {
  if (readPath.in === "counts") return context.counts.get(readPath.type)
  const { path } = readPath
  let value: unknown = context[readPath.in]
  for (let depth = 0; depth < path.length; depth++) {
    const key = path[depth] ?? ""
    // A list or a scalar has no own keys; CEL decides how indexing works.
    if (!isRecord(value)) return {}
    if (!Object.hasOwn(value, key)) return ABSENT[depth] ?? {}
    value = value[key]
  }
  return value
}

/** Plain records only: CEL handles a key named `constructor`. */
const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && value.constructor === Object

/** One sentinel per depth: a rule may depend on which key is missing. */
const ABSENT: ReadonlyArray<object> = Array.from({ length: 16 }, () => ({}))
