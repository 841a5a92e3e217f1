/**
 * `node scripts/shipped.mjs`, part of `npm run build` after `packages/python/vendor`, whose files count towards the
 * plugin's digest:
 *
 * - writes `dist/plugins/shipped.json`: the digests of the plugins in this package and in the repository's other
 *   packages, as the registry computes them
 * - bundles each module that runs in Deno into one file
 * - writes `dist/plugins/Embedded.js` with the digests and these files' texts, for programs that bundle Hindcast
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { load, manifestsIn } from "../dist/plugins/manifest/Manifest.js"
import { makeRunner } from "./runner.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const built = path.join(root, "dist", "plugins")

const inside = (place) =>
  fs
    .readdirSync(path.join(root, place), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [path.join(place, entry.name)] : []))

const isPlugin = (place) => manifestsIn(fs.readdirSync(path.join(root, place))).length > 0

/** A package is a plugin itself, or contains plugins. */
const packages = inside("packages").flatMap((place) => (isPlugin(place) ? [place] : inside(place).filter(isPlugin)))

const directories = [...inside("plugins"), ...packages, ...inside(path.join("examples", "plugins"))].map((place) =>
  path.join(root, place),
)
const shipped = {}
for (const directory of directories) {
  const { digest, manifest } = await Effect.runPromise(load(directory))
  shipped[digest] = `${manifest.name} ${manifest.version}`
}

const write = (name, text) => {
  const file = path.join(built, name)
  const partial = `${file}.${process.pid}.partial`
  fs.writeFileSync(partial, text)
  fs.renameSync(partial, file)
}

const embedded = { ...(await makeRunner()), shipped }
write("Embedded.js", `export const EMBEDDED = ${JSON.stringify(embedded)}\n`)
write("shipped.json", `${JSON.stringify(shipped, null, 2)}\n`)
