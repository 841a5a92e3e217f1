/** Tells the user how to get the plugin that runs Python: a separate package that the demo does not need. */
import { createRequire } from "node:module"
import * as AsTyped from "../command/CommandHints.ts"

const PACKAGE = "@hindcast/python"

/** A line about the missing package; empty if it is installed, as in a clone of the repository. */
export const missing = (isThere = isInstalled(PACKAGE)): ReadonlyArray<string> =>
  isThere
    ? []
    : [
        `Agents can also run Python, with the plugin ${PACKAGE}, which is not installed: \`npm pack -w packages/python\` in a clone of Hindcast makes ` +
          `its tarball, and \`${AsTyped.command(["plugin", "add", "FILE"])}\` imports that.`,
      ]

const isInstalled = (name: string): boolean => {
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`)
    return true
  } catch {
    return false
  }
}
