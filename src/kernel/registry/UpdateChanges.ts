/** Compares an update with the installed version: requested permissions and files. */

import * as crypto from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect } from "effect"
import * as Grants from "../../plugins/manifest/Grants.ts"
import * as Manifest from "../../plugins/manifest/Manifest.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import { oneLine } from "../../values/PlainText.ts"
import { manifestOf } from "./ComponentLookup.ts"
import * as PluginCopies from "./copies/PluginCopies.ts"

/** The differences between two versions of a plugin. */
export interface UpdateChanges {
  /** As in the manifest: `net example.org`. */
  readonly permissions: { readonly added: ReadonlyArray<string>; readonly removed: ReadonlyArray<string> }
  /** Undefined if the installed copy is unreadable or changed. */
  readonly files:
    | {
        readonly added: ReadonlyArray<string>
        readonly removed: ReadonlyArray<string>
        readonly changed: ReadonlyArray<string>
      }
    | undefined
}

/** Compares a source with the installed version; undefined if the code is the same. Never fails. */
export const between = (
  copies: string,
  installed: Plugin | undefined,
  source: Manifest.LoadedPlugin,
): Effect.Effect<UpdateChanges | undefined> =>
  Effect.gen(function* () {
    if (installed === undefined || installed.digest === source.digest) return undefined
    const [before, now] = [permissionsOf(manifestOf(installed)), permissionsOf(source.manifest)]
    return {
      permissions: { added: without(now, before), removed: without(before, now) },
      files: yield* filesBetween(
        PluginCopies.pathOf(copies, source.manifest.name, installed.digest),
        installed,
        source,
      ),
    }
  })

const permissionsOf = (manifest: Manifest.Manifest): ReadonlyArray<string> => {
  const requested = Grants.requested(manifest)
  return Grants.LISTS.flatMap((list) => requested[list].map((name) => `${list} ${name}`))
}

const filesBetween = (copy: string, installed: Plugin, source: Manifest.LoadedPlugin) =>
  Manifest.load(copy, { lenient: true, trusted: true }).pipe(
    Effect.filterOrFail(({ digest }) => digest === installed.digest),
    Effect.flatMap((before) => Effect.tryPromise(() => compare(before, source))),
    Effect.orElseSucceed(() => undefined),
  )

const compare = async (before: Manifest.LoadedPlugin, now: Manifest.LoadedPlugin) => {
  const changed: Array<string> = []
  for (const file of now.files.filter((file) => before.files.includes(file))) {
    if ((await digestOf(before, file)) !== (await digestOf(now, file))) changed.push(file)
  }
  return { added: without(now.files, before.files), removed: without(before.files, now.files), changed }
}

const digestOf = async ({ directory }: Manifest.LoadedPlugin, file: string): Promise<string> =>
  crypto
    .createHash("sha256")
    .update(await fs.readFile(path.join(directory, file)))
    .digest("hex")

const without = (all: ReadonlyArray<string>, some: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = new Set(some)
  return all.filter((one) => !known.has(one))
}

/** The changes, one line each. */
export const describe = ({ permissions, files }: UpdateChanges): ReadonlyArray<string> => [
  ...line("permissions added", permissions.added),
  ...line("permissions removed", permissions.removed),
  ...(files === undefined
    ? ["files: changes unknown, because the installed copy is missing or was modified"]
    : [
        ...line("files changed", files.changed),
        ...line("files added", files.added),
        ...line("files removed", files.removed),
      ]),
]

const line = (what: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (names.length === 0) return []
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : ""
  return [`${what}: ${names.slice(0, MAX_NAMES).map(oneLine).join(", ")}${more}`]
}

const MAX_NAMES = 20
