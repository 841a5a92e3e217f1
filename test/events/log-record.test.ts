import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as LogRecord from "../../src/events/ownership/LogRecord.ts"
import { temporaryDirectory } from "../temporary.ts"

const head = (position: number) => ({ position, hash: String(position).repeat(64).slice(0, 64) })

const ownership = (foreignUpTo: number): LogRecord.Ownership => ({
  log: "/a/log.db",
  inode: "7",
  machine: "m",
  foreignUpTo,
  by: "option",
  at: 1,
})

const code = (digest: string) => ({ plugin: "spy", digest, grants: { run: ["sh"] } })

const written = Effect.map(temporaryDirectory, (directory) => path.join(directory, "0".repeat(32)))

/** What the record says after its file was cut, each byte on its own. */
const cuts = (file: string, bytes: Buffer) =>
  Array.from({ length: bytes.length + 1 }, (_, length) => {
    fs.writeFileSync(file, bytes.subarray(0, length), { mode: 0o600 })
    return { length, record: LogRecord.read(file), codes: LogRecord.codesIn(file) }
  })

describe("a record of a log that is cut while it is written", () => {
  it.scoped(
    "is the earlier one or the new one when it is written anew, and nothing of the earlier one counts after it",
    () =>
      Effect.gen(function* () {
        const file = yield* written
        LogRecord.create(file, head(3), ownership(0))
        LogRecord.addCodes(file, [code("a".repeat(64)), code("b".repeat(64))])
        const [before, codes] = [LogRecord.read(file), LogRecord.codesIn(file)]
        expect(codes.length).toBe(2)
        const held = fs.openSync(file, "r")
        const earlier = fs.readFileSync(file)
        LogRecord.create(file, head(5), ownership(5))
        // The earlier file is untouched: what a crash leaves is the one or the other.
        expect(fs.readFileSync(held)).toEqual(earlier)
        fs.closeSync(held)
        const after = LogRecord.read(file)
        expect([after?.ownership.foreignUpTo, LogRecord.codesIn(file)]).toEqual([5, []])
        // A disk that lost the end of the new file: no cut trusts more than the whole.
        for (const { record, codes } of cuts(file, fs.readFileSync(file))) {
          expect(codes).toEqual([])
          if (record !== undefined) expect(record).toEqual(after)
        }
        expect(before?.ownership.foreignUpTo).toBe(0)
      }),
  )

  it.scoped("leaves no file beside it where it cannot be written", () =>
    Effect.gen(function* () {
      const file = yield* written
      LogRecord.create(file, head(3), ownership(0))
      const before = LogRecord.read(file)
      // A directory at its name cannot be replaced by a file.
      const taken = `${file.slice(0, -1)}1`
      fs.mkdirSync(path.join(taken, "full"), { recursive: true })
      expect(() => LogRecord.create(taken, head(5), ownership(5))).toThrow()
      expect(LogRecord.read(file)).toEqual(before)
      expect(fs.readdirSync(path.dirname(file)).sort()).toEqual([path.basename(file), path.basename(taken)])
    }),
  )

  it.scoped("names no other heads than the log had, whichever bytes of them were written", () =>
    Effect.gen(function* () {
      const file = yield* written
      LogRecord.create(file, head(3), ownership(2))
      const earlier = fs.readFileSync(file)
      const handle = LogRecord.openHeads(file)
      expect(handle).toBeDefined()
      if (handle === undefined) return
      LogRecord.writeHeads(handle, head(3), head(4))
      fs.closeSync(handle)
      const later = fs.readFileSync(file)
      for (let cut = 0; cut <= later.length; cut++) {
        fs.writeFileSync(file, Buffer.concat([later.subarray(0, cut), earlier.subarray(cut)]))
        const { heads = [], ownership: found } = LogRecord.read(file) ?? {}
        const former = [1, 2, 5, 6, 7, 8, 9].map(head)
        expect(heads.filter((one) => former.some((other) => LogRecord.isSameHead(one, other)))).toEqual([])
        expect(found?.foreignUpTo).toBe(2)
      }
    }),
  )

  it.scoped("vouches for no code but what was written whole, and what is added later stands by itself", () =>
    Effect.gen(function* () {
      const file = yield* written
      LogRecord.create(file, head(3), ownership(0))
      LogRecord.addCodes(file, [code("a".repeat(64))])
      const known = fs.readFileSync(file).length
      LogRecord.addCodes(file, [code("b".repeat(64))])
      const bytes = fs.readFileSync(file)
      for (let length = known; length <= bytes.length; length++) {
        fs.writeFileSync(file, bytes.subarray(0, length))
        const digests = () => LogRecord.codesIn(file).map(({ digest }) => digest.slice(0, 1))
        const before = digests()
        expect([["a"], ["a", "b"]]).toContainEqual(before)
        LogRecord.addCodes(file, [code("c".repeat(64))])
        expect(digests()).toEqual([...before, "c"])
      }
    }),
  )
})
