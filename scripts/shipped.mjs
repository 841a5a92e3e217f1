/**
 * `node scripts/shipped.mjs`: writes `dist/plugins/shipped.json`, the digests of the plugins that come with this package, as
 * the registry takes them of a plugin's files, and of those that are packages of their own in this repository; makes one file each
 * of the modules that run in Deno; and writes `dist/plugins/Embedded.js`, which holds the digests and these files' texts, for
 * programs that Hindcast is bundled into. Part of `npm run build`, after `packages/python/vendor` was made: what is in there belongs
 * to the plugin and to its digest.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { load } from "../dist/plugins/manifest/Manifest.js"
import { makeRunner } from "./runner.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const built = path.join(root, "dist", "plugins")

const inside = (place) =>
  fs
    .readdirSync(path.join(root, place), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [path.join(place, entry.name)] : []))

const isPlugin = (place) => fs.existsSync(path.join(root, place, "looper-plugin.json"))

/** A package is a plugin itself, or has plugins in it. */
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
