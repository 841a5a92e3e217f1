/**
 * Packages that the library's bundle includes, because Node evaluates a package's files before anything uses them.
 * Together, those of expressions and statistics took a tenth of the time in which `effect` loads.
 */
import { build } from "esbuild"

/** The used names of each package. */
const USED = {
  "@marcbachmann/cel-js": ["Environment", "EvaluationError", "ParseError", "TypeError", "serialize"],
  re2js: ["RE2JS", "RE2JSException"],
  "simple-statistics": ["mean", "median", "sampleStandardDeviation"],
}

/** Paths in the included packages, for their licences. */
export const includedPackages = Object.keys(USED).map((name) => `node_modules/${name}/package.json`)

/**
 * An esbuild plugin that includes these packages, and leaves all others that our modules import outside. Only the used
 * names and what they need get into the bundle: esbuild keeps all of a module that is evaluated on demand.
 *
 * @param root of the repository
 * @param isOurs whether a module, by its path and namespace, is ours
 */
export const includingPackages = (root, isOurs) => ({
  name: "including-packages",
  setup: ({ onLoad, onResolve }) => {
    const namespace = "included-package"
    onResolve({ filter: /^[^./#]/ }, ({ path: name, kind, importer, namespace: from }) => {
      if (kind === "entry-point" || !isOurs(importer, from)) return undefined
      return name in USED ? { path: name, namespace, sideEffects: false } : { path: name, external: true }
    })
    onLoad({ filter: /.*/, namespace }, async ({ path: name }) => {
      const { outputFiles } = await build({
        stdin: { contents: `export { ${USED[name].join(", ")} } from "${name}"`, resolveDir: root },
        bundle: true,
        write: false,
        platform: "node",
        format: "esm",
        target: "node20",
        logLevel: "error",
      })
      return { contents: outputFiles[0].text, resolveDir: root }
    })
  },
})
