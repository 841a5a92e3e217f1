import type { RuleContext } from "./RuleContext.ts"
import type { ReadPath } from "./RuleDependencies.ts"

/**
 * Whether anything at these places is another than what was seen last, which is kept in `seen`. Two moments at which all
 * is the very same (`===`) show a rule the same: parts of the state that no event has changed are shared.
 */
export const differs = (moment: RuleContext, places: ReadonlyArray<ReadPath>, seen: Array<unknown>): boolean => {
  let anew = false
  for (let index = 0; index < places.length; index++) {
    const place = places[index]
    if (place === undefined) continue
    const value = at(moment, place)
    if (seen[index] !== value) {
      seen[index] = value
      anew = true
    }
  }
  return anew
}

/** What stands at a place. Where that would not say all that a rule could see there, the answer is new each time. */
export const at = (moment: RuleContext, place: ReadPath): unknown => {
  if (place.in === "counts") return moment.counts.get(place.type)
  const { path } = place
  let value: unknown = moment[place.in]
  for (let depth = 0; depth < path.length; depth++) {
    const key = path[depth] ?? ""
    // A list or a scalar has no keys: what a rule makes of that is its own affair.
    if (!isRecord(value)) return {}
    if (!Object.hasOwn(value, key)) return ABSENT[depth] ?? {}
    value = value[key]
  }
  return value
}

/** Only plain records: a key that is called `constructor` is looked at by the language itself. */
const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && value.constructor === Object

/** It matters to a rule which of the keys is missing: one sign for each. */
const ABSENT: ReadonlyArray<object> = Array.from({ length: 16 }, () => ({}))
