import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import type { CoreNewEvent } from "../../src/events/log/EventLog.ts"
import { birthOf } from "../../src/platform/ProcessIdentity.ts"
import { layer } from "../../src/plugins/process/PluginHost.ts"
import { isAlive, logged, recorded, type Started, start, startRecording, wasLogged } from "./fixtures.ts"

const provide = Effect.provide(layer)

describe("starting", () => {
  it.scopedLive("a started plugin is recorded with its sandbox and its permissions", () =>
    Effect.gen(function* () {
      const { process, events, directory } = yield* start({ entry: "export default {}" })
      expect(process.permissions).toContain(`--allow-read=${directory}`)
      expect(process.permissions).toContain("--deny-run")
      expect(events).toEqual([
        {
          type: "PluginStarted",
          payload: {
            plugin: "sample",
            instance: "kernel",
            pid: process.pid,
            birth: birthOf(process.pid),
            sandbox: process.sandbox,
            layer: process.layer,
            permissions: process.permissions,
            limits: { heapMiB: 128, memoryMiB: 256, wasmPages: 2048, descriptors: 256, niceness: 0 },
          },
        },
      ])
    }).pipe(provide),
  )

  it.scopedLive("an entry that throws fails to load, with what it threw and what it printed", () =>
    Effect.gen(function* () {
      const events: Array<CoreNewEvent> = []
      const entry = `console.error("about to fail"); throw new RangeError("no such luck")`
      const error = yield* Effect.flip(startRecording({ entry }, events))
      expect(error._tag).toBe("PluginFailedToLoad")
      expect(error.message).toContain("RangeError: no such luck")
      expect(logged(events)).toContain("error: about to fail")
    }).pipe(provide),
  )

  it.scopedLive(
    "a manifest that asks for more paths than a command line holds is a failure, not a defect of the host",
    () =>
      Effect.gen(function* () {
        const read = Array.from({ length: 1_000 }, (_, n) => `data/${"x".repeat(200)}${n}`)
        const error = yield* Effect.flip(start({ entry: "export default {}", permissions: { read } }))
        expect(error._tag).toBe("PluginUnavailable")
        expect(error.message).toContain("it cannot be spawned: spawn E2BIG")
      }).pipe(provide),
  )

  it.scopedLive("an entry that does not parse fails to load", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(start({ entry: "export default {" }))
      expect(error._tag).toBe("PluginFailedToLoad")
      expect(error.message).toMatch(/Plugin sample did not load: .*main\.ts/s)
    }).pipe(provide),
  )

  it.scopedLive("a default export of another shape fails to load, with what was expected", () =>
    Effect.gen(function* () {
      const nothing = yield* Effect.flip(start({ entry: "export const sensors = {}" }))
      expect(nothing.message).toContain("expected the entry's default export to be an object")
      const text = yield* Effect.flip(
        start({ entry: `export default { sensors: { look: "text" } }`, sensors: ["look"] }),
      )
      expect(text.message).toContain("expected sensors.look to be a function")
      const world = yield* Effect.flip(
        start({ entry: "export default { environment: { reset() {} } }", environment: true }),
      )
      expect(world.message).toContain("environment to be an object with the functions reset and state")
    }).pipe(provide),
  )

  it.scopedLive("an entry that exits while it loads fails to load", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(start({ entry: "Deno.exit(3)" }))
      expect(error.message).toContain("its process ended with code 3 before it was ready")
    }).pipe(provide),
  )

  it.scopedLive("an entry that never finishes loading fails after the handshake's time", () =>
    Effect.gen(function* () {
      const entry = "await new Promise(() => setInterval(() => {}, 1000)); export default {}"
      const error = yield* Effect.flip(start({ entry, limits: { handshakeMs: 300 } }))
      expect(error.message).toContain("it was not ready within 300 ms")
    }).pipe(provide),
  )

  it.scopedLive("exports and manifest that disagree fail with both lists", () =>
    Effect.gen(function* () {
      const entry = "export default { sensors: { look() {}, hear() {} }, environment: { reset() {}, state() {} } }"
      const error = yield* Effect.flip(start({ entry, sensors: ["look", "smell"], actuators: ["take"] }))
      expect(error).toMatchObject({
        _tag: "ExportsDisagree",
        undeclared: ["sensor hear", "environment"],
        missing: ["sensor smell", "actuator take"],
      })
      expect(error.message).toContain("declared but not exported: sensor smell, actuator take")
    }).pipe(provide),
  )
})

describe("calls", () => {
  it.scopedLive("a reading and a command make the round trip", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `export default {
          sensors: { look: (ctx) => ({ room: "study", lit: ctx.variables.lit, shown: ctx.metadata, at: ctx.now > 0 }) },
          actuators: { take: async (ctx, { item }) => ({ taken: item }) },
        }`,
        sensors: ["look"],
        actuators: ["take"],
        variables: [{ key: "lit", value: true }],
        metadata: { plugin: {}, components: { look: { shade: "blue" } } },
      })
      expect(yield* process.read("look")).toEqual({ room: "study", lit: true, shown: { shade: "blue" }, at: true })
      expect(yield* process.act("take", { item: "lämp 💡" })).toEqual({ result: { taken: "lämp 💡" } })
      expect(yield* process.ping).toBeGreaterThan(0)
    }).pipe(provide),
  )

  it.scopedLive("many calls at once each get their own answer", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `export default { actuators: { later: async (ctx, { n }) => {
          await new Promise((resolve) => setTimeout(resolve, (n * 7) % 5)); return n } } }`,
        actuators: ["later"],
      })
      const numbers = Array.from({ length: 200 }, (_, n) => n)
      const answers = yield* Effect.forEach(numbers, (n) => process.act("later", { n }), { concurrency: "unbounded" })
      expect(answers.map(({ result }) => result)).toEqual(numbers)
    }).pipe(provide),
  )

  it.scopedLive("an environment's state follows every reset and every command, failed ones too", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `let count = 0
        export default {
          actuators: {
            add: (ctx, { n }) => { count += n; return count },
            spill: () => { count = 0; throw Object.assign(new Error("it fell over"), { code: "Spilled" }) },
          },
          environment: { reset: (ctx, options) => { count = options.start }, state: () => ({ count }) },
        }`,
        actuators: ["add", "spill"],
        environment: true,
      })
      expect(yield* process.reset({ start: 5 })).toEqual({ count: 5 })
      expect(yield* process.act("add", { n: 2 })).toEqual({ result: 7, state: { count: 7 } })
      expect(yield* Effect.flip(process.act("spill", {}))).toMatchObject({
        _tag: "CallFailed",
        call: "act sample/spill",
        error: { code: "Spilled", message: "it fell over" },
        state: { count: 0 },
      })
    }).pipe(provide),
  )

  it.scopedLive("what a function throws without a code goes by its name; what is no error, by its text", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `export default { actuators: { a() { throw new TypeError("bad") }, b() { throw "just text" }, c() { throw null } } }`,
        actuators: ["a", "b", "c"],
      })
      const failure = (name: string) => Effect.flip(process.act(name, {}))
      expect(yield* failure("a")).toMatchObject({ error: { code: "TypeError", message: "bad" } })
      expect(yield* failure("b")).toMatchObject({ error: { code: "Error", message: "just text" } })
      expect(yield* failure("c")).toMatchObject({ error: { code: "Error", message: "null" } })
      expect(yield* failure("toString")).toMatchObject({ error: { code: "NoSuchComponent" } })
      expect(yield* Effect.flip(process.reset({}))).toMatchObject({ error: { code: "NoSuchComponent" } })
    }).pipe(provide),
  )

  it.scopedLive("an answer that JSON cannot carry is invalid, and the plugin goes on", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `const cyclic = {}; cyclic.self = cyclic
        const bad = { nothing: undefined, date: { at: new Date() }, big: [1n], nan: NaN, cyclic, long: "x".repeat(9_000_000) }
        export default { actuators: { say: (ctx, { what }) => bad[what] }, sensors: { fine: () => 1 } }`,
        actuators: ["say"],
        sensors: ["fine"],
      })
      const reason = (what: string) =>
        Effect.map(Effect.flip(process.act("say", { what })), (error) =>
          error._tag === "AnswerInvalid" ? error.reason : error._tag,
        )
      expect(yield* reason("nothing")).toContain("found undefined (return null where there is nothing to say)")
      expect(yield* reason("date")).toContain(`an instance of Date at "at"`)
      expect(yield* reason("big")).toContain(`a bigint at "0"`)
      expect(yield* reason("nan")).toContain("found NaN")
      expect(yield* reason("cyclic")).toContain("a cycle or more than 150 levels")
      expect(yield* reason("long")).toContain("expected at most 8388608 bytes")
      expect(yield* process.read("fine")).toBe(1)
    }).pipe(provide),
  )

  it.scopedLive("arguments too large for a frame are refused before anything is sent", () =>
    Effect.gen(function* () {
      const { process } = yield* start({ entry: "export default { actuators: { a: () => 1 } }", actuators: ["a"] })
      const error = yield* Effect.flip(process.act("a", { text: "x".repeat(9_000_000) }))
      expect(error).toMatchObject({ _tag: "CallFailed", error: { code: "ArgumentsTooLarge" } })
      expect(yield* process.act("a", {})).toEqual({ result: 1 })
    }).pipe(provide),
  )

  it.scopedLive("the same seed gives a component the same numbers, whatever else is called", () =>
    Effect.gen(function* () {
      const sample = {
        entry: `const roll = (ctx) => Math.floor(ctx.random() * 1e9)
        export default { sensors: { a: roll, b: roll } }`,
        sensors: ["a", "b"],
      }
      const draw = ({ process }: Started, sensors: string) =>
        Effect.forEach([...sensors], (sensor) => process.read(sensor))
      const [a1, a2] = yield* draw(yield* start(sample), "aa")
      const [first, , second] = yield* draw(yield* start(sample), "aba")
      const [other] = yield* draw(yield* start({ ...sample, seed: 2 }), "a")
      expect([first, second]).toEqual([a1, a2])
      expect(other).not.toEqual(a1)
    }).pipe(provide),
  )
})

describe("answers that the log could not keep", () => {
  it.scopedLive("nested deeper or larger than a payload can hold are invalid; up to there they are answers", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `let state = {}
        const deep = (levels) => { let value = 1; for (let i = 0; i < levels; i++) value = [value]; return value }
        export default {
          actuators: {
            deep: (ctx, { levels }) => deep(levels),
            large: (ctx, { size }) => "x".repeat(size - 2),
            swell: (ctx, { size }) => { state = "x".repeat(size - 2); return 1 },
          },
          environment: { reset() {}, state: () => state },
        }`,
        actuators: ["deep", "large", "swell"],
        environment: true,
      })
      const limit = 4 * 1024 * 1024
      expect((yield* process.act("deep", { levels: 150 })).state).toEqual({})
      const deep = yield* Effect.flip(process.act("deep", { levels: 151 }))
      expect(deep).toMatchObject({ _tag: "AnswerInvalid", state: {} })
      expect(deep.message).toContain("more than 150 levels")
      expect((yield* process.act("large", { size: limit })).result).toHaveLength(limit - 2)
      expect(yield* Effect.flip(process.act("large", { size: limit + 1 }))).toMatchObject({
        _tag: "AnswerInvalid",
        reason: `expected the answer of at most ${limit} bytes of JSON, found ${limit + 1}`,
        state: {},
      })
      const swollen = yield* Effect.flip(process.act("swell", { size: limit + 1 }))
      expect(swollen).toMatchObject({ _tag: "AnswerInvalid" })
      expect(swollen.message).toContain("expected environment.state() of at most")
      expect(swollen).not.toHaveProperty("state")
    }).pipe(provide),
  )

  it.scopedLive("a failure has a code and a message that can be kept, whatever was thrown", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `const half = "\\u{1F600}".slice(0, 1)
        export default { actuators: {
          broken: () => { throw Object.assign(new Error("bad " + half), { code: "C" + half }) },
          long: () => { throw Object.assign(new Error("m".repeat(1e6)), { code: "c".repeat(1e6) }) },
          nameless: () => { throw Object.assign(new Error("x"), { name: Symbol("n"), code: "" }) },
        } }`,
        actuators: ["broken", "long", "nameless"],
      })
      const failure = (name: string) =>
        Effect.map(Effect.flip(process.act(name, {})), (error) =>
          error._tag === "CallFailed" ? error.error : { code: error._tag, message: error.message },
        )
      expect(yield* failure("broken")).toEqual({ code: "C\ufffd", message: "bad \ufffd" })
      const { code, message } = yield* failure("long")
      expect(code).toBe("c".repeat(100))
      expect(message).toBe(`${"m".repeat(8192)}… (1000000 characters)`)
      expect(yield* failure("nameless")).toEqual({ code: "Error", message: "x" })
    }).pipe(provide),
  )

  it.scopedLive("a component named like a method of every object has its own metadata", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `const seen = (ctx) => typeof ctx.metadata === "object" ? ctx.metadata : "a " + typeof ctx.metadata
        export default { sensors: { toString: seen, constructor: seen } }`,
        sensors: ["toString", "constructor"],
        metadata: { plugin: {}, components: { constructor: { a: 1 } } },
      })
      expect(yield* process.read("toString")).toEqual({})
      expect(yield* process.read("constructor")).toEqual({ a: 1 })
    }).pipe(provide),
  )
})

describe("printing", () => {
  it.scopedLive("whatever a plugin prints is a log line and breaks no call", () =>
    Effect.gen(function* () {
      const { process, events } = yield* start({
        entry: `import nodeProcess from "node:process"
        console.log("loaded", { by: 1 })
        export default { sensors: { look: (ctx) => {
          console.warn("careful"); ctx.log("mine", "debug"); console.table([{ a: 1 }])
          Deno.stdout.writeSync(new TextEncoder().encode("by Deno\\n"))
          nodeProcess.stdout.write("bare line\\nwithout an end")
          JSON.stringify = () => "broken"
          return { seen: "x".repeat(4_000_000) } } } }`,
        sensors: ["look"],
      })
      const first = yield* process.read("look")
      expect(JSON.stringify(first)).toHaveLength(4_000_000 + '{"seen":""}'.length)
      yield* process.read("look")
      yield* wasLogged(events, "without an end")
      yield* wasLogged(events, "by Deno")
      const lines = logged(events)
      expect(lines).toContain("info: loaded { by: 1 }")
      expect(lines).toContain("warn: careful")
      expect(lines).toContain("debug: mine")
      expect(lines).toContain("info: bare line")
    }).pipe(provide),
  )

  it.live("a flood of lines is cut short and counted, and what was kept is recorded by the scope's end", () =>
    Effect.gen(function* () {
      const events: Array<CoreNewEvent> = []
      const entry = `for (let i = 0; i < 5000; i++) console.log("line " + i); export default {}`
      yield* Effect.scoped(startRecording({ entry }, events))
      const lines = logged(events)
      expect(lines.length).toBeLessThan(1000)
      expect(lines[0]).toBe("info: line 0")
      const dropped = lines.flatMap((line) => /^warn: (\d+) lines left out/.exec(line)?.[1] ?? []).map(Number)
      const kept = lines.filter((line) => line.startsWith("info: line"))
      expect(kept.length + dropped.reduce((sum, n) => sum + n, 0)).toBe(5000)
    }).pipe(provide),
  )

  it.scopedLive("a line longer than a frame may be ends the process", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `import nodeProcess from "node:process"
        export default { sensors: { look: () => { nodeProcess.stdout.write("x".repeat(20_000_000)); return 1 } } }`,
        sensors: ["look"],
      })
      const error = yield* Effect.flip(process.read("look"))
      expect(error).toMatchObject({ _tag: "PluginExited", signal: "SIGKILL" })
      expect(error.message).toContain("it wrote a line of more than 8388608 bytes")
    }).pipe(provide),
  )
})

describe("ending", () => {
  it.scopedLive("a plugin that exits fails all its calls at once, naming what was in flight", () =>
    Effect.gen(function* () {
      const { process, events } = yield* start({
        entry:
          "export default { sensors: { wait: () => new Promise(() => {}) }, actuators: { quit: () => Deno.exit(7) } }",
        sensors: ["wait"],
        actuators: ["quit"],
      })
      const waiting = yield* Effect.fork(Effect.flip(process.read("wait")))
      yield* Effect.yieldNow()
      const quit = yield* Effect.flip(process.act("quit", {}))
      const inFlight = ["read sample/wait", "act sample/quit"]
      expect(quit).toMatchObject({ _tag: "PluginExited", code: 7, signal: null, inFlight, call: "act sample/quit" })
      expect(yield* Fiber.join(waiting)).toMatchObject({ _tag: "PluginExited", inFlight, call: "read sample/wait" })
      expect(yield* process.exited).toEqual({ code: 7, signal: null, inFlight })
      expect(yield* Effect.flip(process.read("wait"))).toMatchObject({ _tag: "PluginExited", code: 7 })
      yield* recorded(events, ({ type }) => type === "PluginExited")
      expect(events.at(-1)).toEqual({
        type: "PluginExited",
        payload: { plugin: "sample", instance: "kernel", pid: process.pid, code: 7, signal: null, inFlight },
      })
    }).pipe(provide),
  )

  it.scopedLive("a rejection that nobody handles ends the plugin and is logged", () =>
    Effect.gen(function* () {
      const { process, events } = yield* start({
        entry: `export default { sensors: { look: () => { Promise.reject(new Error("afloat")); return new Promise(() => {}) } } }`,
        sensors: ["look"],
      })
      expect(yield* Effect.flip(process.read("look"))).toMatchObject({ _tag: "PluginExited", code: 1 })
      expect(logged(events).join("\n")).toContain("afloat")
    }).pipe(provide),
  )

  it.scopedLive("an endless loop times out and is killed, while another plugin answers", () =>
    Effect.gen(function* () {
      const spinning = yield* start({
        entry: "export default { sensors: { spin: () => { for (;;); } } }",
        sensors: ["spin"],
        name: "spinning",
      })
      const other = yield* start({ entry: "export default { sensors: { look: () => 1 } }", sensors: ["look"] })
      const stuck = yield* Effect.fork(Effect.flip(spinning.process.read("spin", { timeoutMs: 100 })))
      expect(yield* other.process.read("look")).toBe(1)
      expect(yield* Fiber.join(stuck)).toMatchObject({ _tag: "CallTimedOut", call: "read spinning/spin", afterMs: 100 })
      const exit = yield* spinning.process.exited
      expect(exit.signal).toBe("SIGKILL")
      expect(exit.reason).toContain("did not acknowledge within 300 ms that read spinning/spin was cancelled")
      expect(yield* other.process.read("look")).toBe(1)
    }).pipe(provide),
  )

  it.scopedLive("a call that times out without blocking is cancelled, and the plugin goes on", () =>
    Effect.gen(function* () {
      const { process, events } = yield* start({
        entry: `export default { sensors: {
          wait: (ctx) => new Promise(() => ctx.signal.addEventListener("abort", () => ctx.log("aborted"))),
          look: () => 1 } }`,
        sensors: ["wait", "look"],
      })
      expect(yield* Effect.flip(process.read("wait", { timeoutMs: 50 }))).toMatchObject({ _tag: "CallTimedOut" })
      yield* wasLogged(events, "aborted")
      expect(yield* process.read("look")).toBe(1)
    }).pipe(provide),
  )

  it.scopedLive("calls time out each at their own time, in whatever order they were made", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: "export default { sensors: { wait: () => new Promise(() => {}), look: () => 1 } }",
        sensors: ["wait", "look"],
      })
      const ended: Array<number> = []
      const waiting = (timeoutMs: number) =>
        Effect.tap(Effect.flip(process.read("wait", { timeoutMs })), (error) => {
          expect(error).toMatchObject({ _tag: "CallTimedOut", afterMs: timeoutMs })
          ended.push(timeoutMs)
        })
      const startedAt = performance.now()
      yield* Effect.all([600, 50, 300].map(waiting), { concurrency: "unbounded" })
      expect(ended).toEqual([50, 300, 600])
      expect(performance.now() - startedAt).toBeGreaterThan(599)
      yield* waiting(20)
      expect(yield* process.read("look")).toBe(1)
    }).pipe(provide),
  )

  it.scopedLive("interrupting the caller cancels the call in the plugin", () =>
    Effect.gen(function* () {
      const { process, events } = yield* start({
        entry: `export default { sensors: { wait: (ctx) => new Promise(() => {
          ctx.log("waiting"); ctx.signal.addEventListener("abort", () => ctx.log("aborted")) }) } }`,
        sensors: ["wait"],
      })
      const caller = yield* Effect.fork(process.read("wait"))
      yield* wasLogged(events, "waiting")
      yield* Fiber.interrupt(caller)
      yield* wasLogged(events, "aborted")
      expect(yield* process.ping).toBeGreaterThan(0)
    }).pipe(provide),
  )

  it.live("closing the scope leaves no process, however the plugin resists, and records its end", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const started = yield* Deferred.make<Started>()
      yield* Scope.extend(
        Effect.flatMap(
          start({
            entry: `Deno.addSignalListener("SIGTERM", () => {})
            export default { sensors: { spin: () => { console.log("spinning"); for (;;); } } }`,
            sensors: ["spin"],
          }),
          (it) => Deferred.succeed(started, it),
        ),
        scope,
      )
      const { process, events } = yield* Deferred.await(started)
      const call = yield* Effect.fork(Effect.flip(process.read("spin")))
      yield* wasLogged(events, "spinning")
      expect(isAlive(process.pid)).toBe(true)
      yield* Scope.close(scope, Exit.void)
      expect(isAlive(process.pid)).toBe(false)
      // In bubblewrap nobody outlives SIGTERM: it ends bubblewrap, and whoever is inside with it.
      const signal = process.layer === "bubblewrap" ? "SIGTERM" : "SIGKILL"
      expect(yield* Fiber.join(call)).toMatchObject({ _tag: "PluginExited", signal, reason: "stopped" })
      expect(events.at(-1)).toMatchObject({ type: "PluginExited", payload: { reason: "stopped" } })
    }).pipe(provide),
  )

  it.live("an obliging plugin is stopped with code 0", () =>
    Effect.gen(function* () {
      const { process } = yield* Effect.scoped(start({ entry: "setInterval(() => {}, 1000); export default {}" }))
      expect(yield* process.exited).toEqual({ code: 0, signal: null, inFlight: [], reason: "stopped" })
    }).pipe(provide),
  )
})
