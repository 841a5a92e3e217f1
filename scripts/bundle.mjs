/**
 * Bundles `dist`, because finding and reading hundreds of small modules took most of a start. The entries share
 * `dist/chunk-…js`; the command line has `dist/cli/pack-…cjs`.
 *
 * - The package's entries, such as `dist/index.js`, import the packages that they depend on, and share them with the
 *   program. Each imports only the modules of `effect` that it uses, and a few packages are included. `dist/index.js`
 *   evaluates a namespace when a program first uses it. `dist/kernel/threads/Thread.js` runs in their threads, and in
 *   those of the command line.
 * - The command line, `dist/cli/main.js`, includes everything that it imports, so that an embedding program does not
 *   install these packages; `THIRD-PARTY.txt` has their licences. A pack holds what one command needs. Two parts are
 *   examples, `examples/demo` and `examples/season`, which the compiler left in `dist/cli/examples`: they import
 *   `hindcast` as a program does, and get the command line's modules.
 *
 * The modules remain next to the bundles, for tests. They are not published.
 */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { includedPackages, includingPackages } from "./included-packages.mjs"
import { lazyNamespaces } from "./lazy-namespaces.mjs"
import { licencesOf } from "./licences.mjs"
import { linesOnly } from "./lines-only.mjs"
import { packsOf, requiringNode } from "./packs.mjs"
import { byPartsOfEffect } from "./parts-of-effect.mjs"

const dist = fileURLToPath(new URL("../dist", import.meta.url))
const cli = path.join(dist, "cli")

const CLIENT = path.join("events", "sqlite", "file", "client.js")

/**
 * Keeps `import.meta.url` pointing to the original module in a chunk in `directory`, because modules find neighbouring
 * files by it.
 */
const keepPlaces = (directory, { bundlesEffect = directory === cli } = {}) => ({
  name: "keep-places",
  setup: ({ onLoad, onEnd }) => {
    const moved = new Set()
    onLoad({ filter: /\.js$/ }, async ({ path: module }) => {
      if (!module.startsWith(dist + path.sep)) return undefined
      // If `effect` is bundled too, esbuild takes only what is used, and calls functions without the module's namespace.
      const source = byPartsOfEffect(await fs.readFile(module, "utf8"), bundlesEffect ? undefined : sharedPart)
      if (!source.includes("import.meta.url")) return { contents: source }
      moved.add(path.relative(process.cwd(), module))
      // Unbundled programs use the client of `@effect/sql-sqlite-node`.
      if (bundlesEffect && path.relative(dist, module) === CLIENT)
        return { contents: source.replaceAll("import.meta.url", "undefined") }
      const place = path.relative(directory, module).split(path.sep).join("/")
      return {
        // A program that is bundled again, as CommonJS, has no `import.meta.url`.
        contents: source.replaceAll(
          "import.meta.url",
          `(import.meta.url && new URL(${JSON.stringify(place)}, import.meta.url).href)`,
        ),
      }
    })
    onEnd(({ metafile }) => {
      for (const [output, { inputs }] of Object.entries(metafile.outputs)) {
        const [misplaced] =
          path.resolve(path.dirname(output)) === directory ? [] : Object.keys(inputs).filter((name) => moved.has(name))
        if (misplaced !== undefined)
          throw new Error(`${misplaced}: expected it in a file in ${directory}, found it in ${output}`)
      }
    })
  },
})

/** An import of a part of `effect` that shares one module with the other imports of the part. */
const sharedPart = (exported, local) => `import { part as ${local} } from "${PART_OF_EFFECT}:${exported}";`

const PART_OF_EFFECT = "part-of-effect"

/**
 * A module for each used part of `effect`. With one module for all parts, such as the index of `effect`, every entry
 * would import every part: esbuild keeps unused imports of unbundled packages.
 */
const partsOfEffect = {
  name: "parts-of-effect",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: new RegExp(`^${PART_OF_EFFECT}:`) }, ({ path }) => ({
      path: path.slice(PART_OF_EFFECT.length + 1),
      namespace: PART_OF_EFFECT,
      sideEffects: false,
    }))
    onLoad({ filter: /.*/, namespace: PART_OF_EFFECT }, ({ path }) => ({
      contents: `import * as part from "effect/${path}"; export { part }`,
      resolveDir: dist,
    }))
    onResolve({ filter: /^effect$/ }, ({ importer }) => ({
      errors: [
        { text: `${importer}: expected import { … } from "effect", found another form, which would load all of it` },
      ],
    }))
  },
}

/**
 * The command line's examples. `tsconfig.json`, which esbuild reads, maps them to their sources; this maps them to the
 * compiler's output. Their `hindcast` is this package, of which only the used part is bundled.
 */
const examples = {
  name: "examples",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^#demo$/ }, () => ({ path: path.join(cli, "examples", "demo", "Demo.js") }))
    onResolve({ filter: /^#season$/ }, () => ({ path: path.join(cli, "examples", "season", "Season.js") }))
    onResolve({ filter: /^hindcast$/ }, () => ({ path: path.join(dist, "index.js"), sideEffects: false }))
  },
}

/** Modules that only require another one, on demand. */
const REQUIRED_LATER = "required-later"

/** Optional native packages are looked up on demand, not at the start: better-sqlite3 stays outside the bundle. */
const optionalDrivers = {
  name: "optional-drivers",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^better-sqlite3$/ }, ({ path, namespace }) =>
      namespace === REQUIRED_LATER ? { path, external: true } : { path, namespace: REQUIRED_LATER },
    )
    onLoad({ filter: /.*/, namespace: REQUIRED_LATER }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
      resolveDir: dist,
    }))
  },
}

/**
 * `@effect/cli`'s parsers for options that name a file. Hindcast has no such option, so they stay out of the bundle.
 */
const parsersOfFiles = {
  name: "parsers-of-files",
  setup: ({ onLoad, onResolve }) => {
    const namespace = "parser-of-files"
    onResolve({ filter: /^(ini|toml|yaml)$/ }, (asked) => {
      if (asked.namespace === namespace) return { path: asked.path, external: true }
      return asked.importer.includes(path.join("@effect", "cli")) ? { path: asked.path, namespace } : undefined
    })
    onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: `exports.parse = (text) => require(${JSON.stringify(path)}).parse(text)`,
    }))
  },
}

/** `effect/Schema` loads fast-check to generate test values, which the command line never does. */
const withoutFastCheck = {
  name: "without-fast-check",
  setup: ({ onLoad, onResolve }) => {
    const namespace = "without-fast-check"
    onResolve({ filter: /^fast-check$/ }, ({ path }) => ({ path, namespace, sideEffects: false }))
    onLoad({ filter: /.*/, namespace }, () => ({ contents: "export {}" }))
  },
}

/** Replaces a file atomically: a program that starts meanwhile reads the old or the new one. */
const replace = async (file, contents) => {
  const partial = `${file}.${process.pid}.partial`
  await fs.writeFile(partial, contents)
  await fs.rename(partial, file)
}

/**
 * Replaces entries with their bundles.
 *
 * @param directory of the chunks, at or above the entries
 * @param options of esbuild, and the name of chunks
 * @returns the bundled modules by path
 */
const bundle = async (directory, entries, { chunks = "chunk", ...options }) => {
  const { outputFiles, metafile } = await chunksOf(directory, entries, { chunkNames: `${chunks}-[hash]`, ...options })
  const files = outputFiles.map(({ path: file, contents, text }) => ({
    file,
    contents: file.endsWith(".map") ? linesOnly(text) : contents,
  }))
  // Chunks first: an entry never imports a missing one.
  const isEntry = ({ file }) => entries.includes(path.relative(directory, file).split(path.sep).join("/"))
  await replaceAll(directory, new RegExp(`^${chunks}-.*\\.js(\\.map)?$`), [
    ...files.filter((file) => !isEntry(file)),
    ...files.filter(isEntry),
  ])
  return Object.keys(metafile.inputs)
}

/** Replaces files in order, and removes those of an earlier build. */
const replaceAll = async (directory, made, files) => {
  for (const { file, contents } of files) await replace(file, contents)
  const kept = new Set(files.map(({ file }) => file))
  for (const name of await fs.readdir(directory)) {
    const file = path.join(directory, name)
    if (made.test(name) && !kept.has(file)) await fs.rm(file)
  }
}

/** esbuild's output for entries, with its metafile. */
const chunksOf = (directory, entries, options) =>
  build({
    entryPoints: entries.map((entry) => path.join(directory, entry)),
    outdir: directory,
    outbase: directory,
    chunkNames: "chunk-[hash]",
    bundle: true,
    splitting: true,
    metafile: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
    ...options,
  })

/**
 * Bundles the command line: packs, and the programs that run them. Returns the bundled modules by path.
 *
 * The first pack holds what most commands share, with `task ls`; the second what only kernels load.
 */
const bundleCommandLine = async () => {
  const entries = { "main.js": "Start.js", "examples/season/FirstKernel.js": "examples/season/FirstKernel.js" }
  const options = { minifyWhitespace: true, minifySyntax: true }
  const { outputFiles, metafile } = await chunksOf(cli, Object.values(entries), {
    ...options,
    plugins: [examples, keepPlaces(cli), partsOfEffect, optionalDrivers, parsersOfFiles, withoutFastCheck],
  })
  const inDirectory = (file) => path.relative(cli, file).split(path.sep).join("/")
  const chunks = new Map(outputFiles.map(({ path: file, text }) => [inDirectory(file), text]))
  const chunkOf = (module) => {
    const wanted = path.relative(process.cwd(), path.join(dist, module))
    const [found] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === wanted)
    return inDirectory(path.resolve(found))
  }
  const { texts, contents, numbers } = packsOf(chunks, [
    [chunkOf("cli/Start.js"), chunkOf("cli/task/looking/ListCommand.js")],
    [chunkOf("kernel/Hindcast.js")],
  ])
  const programs = await chunksOf(cli, Object.keys(entries), {
    ...options,
    splitting: false,
    plugins: [
      runningPacks(
        contents,
        Object.entries(entries).map(([program, entry]) => [program, numbers.get(entry)]),
      ),
    ],
  })
  await replaceAll(cli, /^(chunk-.*\.js|pack-.*\.cjs)$/, [
    ...[...texts].map(([name, text]) => ({ file: path.join(cli, name), contents: text })),
    ...programs.outputFiles.map(({ path: file, text }) => ({ file, contents: requiringNode(text) })),
  ])
  return metafile.inputs
}

/**
 * Programs that run a chunk of packs. `main.js` does so where it imports `Start.js`; other programs do nothing else.
 */
const runningPacks = (contents, programs) => ({
  name: "running-packs",
  setup: ({ onLoad, onResolve }) => {
    const namespace = "running-packs"
    for (const [program, number] of programs) {
      const isMain = program === "main.js"
      onResolve({ filter: isMain ? /^\.\/Start\.js$/ : new RegExp(`/${program}$`) }, () => ({
        path: program,
        namespace,
        pluginData: number,
      }))
    }
    onLoad({ filter: /.*/, namespace }, ({ path: program, pluginData: number }) => ({
      contents: [
        'import * as CodeCache from "./CodeCache.js"',
        'import * as Packs from "./Packs.js"',
        `const url = new URL(${JSON.stringify(path.posix.relative(path.posix.dirname(program), "main.js"))}, import.meta.url).href`,
        `export const { start } = Packs.run({ url, contents: ${JSON.stringify(contents)}, caches: CodeCache.directory() }, ${number})`,
      ].join("\n"),
      resolveDir: cli,
    }))
  },
})

/**
 * The module that Node loads before a recorded program. It includes the parts of Effect that it uses: to find and read Effect's five
 * hundred modules took two thirds of its time, at each start of a program and of each of its children.
 */
const PRELOAD = "record/process/preload.js"

/** The other entries load it as the file that it becomes. */
const preloadApart = {
  name: "preload-apart",
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/preload\.js$/ }, ({ path }) => ({ path, external: true }))
  },
}

/** For CommonJS modules in a bundle of modules. */
const REQUIRE =
  'import { createRequire as $createRequire } from "node:module"; const require = $createRequire(import.meta.url);'

// The command line comes first: it needs the library's modules as compiled.
await replace(path.join(cli, "THIRD-PARTY.txt"), await licencesOf(Object.keys(await bundleCommandLine())))
const PROJECTIONS = "projections/index.js"
const entries = [
  "index.js",
  "promise.js",
  "files.js",
  "studio.js",
  "testing.js",
  "events/index.js",
  "kernel/threads/Thread.js",
  PROJECTIONS,
  "record/index.js",
  "record/process/aiSdk.js",
  "worlds/index.js",
  "hooks/command/main.js",
]
const isOurs = (module, namespace) => namespace === PART_OF_EFFECT || module.startsWith(dist + path.sep)
const plugins = [keepPlaces(dist), partsOfEffect, includingPackages(path.dirname(dist), isOurs)]
// Browsers load one entry, and alone: none of its modules is evaluated on demand, so that bundlers drop unused code.
const { outputFiles: forBrowsers } = await chunksOf(dist, [PROJECTIONS], { splitting: false, plugins })
const linked = { sourcemap: "linked", sourcesContent: false }
await bundle(dist, entries, {
  ...linked,
  plugins: [preloadApart, lazyNamespaces(path.join(dist, "index.js")), ...plugins],
})
const preloaded = await bundle(dist, [PRELOAD], {
  ...linked,
  chunks: "preload",
  minifyWhitespace: true,
  minifySyntax: true,
  banner: { js: REQUIRE },
  plugins: [keepPlaces(dist, { bundlesEffect: true }), partsOfEffect, optionalDrivers, withoutFastCheck],
})
await replace(path.join(dist, path.dirname(PROJECTIONS), "browser.js"), forBrowsers[0].contents)
await replace(path.join(dist, "THIRD-PARTY.txt"), await licencesOf([...includedPackages, ...preloaded]))
// A short path, for the settings of other programs.
await replace(path.join(dist, "hook.js"), 'import "./hooks/command/main.js"\n')
// npx makes it executable only when it first links it.
await fs.chmod(path.join(cli, "main.js"), 0o755)
