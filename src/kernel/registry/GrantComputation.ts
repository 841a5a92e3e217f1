/** Computes a plugin's grants from its manifest and from what people granted and revoked. */

import { Data, Effect, Schema } from "effect"
import type { GrantedPermissions } from "../../events/vocabulary/Plugins.ts"
import { realpathOfExisting } from "../../platform/realpath.ts"
import * as Grants from "../../plugins/manifest/Grants.ts"
import type { Manifest } from "../../plugins/manifest/Manifest.ts"
import { isInside, isInsideAny } from "../../plugins/manifest/paths.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import { describe as describeChanges, type UpdateChanges } from "./UpdateChanges.ts"

/** The call names invalid grants. */
export class GrantInvalid extends Data.TaggedError("GrantInvalid")<{
  readonly plugin: string
  readonly issues: ReadonlyArray<string>
}> {
  override get message() {
    return `Plugin ${this.plugin}: expected valid grants, found:${this.issues.map((issue) => `\n  - ${issue}`).join("")}`
  }
}

/**
 * An update requests more than people granted, or changes code with grants by name. The log holds it until `grant`; the
 * installed version stays.
 */
export class UpdateHeld extends Data.TaggedError("UpdateHeld")<{
  readonly plugin: string
  readonly version: string
  readonly digest: string
  readonly installed: string
  readonly missing: ReadonlyArray<Grants.Refusal>
  /** Missing grants that the installed code has. */
  readonly lapsed: ReadonlyArray<Grants.Refusal>
  /** Grants of the installed code; `grant` gives them to the update. */
  readonly kept: GrantedPermissions
  readonly changes: UpdateChanges
}> {
  override get message() {
    const { plugin, version, installed, missing, changes } = this
    return [
      `Plugin ${plugin} ${version} ${this.why} The update waits for the grants below, and ${installed} stays installed:` +
        missing.map(Grants.formatRefusal).join(""),
      ...describeChanges(changes).map((line) => `  ${line}`),
      `Grant it: ${this.command}`,
    ].join("\n")
  }

  /** True if the update lacks only grants that the installed code has. */
  get lacksOnlyLapsed(): boolean {
    return this.lapsed.length === this.missing.length
  }

  private get why(): string {
    return this.lacksOnlyLapsed
      ? "has changed code, and grants count only for the code that they were given to."
      : "requests more than it was granted."
  }

  /** The command that grants everything in `missing`. */
  get command(): string {
    return grantCommand(this.plugin, this.missing)
  }
}

/** The command line with all missing grants. */
export const grantCommand = (plugin: string, missing: ReadonlyArray<Grants.Refusal>): string =>
  ["hindcast plugin grant", quoteWord(plugin), ...Grants.remedies(missing).flags].join(" ")

export interface GrantInput {
  readonly manifest: Manifest
  /** The plugin's copy. */
  readonly directory: string
  readonly workspace: string
  /** Grants by name in the current request. */
  readonly now: GrantedPermissions
  readonly before: InstalledGrants | undefined
}

export interface InstalledGrants {
  readonly manifest: Manifest
  /** Grants by name, and automatic ones of its version. */
  readonly has: GrantedPermissions
  readonly revoked: GrantedPermissions
  /** The installed code's grants, which do not count for other code. */
  readonly lapsed?: GrantedPermissions
}

export const currentGrants = (manifest: Manifest, { given, grants, revoked }: Plugin): InstalledGrants => ({
  manifest,
  has: Schema.is(Grants.Grants)(grants) ? Grants.merge(given, grants) : given,
  revoked,
})

/**
 * The grants for code of a digest. A grant by name counts only for the code that received it. Other code keeps the
 * automatic grants: places in the workspace, and commands that the installed version requested (`GrantInputs.earlier`).
 */
export const grantsFor = (digest: string, workspace: string, manifest: Manifest, plugin: Plugin): InstalledGrants => {
  const current = currentGrants(manifest, plugin)
  if (plugin.digest === digest) return current
  const granted: GrantedPermissions = Schema.is(Grants.Grants)(plugin.grants) ? plugin.grants : plugin.given
  const within = (list: "read" | "write", places: GrantedPermissions) =>
    (places[list] ?? []).filter((place) => isInside(place, workspace))
  const unnamed = withoutGrants(granted, plugin.given)
  const places = { read: within("read", unnamed), write: within("write", unnamed) }
  const lapsed = withoutGrants(granted, { ...places, run: unnamed.run ?? [] })
  return {
    manifest,
    has: Grants.merge(plugin.held?.digest === digest ? plugin.held.given : {}, places),
    // Lapsed grants need a person again, even those that a first import gets automatically.
    revoked: Grants.merge(current.revoked, {
      read: within("read", lapsed),
      write: within("write", lapsed),
      run: lapsed.run ?? [],
    }),
    lapsed,
  }
}

export const afterRevoking = (
  { has, revoked, lapsed, ...installed }: InstalledGrants,
  some: GrantedPermissions,
): InstalledGrants => ({
  ...installed,
  has: withoutGrants(has, some),
  revoked: Grants.merge(revoked, some),
  ...(lapsed === undefined ? {} : { lapsed: withoutGrants(lapsed, some) }),
})

/** Computes the grants. They hold real paths: a link that leads out of the workspace needs a grant for its target. */
export const computeGrants = (input: GrantInput): Effect.Effect<SettledGrants, GrantInvalid> =>
  Effect.gen(function* () {
    const decision = yield* decide(input)
    const { before } = input
    if (before?.lapsed === undefined || decision.refusals.length === 0) return { ...decision, lapsed: [] }
    const { lapsed, manifest } = before
    const [has, revoked] = [Grants.merge(before.has, lapsed), withoutGrants(before.revoked, lapsed)]
    const kept = yield* decide({ ...input, before: { manifest, has, revoked } })
    const refusals = decision.refusals.map((refusal) => {
      const remaining = kept.refusals.find(({ field, asked }) => field === refusal.field && asked === refusal.asked)
      return remaining ?? { ...refusal, reason: LAPSED }
    })
    return { grants: decision.grants, refusals, lapsed: refusals.filter(({ reason }) => reason === LAPSED) }
  })

const LAPSED = "it was granted to other code of this plugin"

/** Computed grants, with the requests they leave open. */
export interface SettledGrants extends Grants.GrantDecision {
  /** Refused only because other code has the grant. */
  readonly lapsed: ReadonlyArray<Grants.Refusal>
}

const decide = ({
  manifest,
  directory,
  workspace,
  now,
  before,
}: GrantInput): Effect.Effect<Grants.GrantDecision, GrantInvalid> =>
  Effect.gen(function* () {
    const extra = Grants.merge(now, before?.has ?? {})
    const revoked = withoutGrants(before?.revoked ?? {}, now)
    const { grants, refusals } = Grants.decideGrants(manifest, {
      directory,
      workspace,
      extra,
      ...(before === undefined ? {} : { revoked, earlier: Grants.requested(before.manifest) }),
    })
    const resolveLink = (field: "read" | "write", requestedPath: string) =>
      Effect.tryPromise({
        try: async () => {
          const real = await realpathOfExisting(requestedPath)
          const own = field === "read" && isInside(real, await realpathOfExisting(directory))
          const free = isInside(real, await realpathOfExisting(workspace)) && !isInsideAny(real, revoked[field] ?? [])
          const isWithin = real === requestedPath || own || free || isInsideAny(real, extra[field] ?? [])
          return { requestedPath, real, field, isWithin }
        },
        catch: (cause) =>
          new GrantInvalid({
            plugin: manifest.name,
            issues: [`${requestedPath}: ${cause instanceof Error ? cause.message : String(cause)}`],
          }),
      })
    const read = yield* Effect.forEach(grants.read, (requestedPath) => resolveLink("read", requestedPath))
    const write = yield* Effect.forEach(grants.write, (requestedPath) => resolveLink("write", requestedPath))
    const outside = [...read, ...write].filter(({ isWithin }) => !isWithin)
    const within = (resolved: typeof read) => [
      ...new Set(resolved.filter(({ isWithin }) => isWithin).map(({ real }) => real)),
    ]
    return {
      grants: { ...grants, read: within(read), write: within(write) },
      refusals: [
        ...refusals,
        ...outside.map(({ field, requestedPath, real }) => ({
          field: `permissions.${field}`,
          asked: requestedPath,
          reason: `it is a link that leads to ${real}, outside of what is granted`,
          flag: `--grant-${field} ${quoteWord(real)}`,
        })),
      ],
    }
  })

/** Grants by name, as command-line options. */
export const flags = (names: GrantedPermissions): ReadonlyArray<string> => [
  ...Grants.LISTS.flatMap((list) => (names[list] ?? []).map((name) => `--grant-${list} ${quoteWord(name)}`)),
  ...(names.runAny === true ? ["--grant-run-any"] : []),
]

/** The first grants without the second. */
export const withoutGrants = (names: GrantedPermissions, some: GrantedPermissions): GrantedPermissions =>
  Grants.merge(
    Object.fromEntries(
      Grants.LISTS.map((list) => [list, (names[list] ?? []).filter((name) => !(some[list] ?? []).includes(name))]),
    ),
    { runAny: names.runAny === true && some.runAny !== true },
  )

/**
 * Normalizes grants by name. A link gets grants for its own path and its real path, so retargeting it later grants
 * nothing new.
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

const realOf = (plugin: string, paths: ReadonlyArray<string> = []) =>
  Effect.forEach(paths, (requestedPath) =>
    Effect.tryPromise({
      try: () => realpathOfExisting(requestedPath),
      catch: (cause) =>
        new GrantInvalid({
          plugin,
          issues: [`${requestedPath}: ${cause instanceof Error ? cause.message : String(cause)}`],
        }),
    }),
  )
