/**
 * `node scripts/weights.mjs`, part of `npm run check`: limits the weight of each entry that package.json exports. It
 * counts our modules that importing the entry loads and their minified bytes, the packages that it loads, and the bytes
 * of the entry as one file, including later `import()`s. A change that needs more raises the limit here, where a
 * reviewer sees it.
 */
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))

const EVENTS = ["canonicalize", "effect", "uuidv7"]
// The build includes all of RULES, and statistics (`included-packages.mjs`).
const RULES = ["@marcbachmann/cel-js", "re2js"]
const COMPARISONS = ["pure-rand", "simple-statistics"]

/** Maximum numbers of loaded modules, loaded kilobytes and bundled kilobytes; and the loaded packages. */
const LIMITS = {
  // 24 kB bundled, of this and of all that has the kernel, are the servers of MCP as plugins, with the check of their
  // addresses; three modules bring recorded files back. Everything that has the
  // events' vocabulary has the event of purged files, and models' failures the one reader of `Retry-After`. A
  // projector is three modules: the fold, its progress, and the stream of changes. Rules are checked against the
  // vocabulary before they score. Reads of every log expand compact steps: ten modules. Everything that has the vocabulary has
  // the module of Standard Schemas. A log on a server has the files of plugins.
  "src/index.ts": [790, 1180, 1412, ...EVENTS, ...RULES, ...COMPARISONS],
  "src/promise.ts": [242, 393, 1481, ...EVENTS],
  // Includes the readers of all providers' formats, conversations, and the interception of node:http, undici and
  // children, and the reports of a framework about its tools. 35 kB bundled, of files, load with `record --workspace`.
  "src/record/index.ts": [191, 305, 731, ...EVENTS],
  // `node --import hindcast/ai-sdk` loads it before a program.
  "src/record/process/aiSdk.ts": [99, 199, 768, ...EVENTS],
  "src/events/index.ts": [151, 245, 388, ...EVENTS],
  // Five modules, of all that has audits, fold recorded files into facts.
  "src/projections/index.ts": [137, 235, 237, "effect", "simple-statistics", "uuidv7"],
  "src/plugins/author.ts": [2, 3, 1],
  // Curricula, with their checks and criteria, are 21 modules; rollouts are nine.
  "src/worlds/index.ts": [618, 648, 734, ...EVENTS, ...RULES],
  // Questions read the log and the store of contents: no kernel, rules or sandbox. Whether a path is inside a directory
  // is the rule of plugins' manifests.
  "src/files.ts": [308, 448, 496, "diff", ...EVENTS],
  // Comparisons (statistics, differences in words), accounts, the index of words, and questions about recorded files.
  "src/studio.ts": [815, 898, 987, "diff", "pure-rand", "simple-statistics", ...EVENTS, ...RULES],
  // 45 kB bundled, of files, load with a fork that records them. The suite tests ranges of the chain, too.
  "src/testing.ts": [128, 189, 1016, "effect"],
  // Every command loads the first, with the rule which log is meant if none is named; the second adds what a command loads that only reads a log, and tells
  // which of its open tasks are at work: no kernel, rules or sandbox.
  "src/cli/Start.ts": [57, 97, Number.POSITIVE_INFINITY, "@effect/cli", "@effect/platform-node", "effect"],
  "src/cli/task/looking/ListCommand.ts": [
    254,
    331,
    Number.POSITIVE_INFINITY,
    "@effect/cli",
    "canonicalize",
    "effect",
    "uuidv7",
  ],
}

const { exports } = JSON.parse(fs.readFileSync(new URL("../package.json", import.meta.url), "utf8"))

/** Exported entries without a limit. */
const unlimited = Object.values(exports)
  .flatMap(({ default: built }) => built?.replace(/^\.\/dist\/(.*)\.js$/, "src/$1.ts") ?? [])
  .filter((entry) => !(entry in LIMITS))
for (const entry of unlimited) {
  process.stdout.write(`${entry}: expected a limit in scripts/weights.mjs, found none\n`)
  process.exitCode = 1
}

const packageOf = (imported) =>
  imported
    .split("/")
    .slice(0, imported.startsWith("@") ? 2 : 1)
    .join("/")

const weigh = async (entry) => {
  const { metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    metafile: true,
    write: false,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    outdir: "weighed",
    logLevel: "error",
  })
  const [output] = Object.values(metafile.outputs)
  const [loaded, packages] = [new Set([entry]), new Set()]
  for (const module of loaded) {
    // An input also lists type-only imports: a module without bytes in the output imports nothing that remains.
    for (const { path, kind, external } of metafile.inputs[module].imports) {
      if (kind === "dynamic-import") continue
      if (external !== true) loaded.add(path)
      else if (!path.startsWith("node:")) packages.add(packageOf(path))
    }
  }
  const bytesOf = (module) => output.inputs[module]?.bytesInOutput ?? 0
  return {
    modules: loaded.size,
    kilobytes: Math.ceil([...loaded].reduce((sum, module) => sum + bytesOf(module), 0) / 1000),
    bundled: Math.ceil(output.bytes / 1000),
    packages: [...packages].sort(),
  }
}

for (const [entry, [modules, kilobytes, bundled, ...packages]] of Object.entries(LIMITS)) {
  const weight = await weigh(entry)
  const further = weight.packages.filter((name) => !packages.includes(name))
  process.stdout.write(
    `${entry}: ${weight.modules} modules of ${weight.kilobytes} kB and ${weight.packages.length} packages (${weight.packages.join(", ")}); bundled ${weight.bundled} kB\n`,
  )
  const isLight = weight.modules <= modules && weight.kilobytes <= kilobytes && weight.bundled <= bundled
  if (isLight && further.length === 0) continue
  process.stdout.write(
    `  expected at most ${modules} modules of ${kilobytes} kB, bundled ${bundled} kB${further.length === 0 ? "" : `, and not ${further.join(", ")}`}: ` +
      "import less, or raise its limit in scripts/weights.mjs and say why\n",
  )
  process.exitCode = 1
}
