import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as EventLog from "../../src/events/index.ts"
import { temporaryDirectory } from "../temporary.ts"
import { type Ended, start } from "./hindcast.ts"

const OTHER_USER = 12_345

/** A command that loads most of the program's code, and needs no log. */
const help = (caches: string, cwd = "/", home = "", words = ["task", "--help"]): Effect.Effect<Ended> =>
  Effect.promise(
    () =>
      start(words, {
        cwd,
        env: { XDG_CACHE_HOME: caches, NODE_COMPILE_CACHE: undefined, HOME: home },
      }).ended,
  )

const filesBelow = (directory: string): ReadonlyArray<string> =>
  fs
    .readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(directory, name))
    .filter((file) => fs.statSync(file).isFile())

/** The files of the command line's own packs. Node's cache, from 22.1 on, has directories. */
const packsIn = (caches: string): ReadonlyArray<string> =>
  filesBelow(caches).filter((file) => path.dirname(file) === path.join(caches, "hindcast", "code"))

/** How many parts of the program had been loaded when these were written, together. */
const partsIn = (packs: ReadonlyArray<string>): number =>
  packs.reduce((sum, file) => sum + fs.readFileSync(file).readUInt32LE(DIGEST), 0)

const sizeOf = (packs: ReadonlyArray<string>): number => packs.reduce((sum, file) => sum + fs.statSync(file).size, 0)

const DIGEST = 32

/** Whether a pack's cache says what its bytes are. */
const isWhole = (file: string): boolean => {
  const bytes = fs.readFileSync(file)
  return createHash("sha256").update(bytes.subarray(DIGEST)).digest().equals(bytes.subarray(0, DIGEST))
}

describe("the command line's cache of compiled code", () => {
  it.scopedLive("is kept in a directory of the user's own, and the command answers the same with it", () =>
    Effect.gen(function* () {
      const caches = yield* temporaryDirectory
      const first = yield* help(caches)
      expect(first).toMatchObject({ code: 0, stderr: "" })
      const directory = path.join(caches, "hindcast", "code")
      expect(fs.statSync(directory).mode & 0o777).toBe(0o700)
      const packs = packsIn(caches)
      expect(packs.length).toBeGreaterThan(0)
      for (const file of packs) expect(fs.statSync(file).mode & 0o777).toBe(0o600)
      const written = packs.map((file) => fs.statSync(file).ino)
      expect(yield* help(caches)).toEqual(first)
      expect(packs.map((file) => fs.statSync(file).ino)).toEqual(written)
    }),
  )

  it.scopedLive("gets the code of a command that loads more than those before it, and keeps theirs", () =>
    Effect.gen(function* () {
      const caches = yield* temporaryDirectory
      yield* help(caches)
      const first = packsIn(caches)
      const [parts, size] = [partsIn(first), sizeOf(first)]
      yield* help(caches, "/", "", ["log", "ls", "--help"])
      const second = packsIn(caches)
      expect(second).toEqual(expect.arrayContaining([...first]))
      expect(partsIn(second)).toBeGreaterThan(parts)
      expect(sizeOf(second)).toBeGreaterThan(size)
      expect(second.every(isWhole)).toBe(true)
    }),
  )

  it.scopedLive("loses what was not written for a month when something is written, and nothing else", () =>
    Effect.gen(function* () {
      const caches = yield* temporaryDirectory
      yield* help(caches)
      const [code, old] = [path.join(caches, "hindcast", "code"), new Date(Date.now() - 31 * 86_400_000)]
      for (const name of ["pack-earlier", "another"]) fs.writeFileSync(path.join(code, name), "")
      for (const file of packsIn(caches)) fs.utimesSync(file, old, old)
      const before = packsIn(caches)
      yield* help(caches)
      expect(packsIn(caches)).toEqual(before)
      yield* help(caches, "/", "", ["log", "ls", "--help"])
      const names = packsIn(caches).map((file) => path.basename(file))
      expect(names).toContain("another")
      expect(names).not.toContain("pack-earlier")
      expect(names.length).toBeGreaterThan(1)
    }),
  )

  it.scopedLive("is used by the next command after one that sets flags of V8", () =>
    Effect.gen(function* () {
      const [caches, directory] = [yield* temporaryDirectory, yield* temporaryDirectory]
      const audit = () =>
        Effect.promise(
          () =>
            start(["audit", "--all"], {
              cwd: directory,
              env: {
                XDG_CACHE_HOME: caches,
                NODE_COMPILE_CACHE: undefined,
                HINDCAST_LOG: path.join(directory, "log.db"),
              },
            }).ended,
        )
      yield* Effect.scoped(Layer.build(EventLog.layerSqlite({ filename: path.join(directory, "log.db") })))
      expect(yield* audit()).toMatchObject({ code: 0, stderr: "" })
      const written = packsIn(caches).map((file) => [file, fs.statSync(file).ino])
      yield* audit()
      expect(packsIn(caches).map((file) => [file, fs.statSync(file).ino])).toEqual(written)
    }),
  )

  it.scopedLive("is not used, nor left so, where a byte of it changed on the disk", () =>
    Effect.gen(function* () {
      const caches = yield* temporaryDirectory
      const first = yield* help(caches)
      const packs = packsIn(caches)
      for (const file of packs) {
        const bytes = fs.readFileSync(file)
        const middle = Math.floor(bytes.length / 2)
        bytes[middle] = (bytes[middle] ?? 0) ^ 0xff
        fs.writeFileSync(file, bytes)
      }
      expect(packs.some(isWhole)).toBe(false)
      expect(yield* help(caches)).toEqual(first)
      expect(packs.every(isWhole)).toBe(true)
    }),
  )

  it.scopedLive("is where Node's own is said to be, and nowhere where Node is told to keep none", () =>
    Effect.gen(function* () {
      const [caches, named] = [yield* temporaryDirectory, yield* temporaryDirectory]
      const helpWith = (env: NodeJS.ProcessEnv) =>
        Effect.promise(() => start(["task", "--help"], { env: { XDG_CACHE_HOME: caches, ...env } }).ended)
      expect(yield* helpWith({ NODE_COMPILE_CACHE: named })).toMatchObject({ code: 0, stderr: "" })
      expect(filesBelow(named).filter((file) => path.basename(file).startsWith("pack-"))).not.toEqual([])
      expect(yield* helpWith({ NODE_DISABLE_COMPILE_CACHE: "1" })).toMatchObject({ code: 0, stderr: "" })
      expect(fs.readdirSync(caches)).toEqual([])
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
      expect(fs.existsSync(path.join(caches, "hindcast"))).toBe(true)
    }),
  )
})
