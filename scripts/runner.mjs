/**
 * `node scripts/runner.mjs`: makes `dist/plugins/runner/runner.js` and `precompute.js`, one file each of the modules that run in Deno
 * and of what they import. Part of `npm run build` (`shipped.mjs`), and the only part of it that the tests of the project `source` need.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))
const made = path.join(root, "dist", "plugins", "runner")

/** The text of one file. Imports are evaluated before what imports them: what the runner captures, it has captured before its first line runs. */
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

/** Replaces the compiler's modules of the same names, and removes their maps. A file that already has this text is kept: processes may run it. */
const write = (name, text) => {
  const file = path.join(made, `${name}.js`)
  fs.rmSync(`${file}.map`, { force: true })
  if (fs.existsSync(file) && fs.readFileSync(file, "utf8") === text) return
  fs.mkdirSync(made, { recursive: true })
  const partial = `${file}.${process.pid}.partial`
  fs.writeFileSync(partial, text)
  fs.renameSync(partial, file)
}

/** Makes the files, and answers with their texts. */
export const makeRunner = async () => {
  const texts = { runner: await bundled("runner"), precompute: await bundled("precompute") }
  for (const [name, text] of Object.entries(texts)) write(name, text)
  return texts
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await makeRunner()
