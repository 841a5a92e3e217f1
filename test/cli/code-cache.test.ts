import * as fs from "node:fs"
import * as module from "node:module"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryDirectory } from "../temporary.ts"
import { type Ended, start } from "./hindcast.ts"

const OTHER_USER = 12_345

/** A command that loads most of the program's code, and needs no log. */
const help = (caches: string, cwd = "/", home = ""): Effect.Effect<Ended> =>
  Effect.promise(
    () =>
      start(["task", "--help"], {
        cwd,
        env: { XDG_CACHE_HOME: caches, NODE_COMPILE_CACHE: undefined, HOME: home },
      }).ended,
  )

const filesBelow = (directory: string): ReadonlyArray<string> =>
  fs
    .readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(directory, name))
    .filter((file) => fs.statSync(file).isFile())

/** Node has a cache of compiled code from 22.1 on. Before that there is nothing to keep, and nothing is made. */
const HAS_CACHE = "enableCompileCache" in module

describe("the command line's cache of compiled code", () => {
  it.scopedLive(
    "is kept in a directory of the user's own where Node has one, and the command answers the same with it",
    () =>
      Effect.gen(function* () {
        const caches = yield* temporaryDirectory
        const first = yield* help(caches)
        expect(first).toMatchObject({ code: 0, stderr: "" })
        const directory = path.join(caches, "hindcast", "code")
        expect(fs.existsSync(directory)).toBe(HAS_CACHE)
        if (HAS_CACHE) {
          expect(fs.statSync(directory).mode & 0o777).toBe(0o700)
          expect(filesBelow(directory).length).toBeGreaterThan(1)
        }
        expect(yield* help(caches)).toEqual(first)
      }),
  )

  it.scopedLive("is compiled anew where its files are cut short or hold something else", () =>
    Effect.gen(function* () {
      const caches = yield* temporaryDirectory
      const first = yield* help(caches)
      for (const [index, file] of filesBelow(caches).entries()) {
        if (index % 2 === 0) fs.truncateSync(file, 100)
        else fs.writeFileSync(file, "no code")
      }
      expect(yield* help(caches)).toEqual(first)
    }),
  )

  it.scopedLive("is left out where its directory cannot be made, or is a link to somewhere else", () =>
    Effect.gen(function* () {
      const [caches, elsewhere] = [yield* temporaryDirectory, yield* temporaryDirectory]
      fs.writeFileSync(path.join(caches, "hindcast"), "a file")
      expect(yield* help(caches)).toMatchObject({ code: 0, stderr: "" })

      fs.rmSync(path.join(caches, "hindcast"))
      fs.mkdirSync(path.join(caches, "hindcast"))
      fs.symlinkSync(elsewhere, path.join(caches, "hindcast", "code"))
      expect(yield* help(caches)).toMatchObject({ code: 0, stderr: "" })
      expect(fs.readdirSync(elsewhere)).toEqual([])
    }),
  )

  it.scopedLive("is not looked for in the working directory, nor is a home made, whatever the environment says", () =>
    Effect.gen(function* () {
      const [directory, homes] = [yield* temporaryDirectory, yield* temporaryDirectory]
      for (const home of [path.join(homes, "missing"), "", "here"])
        expect(yield* help(".cache", directory, home)).toMatchObject({ code: 0, stderr: "" })
      expect([fs.readdirSync(directory), fs.readdirSync(homes)]).toEqual([[], []])
    }),
  )

  it.scopedLive.skipIf(process.geteuid?.() !== 0)("is left out in a home of somebody else, as under `sudo`", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      fs.chownSync(home, OTHER_USER, OTHER_USER)
      expect(yield* help("", "/", home)).toMatchObject({ code: 0, stderr: "" })
      expect(fs.readdirSync(home)).toEqual([])

      const caches = path.join(home, ".cache")
      fs.mkdirSync(caches)
      fs.chownSync(caches, OTHER_USER, OTHER_USER)
      for (const named of ["", caches]) expect(yield* help(named, "/", home)).toMatchObject({ code: 0, stderr: "" })
      expect(fs.readdirSync(caches)).toEqual([])

      fs.chownSync(home, 0, 0)
      fs.rmdirSync(caches)
      expect(yield* help("", "/", home)).toMatchObject({ code: 0, stderr: "" })
      expect(fs.existsSync(path.join(caches, "hindcast"))).toBe(HAS_CACHE)
    }),
  )
})
