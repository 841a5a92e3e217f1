import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { commandOf, VERBS } from "../../plugins/text-room/command.ts"
import { carried, look } from "../../plugins/text-room/perception.ts"
import { begin, step } from "../../plugins/text-room/world.ts"
import { JsonObject } from "../../src/values/Json.ts"
import { theLostKey } from "./text-room/playing.ts"

const Choice = Schema.Union(
  Schema.Struct({ act: Schema.String, args: JsonObject }),
  Schema.Struct({ done: Schema.Literal("achieved", "failed", "abandoned"), reason: Schema.String }),
)

interface Agent {
  readonly name: string
  readonly decide: (view: object) => unknown
}

const isAgent = (value: unknown): value is Agent =>
  typeof value === "object" && value !== null && "decide" in value && typeof value.decide === "function"

/** The agent that a module of `examples/agents` exports. */
const agentNamed = (name: string) =>
  Effect.promise(async () => {
    const module: { readonly default?: unknown } = await import(`../../examples/agents/${name}.mjs`)
    if (!isAgent(module.default)) throw new Error(`${name} exports no agent`)
    return module.default
  })

/** Numbers in [0, 1), the same for the same seed (Numerical Recipes' generator). */
const randomFrom = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Lets an agent play The Lost Key: everything it did, how it said it ended, and the world as it left it. */
const playedBy = (agent: Agent, { seed = 1, maxSteps = 300, spoilt = false } = {}) => {
  let world = begin(theLostKey)
  let lastOutcome: object | null = null
  const random = randomFrom(seed)
  const acts: Array<string> = []
  for (let count = 0; count < maxSteps; count++) {
    const view = {
      goal: "Retrieve the document",
      step: count,
      readings: { "text-room/room": look(theLostKey, world), "text-room/inventory": carried(theLostKey, world) },
      lastOutcome,
      actuators: VERBS.map((name) => ({ name: `text-room/${name}`, description: name })),
      random,
      now: 0,
    }
    const choice = Schema.decodeUnknownSync(Choice, { onExcessProperty: "error" })(agent.decide(view))
    if ("done" in choice) return { acts, done: choice.done, reason: choice.reason, world }
    const verb = VERBS.find((known) => `text-room/${known}` === choice.act)
    if (verb === undefined) throw new Error(`${choice.act} is no actuator`)
    const next = step(theLostKey, world, commandOf(verb, choice.args))
    world = next.world
    acts.push(`${choice.act} ${JSON.stringify(choice.args)}`)
    lastOutcome =
      next.refusal !== undefined
        ? { status: "failed", actuator: choice.act, args: choice.args, error: next.refusal }
        : spoilt
          ? { status: "denied", actuator: choice.act, args: choice.args, reason: "not today" }
          : { status: "succeeded", actuator: choice.act, args: choice.args, result: next.result }
  }
  return { acts, done: "truncated", reason: "", world }
}

describe("knows-the-way", () => {
  it.effect("wins in eight commands, the first of them refused, and says so", () =>
    Effect.gen(function* () {
      const { done, world } = playedBy(yield* agentNamed("knows-the-way"))
      expect(done).toBe("achieved")
      expect(world).toMatchObject({ won: true, steps: 8, refusals: 1, repeatedRefusals: 0 })
    }),
  )

  it.effect("gives up with a reason when the world does something else than it expects", () =>
    Effect.gen(function* () {
      const { done, reason, acts } = playedBy(yield* agentNamed("knows-the-way"), { spoilt: true })
      expect(done).toBe("failed")
      expect(reason).toBe("Expected text-room/go to have succeeded, found denied: not today")
      expect(acts).toHaveLength(2)
    }),
  )
})

describe("the wanderer", () => {
  const seeds = Array.from({ length: 30 }, (_, index) => index + 1)

  it.effect("does the same with the same random numbers, and something else with others", () =>
    Effect.gen(function* () {
      const wanderer = yield* agentNamed("wanderer")
      expect(playedBy(wanderer, { seed: 7 }).acts).toEqual(playedBy(wanderer, { seed: 7 }).acts)
      expect(playedBy(wanderer, { seed: 7 }).acts).not.toEqual(playedBy(wanderer, { seed: 8 }).acts)
    }),
  )

  it.effect("says that it achieved its goal exactly when the story is won", () =>
    Effect.gen(function* () {
      const wanderer = yield* agentNamed("wanderer")
      const played = seeds.map((seed) => playedBy(wanderer, { seed }))
      expect(played.map(({ done }) => done === "achieved")).toEqual(played.map(({ world }) => world.won))
      expect(new Set(played.map(({ done }) => done))).toEqual(new Set(["achieved", "failed"]))
    }),
  )

  it.effect("does not mind being refused, also for the same reason again", () =>
    Effect.gen(function* () {
      const wanderer = yield* agentNamed("wanderer")
      const repeated = seeds.map((seed) => playedBy(wanderer, { seed }).world.repeatedRefusals)
      expect(Math.max(...repeated)).toBeGreaterThan(0)
    }),
  )
})
