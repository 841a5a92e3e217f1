/**
 * `node scripts/runner.mjs`: bundles the modules that run in Deno into `dist/plugins/runner/runner.js` and
 * `precompute.js`. Part of `npm run build` (`shipped.mjs`), and the only part that tests of the project `source` need.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))
const made = path.join(root, "dist", "plugins", "runner")

/** Imports run before their importer, so the runner captures globals before its first line. */
const bundled = async (name) => {
  const { outputFiles } = await build({
    entryPoints: [path.join("src", "plugins", "runner", `${name}.ts`)],
    absWorkingDir: root,
    bundle: true,
    write: false,
    platform: "neutral",
    format: "esm",
    target: "es2022",
    logLevel: "warning",
  })
  return outputFiles[0].text
}

/**
 * Replaces the compiler's modules of these names and removes their maps. Keeps a file with the same text: processes may
 * run it.
 */
const write = (name, text) => {
  const file = path.join(made, `${name}.js`)
  fs.rmSync(`${file}.map`, { force: true })
  if (fs.existsSync(file) && fs.readFileSync(file, "utf8") === text) return
  fs.mkdirSync(made, { recursive: true })
  const partial = `${file}.${process.pid}.partial`
  fs.writeFileSync(partial, text)
  fs.renameSync(partial, file)
}

/** Writes the files and returns their texts. */
export const makeRunner = async () => {
  const texts = { runner: await bundled("runner"), precompute: await bundled("precompute") }
  for (const [name, text] of Object.entries(texts)) write(name, text)
  return texts
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await makeRunner()
