/** The plugin that runs Python is a package of its own: the demo does without it, and says how to get it where it is missing. */
import { createRequire } from "node:module"
import * as AsTyped from "../command/CommandHints.ts"

const PACKAGE = "@hindcast/python"

/** A line for people about a package that is missing; none where it is there, as in a clone. */
export const missing = (isThere = isInstalled(PACKAGE)): ReadonlyArray<string> =>
  isThere
    ? []
    : [
        `Agents can run Python too, by ${PACKAGE}, which is not here: \`npm pack -w packages/python\` in a clone of Hindcast makes ` +
          `its tarball, and \`${AsTyped.command(["plugin", "add", "FILE"])}\` imports that.`,
      ]

/** Beside this package, or in a clone as a workspace of it. */
const isInstalled = (name: string): boolean => {
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`)
    return true
  } catch {
    return false
  }
}
