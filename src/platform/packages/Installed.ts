/** Resolves installed packages and modules, even from a program that bundles Hindcast. */

import * as fs from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

/**
 * A CommonJS bundle has no `import.meta.url`; its `__filename` serves instead.
 *
 * @param module the module's `import.meta.url`
 */
export const requireOf = (module: string | undefined): NodeJS.Require => createRequire(module ?? __filename)

/**
 * A file of an installed package, such as `deno/package.json`. It resolves from the module, then from the package
 * `hindcast`: some package managers show a bundled program only its own dependencies.
 */
export const resolve = (name: string, module: string | undefined): string | undefined => {
  const direct = resolveFrom(requireOf(module), name)
  if (direct !== undefined) return direct
  const hindcast = resolveFrom(requireOf(module), "hindcast/package.json")
  return hindcast === undefined ? undefined : resolveFrom(createRequire(hindcast), name)
}

/**
 * Tells whether a module belongs to an installation. Hindcast's own bundles give each module the URL of its file, and
 * so do programs that bundle them in turn, but these have no runner next to them.
 *
 * @param name its path below `src` or `dist`, without an extension
 */
export const isInstalled = (module: string | undefined, name: string): boolean =>
  module !== undefined &&
  [".js", ".ts"].some(
    (extension) =>
      module.endsWith(`/${name}${extension}`) &&
      fs.existsSync(
        fileURLToPath(`${module.slice(0, -`${name}${extension}`.length)}plugins/runner/runner${extension}`),
      ),
  )

const resolveFrom = (require: NodeJS.Require, name: string): string | undefined => {
  try {
    return require.resolve(name)
  } catch {
    return undefined
  }
}
