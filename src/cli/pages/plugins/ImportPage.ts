import type { CheckedPlugin } from "../../../kernel/registry/Registry.ts"
import type { Plugin } from "../../../projections/state/PluginRegistry.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as GrantPage from "./GrantPage.ts"
import * as PluginPage from "./PluginPage.ts"

/** How a plugin stood in the registry before it was imported, and stands after it. */
export interface Import {
  readonly imported: CheckedPlugin
  readonly before: Plugin | undefined
  readonly after: Plugin | undefined
}

/** Whether an import said nothing new. */
export const isUnchanged = ({ before, after }: Import): boolean =>
  before !== undefined && before.importedAt === after?.importedAt && before.active === after.active

/** What was imported, what it asks for and is granted, and what became of it. */
export const lines = (style: Style, of: Import): ReadonlyArray<string> => [
  ...PluginPage.checked(style, of.imported),
  `  from ${GrantPage.origin(of.imported.origin)}`,
  of.after?.active === true
    ? style.good(`${done(of)}; it takes part.`)
    : style.warn(`${done(of)}; it does not take part until it is activated.`),
]

const done = (of: Import): string => {
  const { before, after } = of
  if (before !== undefined && before.digest !== after?.digest) return `Updated from ${oneLine(before.version)}`
  return isUnchanged(of) ? "Already imported, unchanged" : "Imported"
}
