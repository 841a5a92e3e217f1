import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { CoreNewEvent } from "../../src/events/log/EventLog.ts"
import { layer } from "../../src/plugins/process/PluginHost.ts"
import type { Json } from "../../src/values/Json.ts"
import { recorded, type Sample, start } from "./fixtures.ts"

const provide = Effect.provide(layer)

/** An entry that has got hold of the nonce, as a hostile one can, and writes frames of its own: `forge(frame)`. */
const FORGER = `
  import nodeProcess from "node:process"
  let nonce
  const { subarray } = Uint8Array.prototype
  Uint8Array.prototype.subarray = function (...range) {
    const text = new TextDecoder().decode(subarray.call(this, 0, 33))
    if (/^[0-9a-f]{32}[{]$/.test(text)) nonce = text.slice(0, 32)
    return subarray.apply(this, range)
  }
  const forge = (...frames) => new Promise((resolve) =>
    nodeProcess.stdout.write(frames.map((frame) => nonce + (typeof frame === "string" ? frame : JSON.stringify(frame)) + "\\n").join(""), resolve))
`

/** A plugin that forges what its actuator is told to, and answers when it has. */
const forger = {
  entry: `${FORGER}
  export default {
    actuators: {
      prepare: () => 1,
      forge: async (ctx, { frames }) => { await forge(...frames); return "forged" },
    },
    sensors: { wait: () => new Promise(() => {}), look: () => "truth" },
  }`,
  actuators: ["prepare", "forge"],
  sensors: ["wait", "look"],
}

/** What it did that no sound one does, once that many things are recorded. */
const misbehaviour = (events: Array<CoreNewEvent>, count: number) => {
  const found = () =>
    events.flatMap((event) =>
      event.type === "PluginMisbehaved" ? [[event.payload.code, event.payload.reason] as const] : [],
    )
  return Effect.map(
    recorded(events, () => found().length >= count),
    found,
  )
}

/** Started, and in possession of the nonce: its first call is answered. */
const startForger = (sample: Sample = forger) => Effect.tap(start(sample), ({ process }) => process.act("prepare", {}))

describe("an answer", () => {
  it.scopedLive("an answer that comes after its call timed out is late, and the plugin goes on", () =>
    Effect.gen(function* () {
      const { process, events } = yield* start({
        entry: `export default { sensors: {
          slow: () => { const end = Date.now() + 400; while (Date.now() < end); return 1 }, look: () => 2 } }`,
        sensors: ["slow", "look"],
        limits: { cancelMs: 20_000 },
      })
      expect(yield* Effect.flip(process.read("slow", { timeoutMs: 100 }))).toMatchObject({ _tag: "CallTimedOut" })
      expect(yield* process.read("look")).toBe(2)
      expect(yield* misbehaviour(events, 1)).toEqual([
        ["LateAnswer", "read sample/slow was answered when nobody waited for it any more"],
      ])
    }).pipe(provide),
  )

  it.scopedLive("an answer that is given twice, or to a call that nobody made, is told apart and changes nothing", () =>
    Effect.gen(function* () {
      const { process, events } = yield* startForger()
      const frames = [1, 3, 999, 0, -7].map((id) => ({ type: "ok", id, value: "forged" }))
      expect(yield* process.act("forge", { frames })).toEqual({ result: "forged" })
      expect(yield* process.read("look")).toBe("truth")
      expect(yield* misbehaviour(events, 5)).toEqual([
        ["SecondAnswer", "call 1 was answered already"],
        ["UnaskedAnswer", "nobody made the call 3: the last one was 2"],
        ["UnaskedAnswer", "nobody made the call 999: the last one was 2"],
        ["UnaskedAnswer", "nobody made the call 0: the last one was 2"],
        ["UnaskedAnswer", "nobody made the call -7: the last one was 2"],
      ])
    }).pipe(provide),
  )

  it.scopedLive("an answer that is forged to a call under way is that call's answer; the true one is the second", () =>
    Effect.gen(function* () {
      const { process, events } = yield* startForger()
      const frames = [{ type: "error", id: 2, error: { code: "Forged", message: "by the plugin itself" } }]
      expect(yield* Effect.flip(process.act("forge", { frames }))).toMatchObject({
        _tag: "CallFailed",
        error: { code: "Forged" },
      })
      expect(yield* misbehaviour(events, 1)).toEqual([["SecondAnswer", "call 2 was answered already"]])
    }).pipe(provide),
  )

  it.scopedLive.each<{ readonly shape: string; readonly frame: Json; readonly found: string }>([
    { shape: "no value", frame: { type: "ok", id: 2 }, found: "ok, at /value: is missing" },
    {
      shape: "an id that is no whole number",
      frame: { type: "ok", id: 1.5, value: 1 },
      found: "ok, at /id: Expected an integer",
    },
    { shape: "a type that the protocol has not", frame: { type: "granted", id: 2 }, found: 'found "granted"' },
    {
      shape: "more levels than a stack holds",
      // As text: `JSON.stringify` has no stack for it either.
      frame: `{"type":"error","id":2,"error":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
      found: "at most 250 levels",
    },
    {
      shape: "an error that is text",
      frame: { type: "error", id: 2, error: "no" },
      found: "error, at /error: Expected Failure",
    },
  ])(
    "an answer of a wrong shape, with $shape, ends the process, and all that waited fails with the reason",
    ({ frame, found }) =>
      Effect.gen(function* () {
        const { process, events } = yield* startForger()
        const waiting = yield* Effect.fork(Effect.flip(process.read("wait")))
        yield* Effect.yieldNow()
        const error = yield* Effect.flip(process.act("forge", { frames: [frame] }))
        expect(error).toMatchObject({ _tag: "PluginExited", signal: "SIGKILL", call: "act sample/forge" })
        expect(error.message).toContain("it sent a broken frame")
        expect(error.message).toContain(found)
        expect(yield* Fiber.join(waiting)).toMatchObject({ _tag: "PluginExited", call: "read sample/wait" })
        expect(yield* misbehaviour(events, 1)).toEqual([["BrokenFrame", expect.stringContaining(found)]])
      }).pipe(provide),
  )
})

describe("a frame", () => {
  it.scopedLive(
    "a frame that speaks of a call nobody made, a sensor that is not there, or a second start is recorded",
    () =>
      Effect.gen(function* () {
        const { process, events } = yield* startForger()
        const exports = { sensors: [], actuators: [], environment: false, measures: [] }
        const frames = [
          { type: "progress", id: 50, value: 1 },
          { type: "host", id: 1, call: 51, method: "readFile", params: { path: "/etc/passwd" } },
          { type: "emit", id: 2, component: "ghost", value: 1 },
          { type: "ready", exports },
          { type: "failed", error: "not really" },
        ]
        yield* process.act("forge", { frames })
        expect(yield* process.read("look")).toBe("truth")
        expect(yield* misbehaviour(events, 5)).toEqual([
          ["UnaskedCall", "nobody made the call 50 that it speaks of"],
          ["UnaskedCall", "nobody made the call 51 that it speaks of"],
          ["UndeclaredSensor", "expected a sensor that the manifest declares, found ghost"],
          ["RepeatedHandshake", "it said again that it is ready"],
          ["RepeatedHandshake", "it was ready, and said that it did not load"],
        ])
        expect(events.filter(({ type }) => type === "BrokerRequested")).toEqual([])
      }).pipe(provide),
  )

  it.scopedLive("too many of which no runner would send ends the process", () =>
    Effect.gen(function* () {
      const { process, events } = yield* startForger()
      const frames = Array.from({ length: 150 }, () => ({ type: "ok", id: 999, value: 1 }))
      const error = yield* Effect.flip(process.act("forge", { frames }))
      expect(error).toMatchObject({ _tag: "PluginExited", signal: "SIGKILL" })
      expect(error.message).toContain("it misbehaved more than 100 times")
      expect(yield* misbehaviour(events, 101)).toHaveLength(101)
    }).pipe(provide),
  )

  it.scopedLive("a frame that pushes more readings than may wait ends the process", () =>
    Effect.gen(function* () {
      const { process, events } = yield* startForger({ ...forger, onEmit: () => Effect.never })
      const frames = Array.from({ length: 257 }, (_, id) => ({ type: "emit", id, component: "look", value: 1 }))
      const error = yield* Effect.flip(process.act("forge", { frames }))
      expect(error.message).toContain("it pushed more than 256 readings without awaiting any")
      expect(yield* misbehaviour(events, 1)).toEqual([["UnawaitedReadings", expect.any(String)]])
    }).pipe(provide),
  )
})

describe("signs of life", () => {
  it.scopedLive("missed twice make a stuck process, which is killed with what was in flight", () =>
    Effect.gen(function* () {
      const { process, events } = yield* start({
        entry: `export default { sensors: { wait: () => new Promise(() => setTimeout(() => { for (;;); }, 0)) } }`,
        sensors: ["wait"],
        limits: { pingMs: 150 },
      })
      expect(yield* Effect.flip(process.read("wait"))).toMatchObject({
        _tag: "PluginStuck",
        call: "read sample/wait",
        inFlight: ["read sample/wait"],
        reason: "it answered no ping for 300 ms",
      })
      expect(yield* process.exited).toMatchObject({ signal: "SIGKILL", reason: "it answered no ping for 300 ms" })
      expect(yield* Effect.flip(process.read("wait"))).toMatchObject({
        _tag: "PluginStuck",
        inFlight: ["read sample/wait"],
      })
      yield* recorded(events, ({ type }) => type === "PluginExited")
      expect(events.at(-1)).toMatchObject({ type: "PluginExited", payload: { inFlight: ["read sample/wait"] } })
    }).pipe(provide),
  )

  it.scopedLive("are given by a plugin that is busy and gives way", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `export default { sensors: { work: async () => {
          const end = Date.now() + 1500
          while (Date.now() < end) {
            const pause = Date.now() + 5; while (Date.now() < pause);
            await new Promise((resolve) => setTimeout(resolve, 0))
          }
          return "done" } } }`,
        sensors: ["work"],
        limits: { pingMs: 300 },
      })
      expect(yield* process.read("work")).toBe("done")
      expect(yield* process.ping).toBeGreaterThan(0)
    }).pipe(provide),
  )
})

describe("a plugin that does not read", () => {
  it.scopedLive("is sent one large frame at a time; what timed out while it waited for that is never sent", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `const seen = []
        export default { actuators: {
          block: () => { const end = Date.now() + 1000; while (Date.now() < end); return 1 },
          take: (ctx, { name }) => { seen.push(name); return seen } } }`,
        actuators: ["block", "take"],
        limits: { cancelMs: 20_000 },
      })
      const text = "x".repeat(4_000_000)
      const take = (name: string, timeoutMs = 20_000) => process.act("take", { name, text }, { timeoutMs })
      const blocked = yield* Effect.fork(process.act("block", {}))
      yield* Effect.yieldNow()
      const first = yield* Effect.fork(take("first"))
      yield* Effect.yieldNow()
      expect(yield* Effect.flip(take("second", 200))).toMatchObject({ _tag: "CallTimedOut" })
      const third = yield* Effect.fork(take("third"))
      expect(yield* Fiber.join(blocked)).toEqual({ result: 1 })
      expect(yield* Fiber.join(first)).toEqual({ result: ["first"] })
      expect(yield* Fiber.join(third)).toEqual({ result: ["first", "third"] })
    }).pipe(provide),
  )
})

describe("a plugin that prints more than it may", () => {
  it.scopedLive.each([
    { by: "its log", print: "ctx.log(line)" },
    { by: "its error output", print: `Deno.stderr.writeSync(new TextEncoder().encode(line + "\\n"))` },
  ])(
    "a plugin that prints more than it may by $by waits in its writes, while other plugins answer; nothing of its answer is lost",
    ({ print }) =>
      Effect.gen(function* () {
        const flooding = yield* start({
          entry: `export default { sensors: { flood: (ctx) => {
          const line = "x".repeat(1000), begun = performance.now()
          for (let n = 0; n < 4 * 1024; n++) ${print}
          return performance.now() - begun } } }`,
          sensors: ["flood"],
          name: "flooding",
          limits: { outputBytesPerSecond: 1024 * 1024 },
        })
        const other = yield* start({ entry: "export default { sensors: { look: () => 1 } }", sensors: ["look"] })
        const flood = yield* Effect.fork(flooding.process.read("flood"))
        yield* Effect.repeatN(other.process.read("look"), 99)
        // Four seconds' worth, of which two may come at once and some stays in the pipes.
        expect(yield* Fiber.join(flood)).toBeGreaterThan(500)
      }).pipe(provide),
  )

  it.scopedLive(
    "cannot be heard in time: where it is killed for that, the reason says that its output was held back",
    () =>
      Effect.gen(function* () {
        const { process } = yield* start({
          entry: `export default { sensors: { flood: async (ctx) => {
          const line = "x".repeat(100_000)
          for (;;) { ctx.log(line); await new Promise((resolve) => setTimeout(resolve)) } } } }`,
          sensors: ["flood"],
          limits: { outputBytesPerSecond: 64 * 1024, cancelMs: 200 },
        })
        const unheard = "it did not acknowledge within 200 ms that read sample/flood was cancelled"
        expect(yield* Effect.flip(process.read("flood", { timeoutMs: 300 }))).toMatchObject({ _tag: "CallTimedOut" })
        const { signal, reason } = yield* process.exited
        expect(signal).toBe("SIGKILL")
        expect(reason).toContain(`${unheard}; its output was held back`)
      }).pipe(provide),
  )

  it.scopedLive("is held up as much by readings that it pushes, also where nothing takes them", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `export default { sensors: { flood: async (ctx) => {
          const reading = "x".repeat(100_000), begun = performance.now()
          for (let n = 0; n < 40; n++) await ctx.emit("flood", reading).catch(() => null)
          return performance.now() - begun } } }`,
        sensors: ["flood"],
        limits: { outputBytesPerSecond: 1024 * 1024 },
      })
      // As above: the second half waits.
      expect(yield* process.read("flood")).toBeGreaterThan(1_500)
    }).pipe(provide),
  )
})
