/** The plugins that come with Hindcast, by name: directories of the installed package, or of a checkout. */
import * as fs from "node:fs"
import * as path from "node:path"
import * as Installed from "../platform/packages/Installed.ts"
import { type Json, valueAt } from "../values/Json.ts"
import * as SafeRecord from "../values/SafeRecord.ts"
import * as ManifestFile from "./manifest/ManifestFile.ts"

/** The names of the worlds among them, sorted. */
export const worlds = (): ReadonlyArray<string> =>
  Object.entries(found())
    .filter(([, directory]) => isWorld(directory))
    .map(([name]) => name)
    .sort()

/** The directory of the plugin of this name, if there is one. */
export const find = (name: string): string | undefined => SafeRecord.get(found(), name)

/** The directory of the world of this name, if there is one. */
export const findWorld = (name: string): string | undefined => {
  const directory = find(name)
  return directory !== undefined && isWorld(directory) ? directory : undefined
}

/** The directory of that path or, where there is none, of the plugin of that name. */
export const directoryOf = (typed: string): string | undefined =>
  fs.statSync(typed, { throwIfNoEntry: false })?.isDirectory() === true ? typed : find(typed)

/** The directories of the package that hold plugins, from its root. */
const PLACES = [path.join("packages", "worlds"), "plugins"]

/** None where a program bundles Hindcast and does not install it. */
const found = (): Readonly<Record<string, string>> => {
  const manifest = Installed.resolve("hindcast/package.json", import.meta.url)
  if (manifest === undefined) return {}
  const places = PLACES.map((place) => path.join(path.dirname(manifest), place))
  return Object.fromEntries(
    places
      .flatMap((place) =>
        (fs.existsSync(place) ? fs.readdirSync(place) : []).map((name) => [name, path.join(place, name)] as const),
      )
      .filter(([, directory]) => manifestFileIn(directory) !== undefined),
  )
}

const manifestFileIn = (directory: string): string | undefined => {
  if (!fs.statSync(directory).isDirectory()) return undefined
  const [file] = ManifestFile.manifestsIn(fs.readdirSync(directory))
  return file === undefined ? undefined : path.join(directory, file)
}

/** Whether a plugin of ours is a world: its environment has spaces. */
const isWorld = (directory: string): boolean => {
  const file = manifestFileIn(directory)
  if (file === undefined) return false
  const manifest: Json = JSON.parse(fs.readFileSync(file, "utf8"))
  return valueAt(manifest, ["peas", "environment", "spaces"]) !== undefined
}
