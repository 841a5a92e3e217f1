import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Timelines from "../../src/events/read/Timelines.ts"
import * as Agent from "../../src/kernel/agents/Agent.ts"
import * as DraftTimelines from "../../src/kernel/context/DraftTimelines.ts"
import type { ForkOptions } from "../../src/kernel/fork/Fork.ts"
import { Confirmations } from "../../src/kernel/gate/Confirmations.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { Registry } from "../../src/kernel/registry/Registry.ts"
import * as ForkedTasks from "../../src/projections/state/ForkedTasks.ts"
import { Database } from "../sqlite.ts"
import { trusted } from "../trusted.ts"
import { about, events, type Sample, seen } from "./given.ts"
import { loseLease } from "./lostLease.ts"
import { testKernel } from "./testKernel.ts"

/** A wall whose restoration does what the words on it say. */
const wall: Sample = {
  name: "wall",
  environment: true,
  permissions: { run: ["echo"] },
  actuators: [{ name: "paint" }],
  entry: `
    let colour = "white"
    export default {
      actuators: { paint: (ctx, args) => { colour = args.colour; return colour } },
      environment: {
        reset: () => { colour = "white" },
        restore: async (ctx, _, state) => {
          console.log("restoring")
          if (state.colour === "asks") await ctx.run("echo", ["hello"]).catch(() => {})
          if (state.colour === "throws") throw new Error("no such colour")
          if (state.colour === "hangs") await new Promise(() => {})
          colour = ["differs", "asks"].includes(state.colour) ? "grey" : state.colour
        },
        state: () => ({ colour }),
      },
    }`,
}

const paints = (...colours: ReadonlyArray<string>): Agent.DecidingAgent => ({
  name: "painting",
  version: "1",
  decide: ({ step }) => {
    const colour = colours[step]
    return colour === undefined ? { done: "achieved" } : { act: "wall/paint", args: { colour } }
  },
})

/** Paints by itself, so that it is held to what it did. */
const painting = (...colours: ReadonlyArray<string>) => {
  let step = 0
  return Agent.fromAdvance({
    name: "hand",
    version: "1",
    advance: (task) =>
      Effect.gen(function* () {
        const colour = colours[step]
        if (colour === undefined) return yield* Effect.fail(new Error("no colour is left"))
        yield* task.act("wall/paint", { colour })
        step += 1
        return step < colours.length
      }),
  })
}

/** A kernel with a wall, which can be restored as its manifest says. */
const withWall = (rewind: ReadonlyArray<string> = ["snapshot"], options = {}) =>
  Effect.tap(testKernel({ plugins: [wall], ...options }), ({ plugins }) =>
    Effect.sync(() => {
      const file = path.join(String(plugins[0]), "looper-plugin.json")
      const manifest = JSON.parse(fs.readFileSync(file, "utf8"))
      manifest.peas.environment.rewind = rewind
      fs.writeFileSync(file, JSON.stringify(manifest))
      const restores = /restore: async[\s\S]*?\n {8}\},/
      const entry = rewind.includes("snapshot") ? wall.entry : wall.entry.replace(restores, "")
      fs.writeFileSync(path.join(String(plugins[0]), "main.ts"), entry)
    }),
  )

/** A task that painted the wall, and the position right before its last decision or command. */
const painted = (agent: Agent.Agent, type = "DecisionMade") =>
  Effect.gen(function* () {
    const { taskId } = yield* (yield* Kernel).tasks.run(agent, { goal: "paint" })
    const found = (yield* events(type)).filter((event) => event.taskId === taskId)
    return { taskId, at: Number(found.at(-1)?.position) - 1 }
  })

const timelines = Effect.flatMap(EventLog, (log) =>
  Effect.map(Timelines.list(log), (all) => all.map(({ name }) => name)),
)

/** Everything of the log but that processes came and went. */
const recorded = Effect.map(
  Effect.flatMap(EventLog, (log) => log.readPage({}, 10_000)),
  (all) =>
    all.filter(({ type }) => type !== "PluginStarted" && type !== "PluginExited").map(({ position }) => position),
)

const running = Effect.map(
  events("PluginStarted", "PluginExited"),
  (all) =>
    all.filter(({ type }) => type === "PluginStarted").length -
    all.filter(({ type }) => type === "PluginExited").length,
)

/** Forks under the name `again`, is refused, and leaves nothing. Answers the error. */
const refusedWithoutTrace = (agent: Agent.Agent, options: Omit<ForkOptions, "timeline">) =>
  Effect.gen(function* () {
    const before = yield* recorded
    const processes = yield* running
    const error = yield* Effect.flip((yield* Kernel).fork(agent, { ...options, timeline: "again" }))
    expect(yield* timelines).not.toContain("again")
    expect(yield* recorded).toEqual(before)
    expect(yield* running).toBe(processes)
    expect(yield* (yield* EventLog).readPage({ timeline: "again" }, 1)).toEqual([])
    return error
  })

/** The name of a refused fork is free. */
const nameIsFree = (agent: Agent.Agent, options: Omit<ForkOptions, "timeline">) =>
  Effect.gen(function* () {
    const { timeline } = yield* (yield* Kernel).fork(agent, { ...options, timeline: "again" })
    expect(timeline).toBe("again")
    expect((yield* ForkedTasks.list).map(({ timeline }) => timeline)).toEqual(["again"])
    expect(yield* (yield* EventLog).verify).toMatchObject({ _tag: "Intact" })
  })

describe("a fork that is refused leaves neither a timeline nor a taken name", () => {
  it.scopedLive("where the world cannot be brought back", () =>
    Effect.gen(function* () {
      const { layer } = yield* withWall([])
      yield* Effect.gen(function* () {
        const { at } = yield* painted(paints("red"))
        const error = yield* refusedWithoutTrace(paints("red"), { at })
        expect(error).toMatchObject({ _tag: "WorldNotRewound" })
        // A kernel started for it, which is in the log.
        expect(error.message).toContain("Nothing of the fork was recorded.")
        expect(yield* events("KernelStarted")).not.toEqual([])
        yield* nameIsFree(paints("red"), { at, acceptUnrewound: true })
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive.each([
    [
      "differs from the recorded one",
      "differs",
      "WorldDiffers",
      "Nothing of the fork was recorded. Restore it in another way",
    ],
    ["is refused by its plugin", "throws", "EnvironmentRefused", "no such colour"],
  ] as const)("where the world %s", ([, colour, tag, message]) =>
    Effect.gen(function* () {
      const { layer } = yield* withWall(["snapshot", "re-execution"])
      yield* Effect.gen(function* () {
        const { at } = yield* painted(paints(colour))
        const error = yield* refusedWithoutTrace(paints(colour), { at })
        expect(error).toMatchObject({ _tag: tag })
        expect(error.message).toContain(message)
        yield* nameIsFree(paints(colour), { at, rewind: "re-execution" })
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("where the world cannot be as it is overridden", () =>
    Effect.gen(function* () {
      const { layer } = yield* withWall()
      yield* Effect.gen(function* () {
        const { at } = yield* painted(paints("red"))
        const overridden = (colour: string) => ({ at, overrides: { world: { wall: { colour } } } })
        const error = yield* refusedWithoutTrace(paints("red"), overridden("differs"))
        expect(error).toMatchObject({ _tag: "OverrideInvalid" })
        expect(error.message).toMatch(/Nothing of the fork was recorded\.$/)
        yield* nameIsFree(paints("red"), overridden("blue"))
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("where the copies of the plugins are gone", () =>
    Effect.gen(function* () {
      const { layer, log, plugins } = yield* withWall()
      yield* Effect.gen(function* () {
        const { at } = yield* painted(paints("red"))
        fs.rmSync(`${log}.plugins`, { recursive: true })
        const before = yield* timelines
        const error = yield* Effect.flip((yield* Kernel).fork(paints("red"), { at, timeline: "again" }))
        expect(error.message).toContain("wall")
        expect(yield* timelines).toEqual(before)
        expect(yield* (yield* EventLog).readPage({ timeline: "again" }, 1)).toEqual([])
        yield* (yield* Registry).import(String(plugins[0]))
        yield* nameIsFree(paints("red"), { at })
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("where its agent diverges, is done early, or fails while it is led", () =>
    Effect.gen(function* () {
      const { layer } = yield* withWall()
      yield* Effect.gen(function* () {
        const { at } = yield* painted(painting("red", "blue", "green"), "ActuatorCommanded")
        const other = yield* refusedWithoutTrace(painting("pink"), { at })
        expect(other).toMatchObject({ _tag: "AgentDiverged", divergence: { kind: "another-command" } })
        expect(other.message).toContain("Nothing of the fork was recorded. Start the agent at the moment")
        const early = yield* refusedWithoutTrace(painting("red"), { at })
        expect(early).toMatchObject({ _tag: "AgentDiverged", divergence: { kind: "done-earlier" } })
        const failed = yield* refusedWithoutTrace(painting(), { at })
        expect(failed).toMatchObject({ _tag: "AgentFailed" })
        yield* nameIsFree(painting("red", "blue", "black"), { at })
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("where it is interrupted while its agent is led", () =>
    Effect.gen(function* () {
      const { layer } = yield* withWall()
      yield* Effect.gen(function* () {
        const { at } = yield* painted(paints("red", "blue"))
        const led = yield* Deferred.make<void>()
        const hesitating: Agent.DecidingAgent = {
          ...paints(),
          decide: () => Effect.zipRight(Deferred.succeed(led, undefined), Effect.never),
        }
        const before = yield* recorded
        const forking = yield* Effect.fork((yield* Kernel).fork(hesitating, { at, timeline: "again" }))
        yield* Deferred.await(led)
        yield* Fiber.interrupt(forking)
        expect(yield* recorded).toEqual(before)
        expect(yield* running).toBe(0)
        yield* nameIsFree(paints("red", "blue"), { at })
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("where the name was taken while it was set up", () =>
    Effect.gen(function* () {
      const { layer } = yield* withWall()
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const log = yield* EventLog
        const { at } = yield* painted(paints("red"))
        const note = { type: "NoteAdded", payload: { about: "here", text: "first" } } as const
        const taking: Agent.DecidingAgent = {
          ...paints(),
          decide: () =>
            Effect.as(log.append({ timeline: "again", stream: "timeline/again", actor: "human:me", events: [note] }), {
              done: "achieved" as const,
            }),
        }
        const error = yield* Effect.flip(kernel.fork(taking, { at, timeline: "again" }))
        expect(error).toMatchObject({ _tag: "TimelineNameInvalid" })
        expect(yield* timelines).toEqual(["main"])
        expect(yield* running).toBe(0)
      }).pipe(Effect.provide(layer))
    }),
  )
})

describe("a fork that is being set up", () => {
  it.scopedLive("is recorded in one commit when its agent asks for something new, with what its plugins logged", () =>
    Effect.gen(function* () {
      const { layer } = yield* withWall()
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        const { at, taskId } = yield* painted(paints("red"))
        const found: Array<string> = []
        const looking: Agent.DecidingAgent = {
          ...paints(),
          decide: ({ step }) =>
            Effect.map(log.readPage({ timeline: "again" }, 100), (own) => {
              found.push(`${step}: ${own.length === 0 ? "nothing" : own.map(({ type }) => type).join(" ")}`)
              return { done: "achieved" as const }
            }),
        }
        const { worlds } = yield* (yield* Kernel).fork(looking, { at, timeline: "again" })
        expect(worlds).toMatchObject([{ plugin: "wall", by: "snapshot" }])
        expect(found).toEqual(["0: nothing", "1: TimelineForked PluginLogged EnvironmentRestored"])
        const own = yield* log.readPage({ timeline: "again", taskId }, 100)
        const [forked, told, restored] = own
        expect(told?.payload.message).toBe("restoring")
        expect(restored?.causationId).toBe(forked?.id)
        expect(new Set([forked?.recordedAt, told?.recordedAt, restored?.recordedAt]).size).toBe(1)
        expect(restored?.position).toBe(Number(forked?.position) + 2)
        expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("has its name alone: another fork of that name is refused, and one without a name gets another", () =>
    Effect.gen(function* () {
      const { layer } = yield* withWall()
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const { at } = yield* painted(paints("red"))
        const [led, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const waiting: Agent.DecidingAgent = {
          ...paints(),
          decide: () =>
            Deferred.succeed(led, undefined).pipe(
              Effect.zipRight(Deferred.await(goOn)),
              Effect.as({ done: "achieved" as const }),
            ),
        }
        const first = yield* Effect.fork(kernel.fork(waiting, { at }))
        yield* Deferred.await(led)
        const same = yield* Effect.flip(kernel.fork(paints("red"), { at, timeline: "fork-1" }))
        expect(same).toMatchObject({ _tag: "TimelineNameInvalid", timeline: "fork-1" })
        expect((yield* kernel.fork(paints("red"), { at })).timeline).toBe("fork-2")
        yield* Deferred.succeed(goOn, undefined)
        expect((yield* Fiber.join(first)).timeline).toBe("fork-1")
        const together = yield* Effect.all(
          Array.from({ length: 4 }, () => Effect.either(kernel.fork(paints("red"), { at, timeline: "one" }))),
          { concurrency: "unbounded" },
        )
        expect(together.map(({ _tag }) => _tag).sort()).toEqual(["Left", "Left", "Left", "Right"])
        expect(yield* timelines).toEqual(["main", "fork-2", "fork-1", "one"])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("is in no log of a kernel that died", () =>
    Effect.gen(function* () {
      const { layer, log, directory } = yield* withWall()
      const copy = path.join(directory, "as-it-died.db")
      yield* Effect.gen(function* () {
        const { at } = yield* painted(paints("hangs"))
        const forking = yield* Effect.fork((yield* Kernel).fork(paints("hangs"), { at, timeline: "again" }))
        yield* seen(about("PluginStarted"), 2)
        const database = new Database(log)
        database.exec(`VACUUM INTO '${copy}'`)
        database.close()
        yield* Fiber.interrupt(forking)
      }).pipe(Effect.provide(layer))
      loseLease(copy)
      yield* trusted(copy)
      yield* Effect.gen(function* () {
        expect(yield* timelines).toEqual(["main"])
        expect(yield* ForkedTasks.list).toEqual([])
        expect(yield* running).toBe(0)
      }).pipe(Effect.provide(Hindcast.layer({ log: copy, workspace: directory })))
    }),
  )

  it.scopedLive("is recorded before a person is asked about it; then it is closed when it fails", () =>
    Effect.gen(function* () {
      const { layer } = yield* withWall(["snapshot"], {
        gate: { default: "allow", requests: { default: "confirm" }, confirmWithinMs: 60_000 },
      })
      yield* Effect.gen(function* () {
        const { at } = yield* painted(paints("asks"))
        const forking = yield* Effect.fork(Effect.flip((yield* Kernel).fork(paints("asks"), { at, timeline: "again" })))
        const asked = yield* seen(about("ConfirmationRequested"))
        expect(asked.timeline).toBe("again")
        expect(yield* timelines).toEqual(["main", "again"])
        yield* (yield* Confirmations).decide(String(asked.payload.confirmationId), {
          approved: true,
          by: "ada",
          channel: "program",
        })
        const error = yield* Fiber.join(forking)
        expect(error).toMatchObject({ _tag: "WorldDiffers" })
        expect(error.message).toContain("Timeline again was closed.")
        expect((yield* ForkedTasks.list)[0]?.task).toMatchObject({ outcome: "failed" })
      }).pipe(Effect.provide(layer))
    }),
  )
})

describe("a drafted timeline", () => {
  it.scopedLive("takes nothing once it was discarded, until its name is used again", () =>
    Effect.gen(function* () {
      const { layerLog } = yield* testKernel()
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        const { begin, log: drafting } = DraftTimelines.make(log)
        const first = yield* begin("again")
        const note = { type: "NoteAdded", payload: { about: "it", text: "x" } } as const
        const request = { timeline: "again", stream: "s", actor: "kernel", events: [note] }
        yield* drafting.append(request)
        yield* first?.discard ?? Effect.void
        expect(yield* Effect.flip(drafting.append(request))).toMatchObject({ _tag: "LogUnavailable" })
        const second = yield* begin("again")
        expect((yield* drafting.append(request)).version).toBe(1)
        yield* second?.commit ?? Effect.void
        yield* second?.commit ?? Effect.void
        expect((yield* drafting.append(request)).version).toBe(2)
        expect(yield* log.readPage({ timeline: "again" }, 10)).toHaveLength(2)
      }).pipe(Effect.provide(layerLog))
    }),
  )

  it.scopedLive("is committed when it is full, and goes on in the log", () =>
    Effect.gen(function* () {
      const { layerLog } = yield* testKernel()
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        const drafts = DraftTimelines.make(log)
        const draft = yield* drafts.begin("again")
        expect(yield* drafts.begin("again")).toBeUndefined()
        const note = { type: "NoteAdded", payload: { about: "it", text: "x" } } as const
        const append = (count: number) =>
          drafts.log.append({
            timeline: "again",
            stream: "s",
            actor: "kernel",
            events: Array.from({ length: count }, () => note),
          })
        const refused = { ...note, payload: { ...note.payload, text: 3 } }
        const invalid = { timeline: "again", stream: "s", actor: "kernel", events: [refused] }
        expect(yield* Effect.flip(drafts.log.append(invalid))).toMatchObject({ _tag: "InvalidEvent" })
        expect((yield* append(DraftTimelines.MAX_DRAFTED_EVENTS)).version).toBe(DraftTimelines.MAX_DRAFTED_EVENTS)
        expect(yield* log.versionOf("s", "again")).toBe(0)
        expect(draft?.isCommitted()).toBe(false)
        expect((yield* append(1)).version).toBe(DraftTimelines.MAX_DRAFTED_EVENTS + 1)
        expect(yield* log.versionOf("s", "again")).toBe(DraftTimelines.MAX_DRAFTED_EVENTS + 1)
        expect([draft?.isCommitted(), drafts.names()]).toEqual([true, []])
        yield* draft?.discard ?? Effect.void
        expect((yield* append(1)).version).toBe(DraftTimelines.MAX_DRAFTED_EVENTS + 2)
      }).pipe(Effect.provide(layerLog))
    }),
  )
})
