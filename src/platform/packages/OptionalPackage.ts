/** Loads optional packages on first use: Hindcast can use them, but does not depend on them. */

import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, Schema } from "effect"
import { fieldOf } from "../../values/JsonObjects.ts"
import * as Installed from "./Installed.ts"

export interface Loaded {
  readonly version: string
  /** By name. */
  readonly exports: ReadonlyMap<string, unknown>
}

/** The version of an unsuitable package; undefined if it is not installed. */
export interface Unfit {
  readonly found: string | undefined
}

/**
 * Loads an installed package.
 *
 * @param major the suitable version: `3` is every 3.x, `0.1` every 0.1.x
 * @param places where to look, in order (default: Hindcast's own place). Never the working directory, which may hold
 *   anybody's code.
 */
export const load = (
  name: string,
  major: string,
  places: ReadonlyArray<NodeJS.Require> = defaultPlaces(),
): Effect.Effect<Loaded, Unfit> =>
  Effect.gen(function* () {
    const found = places.flatMap((place) => installedAt(place, name) ?? [])
    const fit = found.find(({ version }) => version.startsWith(`${major}.`))
    if (fit === undefined) return yield* Effect.fail({ found: found[0]?.version })
    const exports = yield* Effect.tryPromise({
      try: () => importFile(fit.entry),
      catch: (): Unfit => ({ found: `${fit.version}, which does not load` }),
    })
    return { version: fit.version, exports }
  })

const defaultPlaces = (): ReadonlyArray<NodeJS.Require> => [Installed.requireOf(import.meta.url)]

const Manifest = Schema.parseJson(Schema.Struct({ version: Schema.String, exports: Schema.optional(Schema.Unknown) }))

/** A package's main module. If only `import` may load it, its manifest names the file. */
const entryOf = (place: NodeJS.Require, name: string, directory: string, exports: unknown): string => {
  const entry = fieldOf(fieldOf(exports, "."), "import")
  const requires = fieldOf(fieldOf(exports, "."), "require") ?? fieldOf(fieldOf(exports, "."), "default")
  const isImportOnly = typeof entry === "string" && /^\.\/(?!.*\.\.)/.test(entry) && requires === undefined
  return isImportOnly ? path.join(directory, entry) : place.resolve(name)
}

/** Looks for the manifest by its path: not every package exports it. */
const installedAt = (place: NodeJS.Require, name: string) => {
  for (const directory of place.resolve.paths(name) ?? []) {
    const manifest = path.join(directory, name, "package.json")
    if (!fs.existsSync(manifest)) continue
    try {
      const { version, exports } = Schema.decodeUnknownSync(Manifest)(fs.readFileSync(manifest, "utf8"))
      return { version, entry: entryOf(place, name, path.join(directory, name), exports) }
    } catch {
      return undefined
    }
  }
  return undefined
}

/** CommonJS exports are also in `default`, even those whose names Node does not detect. */
const importFile = async (file: string): Promise<ReadonlyMap<string, unknown>> => {
  const module: Record<string, unknown> = await import(pathToFileURL(file).href)
  const common = typeof module.default === "object" && module.default !== null ? module.default : {}
  return new Map([...Object.entries(common), ...Object.entries(module)])
}
