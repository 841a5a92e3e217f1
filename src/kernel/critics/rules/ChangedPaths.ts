import type { RuleContext } from "../../rules/RuleContext.ts"
import * as Sight from "../../rules/readPaths.ts"
import type { StateRules } from "./RuleIndex.ts"

/** What changes in the course of one task, as far as rules about no event look at it. */
export interface ChangedPaths {
  /** The criteria that look at something which is another than at the moment before; all of them at the first one. */
  readonly at: (moment: RuleContext) => ReadonlyArray<number>
}

/** Begins to watch. Each place is looked at once, however many rules look there. */
export const start = ({ all, state, task, counts, always }: StateRules): ChangedPaths => {
  const last = { state: new Array<unknown>(state.length), task: new Array<unknown>(task.length) }
  const markedAt = new Map<number, number>()
  let before: RuleContext | undefined
  let moments = 0
  let changed: Array<number> = []

  const mark = (criteria: ReadonlyArray<number>): void => {
    for (const index of criteria) {
      if (markedAt.get(index) === moments) continue
      markedAt.set(index, moments)
      changed.push(index)
    }
  }

  const watch = (moment: RuleContext, watched: StateRules["state"], values: Array<unknown>): void => {
    for (let index = 0; index < watched.length; index++) {
      const place = watched[index]
      if (place === undefined) continue
      const value = Sight.at(moment, place.place)
      if (value === values[index]) continue
      values[index] = value
      mark(place.criteria)
    }
  }

  return {
    at: (moment) => {
      moments += 1
      changed = []
      if (moment.state !== before?.state) watch(moment, state, last.state)
      if (moment.task !== before?.task) watch(moment, task, last.task)
      mark(counts.get(moment.event.type) ?? [])
      mark(always)
      if (before === undefined) mark(all)
      before = moment
      return changed
    },
  }
}
