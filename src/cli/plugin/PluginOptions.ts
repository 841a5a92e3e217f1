/** Arguments and options that the `plugin` commands share. */
import type { GrantedPermissions } from "../../events/vocabulary/Plugins.ts"
import { argument, flag, repeatedText, workspace } from "../command/CommonOptions.ts"

/** A plugin's name. */
export const name = argument("plugin", "The plugin's name")

/** A plugin or a component. */
export const target = argument("target", "A plugin, or a component: plugin/component")

/** The source that a plugin is imported from. */
export const source = argument(
  "source",
  "Its directory, an archive (.tgz), or a Git repository: a URL, or a path, with #REF or #REF:DIR after it",
)

/** The permissions that an import grants, in addition to those of a first import (see `Grants.settle`). */
export const grants = {
  read: repeatedText(
    "grant-read",
    'A directory it may read, besides the workspace ("."), which a first import needs no grant for',
  ),
  write: repeatedText(
    "grant-write",
    'A directory it may write, besides the workspace ("."), which a first import needs no grant for',
  ),
  net: repeatedText("grant-net", "A host it may connect to: none without such a grant"),
  env: repeatedText("grant-env", "A variable it may read: none without such a grant"),
  run: repeatedText(
    "grant-run",
    "A command it may have run for it, besides those that a first import asks for by name",
  ),
  runAny: flag("grant-run-any", 'Let it have any command run for it, where it asks for that (".")'),
}

/** The values of the `--grant-…` options. */
export type Granted = Required<GrantedPermissions>

/** The options of an import or a check. */
export const importing = {
  workspace,
  lenient: flag("lenient", "Accept unknown fields and measures without rewards, with a warning each"),
  ...grants,
}

/** The registry's import options from the typed options. */
export const importOptions = ({ lenient, ...grants }: Granted & { readonly lenient: boolean }) => ({
  lenient,
  grants: named(grants),
})

/** The permissions that were granted, without the absent flag. */
export const named = ({ read, write, net, env, run, runAny }: Granted): GrantedPermissions => ({
  ...{ read, write, net, env, run },
  ...(runAny ? { runAny } : {}),
})
