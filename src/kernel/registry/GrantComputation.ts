import { Data, Effect, Schema } from "effect"
import type { GrantedPermissions } from "../../events/vocabulary/Plugins.ts"
import { realpathOfExisting } from "../../platform/realpath.ts"
import * as Grants from "../../plugins/manifest/Grants.ts"
import type { Manifest } from "../../plugins/manifest/Manifest.ts"
import { isInside, isInsideAny } from "../../plugins/manifest/paths.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"

/** Fix the call: nothing of this name can be granted or taken back. */
export class GrantInvalid extends Data.TaggedError("GrantInvalid")<{
  readonly plugin: string
  readonly issues: ReadonlyArray<string>
}> {
  override get message() {
    return `Plugin ${this.plugin}: these are no grants:${this.issues.map((issue) => `\n  - ${issue}`).join("")}`
  }
}

/** Grant it: an update asks for more than its plugin was granted. It was recorded and waits; the version before stays. */
export class UpdateHeld extends Data.TaggedError("UpdateHeld")<{
  readonly plugin: string
  readonly version: string
  readonly digest: string
  /** The version that stays. */
  readonly installed: string
  readonly missing: ReadonlyArray<Grants.Refusal>
}> {
  override get message() {
    return (
      `Plugin ${this.plugin} ${this.version} asks for more than it was granted, and waits; ${this.installed} stays until then:` +
      `${this.missing.map(Grants.formatRefusal).join("")}\nGrant it: ${this.command}`
    )
  }

  /** What grants all that is missing. */
  get command(): string {
    return grantCommand(this.plugin, this.missing)
  }
}

/** The command that grants what is missing. */
export const grantCommand = (plugin: string, missing: ReadonlyArray<Grants.Refusal>): string =>
  ["hindcast plugin grant", plugin, ...Grants.remedies(missing).flags].join(" ")

/** What is asked, by what, and where it would stand. */
export interface Asking {
  readonly manifest: Manifest
  /** Where its copy stands or will stand. */
  readonly directory: string
  readonly workspace: string
  /** What is granted by name with this very request. */
  readonly now: GrantedPermissions
  /** What is installed under this name, if anything is. */
  readonly before: Before | undefined
}

/** An installed plugin, as far as its grants go. */
export interface Before {
  /** What it asks for. */
  readonly manifest: Manifest
  /** What it was granted by name, and what its version was granted. */
  readonly has: GrantedPermissions
  readonly revoked: GrantedPermissions
}

/** An installed plugin's grants, as they stand. */
export const standing = (manifest: Manifest, { given, grants, revoked }: Plugin): Before => ({
  manifest,
  has: Schema.is(Grants.Grants)(grants) ? Grants.merge(given, grants) : given,
  revoked,
})

/** The same after some were taken back. */
export const takenBack = ({ manifest, has, revoked }: Before, some: GrantedPermissions): Before => ({
  manifest,
  has: less(has, some),
  revoked: Grants.merge(revoked, some),
})

/**
 * Settles what a plugin may do, with all that people said of it. Links are followed: what is granted is where a path leads,
 * and a link in the workspace that leads out of it needs a grant for where it leads.
 */
export const settle = ({
  manifest,
  directory,
  workspace,
  now,
  before,
}: Asking): Effect.Effect<Grants.Settlement, GrantInvalid> =>
  Effect.gen(function* () {
    const extra = Grants.merge(now, before?.has ?? {})
    const revoked = less(before?.revoked ?? {}, now)
    const { grants, refusals } = Grants.settle(manifest, {
      directory,
      workspace,
      extra,
      ...(before === undefined ? {} : { revoked, earlier: Grants.requested(before.manifest) }),
    })
    const lead = (field: "read" | "write", place: string) =>
      Effect.tryPromise({
        try: async () => {
          const real = await realpathOfExisting(place)
          const own = field === "read" && isInside(real, await realpathOfExisting(directory))
          const free = isInside(real, await realpathOfExisting(workspace)) && !isInsideAny(real, revoked[field] ?? [])
          const isWithin = real === place || own || free || isInsideAny(real, extra[field] ?? [])
          return { place, real, field, isWithin }
        },
        catch: (cause) =>
          new GrantInvalid({
            plugin: manifest.name,
            issues: [`${place}: ${cause instanceof Error ? cause.message : String(cause)}`],
          }),
      })
    const read = yield* Effect.forEach(grants.read, (place) => lead("read", place))
    const write = yield* Effect.forEach(grants.write, (place) => lead("write", place))
    const astray = [...read, ...write].filter(({ isWithin }) => !isWithin)
    const within = (leads: typeof read) => [
      ...new Set(leads.filter(({ isWithin }) => isWithin).map(({ real }) => real)),
    ]
    return {
      grants: { ...grants, read: within(read), write: within(write) },
      refusals: [
        ...refusals,
        ...astray.map(({ field, place, real }) => ({
          field: `permissions.${field}`,
          asked: place,
          reason: `it is a link that leads to ${real}, outside of what is granted`,
          flag: `--grant-${field} ${Grants.shellQuote(real)}`,
        })),
      ],
    }
  })

/** Grants by name, as the options that give them. */
export const flags = (names: GrantedPermissions): ReadonlyArray<string> => [
  ...Grants.LISTS.flatMap((list) => (names[list] ?? []).map((name) => `--grant-${list} ${Grants.shellQuote(name)}`)),
  ...(names.runAny === true ? ["--grant-run-any"] : []),
]

/** Grants by name without some of them. */
export const less = (names: GrantedPermissions, some: GrantedPermissions): GrantedPermissions =>
  Grants.merge(
    Object.fromEntries(
      Grants.LISTS.map((list) => [list, (names[list] ?? []).filter((name) => !(some[list] ?? []).includes(name))]),
    ),
    { runAny: names.runAny === true && some.runAny !== true },
  )

/**
 * Grants by name as they are recorded, or what is wrong with them; `undefined` where there are none. A path is recorded as
 * it was named and, where that is a link, as where it led: should the link lead elsewhere later, that was not granted.
 */
export const grantedTo = (
  plugin: string,
  extra: GrantedPermissions | undefined,
): Effect.Effect<GrantedPermissions | undefined, GrantInvalid> =>
  Effect.gen(function* () {
    const named = Grants.granted(extra)
    if (named === undefined) return undefined
    const issues = Grants.invalidGrants(named)
    if (issues.length > 0) return yield* new GrantInvalid({ plugin, issues })
    return Grants.merge(named, {
      read: yield* realOf(plugin, named.read),
      write: yield* realOf(plugin, named.write),
    })
  })

const realOf = (plugin: string, places: ReadonlyArray<string> = []) =>
  Effect.forEach(places, (place) =>
    Effect.tryPromise({
      try: () => realpathOfExisting(place),
      catch: (cause) =>
        new GrantInvalid({ plugin, issues: [`${place}: ${cause instanceof Error ? cause.message : String(cause)}`] }),
    }),
  )
