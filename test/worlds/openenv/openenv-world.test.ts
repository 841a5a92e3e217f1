/** Environments of OpenEnv servers as worlds of a kernel. */
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Scope } from "effect"
import * as OpenEnvManifest from "../../../src/cli/plugin/OpenEnvManifest.ts"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as Timelines from "../../../src/events/read/Timelines.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { Registry } from "../../../src/kernel/registry/Registry.ts"
import type { Projector } from "../../../src/projections/projector/Projector.ts"
import type { Json } from "../../../src/values/Json.ts"
import * as Rollout from "../../../src/worlds/rollout/Rollout.ts"
import * as World from "../../../src/worlds/World.ts"
import { eventsOf } from "../../agents/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { stepping } from "../group/given.ts"
import { counting, type Given, observation, recorded, replaying, type Session, serving } from "./server.ts"

const NAME = "remote"

type Services = Kernel | EventLog | Registry | Projector | Scope.Scope

/** Runs a test in a kernel with the world of a server. */
const withServer = <A, E>(
  given: Given,
  test: (server: Effect.Effect.Success<ReturnType<typeof serving>>) => Effect.Effect<A, E, Services>,
) =>
  Effect.gen(function* () {
    const server = yield* serving(given)
    const directory = yield* temporaryDirectory
    const plugin = path.join(directory, "sources", NAME)
    yield* OpenEnvManifest.write({ directory: plugin, name: NAME, url: server.url, schema: "s.json" })
    const { start } = yield* testKernel({ directory })
    const { run } = yield* start
    const tested = Effect.gen(function* () {
      const registry = yield* Registry
      yield* registry.import(plugin, { grants: { net: [server.host] }, activate: true })
      return yield* test(server)
    })
    return yield* run(Scope.extend(tested, yield* Effect.scope))
  })

const worldOf = <A, E>(given: Given, use: (world: World.World) => Effect.Effect<A, E, Services>) =>
  withServer(given, () => Effect.flatMap(World.open({ world: NAME }), use))

const count = (by: Json, world: World.World) => world.step(by)

describe("an environment of an OpenEnv server", () => {
  it.scopedLive("is a world: the seed, the spaces, steps, rewards and the end are the server's", () =>
    withServer({ session: counting() }, ({ asked }) =>
      Effect.gen(function* () {
        const world = yield* World.open({ world: NAME })
        expect(world.spaces()).toEqual({
          action: { type: "Discrete", n: 3 },
          observation: { type: "Box", dtype: "int64", shape: [], low: "-Infinity", high: "Infinity" },
        })
        expect(yield* world.reset({ seed: 44 })).toMatchObject({ observation: 2, info: {} })
        expect(asked[0]).toEqual({ type: "reset", data: { seed: 44 } })
        expect(yield* count(1, world)).toMatchObject({ observation: 3, reward: 3, terminated: false })
        expect(yield* world.state).toMatchObject({ steps: 1, observation: 3, server: { step_count: 1, half: 1.5 } })
        expect(yield* count(2, world)).toMatchObject({ observation: 5, reward: 5, terminated: true, truncated: false })
        expect(yield* Effect.flip(count(1, world))).toMatchObject({ code: "EpisodeOver" })
        expect(yield* world.reset({ seed: 3, options: { episode_id: "mine" } })).toMatchObject({ observation: 0 })
        expect(asked.findLast(({ type }) => type === "reset")?.data).toEqual({ seed: 3, episode_id: "mine" })
      }),
    ),
  )

  it.scopedLive.each(["0.10.0", "0.3.0"])("answers as the package %s did, which was recorded", (version) =>
    Effect.gen(function* () {
      const exchanges = recorded(version)
      yield* worldOf({ ...exchanges, session: replaying(exchanges) }, (world) =>
        Effect.gen(function* () {
          expect(world.info.description).toBe("EchoDemoEnvironment environment")
          expect(world.spaces().action).toEqual({ type: "Text", min_length: 0, max_length: 1_048_576 })
          const first = yield* world.reset({ seed: 42, options: { episode_id: "ep-1" } })
          expect(first.observation).toEqual({ echoed_message: "Echo Demo environment ready!", message_length: 0 })
          const { reward, observation, info } = yield* world.step("hello")
          expect([observation, reward]).toEqual([{ echoed_message: "hello", message_length: 5 }, 0.5])
          expect(info).toEqual(version === "0.3.0" ? {} : { metadata: { original_message: "hello", step: 1 } })
          expect(yield* world.state).toMatchObject({ steps: 1, server: { step_count: 1 } })
        }),
      )
    }),
  )

  const player = stepping(() => 1, NAME)
  const run = Effect.flatMap(Kernel, ({ tasks }) =>
    tasks.run(player, { id: "count", goal: "Count", seed: 1, plugins: [NAME] }),
  )

  const forked = Effect.gen(function* () {
    yield* run
    const readings = (yield* eventsOf("count")).filter(({ type }) => type === "SensorRead")
    const kernel = yield* Kernel
    const agent = stepping(() => 0, NAME)
    const fork = yield* kernel.fork(agent, { at: `@${readings[2]?.position}`, task: "count", maxSteps: 1 })
    const log = yield* EventLog
    const view = Timelines.view(log, yield* Timelines.named(log, fork.timeline))
    return yield* view.readPage({ taskId: "count", timeline: view.timeline }, 1_000)
  })

  it.scopedLive("is played by an agent, and each request to the server is recorded", () =>
    withServer({ session: counting() }, ({ host }) =>
      Effect.gen(function* () {
        expect((yield* run).outcome).toBe("achieved")
        const events = yield* eventsOf("count")
        const results = events.filter(({ type }) => type === "CommandSucceeded").map(({ payload }) => payload.result)
        expect(results).toMatchObject([{ reward: 2 }, { reward: 3 }, { reward: 4 }, { reward: 5, terminated: true }])
        const asked = events.filter(({ type }) => type === "BrokerRequested").map(({ payload }) => payload.request)
        expect(asked).toHaveLength(1 + 2 + 4 * 2)
        expect(asked[0]).toEqual({ url: `ws://${host}/ws`, method: "GET", headers: [] })
      }),
    ),
  )

  it.scopedLive("is forked by the same actions again, in a session of its own", () =>
    withServer({ session: counting() }, ({ asked }) =>
      Effect.gen(function* () {
        const fork = yield* forked
        expect(fork.find(({ type }) => type === "EnvironmentRestored")?.payload).toMatchObject({
          plugin: NAME,
          by: "re-execution",
          checked: { document: true, outcomes: 2 },
        })
        const again = asked.slice(asked.findLastIndex(({ type }) => type === "reset"))
        expect(again.filter(({ type }) => type === "step").map(({ data }) => data)).toEqual([
          { by: 1 },
          { by: 1 },
          { by: 0 },
        ])
      }),
    ),
  )

  it.scopedLive("that ignores its seed is found when it is forked, and named", () =>
    withServer(
      {
        session: counting(({ type }, steps) =>
          type === "step" ? observation({ observation: { at: steps }, reward: Math.random(), done: false }) : undefined,
        ),
      },
      () =>
        Effect.gen(function* () {
          const agent = stepping(() => 1, NAME)
          const kernel = yield* Kernel
          yield* kernel.tasks.run(agent, { id: "count", goal: "Count", seed: 1, plugins: [NAME], maxSteps: 3 })
          const readings = (yield* eventsOf("count")).filter(({ type }) => type === "SensorRead")
          const at = `@${readings[2]?.position}`
          const failure = yield* Effect.flip(kernel.fork(agent, { at, task: "count", maxSteps: 1 }))
          expect(failure).toMatchObject({ _tag: "WorldDiffers" })
        }),
    ),
  )

  it.scopedLive("is rolled out with each step recorded; compact form and clones are refused by name", () =>
    withServer({ session: counting() }, () =>
      Effect.gen(function* () {
        const options = { world: NAME, policy: () => 2, episodes: 2, seed: 1, parallel: 2 }
        const { episodes } = yield* Rollout.run({ ...options, record: "full" })
        expect(episodes.map(({ return: sum, steps }) => [sum, steps])).toEqual([
          [3 + 5, 2],
          [4 + 6, 2],
        ])
        const compact = yield* Effect.flip(Rollout.run(options))
        expect(compact).toMatchObject({ _tag: "RolloutRefused", reason: expect.stringContaining("without grants") })
        const world = yield* World.open({ world: NAME })
        yield* world.reset({ seed: 1 })
        const { message } = yield* Effect.flip(world.clone)
        expect(message).toContain("grants")
      }),
    ),
  )

  const broken: ReadonlyArray<readonly [string, Session | ReturnType<Session>, RegExp]> = [
    ["NaN", '{"type":"observation","data":{"observation":{"at":1},"reward":NaN,"done":false}}', /expected JSON/],
    ["another type", { type: "state", data: {} }, /expected a message of the type observation, found "state"/],
    ["no data", { type: "observation" }, /expected an object with data/],
    [
      "a field less",
      observation({ observation: { on: 1 }, reward: 0, done: false }),
      /with the field at, found \["on"\]/,
    ],
    ["no observation", observation({ observation: null, reward: 0, done: false }), /an observation with fields/],
    ["a flag that is none", observation({ observation: { at: 1 }, reward: 0, done: "no" }), /done to be true or false/],
    [
      "a reward that is text",
      observation({ observation: { at: 1 }, reward: "1", done: false }),
      /a reward that is a number/,
    ],
    ["100 MB", (socket: never) => hundredMegabytes(socket), /at most 4194304 bytes, found more/],
    [
      "the end of the connection",
      (socket: { destroy: () => void }) => socket.destroy(),
      /ended the connection|was lost/,
    ],
  ] as never

  it.scopedLive.each(broken)(
    "that answers a step with %s fails it, says why, and ends the session",
    ([_, answer, said]) =>
      worldOf({ session: counting(({ type }) => (type === "step" ? (answer as never) : undefined)) }, (world) =>
        Effect.gen(function* () {
          yield* world.reset({ seed: 1 })
          expect((yield* Effect.flip(world.step(1))).message).toMatch(said)
          const lost = yield* Effect.flip(world.step(1))
          expect(lost).toMatchObject({ code: "SessionLost" })
          expect(lost.message).toMatch(said)
          // A reset begins a new session.
          expect(yield* world.reset({ seed: 2 })).toMatchObject({ observation: 2 })
        }),
      ),
  )

  it.scopedLive("that refuses an action goes on, and its code and its words are the step's", () =>
    Effect.gen(function* () {
      const data = { message: "Invalid message", code: "VALIDATION_ERROR", errors: [{ loc: ["by"] }] }
      const session = counting(({ type }, steps) =>
        type === "step" && steps === 1 ? { type: "error", data } : undefined,
      )
      yield* worldOf({ session }, (world) =>
        Effect.gen(function* () {
          yield* world.reset({ seed: 1 })
          const refused = yield* Effect.flip(world.step(1))
          expect(refused).toMatchObject({ code: "VALIDATION_ERROR" })
          expect(refused.message).toContain('Invalid message {"errors":[{"loc":["by"]}]}')
          expect(yield* world.step(1)).toMatchObject({ observation: 3 })
        }),
      )
    }),
  )

  it.scopedLive("at its capacity says so, and one that is down does", () =>
    withServer({ session: counting(), greeting: recorded("0.10.0").atCapacity }, ({ close }) =>
      Effect.gen(function* () {
        const world = yield* World.open({ world: NAME })
        expect((yield* Effect.flip(world.reset({ seed: 1 }))).message).toContain("CAPACITY_REACHED")
        close()
        expect((yield* Effect.flip(world.reset({ seed: 1 }))).message).toContain("ECONNREFUSED")
      }),
    ),
  )

  it.scopedLive("gets no connection without the grant of its host", () =>
    Effect.gen(function* () {
      const server = yield* serving({ session: counting() })
      const directory = yield* temporaryDirectory
      const plugin = path.join(directory, "sources", NAME)
      yield* OpenEnvManifest.write({ directory: plugin, name: NAME, url: server.url, schema: "s.json" })
      const { start } = yield* testKernel({ directory })
      const { run } = yield* start
      const refused = yield* run(Effect.flip(Effect.flatMap(Registry, (registry) => registry.import(plugin))))
      expect(refused.message).toContain(`--grant-net ${server.host} grants it`)
      expect(server.open.size).toBe(0)
    }),
  )
})

/** A text of 100 MB in one frame. */
const hundredMegabytes = (socket: NodeJS.WritableStream) => {
  const head = Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 0, 0, 0])
  head.writeBigUInt64BE(100_000_000n, 2)
  socket.write(head)
  socket.write(Buffer.alloc(1024, "x"))
}

describe("plugin new --openenv", () => {
  const written = (given: Partial<Given>) =>
    Effect.gen(function* () {
      const server = yield* serving({ session: counting(), ...given })
      const directory = path.join(yield* temporaryDirectory, "made")
      const made = yield* Effect.either(
        OpenEnvManifest.write({ directory, name: "made", url: server.url, schema: "s.json" }),
      )
      const file = path.join(directory, "looper-plugin.json")
      const manifest = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : undefined
      return { made, manifest, directory, server }
    })

  it.scopedLive("asks for its server alone, and says which fields it leaves out or holds as JSON", () =>
    Effect.gen(function* () {
      const schema = {
        action: {
          type: "object",
          properties: {
            metadata: { type: "object" },
            move: { type: "string", maxLength: 5 },
            extras: { anyOf: [{ type: "string" }, { type: "null" }] },
            level: { type: "integer" },
          },
          required: ["move", "extras"],
        },
        observation: {
          type: "object",
          $defs: { Cell: { type: "object", properties: { x: { type: "integer" } }, required: ["x"] } },
          properties: {
            done: { type: "boolean" },
            board: { type: "array", items: { $ref: "#/$defs/Cell" } },
            legal: { type: "array", items: { type: "integer", minimum: 0, maximum: 8 } },
            note: {},
          },
        },
      }
      const { made, manifest, server } = yield* written({ schema, metadata: { name: "Board\u202e", version: "2.1" } })
      expect(made).toMatchObject({
        right: {
          host: server.host,
          notes: [
            "action/level is left out: the server has a default for it",
            "action/extras is JSON in a text: no space has its values",
            "observation/note is JSON in a text: no space has its values",
          ],
        },
      })
      expect(manifest).toMatchObject({
        name: "made",
        version: "2.1",
        permissions: { read: [], run: [], net: [server.host] },
      })
      const { spaces, name } = manifest.peas.environment
      expect(name).not.toContain("\u202e")
      expect(spaces.observation.subspaces).toEqual({
        board: { type: "Sequence", feature_space: { type: "Dict", subspaces: { x: expect.anything() } } },
        legal: { type: "Sequence", feature_space: { type: "Discrete", n: 9 } },
        note: { type: "Text", min_length: 0, max_length: 1_048_576 },
      })
      expect(Object.keys(spaces.action.subspaces)).toEqual(["move", "extras"])
    }),
  )

  it.scopedLive.each([
    ["schemas that are no JSON", { schema: "<html>" }, /schema: expected a JSON object/],
    [
      "an action without fields",
      { schema: { ...{ action: {} }, observation: {} } },
      /the schema of an action with fields/,
    ],
    ["no metadata", { metadata: "[]" }, /metadata: expected a JSON object/],
    ["schemas of 2 MB", { schema: `{"x":"${"x".repeat(2_000_000)}"}` }, /more than 1048576/],
  ] as const)("writes nothing for %s", ([_, given, said]) =>
    Effect.gen(function* () {
      const { made, directory } = yield* written(given)
      expect(made).toMatchObject({ left: { message: expect.stringMatching(said) } })
      expect(fs.existsSync(directory)).toBe(false)
    }),
  )
})
