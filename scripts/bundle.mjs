/**
 * Makes of `dist/cli/main.js` one file with everything that it imports, for a command line that starts at once: most of
 * a start was finding and reading more than a thousand small modules (measured: 0.97 s, and 0.28 s of one file).
 * What programs import, `dist/index.js` and the others, stays as the compiler left it.
 */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const dist = fileURLToPath(new URL("../dist", import.meta.url))
const main = path.join(dist, "cli", "main.js")

/** Our modules find files beside them by `import.meta.url`: in the one file it names the module as before. */
const keepPlaces = {
  name: "keep-places",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.js$/ }, async ({ path: module }) => {
      if (!module.startsWith(dist + path.sep)) return undefined
      const source = await fs.readFile(module, "utf8")
      const place = path.relative(path.dirname(main), module).split(path.sep).join("/")
      return {
        contents: source.replaceAll("import.meta.url", `new URL(${JSON.stringify(place)}, import.meta.url).href`),
      }
    })
  },
}

/** The modules that only ask for another, when they are asked for themselves. */
const REQUIRED_LATER = "required-later"

/**
 * What is installed only where it can be compiled is looked for when it is asked for, and not when the program starts: better-sqlite3
 * stays outside the file, and so does `@effect/sql-sqlite-node`, which needs it, where it is not installed now.
 */
const optionalDrivers = {
  name: "optional-drivers",
  setup: ({ onLoad, onResolve, resolve }) => {
    onResolve({ filter: /^better-sqlite3$/ }, ({ path, namespace }) =>
      namespace === REQUIRED_LATER ? { path, external: true } : { path, namespace: REQUIRED_LATER },
    )
    onLoad({ filter: /.*/, namespace: REQUIRED_LATER }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
      resolveDir: dist,
    }))
    onResolve({ filter: /^@effect\/sql-sqlite-node\// }, async ({ path, pluginData, ...asked }) => {
      if (pluginData === "asked") return undefined
      const found = await resolve(path, { ...asked, pluginData: "asked" })
      return found.errors.length === 0 ? found : { path, external: true }
    })
  },
}

const whole = `${main}.${process.pid}.bundle`

await build({
  entryPoints: [main],
  outfile: whole,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  plugins: [keepPlaces, optionalDrivers],
  // Some of what is bundled is CommonJS, and asks for Node's own modules by `require`.
  banner: {
    js: 'import { createRequire as createRequireOfBundle } from "node:module"\nconst require = createRequireOfBundle(import.meta.url)',
  },
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "warning",
})

// npx makes it executable only where it first links it.
await fs.chmod(whole, 0o755)
await fs.rename(whole, main)
