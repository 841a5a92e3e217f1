import { spawnSync } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import { Effect } from "effect"
import * as esbuild from "esbuild"
import * as vite from "vite"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Tools from "../../src/plugins/sandbox/Tools.ts"
import { built, PACKAGE, program, shippedPlugin } from "../built.ts"
import { inRepository } from "../repository.ts"

const textRoom = shippedPlugin("plugins", "text-room")
const require = createRequire(import.meta.url)
const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-bundled-")))
afterAll(() => fs.rmSync(base, { recursive: true, force: true }))

const place = (...names: ReadonlyArray<string>): string => {
  const made = path.join(base, ...names)
  fs.mkdirSync(path.dirname(made), { recursive: true })
  return made
}

/** The project in which the program is bundled: there Hindcast is installed. */
const entry = place("project", "story.mjs")

beforeAll(() => {
  // Otherwise a `package.json` above counts, if somebody left one in the directory for temporary files.
  fs.writeFileSync(path.join(base, "package.json"), '{ "private": true }\n')
  fs.copyFileSync(program(import.meta.url, "story"), entry)
  fs.symlinkSync(PACKAGE, place("project", "node_modules", "hindcast"))
  fs.symlinkSync(inRepository("node_modules", "effect"), place("project", "node_modules", "effect"))
})

const REQUIRE = 'import { createRequire as from } from "node:module"; const require = from(import.meta.url)'

const byEsbuild = async (outfile: string, options: esbuild.BuildOptions) => {
  await esbuild.build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    logLevel: "error",
    ...options,
  })
}

/** How the program is bundled, by the name of the one file that comes of it. */
const BUNDLERS: { readonly [file: string]: (outfile: string) => Promise<unknown> } = {
  "esbuild.mjs": (outfile) => byEsbuild(outfile, { format: "esm", banner: { js: REQUIRE } }),
  "esbuild.cjs": (outfile) => byEsbuild(outfile, { format: "cjs" }),
  "vite.mjs": (outfile) =>
    vite.build({
      root: path.dirname(entry),
      configFile: false,
      logLevel: "error",
      ssr: { noExternal: true },
      build: {
        ssr: entry,
        outDir: path.dirname(outfile),
        target: "node20",
        minify: false,
        rollupOptions: { output: { entryFileNames: path.basename(outfile), inlineDynamicImports: true } },
      },
    }),
}

/** A directory where nothing of Hindcast is but the bundle: SQLite's driver is installed there, and Deno is on the PATH. */
const bare = (file: string) => {
  const outfile = place(file, "bare", file)
  for (const name of ["better-sqlite3", "bindings", "file-uri-to-path"]) {
    const manifest = resolved(`${name}/package.json`)
    // It is not there where nothing could be compiled: then Node has a SQLite of its own.
    if (manifest !== undefined) fs.symlinkSync(path.dirname(manifest), place(file, "bare", "node_modules", name))
  }
  fs.symlinkSync(Effect.runSync(Tools.find).deno, place(file, "bare", "bin", "deno"))
  return outfile
}

/** A directory where the package `hindcast` is installed, and its own dependencies cannot be seen, as pnpm installs it. */
const installed = (file: string) => {
  fs.symlinkSync(PACKAGE, place(file, "installed", "node_modules", "hindcast"))
  return place(file, "installed", file)
}

const resolved = (name: string): string | undefined => {
  try {
    return require.resolve(name)
  } catch {
    return undefined
  }
}

const run = (bundle: string, { log = "story.db", bin = "bin", jobs = [] as ReadonlyArray<string> } = {}) => {
  const cwd = path.dirname(bundle)
  const { VITEST: _, NODE_OPTIONS: __, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundle, path.join(cwd, log), textRoom, ...jobs], {
    cwd,
    env: { ...env, PATH: [path.join(cwd, bin), ...WITHOUT_DENO].join(path.delimiter) },
    encoding: "utf8",
  })
  return { status, stdout, stderr }
}

const WITHOUT_DENO = (process.env.PATH ?? "")
  .split(path.delimiter)
  .filter((directory) => !fs.existsSync(path.join(directory, "deno")))

const versionOf = (name: string): unknown => require(name).version

const SAID = {
  version: versionOf("../../package.json"),
  deno: versionOf("deno/package.json"),
  room: "study",
  moved: "succeeded",
}

const expectStory = ({ status, stdout, stderr }: ReturnType<typeof run>) => {
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
  expect(JSON.parse(stdout)).toEqual(SAID)
}

describe.each(Object.keys(BUNDLERS))("a program bundled into one file, %s,", (file) => {
  const bundle = bare(file)
  beforeAll(async () => {
    await BUNDLERS[file]?.(bundle)
  }, 120_000)

  it("finds version, runner and Deno where nothing of Hindcast is installed", () => {
    expectStory(run(bundle))
  })

  it("finds Deno and SQLite's driver through the installed package", () => {
    const elsewhere = installed(file)
    fs.copyFileSync(bundle, elsewhere)
    expectStory(run(elsewhere))
  })
})

describe("a bundled program", () => {
  const bundle = path.join(base, "esbuild.mjs", "bare", "esbuild.mjs")

  it("does not take a file for the runner that has its name and place", () => {
    const other = place("esbuild.mjs", "bare", "runner", "runner.js")
    fs.writeFileSync(other, "throw new Error('another')\n")
    expectStory(run(bundle, { log: "other.db" }))
    const shipped = fs.readFileSync(built("plugins", "runner", "runner.js"))
    const digest = crypto.createHash("sha256").update(shipped).digest("hex")
    const cache = path.join(path.dirname(bundle), "other.db.plugins", "text-room.deno")
    const written = path.join(cache, digest, "runner", "runner.js")
    expect(fs.statSync(written).mode & 0o077).toBe(0)
    fs.writeFileSync(written, fs.readFileSync(other))
    expectStory(run(bundle, { log: "other.db" }))
    expect(fs.readFileSync(written)).toEqual(shipped)
  })

  it("leaves the runner of another version where it is", () => {
    const another = path.join(
      path.dirname(bundle),
      "two.db.plugins",
      "text-room.deno",
      "0".repeat(64),
      "runner",
      "runner.js",
    )
    fs.mkdirSync(path.dirname(another), { recursive: true })
    fs.writeFileSync(another, "// of another version\n")
    expectStory(run(bundle, { log: "two.db" }))
    expect(fs.readFileSync(another, "utf8")).toBe("// of another version\n")
  })

  it("works in one thread where it asks for several, and says so", () => {
    const { status, stdout, stderr } = run(bundle, { log: "threads.db", jobs: ["2"] })
    const [warning, said] = stdout.trim().split("\n")
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(warning).toContain("Cannot start threads")
    expect(JSON.parse(said ?? "")).toEqual({ ...SAID, verified: "Intact" })
  })

  it("says what to do where there is no Deno", () => {
    const { status, stderr } = run(bundle, { log: "without.db", bin: "none" })
    expect(status).toBe(1)
    expect(stderr).toContain("expected Deno's binary, found neither the npm package `deno`")
  })
})
