import { Args, Options } from "@effect/cli"
import type { GrantedPermissions } from "../../events/vocabulary/Plugins.ts"
import { workspace } from "../command/CommonOptions.ts"

/** A plugin's name. */
export const name = Args.text({ name: "plugin" }).pipe(Args.withDescription("The plugin's name"))

/** A plugin or a component. */
export const target = Args.text({ name: "target" }).pipe(
  Args.withDescription("A plugin, or a component: plugin/component"),
)

/** Where a plugin is imported from. */
export const source = Args.text({ name: "source" }).pipe(
  Args.withDescription(
    "Its directory, an archive (.tgz), or a Git repository: a URL, or a path, with #REF or #REF:DIR after it",
  ),
)

/** Grants by name. They add to what a first import is granted by itself: see `Grants.settle`. */
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

/** Grants by name, as they were typed. */
export type Granted = Required<GrantedPermissions>

/** How a plugin is imported or checked. */
export const importing = {
  workspace,
  lenient: Options.boolean("lenient").pipe(
    Options.withDescription("Accept unknown fields and measures without rewards, with a warning each"),
  ),
  ...grants,
}

/** What the registry takes of what was typed. */
export const importOptions = ({ lenient, ...grants }: Granted & { readonly lenient: boolean }) => ({
  lenient,
  grants: named(grants),
})

/** Only what was granted. */
export const named = ({ read, write, net, env, run, runAny }: Granted): GrantedPermissions => ({
  ...{ read, write, net, env, run },
  ...(runAny ? { runAny } : {}),
})
