import type { GrantedPermissions } from "../../../events/vocabulary/Plugins.ts"

/** What people gave and what they took back, by name; never the same in both. */
export interface GrantState {
  readonly given: GrantedPermissions
  readonly revoked: GrantedPermissions
}

export const none: GrantState = { given: {}, revoked: {} }

/** What is given is no longer taken back. */
export const give = ({ given, revoked }: GrantState, now: GrantedPermissions): GrantState => ({
  given: union(given, now),
  revoked: without(revoked, now),
})

/** What is taken back is no longer given. */
export const takeBack = ({ given, revoked }: GrantState, now: GrantedPermissions): GrantState => ({
  given: without(given, now),
  revoked: union(revoked, now),
})

const LISTS = ["read", "write", "net", "env", "run"] as const

/** Each name once, in the order in which they came. */
const union = (before: GrantedPermissions, now: GrantedPermissions): GrantedPermissions => ({
  ...lists((list) => [...new Set([...(before[list] ?? []), ...(now[list] ?? [])])]),
  ...(before.runAny === true || now.runAny === true ? { runAny: true } : {}),
})

const without = (before: GrantedPermissions, taken: GrantedPermissions): GrantedPermissions => ({
  ...lists((list) => (before[list] ?? []).filter((name) => !(taken[list] ?? []).includes(name))),
  ...(before.runAny === true && taken.runAny !== true ? { runAny: true } : {}),
})

const lists = (namesOf: (list: (typeof LISTS)[number]) => ReadonlyArray<string>): GrantedPermissions =>
  Object.fromEntries(
    LISTS.flatMap((list) => {
      const names = namesOf(list)
      return names.length === 0 ? [] : [[list, names]]
    }),
  )
