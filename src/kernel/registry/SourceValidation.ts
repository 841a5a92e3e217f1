/** Checks an import: reads a source, computes its grants, and decides whether to refuse or hold it. */

import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Data, Effect } from "effect"
import * as Grants from "../../plugins/manifest/Grants.ts"
import * as Manifest from "../../plugins/manifest/Manifest.ts"
import { isInside } from "../../plugins/manifest/paths.ts"
import { PluginUnavailable } from "../../plugins/PluginError.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import * as Rubric from "../rules/Rubric.ts"
import { manifestOf } from "./ComponentLookup.ts"
import * as PluginCopies from "./copies/PluginCopies.ts"
import * as DefaultOptions from "./DefaultOptions.ts"
import * as GrantComputation from "./GrantComputation.ts"
import type * as ImportEvents from "./ImportEvents.ts"
import * as PluginSource from "./PluginSource.ts"
import type { ImportOptions, RegistryOptions } from "./RegistryOptions.ts"
import * as SourceLimits from "./SourceLimits.ts"

/** Rules of the plugin's measures do not compile. */
export class RulesInvalid extends Data.TaggedError("RulesInvalid")<{
  readonly plugin: string
  readonly issues: ReadonlyArray<string>
}> {
  override get message() {
    return `Plugin ${this.plugin}: its measures are invalid:${this.issues.map((issue) => `\n  - ${issue}`).join("")}`
  }
}

/** Opens, reads and checks a source. Temporary files go when the scope closes. */
export const validateSource = (
  { directory: copies, workspace }: RegistryOptions,
  source: string,
  options: ImportOptions,
) =>
  Effect.gen(function* () {
    const opened = yield* PluginSource.open(source)
    yield* assertWithoutLog(opened, copies, source)
    yield* SourceLimits.validateDirectory(opened.directory, source)
    const loaded = yield* Manifest.load(opened.directory, { lenient: options.lenient ?? false })
    const { manifest } = loaded
    const issues = Rubric.ruleIssues(Rubric.ofManifests([manifest]))
    if (issues.length > 0) return yield* new RulesInvalid({ plugin: manifest.name, issues })
    yield* DefaultOptions.read(loaded.directory, manifest.peas.environment ?? {})
    if (copies.includes(",")) {
      return yield* new PluginUnavailable({
        plugin: manifest.name,
        reason: `expected a log in a directory without a comma in its name, found its copies in ${copies}`,
      })
    }
    const given = yield* GrantComputation.grantedTo(manifest.name, options.grants)
    return { ...loaded, origin: opened.origin, source: opened.name, workspace, given }
  })

/** Refuses a log among the plugin's files: reading and closing its file would drop this process's locks on it. */
const assertWithoutLog = ({ directory, origin }: PluginSource.Opened, copies: string, source: string) =>
  Effect.gen(function* () {
    if (origin.kind !== "directory") return
    const [root, place] = yield* Effect.promise(() =>
      Promise.all([directory, path.dirname(copies)].map((name) => fs.realpath(name).catch(() => path.resolve(name)))),
    )
    if (root === undefined || place === undefined || !isInside(path.join(place, "log"), root)) return
    if (
      path
        .relative(root, place)
        .split(path.sep)
        .some((name) => Manifest.SKIPPED.has(name))
    )
      return
    const issue = `expected the log elsewhere, or in .hindcast, found it in the plugin's directory: ${copies.replace(/\.plugins$/, "")}. It would be copied with the plugin`
    return yield* new SourceLimits.SourceRefused({ source, issues: [issue] })
  })

/** Adds the grants that the candidate would have now. */
export const withGrants = (
  { directory }: RegistryOptions,
  before: Plugin | undefined,
  found: Omit<ImportEvents.ImportCandidate, "settlement" | "kept">,
  keepGrants: boolean,
): Effect.Effect<ImportEvents.ImportCandidate, GrantComputation.GrantInvalid> =>
  Effect.suspend(() => {
    const { manifest, digest, workspace } = found
    const installed =
      before === undefined ? undefined : GrantComputation.grantsFor(digest, workspace, manifestOf(before), before)
    const kept = installed?.lapsed ?? {}
    // Grants to the same code while it was held count for its import too.
    const held = before?.held?.digest === digest ? before.held.given : {}
    const given = Grants.granted(Grants.merge(found.given ?? {}, held, keepGrants ? kept : {}))
    return Effect.map(
      GrantComputation.computeGrants({
        manifest,
        workspace,
        before: installed,
        now: given ?? {},
        directory: PluginCopies.pathOf(directory, manifest.name, digest),
      }),
      (settlement) => ({ ...found, given, kept, settlement }),
    )
  })

/** The candidate as an import takes it. Fails with all missing grants. */
export const granted = ({
  manifest,
  warnings,
  directory,
  digest,
  files,
  origin,
  settlement,
}: ImportEvents.ImportCandidate) =>
  settlement.refusals.length > 0
    ? Effect.fail(new Grants.GrantRefused({ plugin: manifest.name, refusals: settlement.refusals }))
    : Effect.succeed({ manifest, warnings, directory, digest, files, origin, grants: settlement.grants })

/** Tells whether a candidate is an update that lacks only grants a person can give. */
export const isHeld = (before: Plugin, { digest, settlement: { refusals } }: ImportEvents.ImportCandidate): boolean =>
  refusals.length > 0 && before.digest !== digest && Grants.remedies(refusals).ungrantable.length === 0
