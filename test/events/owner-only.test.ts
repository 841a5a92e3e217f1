import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { examine, layerSqlite } from "../../src/events/index.ts"
import * as OwnerOnly from "../../src/platform/OwnerOnly.ts"
import { temporaryDirectory } from "../temporary.ts"
import { smallLog } from "./smallLog.ts"

const STRANGER = 12_345

const modeOf = (file: string) => fs.statSync(file).mode & 0o777

describe("a file for its owner alone", () => {
  it.scopedLive("is not made where anything has its name, be it a link to nothing", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const [file, link] = [path.join(directory, "file"), path.join(directory, "link")]
      fs.symlinkSync(file, link)
      expect(OwnerOnly.makeFile(link)).toBe(false)
      expect(fs.readdirSync(directory)).toEqual(["link"])
      expect(OwnerOnly.makeFile(file)).toBe(true)
      expect(modeOf(file)).toBe(0o600)
      fs.writeFileSync(file, "kept")
      expect(OwnerOnly.makeFile(file)).toBe(false)
      expect(fs.readFileSync(file, "utf8")).toBe("kept")
    }),
  )

  it.scopedLive("stands in a directory that is closed; a link to one, and what is another user's, is refused", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const [open, link] = [path.join(directory, "open"), path.join(directory, "link")]
      fs.mkdirSync(open)
      fs.chmodSync(open, 0o775)
      fs.symlinkSync(open, link)
      expect(() => OwnerOnly.restrictDirectory(link)).toThrow(
        /link, which is a link\. Expected a directory of your own/,
      )
      expect(modeOf(open)).toBe(0o775)
      OwnerOnly.restrictDirectory(open)
      expect(modeOf(open)).toBe(0o700)
      if (process.getuid?.() !== 0) return
      fs.chownSync(open, STRANGER, STRANGER)
      expect(() => OwnerOnly.restrictDirectory(open)).toThrow(/open, which is another user's/)
    }),
  )
})

describe("a log", () => {
  it.scopedLive.runIf(process.getuid?.() === 0)("is not made where another user's link leads", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const [target, filename] = [path.join(directory, "target"), path.join(directory, "log.db")]
      fs.symlinkSync(target, filename)
      fs.lchownSync(filename, STRANGER, STRANGER)
      const refused = yield* Effect.flip(Effect.scoped(Layer.build(layerSqlite({ filename }))))
      expect(refused).toMatchObject({ _tag: "LogUnavailable" })
      expect(refused.message).toContain("log.db is a symbolic link of another user, and its target does not exist")
      expect(fs.readdirSync(directory)).toEqual(["log.db"])
    }),
  )

  it.scopedLive("a log that was opened to others stays so when it is used, and the doctor says it", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      expect(modeOf(filename)).toBe(0o600)
      fs.chmodSync(filename, 0o640)
      yield* Effect.scoped(Layer.build(layerSqlite({ filename })))
      expect(modeOf(filename)).toBe(0o640)
      const [finding, ...others] = (yield* examine(filename)).findings
      expect(others).toEqual([])
      expect(finding).toMatchObject({
        severity: "warning",
        what: "permissions",
        found: "log.db has mode 640: other users of this machine may read the log",
        advice: `Unless that is intended, run: chmod go= ${filename}`,
      })
    }),
  )
})
