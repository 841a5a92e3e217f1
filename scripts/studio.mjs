/**
 * `node scripts/studio.mjs`: bundles Studio's page into `dist/studio/page`: `index.html`, `studio.js` and `studio.css`,
 * with the licences of bundled packages. Prints the compressed size, and fails above the promised one.
 */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { licencesOf } from "./licences.mjs"

/** Maximum size of the page, compressed by gzip, in bytes. */
const MOST = 135_000

const from = fileURLToPath(new URL("../src/studio/page", import.meta.url))
const to = fileURLToPath(new URL("../dist/studio/page", import.meta.url))

const { outputFiles, metafile } = await build({
  entryPoints: { studio: path.join(from, "main.tsx"), "studio-style": path.join(from, "style", "studio.css") },
  outdir: to,
  bundle: true,
  minify: true,
  metafile: true,
  write: false,
  platform: "browser",
  format: "esm",
  target: ["chrome115", "firefox119", "safari16.4"],
  tsconfig: path.join(from, "tsconfig.json"),
  logLevel: "warning",
})

const files = new Map(outputFiles.map(({ path: file, contents }) => [nameOf(file), Buffer.from(contents)]))
files.set("index.html", await fs.readFile(path.join(from, "index.html")))
files.set("THIRD-PARTY.txt", Buffer.from(await licencesOf(bundled())))

const weight = [...files]
  .filter(([name]) => name !== "THIRD-PARTY.txt")
  .reduce((sum, [, contents]) => sum + gzipSync(contents).length, 0)
if (weight > MOST) throw new Error(`Studio's page: expected at most ${MOST} bytes compressed, found ${weight}`)

await fs.mkdir(to, { recursive: true })
for (const [name, contents] of files) {
  const partial = path.join(to, `${name}.${process.pid}.partial`)
  await fs.writeFile(partial, contents)
  await fs.rename(partial, path.join(to, name))
}
console.log(`Studio's page: ${weight} bytes compressed`)

/** Modules with code in the bundle. */
function bundled() {
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((input) => inputs[input].bytesInOutput > 0),
  )
}

function nameOf(file) {
  return path.basename(file).replace("studio-style.css", "studio.css")
}
