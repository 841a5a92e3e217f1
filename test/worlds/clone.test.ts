import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Scope } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Agent from "../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import type { JsonObject } from "../../src/values/Json.ts"
import { asObject } from "../../src/values/JsonObjects.ts"
import * as World from "../../src/worlds/World.ts"
import { TimeLimit } from "../../src/worlds/wrappers/EpisodeWrappers.ts"
import { wrapped } from "../../src/worlds/wrappers/Wrapper.ts"
import { type TestKernelOptions, testKernel } from "../kernel/testKernel.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"

const DRIFT = inRepository("test/worlds/samples/drift")
const FOUR = inRepository("packages/worlds/connect-four")

const started = (options: TestKernelOptions) =>
  Effect.gen(function* () {
    const { run } = yield* Effect.flatMap(testKernel(options), ({ start }) => start)
    const scope = yield* Effect.scope
    return { run, open: (of: World.WorldOptions) => run(Scope.extend(World.open(of), scope)) }
  })

const eventsOf = (query: Parameters<EventLog["Type"]["readPage"]>[0]) =>
  Effect.flatMap(EventLog, (log) => log.readPage(query, 10_000))

/** The sample `drift` with another manifest or source. */
const driftWith = (change: {
  readonly manifest?: (text: string) => string
  readonly source?: (text: string) => string
}) =>
  Effect.map(temporaryDirectory, (directory) => {
    const at = path.join(directory, "drift")
    fs.cpSync(DRIFT, at, { recursive: true })
    for (const [name, changed] of [
      ["looper-plugin.json", change.manifest],
      ["world.ts", change.source],
    ] as const) {
      const file = path.join(at, name)
      const before = fs.readFileSync(file, "utf8")
      const after = changed?.(before) ?? before
      if (changed !== undefined) expect(after).not.toBe(before)
      fs.writeFileSync(file, after)
    }
    return at
  })

describe("a clone of a world", () => {
  it.scopedLive("does what the world would do, with the same random numbers, and the world stays where it is", () =>
    Effect.gen(function* () {
      const { run, open } = yield* started({ plugins: [DRIFT] })
      const world = yield* open({ world: "drift" })
      yield* world.reset({ seed: 42 })
      yield* world.step(1)
      const before = yield* world.state
      const clone = yield* world.clone
      expect(yield* clone.state).toEqual(before)
      expect([yield* clone.observe(), yield* clone.mask(), clone.agents()]).toEqual([
        yield* world.observe(),
        yield* world.mask(),
        ["agent"],
      ])
      const tried = [yield* clone.step(-1), yield* clone.step(1), yield* clone.step(1)]
      const other = yield* clone.clone
      yield* clone.restore(before)
      const best = yield* clone.step(1)
      expect(yield* world.state).toEqual(before)
      const last = yield* other.step(1)
      expect(last).toMatchObject({ terminated: true })
      expect(yield* other.status()).toBe("terminated")
      expect(yield* Effect.flip(other.step(1))).toMatchObject({ _tag: "ActionRefused", code: "EpisodeOver" })
      expect(yield* Effect.flip(clone.step(5))).toMatchObject({ _tag: "ActionRefused", code: "ActionOutsideSpace" })

      const steps = [yield* world.step(-1), yield* world.step(1), yield* world.step(1), yield* world.step(1)]
      expect(steps).toEqual([...tried, last])
      const again = yield* world.restore(before)
      expect(yield* again.step(1)).toEqual(best)

      const taskId = yield* world.taskId
      yield* world.close
      expect(yield* Effect.flip(again.step(1))).toMatchObject({ _tag: "CloneEnded" })
      expect(yield* Effect.flip(again.state)).toMatchObject({ _tag: "CloneEnded" })
      expect(yield* Effect.flip(world.clone)).toMatchObject({ _tag: "NoEpisode" })

      const events = yield* run(eventsOf({ taskId }))
      const [begun, ...others] = events.filter(({ type }) => type === "SearchStarted")
      expect([begun?.actor, others, begun?.payload]).toMatchObject([
        "search",
        [],
        { plugin: "drift", version: "1.0.0" },
      ])
      const searched = events.filter(({ type }) => type === "StepsSearched")
      for (const { actor, causationId, payload } of searched) {
        expect([actor, causationId, payload.searchId]).toEqual(["search", begun?.id, begun?.payload.searchId])
      }
      const runs = searched.flatMap(({ payload }) => payload.runs as ReadonlyArray<JsonObject>)
      expect(runs.map(({ clone: of, from, actions, refused }) => [of, from, actions, refused])).toEqual([
        [0, { step: 1 }, [{ agent: -1 }], undefined],
        [0, { run: 0 }, [{ agent: 1 }], undefined],
        [0, { run: 1 }, [{ agent: 1 }], undefined],
        [0, { step: 1 }, [{ agent: 1 }], undefined],
        [1, { run: 2 }, [{ agent: 1 }], undefined],
        [1, { run: 4 }, [{ agent: 1 }], "EpisodeOver"],
        [0, { run: 3 }, [{ agent: 5 }], "ActionOutsideSpace"],
        // The world has moved on, so its past state is in the event.
        [2, { state: before }, [{ agent: 1 }], undefined],
      ])
      // What the search did was in the log before the step that followed it.
      const commands = events.filter(({ type }) => type === "ActuatorCommanded")
      expect(
        [searched[0]?.position, searched[1]?.position].map((at) =>
          commands.findIndex((one) => one.position > (at ?? 0)),
        ),
      ).toEqual([1, -1])
      const audit = yield* run(Effect.flatMap(Kernel, (kernel) => kernel.audit(taskId)))
      expect(audit.acting).toMatchObject({ commanded: 5, succeeded: 5 })
      const given = steps.reduce((sum, { reward }) => sum + reward, 0)
      const [first] = events.filter(({ type }) => type === "CommandSucceeded")
      const net = given + Number(asObject(first?.payload.result ?? null).reward)
      expect(audit.scores.find(({ label }) => label === "return")?.net).toBeCloseTo(net, 9)
    }),
  )

  it.scopedLive("plays out by a seed, and acts for several agents in turns", () =>
    Effect.gen(function* () {
      const { open } = yield* started({ plugins: [FOUR] })
      const world = yield* open({ world: "connect-four", agents: ["ann", "ben"] })
      yield* world.reset({ seed: 1 })
      const clone = yield* world.clone
      expect([yield* clone.turn, clone.agents()]).toEqual(["ann", ["ann", "ben"]])
      const start = yield* clone.state
      const played = yield* clone.playOut({ seed: 3 })
      expect(played).toMatchObject({ ended: true })
      expect(Object.values(played.returns).reduce((sum, one) => sum + one, 0)).toBe(0)
      const end = yield* clone.state
      expect(yield* clone.turn).toBeNull()
      yield* clone.restore(start)
      expect(yield* clone.playOut({ seed: 3 })).toEqual(played)
      expect(yield* clone.state).toEqual(end)
      yield* clone.restore(start)
      expect(yield* clone.playOut({ seed: 3, maxRounds: 2 })).toEqual({
        rounds: 2,
        returns: { ann: 0, ben: 0 },
        ended: false,
      })
      expect(yield* Effect.flip(clone.playOut({ maxRounds: 0 }))).toMatchObject({ _tag: "InvalidOptions" })
      expect(yield* Effect.flip(clone.step(0, "cem"))).toMatchObject({ _tag: "NoSuchAgent" })
      expect(yield* Effect.flip(clone.step(0, "ben"))).toMatchObject({ _tag: "ActionRefused", code: "NotYourTurn" })
      expect(yield* clone.step(0, "ann")).toMatchObject({ reward: 0, terminated: false })
      // The state of a clone cannot be changed by mistake: the record names the run that led to it.
      expect(() => Object.assign(end, { moves: 0 })).toThrow(TypeError)
      expect(yield* world.state).toEqual(start)
    }),
  )

  it.scopedLive("is refused with the reason", () =>
    Effect.gen(function* () {
      const reasonOf = (plugin: string, options: TestKernelOptions = {}) =>
        Effect.scoped(
          Effect.gen(function* () {
            const { run, open } = yield* started({ plugins: [plugin], ...options })
            const world = yield* open({ world: "drift" })
            yield* world.reset({ seed: 1 })
            const { message } = yield* Effect.flip(world.clone)
            expect(yield* run(eventsOf({ types: ["StepsSearched"] }))).toEqual([])
            return message
          }),
        )
      const granted = yield* driftWith({ manifest: (text) => text.replace('"read": []', '"read": ["."]') })
      expect(yield* reasonOf(granted)).toContain("drift cannot be cloned: expected a plugin without grants")
      const forgetful = yield* driftWith({
        manifest: (text) => text.replace('"rewind": ["snapshot"],', ""),
        source: (text) => text.replace("restore: (", "forgotten: ("),
      })
      expect(yield* reasonOf(forgetful)).toContain("expected a manifest whose rewind has snapshot, found none")
      const rules = [{ name: "ask", actuator: "drift/*", decision: "confirm" } as const]
      expect(yield* reasonOf(DRIFT, { gate: { rules, default: "allow" } })).toContain("its rule ask says confirm")
      const lying = yield* driftWith({
        source: (text) => text.replace("at = Number(state.at)", "at = Number(state.at) + 1"),
      })
      expect(yield* reasonOf(lying)).toContain(
        "expected restore to return to the given state, found another value at /at",
      )
    }),
  )

  it.scopedLive("is refused of a world with a wrapper, and ends when it is closed", () =>
    Effect.gen(function* () {
      const { open } = yield* started({ plugins: [DRIFT] })
      const world = yield* open({ world: "drift" })
      yield* world.reset({ seed: 1 })
      const limited = Either.getOrThrow(wrapped(world, TimeLimit(3)))
      expect((yield* Effect.flip(limited.clone)).message).toContain("expected a world without wrappers")
      const clone = yield* world.clone
      expect((yield* Effect.flip(clone.restore({ at: 1 }))).message).toContain("drift")
      yield* clone.close
      expect(yield* Effect.flip(clone.step(1))).toMatchObject({ _tag: "CloneEnded" })
    }),
  )

  it.scopedLive("leaves a task that can be forked as if nothing had been tried", () =>
    Effect.gen(function* () {
      const { run, open } = yield* started({ plugins: [DRIFT] })
      const world = yield* open({ world: "drift" })
      yield* world.reset({ seed: 5 })
      for (const action of [1, -1]) {
        const clone = yield* world.clone
        yield* clone.playOut({ seed: action + 1 })
        yield* world.step(action)
      }
      const states = yield* world.state
      const taskId = yield* world.taskId
      yield* world.close
      const steady = Agent.fromPolicy({
        name: "steady",
        version: "1",
        policy: () => ({ act: "drift/step", args: { action: 1 } }),
      })
      yield* run(
        Effect.gen(function* () {
          const kernel = yield* Kernel
          const events = yield* eventsOf({ taskId })
          const searched = events.filter(({ type }) => type === "StepsSearched")
          expect(searched.length).toBe(2)
          for (const at of searched) {
            const { audit } = yield* kernel.fork(steady, { at: at.position, task: taskId, maxSteps: 1 })
            expect(audit.acting.succeeded).toBeGreaterThan(0)
          }
          expect(states).toMatchObject({ at: 0 })
        }),
      )
    }),
  )
})
