/**
 * `node scripts/import-cost.mjs [ENTRY] [--modules N] [--runs N]`: prints how long each room and the heaviest modules
 * take to evaluate when a program imports an entry (default: `src/index.ts`), and by which imports the entry reaches
 * them. It needs a built `dist/`.
 *
 * It profiles the import of unbundled modules, because a bundle has many modules in one file. The time of a function
 * belongs to the module whose evaluation calls it. Finding, reading and compiling files is not included: the bundle has
 * other files, and `npm run bench -- --only start` measures it.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const root = fileURLToPath(new URL("..", import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { modules: { type: "string", default: "25" }, runs: { type: "string", default: "5" } },
})
const entry = positionals[0] ?? "src/index.ts"
const built = path.join(root, entry.replace(/^src/, "dist").replace(/\.ts$/, ".js"))
const directory = fs.mkdtempSync(path.join(root, "node_modules", ".cache", "import-cost-"))
const graphFile = path.join(directory, "graph")

/** Microseconds by module, over all runs. */
const byModule = new Map()
const runs = Number(values.runs)
for (let run = 0; run < runs; run++) {
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      ...["--cpu-prof", "--cpu-prof-interval=100", `--cpu-prof-dir=${directory}`],
      ...["--import", new URL("import-cost-hooks.mjs", import.meta.url).href, built],
    ],
    { encoding: "utf8", env: { ...process.env, IMPORT_GRAPH: graphFile } },
  )
  if (status !== 0) throw new Error(stderr)
}
const graph = fs
  .readFileSync(graphFile, "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(" "))
/** The module that first imports another. */
const importer = new Map()
for (const [from, to] of graph) if (!importer.has(to)) importer.set(to, from)

/** Evaluated by the import, and not by the hooks. */
const isMeasured = (url) =>
  url !== undefined && importer.has(url) && !/\/scripts\/|\/node_modules\/@?esbuild\//.test(url)

/** Profiles of the main thread; module hooks run in another. */
for (const name of fs.readdirSync(directory).filter((file) => /\.0\.\d+\.cpuprofile$/.test(file))) {
  const { nodes, samples, timeDeltas } = JSON.parse(fs.readFileSync(path.join(directory, name), "utf8"))
  const at = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const moduleOf = (id) => {
    let found
    for (let node = id; node !== undefined; node = parents.get(node)) {
      const { url, functionName, lineNumber, columnNumber } = at.get(node).callFrame
      if (functionName === "" && lineNumber === 0 && columnNumber === 0 && url.startsWith("file:")) found = url
    }
    return found
  }
  const owners = new Map(nodes.map(({ id }) => [id, moduleOf(id)]))
  samples.forEach((id, index) => {
    const owner = owners.get(id)
    if (isMeasured(owner)) byModule.set(owner, (byModule.get(owner) ?? 0) + timeDeltas[index])
  })
}
fs.rmSync(directory, { recursive: true })

const say = (line) => process.stdout.write(`${line}\n`)
const ms = (us) => (us / 1000 / runs).toFixed(1).padStart(7)
const shown = (url) =>
  url.startsWith("file:") ? path.relative(root, fileURLToPath(url)).replace(/^dist\//, "src/") : url
const roomOf = (url) => {
  const file = shown(url)
  const [, inPackage] = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? []
  return (
    inPackage ??
    file
      .split("/")
      .slice(0, 3)
      .slice(0, file.split("/").length - 1)
      .join("/")
  )
}
const sums = (keyOf) => {
  const all = new Map()
  for (const [url, us] of byModule) all.set(keyOf(url), (all.get(keyOf(url)) ?? 0) + us)
  return [...all].sort(([, a], [, b]) => b - a)
}
const counts = new Map()
for (const url of new Set(graph.map(([, to]) => to)))
  if (url.startsWith("file:")) counts.set(roomOf(url), (counts.get(roomOf(url)) ?? 0) + 1)
const total = [...byModule.values()].reduce((a, b) => a + b, 0)
say(`${ms(total)} ms evaluating modules, by room:`)
for (const [room, us] of sums(roomOf)) if (us / runs > 300) say(`${ms(us)} ms  ${room} (${counts.get(room)} modules)`)
say("the heaviest modules, and how the entry reaches them:")
const way = (url) => {
  const names = []
  for (let at = importer.get(url); at !== undefined && at !== "-" && names.length < 6; at = importer.get(at))
    names.push(path.basename(shown(at)))
  return names.join(" < ")
}
for (const [url, us] of sums((url) => url)
  .filter(([url]) => roomOf(url).startsWith("src"))
  .slice(0, Number(values.modules)))
  say(`${ms(us)} ms  ${shown(url)} < ${way(url)}`)
