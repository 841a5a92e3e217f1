/** The worlds as plugins: their manifests and measures, and their modules in a Deno process without permissions. */
import { execFileSync } from "node:child_process"
import { beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Rubric from "../../src/kernel/rules/Rubric.ts"
import * as Manifest from "../../src/plugins/manifest/Manifest.ts"
import type { Json, JsonObject } from "../../src/values/Json.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { inRepository } from "../repository.ts"

const directoryOf = (world: string) => inRepository("packages", "worlds", world)

/** A task in a world. */
interface Story {
  readonly options: JsonObject
  readonly agents?: ReadonlyArray<string>
  /** What they do, one after the other; `agent` is that of a world for one. */
  readonly actions: ReadonlyArray<readonly [agent: string, action: Json]>
  /** A part of what the last command comes to. */
  readonly last: JsonObject
  /** What the world's measures give and take. */
  readonly scores: { readonly [name: string]: number }
}

const STORIES: { readonly [world: string]: Story } = {
  minigrid: {
    options: { level: "Empty", size: 5, max_steps: 100 },
    actions: [2, 2, 3, 1, 2, 2].map((action) => ["agent", action]),
    last: { reward: 1 - 0.9 * (6 / 100), terminated: true },
    scores: { "at the goal": 1, "within a tenth": 0.5, "to no purpose": -0.01 },
  },
  "grid-world": {
    options: { rows: ["S.G", "S*A"], starts: { ben: [1, 1] } },
    agents: ["ann", "ben"],
    actions: [
      ["ann", 1],
      ["ben", 5],
      ...[1, 4].map((action) => ["ben", action] as const),
      ...[4, 4].map((action) => ["ann", action] as const),
    ],
    last: { rewards: { step: -0.01, goal: 1, things: 0 }, terminated: true, outcome: "achieved" },
    scores: { "all arrived": 1, "one arrived": 0.3, "brought a thing": 0.3, blocked: -0.02 },
  },
  "text-rooms": {
    options: { admissible_commands: true },
    agents: ["ann", "ben"],
    actions: [
      ["ann", "examine clock"],
      ["ann", "say It is in the clock."],
      ["ben", "say Take it."],
      ["ben", "dance"],
    ],
    last: { rewards: { goal: 0, events: 0 }, terminated: false, info: { refused: true } },
    scores: { "found something": 0.3, "all spoke": 0.3 },
  },
  "prisoners-dilemma": {
    options: { rounds: 2 },
    agents: ["ann", "ben"],
    actions: [
      ["ann", 0],
      ["ann", 1],
    ],
    last: { reward: 5, terminated: true },
    scores: { "both cooperated": 0.1, "far apart": -0.5 },
  },
  "connect-four": {
    options: {},
    agents: ["ann", "ben"],
    actions: [0, 3, 0, 3, 1, 3, 0, 3].map((action, turn) => [turn % 2 === 0 ? "ann" : "ben", action]),
    last: { reward: 1, terminated: true, outcome: "achieved", others: { ann: { reward: -1 } } },
    scores: { "four in a line": 1, "within twenty moves": 0.5 },
  },
  "public-goods": {
    options: { endowment: 100, rounds: 2 },
    agents: ["ann", "ben"],
    actions: [
      ["ann", 0],
      ["ann", 100],
    ],
    last: { reward: 80, rewards: { kept: 0, share: 80 }, terminated: true },
    scores: { "an empty pot": -0.1, "a free rider": -0.5 },
  },
  "chat-room": {
    options: {},
    agents: ["ann", "ben"],
    actions: [
      ["ann", "Hello"],
      ["ben", "Good morning"],
    ],
    last: { reward: 0, terminated: false },
    scores: { "all spoke": 1, "all heard something": 0.5 },
  },
  "bus-stop": {
    options: { interval: 60, delay: 0, dwell: 60, pace: 60 },
    agents: ["ann", "ben"],
    actions: [
      ["ann", 0],
      ["ben", 1],
      ["ann", 1],
    ],
    last: { reward: 5, rewards: { home: 5 }, terminated: true },
    scores: { "all on their way": 1, "all by bus": 0.5, missed: -0.1 },
  },
  physics: {
    options: {},
    actions: [0, 1, 2, 3].map((action) => ["agent", action]),
    last: { rewards: { fuel: -0.01 }, terminated: false },
    scores: {},
  },
}

const NAMES = Object.keys(STORIES)

beforeAll(() => {
  execFileSync(process.execPath, [inRepository("packages", "worlds", "vendor.mjs")])
})

const started = Effect.flatMap(testKernel({ plugins: NAMES.map(directoryOf) }), ({ start }) => start)

/** Plays a story in a task; answers with what its last command came to, and what it scored. */
const told = (world: string, { options, agents, actions }: Story) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const task = yield* kernel.tasks.open({
      goal: "Play",
      seed: 1,
      plugins: [world],
      environment: { [world]: options },
      ...(agents === undefined ? {} : { agents }),
    })
    let last: unknown
    for (const [agentId, action] of actions) {
      const outcome = yield* task.act(`${world}/step`, { action }, agents === undefined ? {} : { agentId })
      last = outcome.status === "succeeded" ? outcome.result : outcome
    }
    yield* task.close("achieved")
    const { scores } = yield* kernel.audit(task.id)
    const measures = scores.find(({ label }) => label === "live")?.measures ?? []
    const judged = measures.flatMap(({ rewards, punishments }) => [
      ...rewards.map(({ name, amount }) => [name, amount] as const),
      ...punishments.map(({ name, amount }) => [name, -amount] as const),
    ])
    const scored = Object.fromEntries(judged.filter(([, amount]) => amount !== 0))
    return { last, scored }
  })

describe("the worlds as plugins", () => {
  it.effect.each(NAMES)("the manifest of %s loads strictly, and every reward and punishment has a rule", (world) =>
    Effect.gen(function* () {
      const { warnings, manifest } = yield* Manifest.load(directoryOf(world))
      expect(warnings).toEqual([])
      const rubric = Rubric.ofManifests([manifest])
      expect(Rubric.ruleIssues(rubric)).toEqual([])
      const all = rubric.measures.flatMap(({ rewards = [], punishments = [] }) => [...rewards, ...punishments])
      expect(all.filter(({ rule }) => rule === undefined)).toEqual([])
    }),
  )

  it.scopedLive("are stepped in tasks, and scored by their own measures", () =>
    Effect.gen(function* () {
      const { run } = yield* started
      for (const [world, story] of Object.entries(STORIES)) {
        const { last, scored } = yield* run(told(world, story))
        expect(last, world).toMatchObject(story.last)
        expect(scored, world).toEqual(story.scores)
      }
    }),
  )
})
