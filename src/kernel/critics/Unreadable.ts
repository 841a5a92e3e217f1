/** Finds tasks whose personal data can no longer be read: conditions on that data are undecided, not false. */

import type { Event } from "../../events/vocabulary/Event.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import type { ReadPath, RuleDependencies } from "../rules/RuleDependencies.ts"
import * as TaskObservation from "./TaskObservation.ts"

export interface Unreadable {
  readonly observe: (event: Event) => void
  /** Why conditions on personal data cannot be decided; undefined if all of it is readable. */
  readonly reason: () => string | undefined
}

export const start = (): Unreadable => {
  let first: number | undefined
  return {
    observe: (event) => {
      if (first === undefined && event.personal?.readable === false && TaskObservation.isJudged(event))
        first = event.position
    },
    reason: () =>
      first === undefined
        ? undefined
        : `it may depend on personal data that cannot be read, from @${first} on: the key of its subject was destroyed or is missing`,
  }
}

/** Whether a rule may read personal data. If in doubt, it does. */
export const mayDependOn = ({ readPaths }: RuleDependencies): boolean =>
  readPaths === undefined || readPaths.some((readPath) => !isPlain(readPath))

const isPlain = (readPath: ReadPath): boolean => {
  if (readPath.in === "counts" || readPath.in === "elapsed") return true
  const [first, second] = readPath.path
  if (first === undefined) return false
  switch (readPath.in) {
    case "event":
      return first !== "payload" || (second !== undefined && !personalNames().has(second))
    case "task":
      return first !== "goal" && first !== "files"
    case "command":
      return first === "actuator"
    default:
      return false
  }
}

let names: ReadonlySet<string> | undefined

const personalNames = (): ReadonlySet<string> => {
  names ??= new Set([...Vocabulary.core.types.values()].flatMap(({ personal }) => Object.keys(personal)))
  return names
}
