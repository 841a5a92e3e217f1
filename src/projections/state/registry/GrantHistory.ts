import type { Given } from "../../../events/vocabulary/Plugins.ts"

/** What people gave and what they took back, by name; never the same in both. */
export interface Standing {
  readonly given: Given
  readonly revoked: Given
}

export const none: Standing = { given: {}, revoked: {} }

/** What is given is no longer taken back. */
export const give = ({ given, revoked }: Standing, now: Given): Standing => ({
  given: union(given, now),
  revoked: without(revoked, now),
})

/** What is taken back is no longer given. */
export const takeBack = ({ given, revoked }: Standing, now: Given): Standing => ({
  given: without(given, now),
  revoked: union(revoked, now),
})

const LISTS = ["read", "write", "net", "env", "run"] as const

/** Each name once, in the order in which they came. */
const union = (before: Given, now: Given): Given => ({
  ...lists((list) => [...new Set([...(before[list] ?? []), ...(now[list] ?? [])])]),
  ...(before.runAny === true || now.runAny === true ? { runAny: true } : {}),
})

const without = (before: Given, taken: Given): Given => ({
  ...lists((list) => (before[list] ?? []).filter((name) => !(taken[list] ?? []).includes(name))),
  ...(before.runAny === true && taken.runAny !== true ? { runAny: true } : {}),
})

const lists = (namesOf: (list: (typeof LISTS)[number]) => ReadonlyArray<string>): Given =>
  Object.fromEntries(
    LISTS.flatMap((list) => {
      const names = namesOf(list)
      return names.length === 0 ? [] : [[list, names]]
    }),
  )
