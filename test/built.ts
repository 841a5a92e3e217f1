/**
 * Where tests find what `npm run build` makes. A file of tests that imports this module, itself or through others, is in the project
 * `program`, before which `build.ts` builds; the others, in the project `source`, start without a build (`projects.ts`).
 */
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { bundleOf, PROGRAMS } from "./programs.ts"
import { inRepository } from "./repository.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Whether `build.ts` ran before the project's tests. */
    readonly isBuilt: boolean
  }
}

if (!inject("isBuilt"))
  throw new Error(
    "test/built.ts: expected to be imported in the project `program`, found that nothing was built before",
  )

/** A file or directory of `dist/`. */
export const built = (...names: ReadonlyArray<string>): string => inRepository("dist", ...names)

/** The command line's program, as it is shipped. */
export const MAIN = built("cli", "main.js")

/** The directory of this package, with everything that is shipped: a link to it is an installation. */
export const PACKAGE = inRepository()

/**
 * The directory of a plugin that comes with this package. The build lists the digests by which it is recognised, and makes the files that
 * it brings along.
 */
export const shippedPlugin = (...names: ReadonlyArray<string>): string => inRepository(...names)

/**
 * A program of `programs/` beside a module of tests, for a process of its own: it imports what was built, or is bundled with it
 * (`programs.ts`).
 *
 * @param module the module's `import.meta.url`
 */
export const program = (module: string, name: string): string => {
  const file = fileURLToPath(new URL(`./programs/${name}.mjs`, module))
  const bundled = PROGRAMS.find((one) => inRepository("test", one) === file)
  return bundled === undefined ? file : bundleOf(bundled)
}
