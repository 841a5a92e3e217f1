/**
 * `node scripts/studio.mjs`: bundles Studio's page into `dist/studio/page`, with the licences of bundled packages:
 * `index.html`, `studio.js`, `studio.css` and the parts that it loads on demand, and `shared.js`, the page as one module
 * for files that open offline. Prints the compressed size of what a browser loads first, and fails above the promised
 * one.
 */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { licencesOf } from "./licences.mjs"

/** Maximum size of what a browser loads before it shows a task, compressed by gzip, in bytes. */
const MOST = 110_000

/** Maximum size of the page in a shared file, compressed by gzip, in bytes. */
const MOST_SHARED = 130_000

const from = fileURLToPath(new URL("../src/studio/page", import.meta.url))
const to = fileURLToPath(new URL("../dist/studio/page", import.meta.url))

const common = {
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
}
const served = await build({
  ...common,
  entryPoints: { studio: path.join(from, "main.tsx"), "studio-style": path.join(from, "style", "studio.css") },
  splitting: true,
  chunkNames: "part-[name]-[hash]",
})
/** Screens and dialogs that need a server. A shared file says so instead. */
const OF_SERVER =
  /\/(SignInScreen|LogsScreen|ScenariosScreen|PluginsScreen|CurriculaScreen|RescoreDialog|TasksDialog)\.tsx$/

const withoutServer = {
  name: "without-server",
  setup: ({ onResolve }) =>
    onResolve({ filter: OF_SERVER }, ({ kind }) =>
      kind === "dynamic-import" ? { path: path.join(from, "screens", "NotInFile.tsx") } : undefined,
    ),
}
const shared = await build({
  ...common,
  plugins: [withoutServer],
  entryPoints: { shared: path.join(from, "main.tsx") },
})

const files = new Map(
  [...served.outputFiles, ...shared.outputFiles].map(({ path: file, contents }) => [
    nameOf(file),
    Buffer.from(contents),
  ]),
)
files.set("index.html", Buffer.from(withParts(await fs.readFile(path.join(from, "index.html"), "utf8"))))
files.set("THIRD-PARTY.txt", Buffer.from(await licencesOf(bundled())))

const first = weightOf(["index.html", "studio.css", ...loadedFirst("studio.js")])
const offline = weightOf(["studio.css", "shared.js"])
if (first > MOST) throw new Error(`Studio's page: expected at most ${MOST} bytes compressed, found ${first}`)
if (offline > MOST_SHARED)
  throw new Error(`Studio's page in a file: expected at most ${MOST_SHARED} bytes compressed, found ${offline}`)

await fs.mkdir(to, { recursive: true })
for (const [name, contents] of files) {
  const partial = path.join(to, `${name}.${process.pid}.partial`)
  await fs.writeFile(partial, contents)
  await fs.rename(partial, path.join(to, name))
}
for (const name of await fs.readdir(to)) if (/^part-/.test(name) && !files.has(name)) await fs.rm(path.join(to, name))
console.log(`Studio's page: ${first} bytes compressed, ${offline} in a file`)

/** The page with the parts that its script imports, so that a browser fetches them all at once, and not only after the script. */
function withParts(html) {
  const parts = [...loadedFirst("studio.js")].filter((name) => name !== "studio.js")
  const links = parts.map((name) => `    <link rel="modulepreload" href="/${name}" />\n`).join("")
  const before = "  </head>"
  if (!html.includes(before)) throw new Error(`index.html: expected "${before}", found none`)
  return html.replace(before, links + before)
}

/** A module and all modules that it imports at once. */
function loadedFirst(entry) {
  const outputs = new Map(
    Object.entries(served.metafile.outputs).map(([file, output]) => [path.basename(file), output]),
  )
  const names = new Set([entry])
  for (const name of names)
    for (const { path: file, kind } of outputs.get(name)?.imports ?? [])
      if (kind === "import-statement") names.add(path.basename(file))
  return names
}

function weightOf(names) {
  return [...names].reduce((sum, name) => sum + gzipSync(files.get(name)).length, 0)
}

/** Modules with code in the bundle. */
function bundled() {
  return Object.values(served.metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((input) => inputs[input].bytesInOutput > 0),
  )
}

function nameOf(file) {
  return path.basename(file).replace("studio-style.css", "studio.css")
}
