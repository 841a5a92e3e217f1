import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import type { Stream as Chunks } from "effect/Stream"
import { describe, expect } from "vitest"
import { Shared } from "../../src/cli/command/OpenLog.ts"
import * as OutputFile from "../../src/cli/export/OutputFile.ts"
import type { Encoded } from "../../src/projections/exports/Encoder.ts"
import { temporaryDirectory } from "../temporary.ts"

/** What is written here is of no log that is open. */
const shared = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, Shared, { decrypted: false })
const writeAll = <E, R>(target: OutputFile.Target, chunks: Chunks<Encoded, E, R>) =>
  shared(OutputFile.writeAll(target, chunks))
const withOutputFile = <E, R>(
  target: OutputFile.Target,
  body: (output: OutputFile.OutputFile) => Effect.Effect<unknown, E, R>,
) => shared(OutputFile.withOutputFile(target, body))

const target = Effect.map(temporaryDirectory, (directory) => ({ directory, file: path.join(directory, "out.txt") }))

/** More than is gathered before it is written. */
const MUCH = "x".repeat(3_000_000)

describe("a file that is written", () => {
  it.scopedLive("holds all chunks, in order, however long they are", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* target
      const chunks = ["a", Buffer.from("b"), "", MUCH, ["ü", "", "🗝".repeat(400_000), "c"], Buffer.from(MUCH), "end"]
      const written = yield* writeAll({ file }, Stream.fromIterable(chunks))
      const expected = chunks.map((chunk) => (Array.isArray(chunk) ? chunk.join("") : chunk.toString())).join("")
      expect(fs.readFileSync(file, "utf8") === expected).toBe(true)
      expect(written).toEqual({ file, bytes: Buffer.byteLength(expected) })
      expect(fs.readdirSync(directory)).toEqual(["out.txt"])
    }),
  )

  it.scopedLive("is not there until it is whole", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* target
      yield* withOutputFile({ file }, ({ write }) =>
        Effect.gen(function* () {
          yield* write(MUCH)
          expect(fs.existsSync(file)).toBe(false)
          expect(fs.readdirSync(directory)).toEqual([
            expect.stringMatching(/^out\.txt\.[0-9a-f]{8}-\d+-[0-9a-f]{8}\.partial$/),
          ])
        }),
      )
      expect(fs.statSync(file).size).toBe(MUCH.length)
    }),
  )

  it.scopedLive("leaves nothing where what gives the chunks fails", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* target
      const chunks = Stream.concat(Stream.make(MUCH), Stream.fail("broken"))
      expect(yield* Effect.flip(writeAll({ file }, chunks))).toBe("broken")
      expect(fs.readdirSync(directory)).toEqual([])
    }),
  )

  it.scopedLive("leaves nothing where it is interrupted", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* target
      const halfway = yield* Deferred.make<void>()
      const writing = yield* Effect.fork(
        withOutputFile({ file }, ({ write }) =>
          write(MUCH).pipe(Effect.zipRight(Deferred.succeed(halfway, undefined)), Effect.zipRight(Effect.never)),
        ),
      )
      yield* Deferred.await(halfway)
      yield* Fiber.interrupt(writing)
      expect(fs.readdirSync(directory)).toEqual([])
    }),
  )
})

describe("a target that is there already", () => {
  it.scopedLive("is refused and not changed", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* target
      fs.writeFileSync(file, "mine")
      const error = yield* Effect.flip(writeAll({ file }, Stream.make("theirs")))
      expect(error).toMatchObject({ _tag: "OutputExists", file })
      expect(error.message).toBe(
        `${file}: expected a file that does not exist yet, found one. It was not changed; --force replaces it.`,
      )
      expect(fs.readFileSync(file, "utf8")).toBe("mine")
      expect(fs.readdirSync(directory)).toEqual(["out.txt"])
    }),
  )

  it.scopedLive("is replaced by force, once the new one is whole, and stays as closed to others as it was", () =>
    Effect.gen(function* () {
      const { file } = yield* target
      fs.writeFileSync(file, "old", { mode: 0o600 })
      yield* withOutputFile({ file, force: true }, ({ write }) =>
        Effect.gen(function* () {
          yield* write(MUCH)
          expect(fs.readFileSync(file, "utf8")).toBe("old")
        }),
      )
      expect(fs.statSync(file).size).toBe(MUCH.length)
      expect(fs.statSync(file).mode & 0o777).toBe(0o600)
    }),
  )

  it.scopedLive("is not replaced by force where the new one fails", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* target
      fs.writeFileSync(file, "old")
      const chunks = Stream.concat(Stream.make(MUCH), Stream.fail("broken"))
      yield* Effect.flip(writeAll({ file, force: true }, chunks))
      expect(fs.readFileSync(file, "utf8")).toBe("old")
      expect(fs.readdirSync(directory)).toEqual(["out.txt"])
    }),
  )

  it.scopedLive("is refused also where it came while the new one was written", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* target
      const error = yield* Effect.flip(
        withOutputFile({ file }, ({ write }) => Effect.tap(write(MUCH), () => fs.writeFileSync(file, "somebody's"))),
      )
      expect(error).toMatchObject({ _tag: "OutputExists" })
      expect(fs.readFileSync(file, "utf8")).toBe("somebody's")
      expect(fs.readdirSync(directory)).toEqual(["out.txt"])
    }),
  )

  it.scopedLive("is what a link leads to", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* target
      const link = path.join(directory, "link")
      fs.symlinkSync("out.txt", link)
      yield* writeAll({ file: link }, Stream.make("one"))
      yield* writeAll({ file: link, force: true }, Stream.make("two"))
      expect(fs.readFileSync(file, "utf8")).toBe("two")
      expect(fs.lstatSync(link).isSymbolicLink()).toBe(true)
    }),
  )

  it.scopedLive.each(["", "-wal", "-shm", ".keys", ".keys-wal", ".segments/0000000001-0000000002.segment"])(
    "is never replaced where it is part of the log that is being read: log.db%s",
    (suffix) =>
      Effect.gen(function* () {
        const { directory } = yield* target
        const log = path.join(directory, "log.db")
        fs.mkdirSync(`${log}.segments`)
        const file = log + suffix
        fs.writeFileSync(file, "events")
        const error = yield* Effect.flip(writeAll({ file, force: true, log }, Stream.make("x")))
        expect(error).toMatchObject({ _tag: "OutputUnavailable", reason: "it is part of the log that is being read" })
        expect(fs.readFileSync(file, "utf8")).toBe("events")
        // A name that only begins like the log's is anybody's.
        yield* writeAll({ file: `${log}.jsonl`, log }, Stream.make("x"))
      }),
  )
})

describe("a target that cannot be written", () => {
  const refusal = (file: string) => Effect.flip(writeAll({ file, force: true }, Stream.make("x")))

  it.scopedLive("a target that cannot be written for want of its directory says which", () =>
    Effect.gen(function* () {
      const { directory } = yield* target
      const error = yield* refusal(path.join(directory, "none", "out.txt"))
      expect(error).toMatchObject({ _tag: "OutputUnavailable" })
      expect(error.message).toContain(
        `there is no directory ${path.join(directory, "none")}. Create it, or name another.`,
      )
    }),
  )

  it.scopedLive(
    "a target that cannot be written because it is a directory, or below a file, or its name is too long: says so",
    () =>
      Effect.gen(function* () {
        const { directory, file } = yield* target
        expect((yield* refusal(directory)).message).toContain("it is a directory. Name a file in it.")
        fs.writeFileSync(file, "")
        expect((yield* refusal(path.join(file, "out.txt"))).message).toContain(`${file} is no directory.`)
        expect((yield* refusal(path.join(directory, "x".repeat(250)))).message).toContain("its name is too long.")
      }),
  )

  it.scopedLive(
    "a target that cannot be written because its device is full: DiskFull, with what was written until then",
    () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(writeAll({ file: "/dev/full" }, Stream.make(MUCH)))
        expect(error).toMatchObject({ _tag: "OutputDiskFull", file: "/dev/full", after: 0 })
      }),
  )
})

/** A file system in memory needs the rights to mount it. */
const mounted = Effect.acquireRelease(
  Effect.gen(function* () {
    const directory = path.join(yield* temporaryDirectory, "small")
    fs.mkdirSync(directory)
    const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", directory])
    return status === 0 ? directory : undefined
  }),
  (directory) => Effect.sync(() => directory && spawnSync("umount", [directory])),
)

describe("a disk that fills half way", () => {
  it.scopedLive("is DiskFull; nothing is left, what was there before stands, and there is room again", (context) =>
    Effect.gen(function* () {
      const directory = yield* mounted
      if (directory === undefined) return context.skip()
      const file = path.join(directory, "out.txt")
      fs.writeFileSync(file, "old")
      const { bavail } = fs.statfsSync(directory)
      for (const force of [false, true]) {
        const name = force ? file : path.join(directory, "new.txt")
        const error = yield* Effect.flip(writeAll({ file: name, force }, Stream.make(...Array(9).fill(MUCH))))
        expect(error).toMatchObject({ _tag: "OutputDiskFull", file: name })
        expect(error.message).toContain("Make room, or name a file on another disk.")
        expect(fs.readdirSync(directory)).toEqual(["out.txt"])
        expect(fs.statfsSync(directory).bavail).toBe(bavail)
      }
      expect(fs.readFileSync(file, "utf8")).toBe("old")
    }),
  )
})
