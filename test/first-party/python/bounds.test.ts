import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { layer } from "../../../src/plugins/process/PluginHost.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { pythonPlugin, session } from "./session.ts"

const provide = Effect.provide(layer)

const BRIEFLY = { timeoutMs: 300 }

describe("code that runs too long", () => {
  it.scopedLive("is interrupted at its limit, wherever it waits or spins, and the session is kept", () =>
    Effect.gen(function* () {
      const { execute } = yield* session()
      yield* execute("kept = 1")
      const spinning = yield* execute("print('begun')\nwhile True: pass", BRIEFLY)
      expect(spinning).toMatchObject({
        outcome: "timeout",
        stdout: "begun\n",
        error: { type: "KeyboardInterrupt", message: expect.stringContaining("limit of 300 ms") },
      })
      expect(spinning.error?.traceback).toContain('File "<code 2>", line 2')
      const elsewhere = [
        "import time; time.sleep(1e6)",
        "import asyncio; asyncio.run(asyncio.sleep(1e6))",
        "10 ** 10 ** 8",
      ]
      for (const code of elsewhere) expect(yield* execute(code, BRIEFLY)).toMatchObject({ outcome: "timeout" })
      expect((yield* execute("kept")).result).toBe(1)
    }).pipe(provide),
  )

  it.scopedLive("may tidy up when it is interrupted", () =>
    Effect.gen(function* () {
      const { execute } = yield* session()
      const tidied = yield* execute(
        "try:\n  while True: pass\nexcept KeyboardInterrupt:\n  print('tidied')\n7",
        BRIEFLY,
      )
      expect(tidied).toMatchObject({ outcome: "ok", stdout: "tidied\n", result: 7 })
    }).pipe(provide),
  )

  it.scopedLive("is ended also where it catches the interruption again and again", () =>
    Effect.gen(function* () {
      const { execute } = yield* session()
      yield* execute("kept = 1")
      const stubborn = "while True:\n  try:\n    while True: pass\n  except BaseException: pass"
      expect(yield* execute(stubborn, BRIEFLY)).toMatchObject({ outcome: "timeout" })
      const talkative = "class Endless(Exception):\n  def __str__(self):\n    while True: pass\nraise Endless"
      expect(yield* execute(talkative, BRIEFLY)).toMatchObject({ outcome: "exception", error: { type: "Endless" } })
      expect((yield* execute("kept")).result).toBe(1)
    }).pipe(provide),
  )

  it.scopedLive("ends its process where it cannot be interrupted, and says that the session is lost", () =>
    Effect.gen(function* () {
      const { process, refused } = yield* session()
      const deaf = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
      expect(yield* refused("execute", { code: deaf, ...BRIEFLY })).toMatchObject({
        _tag: "CallFailed",
        error: { code: "session-lost", message: expect.stringContaining("variables and files are gone") },
      })
      expect(yield* process.exited).toMatchObject({ code: 70, signal: null })
    }).pipe(provide),
  )

  it.scopedLive.each([
    {
      what: "the installation of wheels",
      code: "import js, _wheels\ndef install(content):\n  js.console.log('it has begun')\n  while True: pass\n_wheels.install = install",
      actuator: "execute",
      args: { code: "1", dependencies: ["endless"] },
    },
    {
      what: "the command read",
      code: "import js, pyodide_js\npyodide_js.FS.stat = js.eval('() => { console.log(\"it has begun\"); for (;;); }')",
      actuator: "read",
      args: { path: "file" },
    },
  ])("ends its process where it is $what that does not end, and nobody wants it any more", (case_) =>
    Effect.gen(function* () {
      const { what, code, actuator, args } = case_
      const { process, workspace, execute, act, whenLogged } = yield* session({ readsWorkspace: true })
      fs.mkdirSync(path.join(workspace, "wheels"))
      fs.writeFileSync(path.join(workspace, "wheels", "endless-1.0-py3-none-any.whl"), "")
      expect(yield* execute(code)).toMatchObject({ outcome: "ok" })
      const call = yield* Effect.fork(act(actuator, args))
      yield* whenLogged("it has begun")
      yield* Fiber.interrupt(call)
      expect(yield* process.exited).toMatchObject({ code: 70, signal: null })
      yield* whenLogged(`${what} could not be interrupted`)
    }).pipe(provide),
  )

  it.scopedLive("is interrupted when nobody wants its answer any more, and the session is kept", () =>
    Effect.gen(function* () {
      const { execute, whenLogged } = yield* session()
      yield* execute("kept = 1")
      const call = yield* Effect.fork(execute("import js\njs.console.log('it has begun')\nwhile True: pass"))
      yield* whenLogged("it has begun")
      yield* Fiber.interrupt(call)
      expect((yield* execute("kept")).result).toBe(1)
    }).pipe(provide),
  )
})

describe("code that takes too much", () => {
  it.scopedLive("gets a MemoryError at the limit of Python's memory, and the session is kept", () =>
    Effect.gen(function* () {
      const { execute } = yield* session()
      expect((yield* execute("x = bytearray(10 ** 9)")).error?.type).toBe("MemoryError")
      const bomb = yield* execute("x = []\nwhile True: x.append(bytearray(10 ** 6))")
      expect(bomb.error).toMatchObject({ type: "MemoryError", traceback: expect.stringContaining("line 2") })
      const { result } = yield* execute("n = len(x); x = None; n")
      expect(result).toBeGreaterThan(60)
      expect(result).toBeLessThan(128)
    }).pipe(provide),
  )

  it.scopedLive("finds the disk full at 32 MiB, and room again when files are removed", () =>
    Effect.gen(function* () {
      const { execute } = yield* session()
      const fill = "with open('big', 'wb') as big:\n  for _ in range(200): big.write(bytes(10 ** 6))"
      const full = yield* execute(fill)
      expect(full.error?.message).toContain("No space left on device")
      const { result } = yield* execute("import os; n = os.path.getsize('big'); os.remove('big'); n")
      expect(result).toBeGreaterThan(20_000_000)
      expect(result).toBeLessThan(32 * 1024 * 1024)
      expect(yield* execute("open('small', 'wb').write(bytes(15_000_000))")).toMatchObject({ result: 15_000_000 })
      const sparse = yield* execute("open('sparse', 'wb').truncate(10 ** 9)")
      expect(sparse.error?.type).toBe("OSError")
    }).pipe(provide),
  )

  it.scopedLive("gets a RecursionError", () =>
    Effect.gen(function* () {
      const { execute } = yield* session()
      const deep = yield* execute("kept = 1\ndef f(): f()\nf()")
      expect(deep.error).toMatchObject({ type: "RecursionError", traceback: expect.stringContaining("repeated") })
      expect((yield* execute("kept")).result).toBe(1)
    }).pipe(provide),
  )

  it.scopedLive("loses the session where it ends the interpreter, and the next call gets a fresh one", () =>
    Effect.gen(function* () {
      const { execute, refused } = yield* session()
      yield* execute("kept = 1; open('kept', 'w').close()")
      expect(yield* refused("execute", { code: "import os; os._exit(3)" })).toMatchObject({
        _tag: "CallFailed",
        error: { code: "session-lost", message: expect.stringContaining("exit(3)") },
      })
      expect((yield* execute("import os; ('kept' in globals(), os.path.exists('kept'))")).result).toEqual([
        false,
        false,
      ])
    }).pipe(provide),
  )
})

describe("an interpreter that ends between two calls", () => {
  it.scopedLive("is missed by the next call, and the one after gets a fresh one", () =>
    Effect.gen(function* () {
      const { execute } = yield* session()
      yield* execute("import js; kept = 1; js.setTimeout(js.process.exit, 0, 0); None")
      const missed = yield* Effect.flip(Effect.forever(execute("kept")))
      expect(missed).toMatchObject({ _tag: "CallFailed", error: { code: "session-lost" } })
      expect((yield* execute("'kept' in globals()")).result).toBe(false)
    }).pipe(provide),
  )
})

describe("code that reaches out", () => {
  it.scopedLive("finds no threads, no processes, no sockets", () =>
    Effect.gen(function* () {
      const { execute } = yield* session()
      const raises = {
        "import threading; threading.Thread(target=print).start()": "RuntimeError",
        "import subprocess; subprocess.run(['ls'])": "OSError",
        "import os; os.fork()": "OSError",
        "import os; os.system('ls')": "OSError",
        "import socket; socket.create_connection(('127.0.0.1', 80), timeout=1)": "OSError",
        "import socket; socket.getaddrinfo('example.org', 80); socket.create_connection(('example.org', 80))":
          "OSError",
        "import urllib.request; urllib.request.urlopen('http://example.org')": "URLError",
      }
      for (const [code, type] of Object.entries(raises)) {
        expect({ code, type: (yield* execute(code)).error?.type }).toEqual({ code, type })
      }
    }).pipe(provide),
  )

  it.scopedLive("reaches no more of the machine through JavaScript than the sandbox lets any plugin", () =>
    Effect.gen(function* () {
      const { execute, workspace } = yield* session()
      fs.writeFileSync(path.join(workspace, "secret"), "secret")
      const attempts = [
        "js.Deno.readTextFileSync('/etc/passwd')",
        `js.Deno.readTextFileSync(${JSON.stringify(path.join(workspace, "secret"))})`,
        "js.Deno.writeTextFileSync('/tmp/written-by-python', 'x')",
        "js.Deno.env.get('PATH')",
        "js.Deno.Command.new('ls').outputSync()",
        "js.Deno.listen(to_js({'port': 0}, dict_converter=js.Object.fromEntries))",
        "pyodide_js.FS.mount(pyodide_js.FS.filesystems.NODEFS, to_js({'root': '/etc'}, dict_converter=js.Object.fromEntries), '/mnt'); open('/mnt/passwd').read()",
      ]
      for (const code of attempts) {
        const tried = yield* execute(
          `import js, os, pyodide_js\nfrom pyodide.ffi import to_js\nos.makedirs('/mnt', exist_ok=True)\n${code}`,
        )
        expect({ code, outcome: tried.outcome, repr: tried.repr }).toEqual({ code, outcome: "exception", repr: null })
      }
    }).pipe(provide),
  )
})

describe("an interpreter", () => {
  it.scopedLive("is refused with what to do where Pyodide's files are missing", () =>
    Effect.gen(function* () {
      const plugin = path.join(yield* temporaryDirectory, "python")
      fs.cpSync(pythonPlugin, plugin, { recursive: true, filter: (file) => path.basename(file) !== "vendor" })
      const { refused } = yield* session({ plugin })
      expect(yield* refused("execute", { code: "1" })).toMatchObject({
        error: { code: "python-unavailable", message: expect.stringContaining("npm run build") },
      })
    }).pipe(provide),
  )

  it.scopedLive(
    "may be reset again and again: what the ones before it took is given back",
    () =>
      Effect.gen(function* () {
        const { execute, act } = yield* session()
        // The first one before the interpreter has started.
        for (let time = 0; time < 8; time++) yield* act("reset")
        expect((yield* execute("1 + 1")).result).toBe(2)
      }).pipe(provide),
    // Eight interpreters: long on a machine that is busy with other tests.
    90_000,
  )

  it.scopedLive("is fresh after a reset", () =>
    Effect.gen(function* () {
      const { execute, act } = yield* session()
      yield* execute("import json; json.dumps = None; kept = 1; open('kept', 'w').close()")
      expect(yield* act("reset")).toEqual({ fresh: true })
      const after = yield* execute("import json, os; (json.dumps([]), 'kept' in globals(), os.listdir())")
      expect(after.result).toEqual(["[]", false, []])
    }).pipe(provide),
  )
})
