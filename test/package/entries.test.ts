import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import { MAIN } from "../built.ts"
import { inRepository } from "../repository.ts"

type Versions = Readonly<Record<string, string>>

const {
  exports: entries,
  dependencies,
  optionalDependencies,
  peerDependencies,
}: {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly dependencies: Versions
  readonly optionalDependencies: Versions
  readonly peerDependencies: Versions
} = JSON.parse(fs.readFileSync(inRepository("package.json"), "utf8"))

const fileOf = (entry: string): string => {
  const found = entries[entry]
  if (found === undefined || typeof found === "string") throw new Error(`${entry}: expected an entry of the package`)
  return inRepository(found.default)
}

/** The modules that a built file imports when it is loaded; not those that it imports later, by `import()`. */
const importsOf = (file: string): ReadonlyArray<string> =>
  [
    ...fs.readFileSync(file, "utf8").matchAll(/(?:^|;)(?:import|export)\b(?:[^"'`;()]*?\bfrom)?\s*"(?<name>[^"]+)"/gm),
  ].flatMap(({ groups }) => groups?.name ?? [])

/** What a file imports from outside, and what the files that it imports do. */
const importedBy = (entry: string): ReadonlySet<string> => {
  const files = new Set([entry])
  const outside = new Set<string>()
  for (const file of files) {
    for (const name of importsOf(file)) {
      if (name.startsWith(".")) files.add(path.resolve(path.dirname(file), name))
      else outside.add(name)
    }
  }
  return outside
}

/** The packages and the modules of Node's that are loaded with a file, sorted. */
const loadedBy = (entry: string): ReadonlyArray<string> =>
  [...new Set([...importedBy(entry)].map((name) => (name.startsWith("node:") ? name : packageOf(name))))].sort()

/** The packages that a file imports when it is loaded, or later by `import()`, and what the files that it imports do. */
const everImportedBy = (entry: string): ReadonlySet<string> => {
  const files = new Set([entry])
  const packages = new Set<string>()
  for (const file of files) {
    const text = fs.readFileSync(file, "utf8")
    const later = [...text.matchAll(/\bimport\("(?<name>[^"]+)"\)/g)].flatMap(({ groups }) => groups?.name ?? [])
    for (const name of [...importsOf(file), ...later]) {
      if (name.startsWith(".")) files.add(path.resolve(path.dirname(file), name))
      else if (!name.startsWith("node:")) packages.add(packageOf(name))
    }
  }
  return packages
}

/** What npm installs with the package, and what it leaves to the user. */
const BROUGHT: ReadonlySet<string> = new Set(
  [dependencies, optionalDependencies, peerDependencies].flatMap((all) => Object.keys(all)),
)

const packageOf = (name: string): string =>
  name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/")

describe("an entry of the package loads when it is imported", () => {
  it("hindcast: no parser of YAML, no validator of schemas and no archiver", () => {
    expect(loadedBy(fileOf("."))).toEqual([
      "canonicalize",
      "effect",
      "node:async_hooks",
      "node:buffer",
      "node:child_process",
      "node:crypto",
      "node:diagnostics_channel",
      "node:fs",
      "node:fs/promises",
      "node:module",
      "node:os",
      "node:path",
      "node:url",
      "node:util",
      "node:vm",
      "node:zlib",
      "pure-rand",
      "uuidv7",
    ])
  })

  it("hindcast/promise: nothing that hindcast does not load", () => {
    expect(loadedBy(fileOf("./promise")).filter((name) => !loadedBy(fileOf(".")).includes(name))).toEqual([])
  })

  it("hindcast/events: the log, and nothing of kernels, plugins and projections", () => {
    expect(loadedBy(fileOf("./events"))).toEqual([
      "canonicalize",
      "effect",
      "node:child_process",
      "node:crypto",
      "node:fs",
      "node:module",
      "node:os",
      "node:path",
      "node:url",
      "node:util",
      "node:zlib",
      "uuidv7",
    ])
  })

  it("hindcast/worlds: nothing that hindcast does not load", () => {
    expect(loadedBy(fileOf("./worlds")).filter((name) => !loadedBy(fileOf(".")).includes(name))).toEqual([])
  })

  it("hindcast/files: no more than hindcast does, and the one package that compares texts", () => {
    expect(loadedBy(fileOf("./files")).filter((name) => !loadedBy(fileOf(".")).includes(name))).toEqual(["diff"])
  })

  it("what is loaded before a recorded program, and each of its children: no package, but a driver where a log is opened", () => {
    const preload = inRepository("dist", "record", "process", "preload.js")
    expect(loadedBy(preload).filter((name) => !name.startsWith("node:"))).toEqual([])
    expect([...everImportedBy(preload)].filter((name) => name !== "better-sqlite3")).toEqual([])
  })

  it.each(Object.keys(entries).filter((entry) => !entry.endsWith(".json")))(
    "%s: no package that the package does not bring, also not later",
    (entry) => {
      expect([...everImportedBy(fileOf(entry))].filter((name) => !BROUGHT.has(name))).toEqual([])
    },
  )

  it("hindcast/projections: nothing of Node's, so that a browser loads it too", () => {
    expect(loadedBy(fileOf("./projections"))).toEqual(["effect", "uuidv7"])
    expect(loadedBy(inRepository("dist", "projections", "browser.js"))).toEqual(["effect", "uuidv7"])
  })

  it("hindcast/plugin: nothing", () => {
    expect(loadedBy(fileOf("./plugin"))).toEqual([])
  })

  it("hindcast/testing: the plugin host, and no test runner", () => {
    expect(loadedBy(fileOf("./testing"))).toEqual([
      "effect",
      "node:child_process",
      "node:crypto",
      "node:fs",
      "node:fs/promises",
      "node:module",
      "node:os",
      "node:path",
      "node:url",
      "node:util",
      "node:vm",
    ])
  })
})

/** Prints the names of our functions that an import of an entry calls. */
const CALLED = `
import { Session } from "node:inspector/promises"
const session = new Session()
session.connect()
await session.post("Profiler.enable")
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
await import(process.argv[1])
const { result } = await session.post("Profiler.takePreciseCoverage")
const ours = result.filter(({ url }) => url.startsWith(process.argv[2]))
const called = ours.flatMap(({ functions }) => functions.filter(({ ranges: [{ count }] }) => count > 0))
const names = new Set(called.map(({ functionName }) => functionName).filter((name) => name !== ""))
process.stdout.write(JSON.stringify({ modules: ours.length, names: [...names].sort() }))
`

describe("hindcast", () => {
  it("evaluates a namespace when a program first uses it", () => {
    const url = (file: string) => pathToFileURL(file).href
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "-e", CALLED, url(fileOf(".")), url(inRepository("dist"))],
      { encoding: "utf8" },
    )
    expect(stderr).toBe("")
    const { modules, names }: { readonly modules: number; readonly names: ReadonlyArray<string> } = JSON.parse(stdout)
    expect(modules).toBeGreaterThan(10)
    // esbuild's own, which say how to evaluate a module and what it exports.
    expect(names).toEqual(["__esm", "__export"])
  })

  it("has the namespaces and names of the sources", async () => {
    const source: Readonly<Record<string, object>> = await import("../../src/index.ts")
    const bundled: typeof source = await import(pathToFileURL(fileOf(".")).href)
    const namesOf = (all: typeof source) =>
      Object.fromEntries(Object.entries(all).map(([name, namespace]) => [name, Object.keys(namespace).sort()]))
    expect(namesOf(bundled)).toEqual(namesOf(source))
    for (const [name, namespace] of Object.entries(bundled)) {
      expect([name, Object.getPrototypeOf(namespace), Reflect.get(namespace, Symbol.toStringTag)]).toEqual([
        name,
        null,
        "Module",
      ])
    }
  })
})

describe("an entry of the package", () => {
  it.each([".", "./promise", "./events", "./testing"])(
    "%s imports the parts of effect that it uses, and not all of them",
    (entry) => {
      const parts = [...importedBy(fileOf(entry))].filter((name) => packageOf(name) === "effect")
      expect(parts).toContain("effect/Schema")
      expect(parts).not.toContain("effect")
      expect(parts).not.toContain("effect/Graph")
      expect(parts.length).toBeLessThan(50)
    },
  )
})

describe("the command line loads when it is started", () => {
  it("nothing but modules of Node's, so that --version waits for nothing", () => {
    const required = [...fs.readFileSync(MAIN, "utf8").matchAll(/\brequire\("([^"]*)"\)/g)].map(([, name]) => name)
    expect(loadedBy(MAIN)).toEqual(["node:module"])
    expect([...new Set(required)].sort()).toEqual([
      ...["node:crypto", "node:fs", "node:module", "node:os", "node:path", "node:url", "node:vm"],
    ])
  })
})
