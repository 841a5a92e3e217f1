/** The worlds that come with Hindcast, by name: directories of plugins. */
import * as fs from "node:fs"
import * as path from "node:path"
import * as ManifestFile from "../../plugins/manifest/ManifestFile.ts"
import { type Json, valueAt } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { inPackage } from "../command/PackageFiles.ts"

/** Where they are: a checkout has all of them. */
const PLACES = [inPackage("packages", "worlds"), inPackage("plugins")]

/** The names, sorted. */
export const names = (): ReadonlyArray<string> => Object.keys(found()).sort()

/** The directory of the world of this name, if there is one. */
export const find = (name: string): string | undefined => SafeRecord.get(found(), name)

const found = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    PLACES.flatMap((place) => (fs.existsSync(place) ? fs.readdirSync(place) : []).map((name) => [place, name] as const))
      .map(([place, name]) => [name, path.join(place, name)] as const)
      .filter(([, directory]) => isWorld(directory)),
  )

/** Whether a directory of ours has the manifest of a world: an environment with spaces. */
const isWorld = (directory: string): boolean => {
  if (!fs.statSync(directory).isDirectory()) return false
  const [file] = ManifestFile.manifestsIn(fs.readdirSync(directory))
  if (file === undefined) return false
  const manifest: Json = JSON.parse(fs.readFileSync(path.join(directory, file), "utf8"))
  return valueAt(manifest, ["peas", "environment", "spaces"]) !== undefined
}
