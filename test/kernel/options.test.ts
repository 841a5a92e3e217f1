import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { describe, expect } from "vitest"
import { layerMemory, layerSqlite } from "../../src/events/index.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Agent from "../../src/kernel/agents/Agent.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Registry from "../../src/kernel/registry/Registry.ts"
import { Scoring } from "../../src/kernel/scoring/Scoring.ts"
import * as PluginHost from "../../src/plugins/process/PluginHost.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import { temporaryDirectory } from "../temporary.ts"
import { outside, placesOf, wrongIn } from "../wrongOptions.ts"
import type { Sample } from "./given.ts"
import { testKernel } from "./testKernel.ts"

const lamp: Sample = {
  name: "lamp",
  sensors: [{ name: "light" }],
  actuators: [{ name: "switch" }],
  entry: `export default { sensors: { light: () => 1 }, actuators: { switch: () => 1 } }`,
}

const agent = { name: "me", version: "1", decide: () => ({ done: "achieved" as const }) }
const reward = { name: "r", when: "always", weight: 0.5, rule: "true" }
const rubric = { name: "r", measures: [{ name: "m", description: "d", rewards: [reward] }] }

describe("the options of a layer", () => {
  const built = <A>(layer: Layer.Layer<A, unknown>) => Effect.scoped(wrongIn(Layer.build(layer)))

  it.scopedLive("are refused before anything is made, all that is wrong at once", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const log = path.join(directory, "log.db")
      const limits = { heapMiB: 1.5, memoryMiB: -1, nicenes: 3, descriptors: 2 ** 40, wasmPages: Number.NaN }
      const options = {
        log,
        plugin: ["./lamp"],
        seed: -1,
        owner: "",
        idleMs: Number.POSITIVE_INFINITY,
        actor: "a\nb",
        restarts: { windowMs: 1, crashes: 0, firstMs: 1 },
        host: { sandbox: "namespace", limits },
        gate: { default: "alow" },
      }
      expect(yield* built(Hindcast.layer(outside(options)))).toEqual([
        "plugin: plugins?",
        "actor",
        'gate.default: "allow"?',
        "seed",
        "idleMs",
        "restarts.crashes",
        "restarts.mostMs",
        'host.sandbox: "namespaces"?',
        "host.limits.nicenes: niceness?",
        "host.limits.heapMiB",
        "host.limits.memoryMiB",
        "host.limits.wasmPages",
        "host.limits.descriptors",
        "owner",
      ])
      expect(yield* built(Hindcast.layerLog(outside({ log: { filename: log, durabilty: "full" } })))).toEqual([
        "log.durabilty: durability?",
      ])
      expect(yield* built(layerSqlite(outside({ filename: log, readonly: "no", durability: "ful" })))).toEqual([
        'durability: "full"?',
        "readonly",
      ])
      expect(yield* built(layerSqlite(outside({ filename: log, vocabulary: {} })))).toEqual(["vocabulary"])
      expect(yield* built(PluginHost.layerOf(outside({ sandbox: "none" })))).toEqual(["host.sandbox"])
      const registry = { directry: directory, workspace: "", actor: "a\nb" }
      const reading = Projector.layer.pipe(Layer.provideMerge(layerMemory()))
      expect(yield* built(Layer.provide(Registry.layer(outside(registry)), reading))).toEqual([
        "directry: directory?",
        "directory",
        "workspace",
        "actor",
      ])
      for (const options of [undefined, null, 7, [], { log: 7 }, { log: "" }, { log: "a\0b" }]) {
        expect(yield* built(Hindcast.layer(outside(options)))).toEqual([
          options === null || typeof options !== "object" || Array.isArray(options) ? "" : "log",
        ])
      }
      expect(fs.readdirSync(directory)).toEqual([])
    }),
  )

  it.scopedLive("the options of a layer with a workspace that is no directory are refused", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const log = path.join(directory, "log.db")
      expect(yield* built(Hindcast.layer({ log, workspace: path.join(directory, "none") }))).toEqual(["workspace"])
      fs.writeFileSync(path.join(directory, "file"), "")
      expect(yield* built(Hindcast.layerLog({ log, workspace: path.join(directory, "file") }))).toEqual(["workspace"])
    }),
  )

  it.scopedLive("the options of a layer whose value is undefined are left out", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const options = { log: path.join(directory, "log.db"), workspace: undefined, actor: undefined }
      const head = Effect.flatMap(EventLog, (log) => log.head)
      expect(yield* Effect.provide(head, Hindcast.layerLog(outside(options)))).toMatchObject({ position: 0 })
    }),
  )
})

describe("the options of a kernel's functions", () => {
  it.scopedLive("are refused before anything is recorded", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [lamp] })
      yield* Effect.gen(function* () {
        const { tasks, fork, replay, rescore, plugins } = yield* Kernel
        const log = yield* EventLog
        const before = yield* log.head
        const open = (options: unknown) => wrongIn(tasks.open(outside(options)))
        const run = (agent: unknown, options: unknown) => wrongIn(tasks.run(outside(agent), outside(options)))

        expect(yield* open({ goals: "x", seed: 0.5 })).toEqual(["goals: goal?", "goal", "seed"])
        expect(yield* open({ goal: " " })).toEqual(["goal"])
        expect(yield* open({ goal: "x", plugins: "lamp", environment: { lamp: [] } })).toEqual([
          "plugins",
          "environment.lamp",
        ])
        expect(yield* open({ goal: "x", plugins: ["lmap"], environment: { Lamp: {} } })).toEqual([
          "plugins[0]: lamp?",
          "environment.Lamp: lamp?",
        ])
        expect(yield* run(agent, { goal: "x", maxStep: 3, deadlineMs: Number.NaN, maxSteps: 0 })).toEqual([
          "maxStep: maxSteps?",
          "maxSteps",
          "deadlineMs",
        ])
        expect(yield* run(agent, { goal: "x", maxSteps: Number.POSITIVE_INFINITY })).toEqual(["maxSteps"])
        expect(yield* run({ name: "me" }, { goal: "x" })).toEqual(["agent"])

        expect(yield* wrongIn(fork(agent, outside({ at: 1, io: "lve", rewind: "snap", from: 2 })))).toEqual([
          "from",
          'io: "live"?',
          "rewind",
        ])
        const overrides = { sed: 1, seed: -1, goal: " ", readings: { "lamp/light": Number.NaN }, world: [] }
        expect(yield* wrongIn(fork(agent, outside({ at: 1, overrides, maxSteps: 0 })))).toEqual([
          "maxSteps",
          "overrides.sed: seed?",
          "overrides.seed",
          "overrides.goal",
          'overrides.readings["lamp/light"]',
          "overrides.world",
        ])
        expect(yield* wrongIn(fork(outside(undefined), { at: 1 }))).toEqual(["agent"])
        expect(yield* wrongIn(replay("t", agent, outside({ timelin: "main" })))).toEqual(["timelin: timeline?"])

        expect(yield* wrongIn(rescore(outside({ rubrc: rubric, task: ["t"] })))).toEqual([
          "rubrc: rubric?",
          "task: tasks?",
          "rubric",
        ])
        const measures = [{ ...rubric.measures[0], rewards: [{ ...reward, weigth: 1, weight: 2 }] }]
        const critics = { wishes: [{ critic: "rules" }], model: { model: {}, repeats: 0 } }
        const select = { outcomes: ["achived"], openedAfter: -1 }
        expect(yield* wrongIn(rescore(outside({ rubric: { name: "r", measures }, critics, select })))).toEqual([
          "rubric.measures[0].rewards[0].weigth: weight?",
          "rubric.measures[0].rewards[0].weight",
          "select.openedAfter",
          'select.outcomes[0]: "achieved"?',
          'critics.wishes[0].critic: "rule"?',
          "critics.model.model",
          "critics.model.repeats",
        ])
        const { promote } = yield* Scoring
        expect(yield* wrongIn(promote(outside({ pionter: "official", scoreSetIds: "s", actor: "" })))).toEqual([
          "pionter: pointer?",
          "pointer",
          "scoreSetIds",
          "actor",
        ])
        expect(yield* wrongIn(plugins.import("x", outside({ grant: {}, grants: { rnu: ["git"] } })))).toEqual([
          "grant: grants?",
          "grants.rnu: run?",
        ])
        expect(yield* log.head).toEqual(before)

        const task = yield* tasks.open({ goal: "x" })
        expect(yield* wrongIn(task.perceive(outside({ deadline: 3 })))).toEqual(["deadline: deadlineMs?"])
        expect(yield* wrongIn(task.act("lamp/switch", {}, outside({ causation: "x" })))).toEqual([
          "causation: causationId?",
        ])
        expect(yield* wrongIn(task.say("x", outside({ causationId: 7 })))).toEqual(["causationId"])
        const late = yield* Effect.flip(task.perceive({ deadlineMs: Number.NaN }))
        expect(late).toMatchObject({ _tag: "InvalidDeadline" })
        const types = (yield* log.readPage({ taskId: task.id }, 10)).map(({ type }) => type)
        expect(types).toEqual(["TaskOpened"])
      }).pipe(Effect.provide(layer))
    }),
  )
})

describe("the options of an agent", () => {
  it("are refused when it is made", () => {
    const made = (options: unknown) => () => Agent.fromPolicy(outside(options))
    const places = (options: unknown) =>
      placesOf(Either.getOrThrow(Either.flip(Either.try({ try: made(options), catch: (error) => error }))))
    expect(places({ name: "", version: 1, polcy: () => ({ done: "achieved" }) })).toEqual([
      "polcy: policy?",
      "name",
      "version",
      "policy",
    ])
    expect(places(undefined)).toEqual([""])
  })
})
