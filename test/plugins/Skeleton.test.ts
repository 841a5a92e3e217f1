import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeMountPoints, writeMountTable } from "../../src/plugins/sandbox/layers/Skeleton.ts"
import { temporaryDirectory, writeFiles } from "./fixtures.ts"

describe("what a plugin's disk is mounted over", () => {
  it.scopedLive("holds no content, whoever put some there", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      yield* writeFiles(base, { "bare/etc/ld.so.preload": "/evil.so", "bare/lib/libc.so.6": "evil", "bare/own": "" })
      fs.symlinkSync("/etc", path.join(base, "bare/lib/link"))
      const { bare } = makeMountPoints(base, [{ kind: "file", place: "/lib/libc.so.6" }])
      expect(fs.statSync(path.join(bare, "lib/libc.so.6")).size).toBe(0)
      expect(fs.readdirSync(path.join(bare, "lib"))).toEqual(["libc.so.6"])
      expect(fs.readdirSync(path.join(bare, "etc"))).toEqual([])
    }),
  )

  it.scopedLive("is mounted by the table that was asked for, whatever stands in its file", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const table = writeMountTable(base, ["one", "two"])
      fs.writeFileSync(table, "another")
      expect(writeMountTable(base, ["one", "two"])).toBe(table)
      expect(fs.readFileSync(table, "utf8")).toBe("one\ntwo\n")
      expect(fs.readdirSync(base)).toEqual([path.basename(table)])
    }),
  )
})
