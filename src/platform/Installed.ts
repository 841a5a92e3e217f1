import { createRequire } from "node:module"

/**
 * The `require` of a module of Hindcast's. A bundle in the format of CommonJS has no `import.meta.url`: it is found by its file's name.
 *
 * @param module the module's `import.meta.url`
 */
export const requireOf = (module: string | undefined): NodeJS.Require => createRequire(module ?? __filename)

/**
 * The path of an installed package's file, `deno/package.json` say: as the module itself finds it, else as the installed package
 * `hindcast` does. The latter is for programs that Hindcast was bundled into, where the package manager lets a package see
 * only its own dependencies. Undefined where it is not installed.
 */
export const resolve = (name: string, module: string | undefined): string | undefined => {
  const direct = resolveFrom(requireOf(module), name)
  if (direct !== undefined) return direct
  const hindcast = resolveFrom(requireOf(module), "hindcast/package.json")
  return hindcast === undefined ? undefined : resolveFrom(createRequire(hindcast), name)
}

/**
 * Whether a module runs from its own file, as it is installed, and was not bundled into a file of a program's.
 *
 * @param name its path below `src` or `dist`, without an extension
 */
export const isOwnFile = (module: string | undefined, name: string): boolean =>
  module !== undefined && [".js", ".ts"].some((extension) => module.endsWith(`/${name}${extension}`))

const resolveFrom = (require: NodeJS.Require, name: string): string | undefined => {
  try {
    return require.resolve(name)
  } catch {
    return undefined
  }
}
