/** Arguments and options that the `plugin` commands share. */
import { Options } from "@effect/cli"
import type { GrantedPermissions } from "../../events/vocabulary/Plugins.ts"
import { argument, flag, oneOf, repeatedText, workspace } from "../command/CommonOptions.ts"

export const name = argument("plugin", "The plugin's name")

export const target = argument("target", "A plugin, or a component: plugin/component")

export const SOURCE =
  "Its directory, an archive (.tgz), a Git repository (a URL, or a path, with #REF or #REF:DIR after it), or the name of one that comes with Hindcast"

export const source = argument("source", SOURCE)

/** The permissions that an import grants. A first import grants more by itself (`Grants.decideGrants`). */
export const grants = {
  read: repeatedText(
    "grant-read",
    'A directory that it may read. The workspace (".") needs no grant at a first import',
  ),
  write: repeatedText(
    "grant-write",
    'A directory that it may write. The workspace (".") needs no grant at a first import',
  ),
  net: repeatedText("grant-net", "A host that it may connect to. Default: none"),
  env: repeatedText("grant-env", "An environment variable that it may read. Default: none"),
  run: repeatedText(
    "grant-run",
    "A command that the host may run for it. Commands that the manifest names need no grant at a first import",
  ),
  runAny: flag("grant-run-any", 'Let the host run any command for it, if its manifest asks for that (".")'),
}

export const keepGrants = flag(
  "keep-grants",
  "If its code changed: keep the explicit grants of the installed code, without asking",
)

export const sandbox = oneOf("sandbox", ["auto", "flags"]).pipe(
  Options.withDescription(
    "flags: let this version run on this machine even if only Deno's permissions confine it. Default: auto",
  ),
  Options.withDefault("auto" as const),
)

export type Granted = Required<GrantedPermissions>

export const importing = {
  workspace,
  lenient: flag("lenient", "Accept unknown fields and measures without rewards, with a warning each"),
  ...grants,
}

export const importOptions = ({ lenient, ...grants }: Granted & { readonly lenient: boolean }) => ({
  lenient,
  grants: named(grants),
})

export const named = ({ read, write, net, env, run, runAny }: Granted): GrantedPermissions => ({
  read,
  write,
  net,
  env,
  run,
  ...(runAny ? { runAny } : {}),
})
