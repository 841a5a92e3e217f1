/** Formats the result of a plugin's import. */
import type { CheckedPlugin } from "../../../kernel/registry/Registry.ts"
import { describe, type UpdateChanges } from "../../../kernel/registry/UpdateChanges.ts"
import type { Plugin } from "../../../projections/state/PluginRegistry.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as GrantPage from "./GrantPage.ts"
import * as PluginPage from "./PluginPage.ts"

export interface Import {
  readonly imported: CheckedPlugin
  readonly before: Plugin | undefined
  readonly after: Plugin | undefined
}

export const isUnchanged = ({ before, after }: Import): boolean =>
  before !== undefined && before.importedAt === after?.importedAt && before.active === after.active

export const lines = (style: Style, of: Import): ReadonlyArray<string> => [
  ...PluginPage.checked(style, of.imported),
  `  from ${GrantPage.origin(of.imported.origin)}`,
  ...changes(of.imported.changes),
  of.after?.active === true
    ? style.good(`${done(of)}; it is active.`)
    : style.warn(`${done(of)}; it is inactive until you activate it.`),
]

export const changes = (of: UpdateChanges | undefined): ReadonlyArray<string> =>
  of === undefined ? [] : describe(of).map((line) => `  ${line}`)

/** The changes of an update as a JSON document. `files` is null if unknown. */
export const changesDocument = ({ permissions, files }: UpdateChanges) => ({ permissions, files: files ?? null })

const done = (of: Import): string => {
  const { before, after } = of
  if (before !== undefined && before.digest !== after?.digest) return `Updated from ${oneLine(before.version)}`
  return isUnchanged(of) ? "Already imported, unchanged" : "Imported"
}
