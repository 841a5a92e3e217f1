/**
 * `node scripts/weights.mjs`: holds each entry of the package to a weight. Part of `npm run check`. Counted are our own modules that an
 * entry reaches, the bytes of them as one minified file, and the packages that it loads. A change that needs more raises the limit here,
 * where a reviewer sees it.
 */
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))

const EVENTS = ["@effect/experimental", "@effect/sql", "canonicalize", "effect", "uuidv7"]
const RULES = ["@marcbachmann/cel-js", "re2js"]
const SCHEMAS = ["ajv", "ajv-formats"]
const SCENARIOS = ["yaml"]
const PLUGINS = ["tar"]
const COMPARISONS = ["pure-rand", "simple-statistics"]

/** What each entry may reach at most. */
const LIMITS = {
  "src/index.ts": [630, 920, ...EVENTS, ...RULES, ...SCHEMAS, ...SCENARIOS, ...PLUGINS, ...COMPARISONS],
  "src/promise.ts": [640, 920, ...EVENTS, ...RULES, ...SCHEMAS, ...SCENARIOS, ...PLUGINS],
  "src/record/index.ts": [360, 410, ...EVENTS, ...RULES, ...SCHEMAS],
  "src/events/index.ts": [148, 230, ...EVENTS],
  "src/projections/index.ts": [112, 172, "effect", "simple-statistics", "uuidv7"],
  "src/plugins/author.ts": [1, 1],
  "src/worlds/index.ts": [570, 495, ...EVENTS, ...RULES, ...SCHEMAS, ...SCENARIOS],
  "src/studio.ts": [640, 595, ...EVENTS, ...RULES, ...SCHEMAS, ...SCENARIOS],
  "src/testing.ts": [460, 625, ...EVENTS, ...RULES, ...SCHEMAS, ...SCENARIOS, "vitest"],
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
  const packages = new Set(
    output.imports.map(({ path }) => packageOf(path)).filter((name) => !name.startsWith("node:")),
  )
  return {
    modules: Object.keys(metafile.inputs).length,
    kilobytes: Math.ceil(output.bytes / 1000),
    packages: [...packages].sort(),
  }
}

for (const [entry, [modules, kilobytes, ...packages]] of Object.entries(LIMITS)) {
  const weight = await weigh(entry)
  const further = weight.packages.filter((name) => !packages.includes(name))
  process.stdout.write(
    `${entry}: ${weight.modules} modules, ${weight.kilobytes} kB, ${weight.packages.length} packages\n`,
  )
  if (weight.modules <= modules && weight.kilobytes <= kilobytes && further.length === 0) continue
  process.stdout.write(
    `  expected at most ${modules} modules and ${kilobytes} kB${further.length === 0 ? "" : `, and not ${further.join(", ")}`}: ` +
      "import less, or raise its limit in scripts/weights.mjs and say why\n",
  )
  process.exitCode = 1
}
