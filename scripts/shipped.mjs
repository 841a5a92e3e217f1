/**
 * `node scripts/shipped.mjs`: writes `dist/plugins/shipped.json`, the digests of the plugins that come with this package, as
 * the registry takes them of a plugin's files, and of those that are packages of their own in this repository; and
 * `dist/plugins/Embedded.js`, which holds them and the texts of the modules that run in Deno, for programs that Hindcast is bundled
 * into. Part of `npm run build`, after `packages/python/vendor` was made: what is in there belongs to the plugin and to its digest.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { load } from "../dist/plugins/manifest/Manifest.js"

const root = fileURLToPath(new URL("..", import.meta.url))
const built = path.join(root, "dist", "plugins")

const directories = ["plugins", "packages", path.join("examples", "plugins")].flatMap((place) =>
  fs.readdirSync(path.join(root, place)).map((name) => path.join(root, place, name)),
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
const inDeno = (name) => fs.readFileSync(path.join(built, "runner", `${name}.js`), "utf8")
write(
  "Embedded.js",
  `export const EMBEDDED = ${JSON.stringify({ runner: inDeno("runner"), precompute: inDeno("precompute"), shipped })}\n`,
)
write("shipped.json", `${JSON.stringify(shipped, null, 2)}\n`)
