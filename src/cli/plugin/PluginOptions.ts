/** Arguments and options that the `plugin` commands share. */
import { Args, Options } from "@effect/cli"
import type { GrantedPermissions } from "../../events/vocabulary/Plugins.ts"
import { workspace } from "../command/CommonOptions.ts"

/** A plugin's name. */
export const name = Args.text({ name: "plugin" }).pipe(Args.withDescription("The plugin's name"))

/** A plugin or a component. */
export const target = Args.text({ name: "target" }).pipe(
  Args.withDescription("A plugin, or a component: plugin/component"),
)

/** The source that a plugin is imported from. */
export const source = Args.text({ name: "source" }).pipe(
  Args.withDescription(
    "Its directory, an archive (.tgz), or a Git repository: a URL, or a path, with #REF or #REF:DIR after it",
  ),
)

/** The permissions that an import grants, in addition to those of a first import (see `Grants.settle`). */
export const grants = {
  read: Options.text("grant-read").pipe(
    Options.withDescription(
      'A directory it may read, besides the workspace ("."), which a first import needs no grant for',
    ),
    Options.repeated,
  ),
  write: Options.text("grant-write").pipe(
    Options.withDescription(
      'A directory it may write, besides the workspace ("."), which a first import needs no grant for',
    ),
    Options.repeated,
  ),
  net: Options.text("grant-net").pipe(
    Options.withDescription("A host it may connect to: none without such a grant"),
    Options.repeated,
  ),
  env: Options.text("grant-env").pipe(
    Options.withDescription("A variable it may read: none without such a grant"),
    Options.repeated,
  ),
  run: Options.text("grant-run").pipe(
    Options.withDescription("A command it may have run for it, besides those that a first import asks for by name"),
    Options.repeated,
  ),
  runAny: Options.boolean("grant-run-any").pipe(
    Options.withDescription('Let it have any command run for it, where it asks for that (".")'),
  ),
}

/** The values of the `--grant-…` options. */
export type Granted = Required<GrantedPermissions>

/** The options of an import or a check. */
export const importing = {
  workspace,
  lenient: Options.boolean("lenient").pipe(
    Options.withDescription("Accept unknown fields and measures without rewards, with a warning each"),
  ),
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
