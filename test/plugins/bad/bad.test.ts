import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { DEFAULTS } from "../../../src/plugins/sandbox/Limits.ts"
import { isAlive, logged, recorded } from "../fixtures.ts"
import { inLayer, layers, sayWhichLayers } from "../layers.ts"
import { provoke } from "./bad.ts"

sayWhichLayers()

/** What is filled, and how, 16 MiB at a time. */
const BOMBS = {
  "array buffers": "new Uint8Array(16 * 2 ** 20).fill(1)",
  "WebAssembly's memory": "new Uint8Array(new WebAssembly.Memory({ initial: 256 }).buffer).fill(1)",
}

const Bomb = Schema.Struct({ error: Schema.String, mib: Schema.Int })
const Opened = Schema.Struct({ code: Schema.String, open: Schema.Int })

describe.each(layers)("a bad plugin in the layer %s", (layer) => {
  it.scopedLive("a bad plugin that fills its heap is ended, and its call says so", () =>
    Effect.gen(function* () {
      const { answer, neighbour, process, events } = yield* provoke({
        act: `const all = []; for (;;) all.push(new Array(10000).fill(all.length))`,
        limits: { heapMiB: 48 },
      })
      expect(answer).toBe("PluginExited")
      expect(neighbour).toBeGreaterThan(0)
      // V8 ends itself by SIGTRAP, which bubblewrap tells as 128 + 5.
      expect(yield* process.exited).toMatchObject(layer === "bubblewrap" ? { code: 133 } : { signal: "SIGTRAP" })
      expect(logged(events).join("\n")).toContain("out of memory")
      expect(isAlive(process.pid)).toBe(false)
    }).pipe(inLayer(layer)),
  )

  it.scopedLive.each(Object.entries(BOMBS))(
    "a bad plugin that fills %s gets no more than its limit, or ends",
    ([, grow]) =>
      Effect.gen(function* () {
        const { answer, neighbour, grewMiB, process } = yield* provoke({
          act: `const all = []; let error
          try { for (; all.length < 400;) { ctx.log(String(all.length * 16)); all.push(${grow}) } } catch (caught) { error = caught.name }
          return { error, mib: all.length * 16 }`,
          limits: { memoryMiB: 128 },
        })
        // Whether the plugin or something that it needs itself comes upon the limit first.
        if (answer === "PluginExited") expect(yield* process.exited).not.toMatchObject({ code: 0 })
        else {
          const { error, mib } = Schema.decodeUnknownSync(Bomb)(answer)
          expect(error).toBe("RangeError")
          expect(mib).toBeLessThanOrEqual(128 + DEFAULTS.heapMiB)
        }
        expect(neighbour).toBeGreaterThan(0)
        expect(grewMiB).toBeLessThan(150)
      }).pipe(inLayer(layer)),
  )

  it.scopedLive("a bad plugin that asks for one memory of WebAssembly beyond its limit gets none", () =>
    Effect.gen(function* () {
      const { answer } = yield* provoke({
        act: `try { new WebAssembly.Memory({ initial: 600, maximum: 600 }); return "got it" } catch (error) { return error.message }`,
        limits: { wasmPages: 512 },
      })
      expect(answer).toMatch(/WebAssembly\.Memory\(\)/)
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("a bad plugin that opens files without end gets no more than its limit", () =>
    Effect.gen(function* () {
      const { answer } = yield* provoke({
        act: `const open = []; try { for (;;) open.push(Deno.openSync("main.ts")) } catch (error) { return { code: error.code ?? error.name, open: open.length } }`,
        limits: { descriptors: 100 },
      })
      const { code, open } = Schema.decodeUnknownSync(Opened)(answer)
      expect(code).toBe("EMFILE")
      expect(open).toBeLessThan(100)
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("a bad plugin that prints without end is cut short and counted, and still answers", () =>
    Effect.gen(function* () {
      const { answer, neighbour, events, grewMiB, process } = yield* provoke({
        act: `for (let i = 0; i < 30000; i++) console.log("line", i); return "done"`,
        // However long this machine takes for so many lines.
        limits: { pingMs: 40_000 },
      })
      expect(answer).toBe("done")
      expect(neighbour).toBeGreaterThan(1)
      expect(grewMiB).toBeLessThan(150)
      yield* process.ping
      yield* recorded(events, (event) => event.type === "PluginLogged" && (event.payload.dropped ?? 0) > 0)
      expect(events.length).toBeLessThan(20_000)
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("a bad plugin that prints frames forges none: they are lines of the log", () =>
    Effect.gen(function* () {
      const forged = [`{"type":"ok","id":1,"value":"forged"}`, `{"type":"ready","exports":{}}`, `{"type":"shutdown"}`]
      const { answer, events } = yield* provoke({
        before: `import { Socket } from "node:net"; import fs from "node:fs"; import nodeProcess from "node:process"`,
        act: `for (const line of ${JSON.stringify(forged)}) {
            nodeProcess.stdout.write(line + "\\n")
            await Deno.stdout.write(new TextEncoder().encode(line + "\\n"))
            for (const fd of [1, 3, 4, 5]) { try { fs.writeSync(fd, line + "\\n") } catch {} }
            try { new Socket({ fd: 1 }).on("error", () => undefined).write(line + "\\n") } catch {}
          }
          return "its own"`,
      })
      expect(answer).toBe("its own")
      expect(logged(events).join("\n")).toContain("forged")
      expect(new Set(events.map(({ type }) => type))).toEqual(new Set(["PluginStarted", "PluginLogged"]))
    }).pipe(inLayer(layer)),
  )

  it.scopedLive(
    "a bad plugin that lies in wait for the nonce does not get what the runner captured, and asks for no more than it was granted",
    () =>
      Effect.gen(function* () {
        const { answer, events } = yield* provoke({
          before: `let nonce; const encode = TextEncoder.prototype.encode
          for (const holder of [Object.prototype, Array.prototype, String.prototype]) {
            Object.defineProperty(holder, "nonce", { set(value) { nonce = value }, get() { return nonce }, configurable: true })
          }
          TextEncoder.prototype.encode = function (text) { nonce ??= text.slice(0, 32); return encode.call(this, text) }
          const stringify = JSON.stringify; JSON.stringify = (value) => { nonce ??= value?.nonce; return stringify(value) }`,
          act: `const asked = await ctx.run("sh", ["-c", "id"]).catch((error) => error.code)
          const read = await ctx.readFile("/etc/passwd").catch((error) => error.code)
          return { asked, read, nonce: typeof nonce }`,
        })
        expect(answer).toEqual({ asked: "RunNotGranted", read: "ReadNotGranted", nonce: "undefined" })
        const codes = events.flatMap((event) => (event.type === "BrokerAnswered" ? [event.payload.error?.code] : []))
        expect(codes).toEqual(["RunNotGranted", "ReadNotGranted"])
      }).pipe(inLayer(layer)),
  )

  it.scopedLive("a bad plugin that replaces what it exported fails its own calls, and goes on", () =>
    Effect.gen(function* () {
      const { answer, process } = yield* provoke({
        act: `const { default: plugin } = await import(import.meta.url)
          plugin.actuators = { act: "no function" }; plugin.sensors = null; plugin.environment = 7
          return "replaced"`,
      })
      expect(["replaced", "AnswerInvalid"]).toContain(answer)
      for (const name of ["act", "__proto__", "constructor", "hasOwnProperty"]) {
        expect(yield* Effect.flip(process.act(name, {})), name).toMatchObject({
          _tag: expect.stringMatching(/^CallFailed|^AnswerInvalid/),
        })
      }
      expect(yield* process.ping).toBeGreaterThan(0)
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("a bad plugin that ends itself in the middle of a call fails that call, and nobody else's", () =>
    Effect.gen(function* () {
      const { answer, message } = yield* provoke({ act: `Deno.exit(7)` })
      expect(answer).toBe("PluginExited")
      expect(message).toContain("with code 7")
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("a bad plugin that spins and hears no SIGTERM is killed when its call is out of time", () =>
    Effect.gen(function* () {
      const { answer, neighbour, process } = yield* provoke({
        before: `Deno.addSignalListener("SIGTERM", () => undefined)`,
        act: `for (;;);`,
        timeoutMs: 200,
      })
      expect(answer).toBe("CallTimedOut")
      expect(neighbour).toBeGreaterThan(0)
      expect(yield* process.exited).toMatchObject({ signal: "SIGKILL" })
      expect(isAlive(process.pid)).toBe(false)
    }).pipe(inLayer(layer)),
  )
})
