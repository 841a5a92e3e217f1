import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import * as Interpreter from "../../../src/plugins/sandbox/Interpreter.ts"
import { tierOf } from "../../../src/plugins/sandbox/layers/Layer.ts"
import { isRecent } from "../../python/interpreter.ts"
import { inLayer, layers, sayWhichLayers } from "../layers.ts"
import { derived, startPython } from "./given.ts"

/** A class whose info of the reset says what became of each attempt: its answer, or the name of its exception. */
const attempting = (attempts: { readonly [name: string]: string }): string =>
  derived(`
def reset(self, *, seed=None, options=None):
    import ctypes, json, os, socket, subprocess, sys
    observation, _ = super().reset(seed=seed)
    found = {}
    for name, attempt in ${JSON.stringify(attempts)}.items():
        try:
            found[name] = str(eval(attempt, {**globals(), **locals()}))[:60]
        except OSError as error:
            found[name] = "OSError"
        except Exception as error:
            found[name] = type(error).__name__
    return observation, found
`)

const REFUSED = "OSError"

describe.skipIf(!isRecent()).each(layers)("an environment of Python in the layer %s", (layer) => {
  const provide = inLayer(layer)

  it.scopedLive(
    "reaches no network, no other files, no programs; it reads its own, its library and what is granted",
    () =>
      Effect.gen(function* () {
        const { process } = yield* startPython(
          {
            code: attempting({
              network: "socket.create_connection(('127.0.0.1', 9), 1)",
              name: "socket.getaddrinfo('localhost', 80)",
              secret: "open('../secret.txt').read()",
              passwords: "open('/etc/passwd').read()",
              settings: "os.listdir('/etc')",
              write: "open('made.txt', 'w').write('x' * 100)",
              temporary: "open('/tmp/hindcast-made.txt', 'w').write('x' * 100)",
              remove: "os.remove('sample.py')",
              program: "subprocess.run(['/bin/echo', 'hello'], check=True)",
              own: "open('own.txt').read()",
              granted: "open(os.path.join('..', 'granted', 'a.txt')).read()",
              library:
                "json.loads('[1]') and __import__('decimal').Decimal(1) and __import__('sqlite3').version_info[0]",
              token: "os.environ.get('HINDCAST_TEST_TOKEN')",
            }),
            files: { "own.txt": "mine" },
          },
          { read: ["granted"], outside: { "granted/a.txt": "given", "secret.txt": "hidden" } },
        )
        const state = yield* process.reset({}, { seed: 1 })
        const { info } = (state as { readonly episode: { readonly info: object } }).episode
        expect(info).toEqual({
          ...Object.fromEntries(
            ["network", "name", "secret", "passwords", "settings", "write", "temporary", "remove", "program"].map(
              (name) => [name, REFUSED],
            ),
          ),
          own: "mine",
          granted: "given",
          library: "2",
          token: "None",
        })
        expect(process.layer).toBe(layer)
        expect(process.sandbox).toBe(tierOf(layer))
      }).pipe(provide),
  )

  it.scopedLive("ends with an error when it wants more memory than its limit", () =>
    Effect.gen(function* () {
      const { process } = yield* startPython(
        { code: attempting({ memory: "len(bytearray(4 * 1024 ** 3))" }) },
        { limits: { heapMiB: 64, memoryMiB: 64 } },
      )
      const state = yield* process.reset({}, { seed: 1 })
      expect(state).toMatchObject({ episode: { info: { memory: "MemoryError" } } })
    }).pipe(provide),
  )
})

describe("the interpreter", () => {
  sayWhichLayers()

  it("of a version is that one, or a later one if the manifest says so", () => {
    expect(Interpreter.fits("3.11", "3.11.7")).toBe(true)
    expect(Interpreter.fits("3.1", "3.11.7")).toBe(false)
    expect(Interpreter.fits("3.11.7", "3.11.8")).toBe(false)
    expect(Interpreter.fits(">=3.9", "3.9.0")).toBe(true)
    expect(Interpreter.fits(">=3.11.7", "3.11.6")).toBe(false)
    expect(Interpreter.fits(">=3.9", "3.14.0")).toBe(true)
    expect(Interpreter.fits(">=3.9", "4.0.0")).toBe(false)
  })

  it.effect("that a variable names is the only one that is tried", () =>
    Effect.gen(function* () {
      const found = yield* Effect.flip(
        Interpreter.find(">=3.9", { ...process.env, HINDCAST_PYTHON: "/no/such/python" }),
      )
      expect(found).toMatch(/^expected Python >=3\.9 by HINDCAST_PYTHON=\/no\/such\/python, found .*does not run/)
      expect(yield* Effect.flip(Interpreter.find(">=3.9", { PATH: "/nowhere", HINDCAST_PYTHON: "/bin/echo" }))).toMatch(
        /\/bin\/echo, which does not run/,
      )
    }),
  )

  it.effect("that is missing is said to be", () =>
    Effect.gen(function* () {
      vi.stubEnv("PATH", "/nowhere")
      const found = yield* Effect.flip(Interpreter.find(">=3.9")).pipe(
        Effect.ensuring(Effect.sync(() => vi.unstubAllEnvs())),
      )
      expect(found).toMatch(/^expected Python >=3\.9 on the PATH, found none\. Install that version/)
    }),
  )
})
