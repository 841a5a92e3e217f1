/** The permissions that people granted to a plugin by name, and those they revoked. */

import type { GrantedPermissions } from "../../../events/vocabulary/Plugins.ts"

/** Permissions granted and revoked by name. No permission is in both. */
export interface GrantState {
  readonly given: GrantedPermissions
  readonly revoked: GrantedPermissions
}

export const none: GrantState = { given: {}, revoked: {} }

/** Grants permissions, which are then no longer revoked. */
export const grant = ({ given, revoked }: GrantState, permissions: GrantedPermissions): GrantState => ({
  given: union(given, permissions),
  revoked: without(revoked, permissions),
})

/** The permissions after installing code with grants. The permissions that it has are no longer revoked. */
export const installed = (before: GrantState, given: GrantedPermissions, has: GrantedPermissions): GrantState => {
  const after = grant(before, given)
  return { ...after, revoked: without(after.revoked, has) }
}

/** Revokes permissions, which are then no longer granted. */
export const revoke = ({ given, revoked }: GrantState, permissions: GrantedPermissions): GrantState => ({
  given: without(given, permissions),
  revoked: union(revoked, permissions),
})

const LISTS = ["read", "write", "net", "env", "run"] as const

/** The grants of both, without duplicates, in order of first occurrence. */
export const union = (before: GrantedPermissions, permissions: GrantedPermissions): GrantedPermissions => ({
  ...lists((list) => [...new Set([...(before[list] ?? []), ...(permissions[list] ?? [])])]),
  ...(before.runAny === true || permissions.runAny === true ? { runAny: true } : {}),
})

export const without = (before: GrantedPermissions, removed: GrantedPermissions): GrantedPermissions => ({
  ...lists((list) => (before[list] ?? []).filter((name) => !(removed[list] ?? []).includes(name))),
  ...(before.runAny === true && removed.runAny !== true ? { runAny: true } : {}),
})

const lists = (namesOf: (list: (typeof LISTS)[number]) => ReadonlyArray<string>): GrantedPermissions =>
  Object.fromEntries(
    LISTS.flatMap((list) => {
      const names = namesOf(list)
      return names.length === 0 ? [] : [[list, names]]
    }),
  )
