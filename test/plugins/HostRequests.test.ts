import * as fs from "node:fs/promises"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { CoreNewEvent } from "../../src/events/log/EventLog.ts"
import { layer } from "../../src/plugins/process/PluginHost.ts"
import { logged, start } from "./fixtures.ts"

const provide = Effect.provide(layer)

const countOf = (events: ReadonlyArray<CoreNewEvent>, type: CoreNewEvent["type"]) =>
  events.filter((event) => event.type === type).length

/** Adds events to a list; a request waits, before it counts as recorded, until it is let through. */
const gated = (events: Array<CoreNewEvent>, gate: Deferred.Deferred<void>) => (event: CoreNewEvent) =>
  Effect.zipRight(
    Effect.sync(() => events.push(event)),
    event.type === "BrokerRequested" ? Deferred.await(gate) : Effect.void,
  )

describe("a request that cannot be recorded", () => {
  it.scopedLive("is not done, and the plugin is told so", () =>
    Effect.gen(function* () {
      const { process, workspace } = yield* start({
        entry: `export default { actuators: { write: (ctx) =>
          ctx.writeFile("done.txt", "x").then(() => "done", ({ code, message }) => [code, message]) } }`,
        actuators: ["write"],
        permissions: { write: ["."] },
        record: ({ type }) => (type === "BrokerRequested" ? Effect.fail(new Error("the log is locked")) : Effect.void),
      })
      expect(yield* process.act("write", {})).toEqual({
        result: ["NotRecorded", "it could not be recorded, so it was not done: the log is locked"],
      })
      expect(yield* Effect.promise(() => fs.readdir(workspace))).toEqual([".keep"])
    }).pipe(provide),
  )

  it.scopedLive("is answered all the same where it was done and only its answer is lost", () =>
    Effect.gen(function* () {
      const { process, workspace } = yield* start({
        entry: `export default { actuators: { write: (ctx) => ctx.writeFile("done.txt", "x").then(() => "done") } }`,
        actuators: ["write"],
        permissions: { write: ["."] },
        record: ({ type }) => (type === "BrokerAnswered" ? Effect.die("no log") : Effect.void),
      })
      expect(yield* process.act("write", {})).toEqual({ result: "done" })
      expect(yield* Effect.promise(() => fs.readFile(path.join(workspace, "done.txt"), "utf8"))).toBe("x")
    }).pipe(provide),
  )
})

describe("many requests at once", () => {
  it.scopedLive("are carried out 16 at a time while 256 wait; the others are refused without a trace", () =>
    Effect.gen(function* () {
      const events: Array<CoreNewEvent> = []
      const gate = yield* Deferred.make<void>()
      const { process } = yield* start({
        entry: `export default { sensors: { flood: async (ctx) => {
          const codes = []
          const all = Array.from({ length: 300 }, () => ctx.readFile("note.txt").catch(({ code }) => {
            if (codes.push(code) === 28) ctx.log("all are in")
          }))
          return { read: (await Promise.all(all)).filter((text) => text === "note").length, codes: [...new Set(codes)] } } } }`,
        sensors: ["flood"],
        permissions: { read: ["."] },
        workspace: { "note.txt": "note" },
        record: gated(events, gate),
      })
      const flooding = yield* Effect.fork(process.read("flood"))
      yield* Effect.eventually(Effect.suspend(() => (logged(events).length === 1 ? Effect.void : Effect.fail("wait"))))
      expect([countOf(events, "BrokerRequested"), countOf(events, "BrokerAnswered")]).toEqual([16, 0])
      yield* Deferred.succeed(gate, undefined)
      expect(yield* Fiber.join(flooding)).toEqual({ read: 272, codes: ["TooManyRequests"] })
      expect([countOf(events, "BrokerRequested"), countOf(events, "BrokerAnswered")]).toEqual([272, 272])
    }).pipe(provide),
  )

  it.scopedLive("requests whose answers the plugin does not take are not carried out in advance", () =>
    Effect.gen(function* () {
      const { process, events } = yield* start({
        entry: `export default { sensors: { flood: async (ctx) => {
          const all = Array.from({ length: 40 }, () => ctx.readFile("large.txt"))
          for (const end = Date.now() + 1000; Date.now() < end; );
          ctx.log("about to read")
          return (await Promise.all(all)).length } } }`,
        sensors: ["flood"],
        permissions: { read: ["."] },
        workspace: { "large.txt": "x".repeat(1_000_000) },
        limits: { pingMs: 60_000 },
      })
      const flooding = yield* Effect.fork(process.read("flood"))
      yield* Effect.eventually(Effect.suspend(() => (logged(events).length === 1 ? Effect.void : Effect.fail("wait"))))
      const before = events.slice(
        0,
        events.findIndex(({ type }) => type === "PluginLogged"),
      )
      expect(countOf(before, "BrokerRequested")).toBe(16)
      expect(yield* Fiber.join(flooding)).toBe(40)
      expect(countOf(events, "BrokerAnswered")).toBe(40)
    }).pipe(provide),
  )

  it.scopedLive("requests without end, whose refusals the plugin does not take, end its process", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `export default { sensors: { flood: (ctx) => { for (;;) ctx.readFile("note.txt") } } }`,
        sensors: ["flood"],
        permissions: { read: ["."] },
        workspace: { "note.txt": "note" },
      })
      const error = yield* Effect.flip(process.read("flood"))
      expect(error).toMatchObject({ _tag: "PluginExited", signal: "SIGKILL" })
      expect(error.message).toContain("it did not read the answers to 16384 refused requests")
    }).pipe(provide),
  )
})
