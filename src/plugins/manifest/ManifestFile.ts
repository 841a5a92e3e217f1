/**
 * The manifest's file in a plugin's directory. It has two names, of which a directory may have one: the name of the
 * seed format, and Hindcast's own. All searches for a manifest use `manifestsIn`.
 */
import type { ManifestIssue } from "./characterChecks.ts"

/** The name in the seed format: the default for new plugins and in messages. */
export const FILE = "looper-plugin.json"

const NAMES: ReadonlyArray<string> = [FILE, "hindcast-plugin.json"]

/** Both names, for messages. */
export const EITHER_FILE = NAMES.join(" or ")

/** The names of the manifests in a directory, given the names of its files. More than one is a mistake. */
export const manifestsIn = (files: Iterable<string>): ReadonlyArray<string> => {
  const present = new Set(files)
  return NAMES.filter((name) => present.has(name))
}

/** The mistake of a directory with several manifests. Undefined if it has at most one. */
export const severalManifests = ([kept, ...others]: ReadonlyArray<string>): ManifestIssue | undefined =>
  others.length === 0
    ? undefined
    : {
        path: "",
        expected: "one manifest",
        found: `${kept} and ${others.join(" and ")}: remove ${others.join(" and ")}, or, if you edit that one, rename it to ${kept}`,
        place: { line: 1, column: 1 },
      }
