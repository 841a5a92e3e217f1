import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"

/** A checkout with something to fetch, and an `npm` that does as told. */
const checkout = (npm: string) =>
  Effect.map(temporaryDirectory, (directory) => {
    const scripts = path.join(directory, "scripts")
    fs.mkdirSync(scripts)
    fs.copyFileSync(inRepository("scripts", "fetch.mjs"), path.join(scripts, "fetch.mjs"))
    fs.mkdirSync(path.join(directory, "large"))
    fs.writeFileSync(path.join(directory, "large", "package.json"), '{ "dependencies": { "browser": "1.0.0" } }')
    fs.writeFileSync(path.join(directory, "large", "package-lock.json"), "{}")
    fs.writeFileSync(path.join(directory, "npm"), `#!/bin/sh\necho called >> "${directory}/calls"\n${npm}\n`, {
      mode: 0o755,
    })
    const run = (...args: ReadonlyArray<string>) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [path.join(scripts, "fetch.mjs"), "large", ...args],
        {
          env: { ...process.env, PATH: `${directory}:${process.env.PATH}` },
          encoding: "utf8",
        },
      )
      return { status, stdout, stderr }
    }
    const left = () => fs.readdirSync(path.join(directory, "node_modules", ".cache"))
    const calls = () => fs.readFileSync(path.join(directory, "calls"), "utf8").split("\n").length - 1
    return { directory, run, left, calls }
  })

const FETCHES =
  'mkdir -p node_modules/.bin; printf "#!/bin/sh\\necho ran \\$1; exit 7" > node_modules/.bin/tool; chmod +x node_modules/.bin/tool'

describe.skipIf(process.platform === "win32")("scripts/fetch.mjs", () => {
  it.scoped("fetches once what a lock names, says so, and writes where it is", () =>
    Effect.gen(function* () {
      const { run, calls, directory } = yield* checkout(FETCHES)
      const [first, second] = [run(), run()]
      expect(first).toMatchObject({ status: 0, stderr: "Fetching browser 1.0.0, once.\n" })
      expect(fs.existsSync(first.stdout.trim())).toBe(true)
      expect(second).toEqual({ status: 0, stdout: first.stdout, stderr: "" })
      fs.writeFileSync(path.join(directory, "large", "package-lock.json"), "{ }")
      expect(run().stdout).not.toBe(first.stdout)
      expect(calls()).toBe(2)
    }),
  )

  it.scoped("fetches nothing again where only addresses of packages were added to the lock", () =>
    Effect.gen(function* () {
      const { run, calls, directory } = yield* checkout(FETCHES)
      const lock = (address: string) =>
        fs.writeFileSync(path.join(directory, "large", "package-lock.json"), `{\n${address}  "version": "1.0.0"\n}\n`)
      lock("")
      const first = run()
      lock('  "resolved": "https://packages.example/browser-1.0.0.tgz",\n')
      expect(run()).toEqual({ status: 0, stdout: first.stdout, stderr: "" })
      expect(calls()).toBe(1)
    }),
  )

  it.scoped("runs a program of it, and ends as that ends", () =>
    Effect.gen(function* () {
      const { run } = yield* checkout(FETCHES)
      expect(run("tool", "well")).toMatchObject({ status: 7, stdout: "ran well\n" })
    }),
  )

  it.scoped("names the command where the registry cannot be reached, leaves nothing, and tries again", () =>
    Effect.gen(function* () {
      const { run, left, calls } = yield* checkout("echo offline >&2; exit 1")
      for (const { status, stdout, stderr } of [run(), run()]) {
        expect({ status, stdout }).toEqual({ status: 1, stdout: "" })
        expect(stderr).toContain("offline\n")
        expect(stderr).toContain("run `node scripts/fetch.mjs large`")
      }
      expect(left()).toEqual([])
      expect(calls()).toBe(2)
    }),
  )
})

describe("the locks of this repository", () => {
  it("name no registry, so that npm asks the one that it is configured for", () => {
    const { stdout } = spawnSync("git", ["ls-files", "*package-lock.json"], { cwd: inRepository(), encoding: "utf8" })
    const locks = stdout.trim().split("\n")
    expect(locks).toContain("package-lock.json")
    const named = locks.flatMap((lock) => {
      const { packages }: Lock = JSON.parse(fs.readFileSync(inRepository(lock), "utf8"))
      return Object.entries(packages)
        .filter(([, { resolved = "" }]) => resolved.includes("://"))
        .map(([place]) => `${lock}: ${place}`)
    })
    expect(named).toEqual([])
  })
})

interface Lock {
  readonly packages: Readonly<Record<string, { readonly resolved?: string }>>
}
