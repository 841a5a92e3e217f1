import { createHash } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer } from "../../../src/plugins/process/PluginHost.ts"
import { session } from "./session.ts"

const provide = Effect.provide(layer)

describe("files of a session", () => {
  it.scopedLive("are written, listed, read by either side, and removed", () =>
    Effect.gen(function* () {
      const { act, execute } = yield* session()
      expect(yield* act("list")).toEqual({ path: "/home/python", entries: [], truncated: false })
      expect(yield* act("write", { path: "data/in.csv", content: "a,b\n1,é\n" })).toEqual({
        path: "/home/python/data/in.csv",
        bytes: 9,
      })
      expect((yield* execute("open('data/in.csv', encoding='utf-8').read()")).result).toBe("a,b\n1,é\n")
      yield* execute("import os; open('data/out.txt', 'w').write('out'); os.symlink('out.txt', 'data/link')")
      const entry = (name: string, kind: string, size: number) => ({ name, kind, size, modifiedAt: expect.any(Number) })
      expect((yield* act("list", { path: "data" })).entries).toEqual([
        entry("in.csv", "file", 9),
        entry("link", "link", 7),
        entry("out.txt", "file", 3),
      ])
      expect(yield* act("read", { path: "/home/python/data/link" })).toMatchObject({
        content: "out",
        encoding: "utf-8",
      })
      expect(yield* act("remove", { path: "data/link" })).toMatchObject({ removed: 1 })
      expect(yield* act("remove", { path: "data", recursive: true })).toMatchObject({ removed: 3 })
      expect((yield* act("list")).entries).toEqual([])
    }).pipe(provide),
  )

  it.scopedLive("files of a session that are not UTF-8 travel as base64, unchanged", () =>
    Effect.gen(function* () {
      const { act, execute } = yield* session()
      const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256))
      yield* act("write", { path: "b.bin", content: bytes.toString("base64"), encoding: "base64" })
      const { result } = yield* execute("import hashlib; hashlib.sha256(open('b.bin', 'rb').read()).hexdigest()")
      expect(result).toBe(createHash("sha256").update(bytes).digest("hex"))
      expect(yield* act("read", { path: "b.bin" })).toEqual({
        path: "/home/python/b.bin",
        bytes: 1000,
        content: bytes.toString("base64"),
        encoding: "base64",
      })
      yield* act("write", { path: "bom.txt", content: "\ufeffx" })
      expect(yield* act("read", { path: "bom.txt" })).toMatchObject({ content: "\ufeffx", encoding: "utf-8" })
    }).pipe(provide),
  )

  it.scopedLive("lie in memory: no path leads to the machine's", () =>
    Effect.gen(function* () {
      const { act, refused } = yield* session()
      const found = yield* refused("read", { path: "../../../../../../etc/passwd" })
      expect(found).toMatchObject({ error: { code: "not-found", message: expect.stringContaining(" at /etc/passwd") } })
      expect(yield* act("write", { path: "../../../x/../etc/./hosts", content: "mine" })).toMatchObject({
        path: "/etc/hosts",
      })
      expect(yield* act("read", { path: "/etc/hosts" })).toMatchObject({ content: "mine" })
      expect(yield* act("mkdir", { path: "a/b/c" })).toEqual({ path: "/home/python/a/b/c" })
      expect(yield* act("mkdir", { path: "a/b" })).toEqual({ path: "/home/python/a/b" })
    }).pipe(provide),
  )

  it.scopedLive("are refused with a reason where there is nothing, or something else, at a path", () =>
    Effect.gen(function* () {
      const { act, execute, refused } = yield* session()
      yield* act("write", { path: "full/file", content: "x" })
      yield* execute("open('large', 'wb').write(bytes(3 * 1024 * 1024))")
      const cases: ReadonlyArray<
        readonly [actuator: string, args: { readonly [name: string]: string | boolean | number }, code: string]
      > = [
        ["read", { path: "missing" }, "not-found"],
        ["read", { path: "full" }, "not-a-file"],
        ["read", { path: "/dev/null" }, "not-a-file"],
        ["read", { path: "large" }, "too-large"],
        ["read", { path: "" }, "ArgumentsInvalid"],
        ["read", { path: "a\0b" }, "bad-path"],
        ["read", {}, "ArgumentsInvalid"],
        ["list", { path: "missing" }, "not-found"],
        ["list", { path: "full/file" }, "not-a-directory"],
        ["write", { path: "full", content: "x" }, "not-a-file"],
        ["write", { path: "x", content: "x".repeat(2_100_000) }, "too-large"],
        ["write", { path: "x", content: "x".repeat(2_800_001) }, "ArgumentsInvalid"],
        ["write", { path: "full/file/below", content: "x" }, "not-a-directory"],
        ["write", { path: "/lib/python314.zip", content: "x" }, "protected"],
        ["write", { path: "x", content: "*", encoding: "base64" }, "bad-base64"],
        ["write", { path: "x", content: "x", encoding: "latin-1" }, "ArgumentsInvalid"],
        ["write", { path: "x", content: 7 }, "ArgumentsInvalid"],
        ["mkdir", { path: "full/file" }, "not-a-directory"],
        ["remove", { path: "missing" }, "not-found"],
        ["remove", { path: "full" }, "not-empty"],
        ["remove", { path: "../..", recursive: true }, "protected"],
        ["remove", { path: "x", recursive: 1 }, "ArgumentsInvalid"],
      ]
      for (const [actuator, args, code] of cases) {
        const failure = yield* refused(actuator, args)
        expect({
          actuator,
          path: args.path,
          code: failure._tag === "CallFailed" ? failure.error.code : failure._tag,
        }).toEqual({
          actuator,
          path: args.path,
          code,
        })
      }
      expect(yield* act("list")).toMatchObject({ entries: [{ name: "full" }, { name: "large" }] })
    }).pipe(provide),
  )

  it.scopedLive("fill the session's space and no more", () =>
    Effect.gen(function* () {
      const { act, execute, refused } = yield* session()
      const content = "x".repeat(1024 * 1024)
      expect(yield* execute("open('big', 'wb').write(bytes(29 * 1024 * 1024))")).toMatchObject({ outcome: "ok" })
      expect(yield* refused("write", { path: "small", content })).toMatchObject({
        error: { code: "io-error", message: expect.stringContaining("no space left") },
      })
      yield* act("remove", { path: "big" })
      expect(yield* act("write", { path: "small", content })).toMatchObject({ bytes: 1024 * 1024 })
    }).pipe(provide),
  )
})
