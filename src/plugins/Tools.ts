import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { Effect } from "effect"

/** What a machine has to run and confine a plugin with. */
export interface Tools {
  /** Absolute path of Deno's binary. */
  readonly deno: string
  /** Absolute path of util-linux's `setpriv`; without it a plugin that never reads its input outlives a killed host. */
  readonly setpriv?: string
}

/**
 * Finds them: Deno as the npm package `deno` brings it, else the one on the `PATH`; `setpriv` on the `PATH`.
 * Fails with a sentence that says what to do where there is no Deno.
 */
export const find: Effect.Effect<Tools, string> = Effect.suspend(() => {
  const deno = packagedDeno() ?? onPath("deno")
  if (deno === undefined) {
    return Effect.fail(
      `expected Deno's binary, found neither the npm package \`deno\` for ${process.platform}-${process.arch} nor \`deno\` ` +
        "on the PATH. Install with optional dependencies (`npm ci`), or install Deno.",
    )
  }
  const setpriv = process.platform === "linux" ? onPath("setpriv") : undefined
  return Effect.succeed({ deno, ...(setpriv === undefined ? {} : { setpriv }) })
})

const BINARY = process.platform === "win32" ? "deno.exe" : "deno"

/**
 * The package `deno` brings its binary in one optional package for each platform, `@deno/linux-x64-glibc` say, and its
 * install script, where it ran, links it into the package itself.
 */
const packagedDeno = (): string | undefined => {
  const own = resolveFrom(import.meta.url, "deno/package.json")
  if (own === undefined) return undefined
  const libc = process.platform === "linux" ? "-glibc" : ""
  const platform = resolveFrom(own, `@deno/${process.platform}-${process.arch}${libc}/package.json`)
  return [platform, own]
    .filter((manifest) => manifest !== undefined)
    .map((manifest) => path.join(path.dirname(manifest), BINARY))
    .find(isExecutable)
}

const resolveFrom = (from: string, name: string): string | undefined => {
  try {
    return createRequire(from).resolve(name)
  } catch {
    return undefined
  }
}

const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? "")
    .split(path.delimiter)
    .filter((directory) => path.isAbsolute(directory))
    .map((directory) => path.join(directory, name))
    .find(isExecutable)

const isExecutable = (file: string): boolean => {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}
