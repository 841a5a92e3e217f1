/** Finds the rules to re-evaluate after an event, by the paths that changed. */

import type { RuleContext } from "../../rules/RuleContext.ts"
import * as ReadPaths from "../../rules/readPaths.ts"
import type { StateRules } from "./RuleIndex.ts"

export interface ChangedPaths {
  /** Indices of the rules with a changed input since the last event; at the first event, of all rules. */
  readonly at: (context: RuleContext) => ReadonlyArray<number>
}

/** Reads each path once an event, however many rules read it. */
export const start = ({ all, state, task, counts, always }: StateRules): ChangedPaths => {
  const last = { state: new Array<unknown>(state.length), task: new Array<unknown>(task.length) }
  const markedAt = new Map<number, number>()
  let before: RuleContext | undefined
  let events = 0
  let changed: Array<number> = []

  const mark = (rules: ReadonlyArray<number>): void => {
    for (const index of rules) {
      if (markedAt.get(index) === events) continue
      markedAt.set(index, events)
      changed.push(index)
    }
  }

  const watch = (context: RuleContext, watched: StateRules["state"], values: Array<unknown>): void => {
    for (let index = 0; index < watched.length; index++) {
      const path = watched[index]
      if (path === undefined) continue
      const value = ReadPaths.at(context, path.readPath)
      if (value === values[index]) continue
      values[index] = value
      mark(path.rules)
    }
  }

  return {
    at: (context) => {
      events += 1
      changed = []
      if (context.state !== before?.state) watch(context, state, last.state)
      if (context.task !== before?.task) watch(context, task, last.task)
      mark(counts.get(context.event.type) ?? [])
      mark(always)
      if (before === undefined) mark(all)
      before = context
      return changed
    },
  }
}
