/**
 * Evaluates the modules of an entry's namespaces when a program first uses them. In the bundle,
 * `export * as Kernel from "./kernel/Kernel.js"` becomes an object with a getter for each name, so that importing the
 * package only reads code. Names, values and types are the same as before.
 */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { build } from "esbuild"

const NAMESPACE = /^export \* as (\w+) from "(\.[^"]+)";$/gm

/** The names that modules export, by module. */
const exportedBy = async (modules) => {
  const { metafile } = await build({
    entryPoints: modules,
    bundle: true,
    splitting: true,
    metafile: true,
    write: false,
    outdir: "exported",
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  })
  return new Map(
    Object.values(metafile.outputs).flatMap(({ entryPoint, exports }) =>
      entryPoint === undefined ? [] : [[path.resolve(entryPoint), exports]],
    ),
  )
}

/** An object that inherits nothing and calls itself a module, as a namespace does. */
const asNamespace = (getters) =>
  `/* @__PURE__ */ Object.defineProperty({ __proto__: null,\n${getters.join(",\n")}\n}, Symbol.toStringTag, { value: "Module" })`

/**
 * An esbuild plugin for one entry that consists of namespaces alone. Where an ES module is the object of a `require`,
 * esbuild bundles it, and all that it imports, as functions that evaluate each module once, in the order of its imports.
 */
export const lazyNamespaces = (entry) => ({
  name: "lazy-namespaces",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/index\.js$/ }, async ({ path: module }) => {
      if (module !== entry) return undefined
      const source = await fs.readFile(entry, "utf8")
      const [further] = source
        .replaceAll(NAMESPACE, "")
        .split("\n")
        .filter((line) => /^(import|export)\b/.test(line))
      if (further !== undefined) throw new Error(`${entry}: expected only export * as … from "…", found ${further}`)
      const namespaces = [...source.matchAll(NAMESPACE)].map(([, name, file]) => ({ name, file }))
      const at = (file) => path.resolve(path.dirname(entry), file)
      const names = await exportedBy(namespaces.map(({ file }) => at(file)))
      const getters = (file) =>
        names.get(at(file)).map((name) => `get ${name}() { return require(${JSON.stringify(file)}).${name} }`)
      return {
        contents: namespaces.map(({ name, file }) => `export const ${name} = ${asNamespace(getters(file))}`).join("\n"),
      }
    })
  },
})
