import { it } from "@effect/vitest"
import { Context, Data, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { Confirmations } from "../../src/kernel/gate/Confirmations.ts"
import * as Gate from "../../src/kernel/gate/Gate.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Sensor from "../../src/kernel/program/Sensor.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import type { JsonObject } from "../../src/values/Json.ts"
import { temporaryDirectory } from "../temporary.ts"
import { about, events, seen } from "./given.ts"
import { testKernel } from "./testKernel.ts"

const add = Tool.make({
  description: "Adds two numbers",
  args: Schema.Struct({ a: Schema.Number, b: Schema.NumberFromString }),
  result: Schema.Struct({ sum: Schema.NumberFromString }),
  risk: "none",
  run: ({ a, b }) => ({ sum: a + b }),
})

const clock = Sensor.make({ description: "Says what day it is", reading: Schema.String, read: () => "Sunday" })

/** A kernel with tools, and an open task. */
const opened = (options: Parameters<typeof testKernel>[0]) =>
  Effect.gen(function* () {
    const kernel = yield* testKernel(options)
    const { run } = yield* kernel.start
    const task = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.open({ goal: "call tools", id: "t" })))
    return { ...kernel, run, task }
  })

const everything = Effect.flatMap(EventLog, (log) => log.readPage({}, 1_000))

/** The types of the events that a command leaves, in order. */
const typesOf = (id: string) =>
  Effect.map(everything, (all) => all.filter(({ payload }) => payload.commandId === id).map(({ type }) => type))

describe("a tool of the program", () => {
  it.scopedLive("is imported and activated as the plugin `program`, in-process, with its schemas as JSON Schema", () =>
    Effect.gen(function* () {
      const { run } = yield* opened({ tools: { add }, sensors: { clock } })
      const [imported, activated, ...others] = (yield* run(everything)).filter(
        ({ stream }) => stream === "plugin/program",
      )
      expect([imported?.type, activated?.type, others]).toEqual(["PluginImported", "PluginActivated", []])
      expect(imported?.payload).toMatchObject({
        plugin: "program",
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        source: "in-process",
        origin: { kind: "in-process" },
        grants: { read: [], write: [], net: [], env: [], run: [], runAny: false },
        manifest: {
          peas: {
            actuators: [
              {
                name: "add",
                description: "Adds two numbers",
                risk: "none",
                args: { type: "object", required: ["a", "b"], additionalProperties: false },
                result: {
                  type: "object",
                  required: ["sum"],
                  properties: { sum: { $ref: "#/$defs/NumberFromString" } },
                },
              },
            ],
            sensors: [{ name: "clock", reading: { type: "string" } }],
          },
        },
      })
    }),
  )

  it.scopedLive("leaves the events that a plugin's actuator leaves, and is in the audit", () =>
    Effect.gen(function* () {
      const { run, task } = yield* opened({ tools: { add }, sensors: { clock } })
      const readings = yield* task.perceive()
      expect(readings.map(({ sensor, reading }) => [sensor, reading])).toEqual([["program/clock", "Sunday"]])
      const outcome = yield* task.act("program/add", { a: 1, b: "2" })
      expect(outcome).toMatchObject({ status: "succeeded", result: { sum: "3" } })
      expect(yield* run(typesOf(outcome.commandId))).toEqual([
        "ActuatorCommanded",
        "CommandAllowed",
        "CommandDispatched",
        "CommandSucceeded",
      ])
      yield* task.close("achieved")
      const audit = yield* run(Effect.flatMap(Kernel, (kernel) => kernel.audit("t")))
      expect(audit).toMatchObject({ outcome: "achieved" })
      expect(JSON.stringify(audit)).toContain("program/add")
    }),
  )

  it.scopedLive("whose arguments do not fit is denied before anybody is asked and before it is called", () =>
    Effect.gen(function* () {
      const { task } = yield* opened({ tools: { add }, gate: Gate.standard })
      const outcome = yield* task.act("program/add", { a: "one" })
      expect(outcome).toMatchObject({
        status: "denied",
        rule: "args-schema",
        reason: expect.stringContaining("args.a"),
      })
    }),
  )

  it.scopedLive("is decoded by its Effect Schema; what only decoding refuses is a failed command", () =>
    Effect.gen(function* () {
      const { task } = yield* opened({ tools: { add } })
      expect(yield* task.act("program/add", { a: 1, b: "two" })).toMatchObject({
        status: "failed",
        error: { code: "ArgumentsInvalid", message: expect.stringContaining("b") },
      })
    }),
  )

  it.scopedLive("gets JSON as it is by a JSON Schema, or without one", () =>
    Effect.gen(function* () {
      const args = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] }
      const tools = {
        plain: Tool.make({ description: "Echoes", args, risk: "none", run: (given) => Promise.resolve(given) }),
        free: Tool.make({ description: "Echoes", risk: "none", run: (given) => Effect.succeed(given) }),
        nothing: Tool.make({
          description: "No arguments",
          args: Schema.Struct({}),
          risk: "none",
          run: () => undefined,
        }),
      }
      const { task } = yield* opened({ tools })
      expect(yield* task.act("program/plain", { id: 1 })).toMatchObject({ status: "succeeded", result: { id: 1 } })
      expect(yield* task.act("program/plain", { id: "1" })).toMatchObject({ status: "denied", rule: "args-schema" })
      expect(yield* task.act("program/free", { x: [null] })).toMatchObject({ result: { x: [null] } })
      expect(yield* task.act("program/nothing")).toMatchObject({ status: "succeeded", result: null })
      expect(yield* task.act("program/nothing", { x: 1 })).toMatchObject({ status: "denied" })
    }),
  )

  it.scopedLive("gets the task, the command, the time, seeded numbers, its metadata, and writes to the log", () =>
    Effect.gen(function* () {
      const look = Tool.make({
        description: "Tells what it was told",
        risk: "none",
        metadata: { version: "2" },
        run: (_, { log, random, signal, ...context }) => {
          log("looked", "warn")
          return { ...context, number: random(), aborted: signal.aborted }
        },
      })
      const { run, task } = yield* opened({ tools: { look } })
      const outcome = yield* task.act("program/look")
      expect(outcome).toMatchObject({
        status: "succeeded",
        result: {
          taskId: "t",
          timeline: "main",
          commandId: outcome.commandId,
          metadata: { version: "2" },
          aborted: false,
          now: expect.any(Number),
          number: expect.any(Number),
        },
      })
      yield* task.close("achieved")
      const [line] = yield* run(events("PluginLogged"))
      expect(line).toMatchObject({ taskId: "t", payload: { plugin: "program", level: "warn", message: "looked" } })
    }),
  )

  it.scopedLive("draws the same numbers in a task of the same seed, whatever other tools draw", () =>
    Effect.gen(function* () {
      const draw = Tool.make({ description: "Draws", risk: "none", run: (_, { random }) => [random(), random()] })
      const { run } = yield* opened({ tools: { draw, other: draw } })
      const drawn = (before: ReadonlyArray<string>) =>
        run(
          Effect.gen(function* () {
            const task = yield* (yield* Kernel).tasks.open({ goal: "draw", seed: 3 })
            yield* Effect.forEach(before, (name) => task.act(name))
            return yield* task.act("program/draw")
          }),
        )
      const [one, two] = [yield* drawn([]), yield* drawn(["program/other"])]
      expect(one.status === "succeeded" && two.status === "succeeded" && one.result).toEqual(
        two.status === "succeeded" && two.result,
      )
    }),
  )
})

describe("services of the program", () => {
  class Customers extends Context.Tag("test/Customers")<Customers, { readonly name: (id: number) => string }>() {}
  class Weather extends Context.Tag("test/Weather")<Weather, { readonly now: Effect.Effect<string> }>() {}

  it.scopedLive("are required by the layer that the tools and sensors are given to, and reach them", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const layer = Hindcast.layer({
        log: `${directory}/log.db`,
        workspace: directory,
        tools: {
          lookup: Tool.make({
            description: "Looks a customer up",
            args: Schema.Struct({ id: Schema.Number }),
            risk: "none",
            run: ({ id }) => Effect.map(Customers, ({ name }) => ({ name: name(id) })),
          }),
          add,
        },
        sensors: {
          weather: Sensor.make({ description: "The weather", read: () => Effect.flatMap(Weather, ({ now }) => now) }),
        },
      })
      // The compiler requires both.
      const services: Layer.Layer<Customers | Weather> = Layer.merge(
        Layer.succeed(Customers, { name: (id) => `customer ${id}` }),
        Layer.succeed(Weather, { now: Effect.succeed("rain") }),
      )
      const needs: Layer.Layer<
        Layer.Layer.Success<typeof layer>,
        Layer.Layer.Error<typeof layer>,
        Customers | Weather
      > = layer
      yield* Effect.gen(function* () {
        const task = yield* (yield* Kernel).tasks.open({ goal: "look up" })
        expect(yield* task.act("program/lookup", { id: 7 })).toMatchObject({ result: { name: "customer 7" } })
        expect(yield* task.perceive()).toMatchObject([{ sensor: "program/weather", reading: "rain" }])
      }).pipe(Effect.provide(Layer.provide(needs, services)))
    }),
  )
})

describe("the gate", () => {
  const risky = { description: "Sends", run: () => "sent" }
  const tools = {
    undeclared: Tool.make(risky),
    low: Tool.make({ ...risky, risk: "low" }),
    high: Tool.make({ ...risky, risk: "high" }),
  }

  it.scopedLive("asks about a tool without a risk, and takes a declared one as the operator's own word", () =>
    Effect.gen(function* () {
      const { run, task } = yield* opened({ tools, gate: Gate.standard })
      expect(yield* task.act("program/low")).toMatchObject({ status: "succeeded" })
      const offered = yield* task.capabilities()
      expect(offered.actuators.map(({ name, effectiveRisk }) => [name, effectiveRisk])).toEqual([
        ["program/high", "high"],
        ["program/low", "low"],
        ["program/undeclared", "undeclared"],
      ])
      for (const name of ["undeclared", "high"]) {
        const acting = yield* Effect.fork(task.act(`program/${name}`))
        const { payload } = yield* run(
          seen(
            ({ type, payload }) => type === "ConfirmationRequested" && JSON.stringify(payload).includes(`/${name}"`),
          ),
        )
        yield* run(
          Effect.flatMap(Confirmations, (people) =>
            people.decide(String(payload.confirmationId), { approved: name === "high", by: "ada", channel: "program" }),
          ),
        )
        expect(yield* Fiber.join(acting)).toMatchObject({ status: name === "high" ? "succeeded" : "denied" })
      }
    }),
  )

  it.scopedLive("rules by name and by risk, as for any plugin", () =>
    Effect.gen(function* () {
      const gate: Gate.GateConfig = {
        rules: [
          { name: "no-high", risk: ["high"], decision: "deny" },
          { name: "mine", actuator: "program/*", decision: "allow" },
        ],
      }
      const { task } = yield* opened({ tools, gate })
      expect(yield* task.act("program/high")).toMatchObject({ status: "denied", rule: "no-high" })
      expect(yield* task.act("program/undeclared")).toMatchObject({ status: "succeeded", result: "sent" })
    }),
  )
})

describe("a tool that fails", () => {
  class NotFound extends Data.TaggedError("NotFound")<{ readonly id: number }> {
    override get message() {
      return `There is no customer ${this.id}`
    }
  }
  const failing = (run: () => unknown) => Tool.make({ description: "Fails", risk: "none", run })
  const cases = {
    throws: [
      () => {
        throw Object.assign(new Error("disk full"), { code: "ENOSPC" })
      },
      "ENOSPC",
      "disk full",
    ],
    rejects: [() => Promise.reject(new TypeError("no")), "TypeError", "no"],
    fails: [() => new NotFound({ id: 3 }), "NotFound", "There is no customer 3"],
    dies: [() => Effect.die(new RangeError("bug")), "RangeError", "bug"],
    wraps: [() => Effect.tryPromise(() => Promise.reject(new Error("deep"))), "Error", "deep"],
    interrupts: [() => Effect.interrupt, "Interrupted", "it interrupted itself"],
    text: [() => Promise.reject("just text"), "Error", "just text"],
  } as const

  it.scopedLive("is a failed command with its code and message, whatever it throws, fails or dies with", () =>
    Effect.gen(function* () {
      const tools = Object.fromEntries(Object.entries(cases).map(([name, [run]]) => [name, failing(run)]))
      const { task } = yield* opened({ tools: tools as Record<string, Tool.Tool> })
      for (const [name, [, code, message]] of Object.entries(cases)) {
        expect(yield* task.act(`program/${name}`)).toMatchObject({
          status: "failed",
          error: { code, message: expect.stringContaining(message) },
        })
      }
    }),
  )

  it.scopedLive("has its result recorded the way JSON.stringify writes it", () =>
    Effect.gen(function* () {
      class Point {
        x = 1
        get y() {
          return 2
        }
      }
      const values: { readonly [name: string]: () => unknown } = {
        nan: () => ({ x: Number.NaN, y: Number.POSITIVE_INFINITY }),
        callable: () => [() => 1, Symbol("x"), undefined],
        nothing: () => Symbol("x"),
        date: () => ({ at: new Date(0) }),
        absent: () => ({ a: undefined, b: 1 }),
        zero: () => -0,
        point: () => new Point(),
        map: () => ({ map: new Map([[1, 2]]), set: new Set([1]), bytes: new Uint8Array([1, 2]) }),
        buffer: () => Buffer.from("hi"),
        own: () => ({ toJSON: () => ({ z: 1 }) }),
        error: () => new Error("as a value"),
        proto: () => JSON.parse('{"__proto__":{"x":1},"a":1}'),
      }
      const tools = Object.fromEntries(Object.entries(values).map(([name, run]) => [name, failing(run)]))
      const { task } = yield* opened({ tools: tools as Record<string, Tool.Tool> })
      for (const [name, value] of Object.entries(values)) {
        const outcome = yield* task.act(`program/${name}`)
        const text = JSON.stringify(value()) ?? "null"
        expect([outcome.status, "result" in outcome && JSON.stringify(outcome.result)]).toEqual(["succeeded", text])
        expect(outcome).not.toHaveProperty("unrecorded")
      }
    }),
  )

  it.scopedLive("succeeds without a recorded result, and says why, where its result is no JSON or too large", () =>
    Effect.gen(function* () {
      const values: { readonly [name: string]: readonly [() => unknown, string] } = {
        bigint: [() => ({ n: 10n }), "BigInt"],
        cycle: [
          () => {
            const own: { self?: unknown } = {}
            own.self = own
            return own
          },
          "circular",
        ],
        getter: [
          () => ({
            get x() {
              throw new Error("not now")
            },
          }),
          "not now",
        ],
        deep: [
          () => {
            let nested: unknown = 1
            for (let level = 0; level < 500; level++) nested = [nested]
            return nested
          },
          "more than 200 levels",
        ],
        big: [() => "x".repeat(10 * 1024 * 1024), "bytes"],
      }
      const tools = Object.fromEntries(Object.entries(values).map(([name, [run]]) => [name, failing(run)]))
      const { run, task } = yield* opened({ tools: tools as Record<string, Tool.Tool> })
      for (const [name, [, reason]] of Object.entries(values)) {
        const unrecorded = expect.stringContaining(reason)
        expect(yield* task.act(`program/${name}`)).toMatchObject({ status: "succeeded", result: null, unrecorded })
      }
      const succeeded = yield* run(events("CommandSucceeded"))
      expect(succeeded.map(({ payload }) => payload.unrecorded)).toEqual(
        Object.values(values).map(([, reason]) => ({ reason: expect.stringContaining(reason) })),
      )
    }),
  )

  it.scopedLive("has its message cut, and a result that breaks its schema is left out of its success", () =>
    Effect.gen(function* () {
      const long = Tool.make({
        description: "Fails",
        risk: "none",
        run: () => Effect.fail(new Error("x".repeat(9_000))),
      })
      const wrong = Tool.make({
        description: "Lies",
        risk: "none",
        result: { type: "string" } as JsonObject,
        run: () => 1,
      })
      const { task } = yield* opened({ tools: { long, wrong } })
      const outcome = yield* task.act("program/long")
      expect(outcome.status === "failed" && outcome.error.message.length).toBeLessThan(8_300)
      expect(yield* task.act("program/wrong")).toMatchObject({
        status: "succeeded",
        unrecorded: expect.stringContaining("expected string"),
      })
    }),
  )
})

describe("a tool that takes long", () => {
  /** Tools that never answer, and what was seen of their ends. */
  const stuck = () => {
    const ends: Array<string> = []
    const tools = {
      effect: Tool.make({
        description: "Waits",
        risk: "none",
        timeout: 50,
        run: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => ends.push("interrupted"))),
      }),
      promise: Tool.make({
        description: "Waits",
        risk: "none",
        timeout: 50,
        run: (_, { signal }) =>
          new Promise(() => {
            signal.addEventListener("abort", () => ends.push("aborted"))
          }),
      }),
      deaf: Tool.make({ description: "Waits", risk: "none", run: () => Effect.uninterruptible(Effect.never) }),
      waits: Tool.make({
        description: "Waits",
        risk: "none",
        run: (_, { signal, log }) =>
          Effect.async(() => {
            log("begun")
            signal.addEventListener("abort", () => ends.push("aborted"))
          }),
      }),
    }
    return { ends, tools }
  }

  it.scopedLive("is interrupted, and its signal aborts, when its time-out has passed", () =>
    Effect.gen(function* () {
      const { ends, tools } = stuck()
      const { task } = yield* opened({ tools })
      expect(yield* task.act("program/effect")).toMatchObject({ status: "failed", error: { code: "CallTimedOut" } })
      expect(yield* task.act("program/promise")).toMatchObject({ status: "failed", error: { code: "CallTimedOut" } })
      expect(ends).toEqual(["interrupted", "aborted"])
    }),
  )

  it.scopedLive("is interrupted when its task closes; one that does not end holds up nothing", () =>
    Effect.gen(function* () {
      const { ends, tools } = stuck()
      const { run, task } = yield* opened({ tools })
      const acting = yield* Effect.fork(
        Effect.all([Effect.exit(task.act("program/deaf")), Effect.exit(task.act("program/waits"))], {
          concurrency: "unbounded",
        }),
      )
      yield* run(seen(about("CommandDispatched"), 2))
      yield* run(seen(({ type }) => type === "PluginLogged"))
      yield* task.close("abandoned")
      yield* Fiber.join(acting)
      expect(ends).toEqual(["aborted"])
      expect((yield* run(events("CommandFailed"))).map(({ payload }) => payload.error)).toMatchObject([
        { code: "Interrupted" },
        { code: "Interrupted" },
      ])
    }),
  )

  it.scopedLive("keeps no other tool from its turn", () =>
    Effect.gen(function* () {
      const other = yield* Deferred.make<void>()
      const tools = {
        first: Tool.make({ description: "Waits", risk: "none", run: () => Deferred.await(other) }),
        second: Tool.make({ description: "Ends", risk: "none", run: () => Deferred.succeed(other, undefined) }),
      }
      const { task } = yield* opened({ tools })
      const outcomes = yield* Effect.all([task.act("program/first"), task.act("program/second")], {
        concurrency: "unbounded",
      })
      expect(outcomes.map(({ status }) => status)).toEqual(["succeeded", "succeeded"])
    }),
  )
})

describe("a sensor of the program", () => {
  it.scopedLive("that fails, or whose reading breaks its schema, is recorded as failed; the others are read", () =>
    Effect.gen(function* () {
      const sensors = {
        clock,
        broken: Sensor.make({ description: "Fails", read: () => Promise.reject(new Error("no signal")) }),
        wrong: Sensor.make({ description: "Lies", reading: { type: "number" } as JsonObject, read: () => "1" }),
      }
      const { run, task } = yield* opened({ sensors })
      expect((yield* task.perceive()).map(({ sensor }) => sensor)).toEqual(["program/clock"])
      const failed = yield* run(events("SensorFailed"))
      expect(new Map(failed.map(({ payload }) => [payload.sensor, payload.error]))).toMatchObject(
        new Map([
          ["program/broken", { code: "Error", message: "no signal" }],
          ["program/wrong", { code: "AnswerInvalid", message: expect.stringContaining("expected number") }],
        ]),
      )
    }),
  )

  it.scopedLive("with an interval is read without being asked", () =>
    Effect.gen(function* () {
      let count = 0
      const ticks = Sensor.make({ description: "Counts", every: 10, read: () => ++count })
      const { run } = yield* opened({ sensors: { ticks } })
      const second = yield* run(seen(about("SensorRead", "program/ticks"), 2))
      expect(second.payload.reading).toBe(2)
    }),
  )
})

describe("the compiler", () => {
  it("holds a function to its schemas, and a layer to what is a tool and what a sensor", () => {
    const Kind = Schema.Struct({ kind: Schema.Literal("a", "b"), list: Schema.Array(Schema.Number) })
    const fits = [
      Tool.make({ description: "d", result: Kind, run: () => ({ kind: "a", list: [1] }) }),
      Tool.make({ description: "d", result: Kind, run: () => Promise.resolve({ kind: "a" as const, list: [1] }) }),
      Tool.make({ description: "d", args: Kind, result: Schema.String, run: ({ kind }) => Effect.succeed(kind) }),
    ]
    expect(fits.length).toBe(3)
    // @ts-expect-error: the result is a number
    Tool.make({ description: "d", result: Schema.Number, run: () => "text" })
    // @ts-expect-error: the arguments have no such field
    Tool.make({ description: "d", args: Kind, run: ({ other }) => other })
    // @ts-expect-error: the reading is a number
    Sensor.make({ description: "d", reading: Schema.Number, read: () => Effect.succeed("text") })
    // @ts-expect-error: a sensor is no tool
    expect(() => Hindcast.layer({ log: "log.db", tools: { clock } })).not.toThrow()
  })
})
