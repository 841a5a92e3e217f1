import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer, layerOf } from "../../../src/plugins/process/PluginHost.ts"
import type { JsonObject } from "../../../src/values/Json.ts"
import { session } from "./session.ts"

const provide = Effect.provide(layer)

describe("code that is executed", () => {
  it.scopedLive(
    "answers with what it printed and with its last value, from a session that starts from the snapshot",
    () =>
      Effect.gen(function* () {
        const { execute, logged } = yield* session()
        expect(
          yield* execute("import sys\nprint(1 + 1)\nprint('oops', file=sys.stderr)\n{'a': [1, 2.5, None, True]}"),
        ).toEqual({
          outcome: "ok",
          stdout: "2\n",
          stderr: "oops\n",
          result: { a: [1, 2.5, null, true] },
          repr: "{'a': [1, 2.5, None, True]}",
          error: null,
          installed: [],
          durationMs: expect.any(Number),
        })
        expect(logged("without the snapshot")).toBe(false)
      }).pipe(provide),
  )

  it.scopedLive("runs also where the sandbox is Deno's permissions alone", () =>
    Effect.gen(function* () {
      const { process, execute, act } = yield* session()
      expect(process.sandbox).toBe("flags")
      expect(yield* execute("open('f', 'w').write('x'); print(1 + 1)")).toMatchObject({ outcome: "ok", stdout: "2\n" })
      expect(yield* act("read", { path: "f" })).toMatchObject({ content: "x" })
    }).pipe(Effect.provide(layerOf({ sandbox: "flags" }))),
  )

  it.scopedLive("finds the variables, imports and files that code before it left", () =>
    Effect.gen(function* () {
      const { execute } = yield* session()
      yield* execute("import json\nx = [1]\ndef twice(n): return 2 * n\nopen('kept.txt', 'w').write('kept')")
      const next = yield* execute("x.append(twice(21)); (json.dumps(x), open('kept.txt').read(), __name__)")
      expect(next.result).toEqual(["[1, 42]", "kept", "__main__"])
    }).pipe(provide),
  )

  it.scopedLive("has no result where JSON does not carry the value unchanged, but its repr", () =>
    Effect.gen(function* () {
      const { execute } = yield* session()
      const values = ["2**53", "float('nan')", "{1: 2}", "{1, 2}", "'\\ud800'", "b'x'", "[[]] * 200_000"]
      for (const value of values) {
        const { result, repr, outcome } = yield* execute(value)
        expect({ value, result, outcome }).toEqual({ value, result: null, outcome: "ok" })
        expect(repr).toBeTruthy()
      }
      const nested = yield* execute("deep = []\nfor _ in range(500): deep = [deep]\ndeep")
      expect(nested).toMatchObject({ outcome: "ok", result: null })
      const exact = yield* execute("2**53 - 1")
      expect(exact.result).toBe(2 ** 53 - 1)
      expect(yield* execute("x = 1")).toMatchObject({ result: null, repr: null })
      expect(yield* execute("")).toMatchObject({ outcome: "ok", result: null, repr: null })
    }).pipe(provide),
  )

  it.scopedLive("ends by its exception, told by a traceback of the code's own lines", () =>
    Effect.gen(function* () {
      const { execute } = yield* session()
      const raised = yield* execute("print('before')\ndef divide(n):\n  return 1 / n\ndivide(0)")
      expect(raised).toMatchObject({ outcome: "exception", stdout: "before\n", result: null, repr: null })
      expect(raised.error).toMatchObject({ type: "ZeroDivisionError", message: "ZeroDivisionError: division by zero" })
      expect(raised.error?.traceback).toMatch(
        /^Traceback \(most recent call last\):\n {2}File "<code 1>", line 4, in <module>\n {4}divide\(0\)\n/,
      )
      expect(raised.error?.traceback).toContain("    return 1 / n\n")
      expect(raised.error?.traceback).not.toContain("_run")

      const wrong = yield* execute("x = = 1")
      expect(wrong.error).toMatchObject({ type: "SyntaxError", message: "SyntaxError: invalid syntax" })
      expect(wrong.error?.traceback).toContain('File "<code 2>", line 1\n    x = = 1')

      const chained = yield* execute("try:\n  {}['a']\nexcept KeyError as e:\n  raise ValueError('no a') from e")
      expect(chained.error?.traceback).toContain("The above exception was the direct cause")

      const rude = yield* execute("class Rude(Exception):\n  def __str__(self): raise OSError\nraise Rude")
      expect(rude.error).toMatchObject({ type: "Rude" })
    }).pipe(provide),
  )

  it.scopedLive("ends by sys.exit with its code, and the session goes on", () =>
    Effect.gen(function* () {
      const { execute } = yield* session()
      const ended = yield* execute("import sys; kept = 1; sys.exit(3)")
      expect(ended).toMatchObject({ outcome: "exit", error: { type: "SystemExit", message: "3", traceback: "" } })
      expect((yield* execute("kept")).result).toBe(1)
    }).pipe(provide),
  )

  it.scopedLive("keeps the beginning of a huge output, and says how much was left out", () =>
    Effect.gen(function* () {
      const { execute } = yield* session()
      const { stdout, stderr, repr, result } = yield* execute(
        "import os, sys\nfor _ in range(3000): print('é' * 999)\nos.write(2, b'\\xff' + b'x' * 70_000)\n'y' * 70_000",
      )
      const kept = 64 * 1024
      expect(stdout.startsWith("é".repeat(999))).toBe(true)
      expect(stdout).toMatch(/é\n\[… 5931464 more bytes left out\]$/)
      expect(stdout).not.toContain("\ufffd")
      expect(stderr).toBe(`\ufffd${"x".repeat(kept - 1)}\n[… ${70_001 - kept} more bytes left out]`)
      expect(repr).toMatch(/more characters left out\]$/)
      expect(result).toBe("y".repeat(70_000))
      expect((yield* execute("print('next')")).stdout).toBe("next\n")
    }).pipe(provide),
  )

  it.scopedLive("reads no input, and runs asyncio to its end", () =>
    Effect.gen(function* () {
      const { execute } = yield* session()
      expect((yield* execute("input()")).error?.type).toBe("EOFError")
      const gathered = yield* execute(
        "import asyncio\nasync def one(n):\n  await asyncio.sleep(0.01 * n)\n  return n\n" +
          "async def all(): return await asyncio.gather(*(one(n) for n in (3, 1, 2)))\nasyncio.run(all())",
      )
      expect(gathered).toMatchObject({ outcome: "ok", result: [3, 1, 2], stderr: "" })
      const late = yield* execute("asyncio.run(asyncio.wait_for(asyncio.sleep(9), 0.01))")
      expect(late.error?.type).toBe("TimeoutError")
    }).pipe(provide),
  )

  it.scopedLive("draws the same random numbers where the kernel's seed is the same", () =>
    Effect.gen(function* () {
      const draw = (seed: number) =>
        Effect.scoped(
          Effect.flatMap(session({ seed }), ({ execute }) =>
            Effect.map(execute("import random; [random.random(), hash('a')]"), ({ result }) => result),
          ),
        )
      const [first, again, other] = yield* Effect.all([draw(1), draw(1), draw(2)], { concurrency: 1 })
      expect(again).toEqual(first)
      expect(other).not.toEqual(first)
    }).pipe(provide),
  )

  it.scopedLive("is refused where the arguments are not what they should be", () =>
    Effect.gen(function* () {
      const { refused } = yield* session()
      const invalid: ReadonlyArray<JsonObject> = [
        {},
        { code: 1 },
        { code: "1", timeoutMs: 0 },
        { code: "1", timeoutMs: 60_001 },
        { code: "1", dependencies: ["a", 1] },
        { code: "1", shell: true },
      ]
      for (const args of invalid) {
        expect({ args, failure: yield* refused("execute", args) }).toMatchObject({
          args,
          failure: { _tag: "CallFailed", error: { code: "ArgumentsInvalid" } },
        })
      }
    }).pipe(provide),
  )
})
