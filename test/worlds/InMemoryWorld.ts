import { inspect } from "node:util"
import { Effect, Either } from "effect"
import { EnvironmentRefused } from "../../src/kernel/tasks/Environments.ts"
import type { World as AuthorWorld, MultiAgentWorld, PluginContext, Spaces } from "../../src/plugins/author.ts"
import { elementary } from "../../src/plugins/elementary/Elementary.ts"
import type { RoundOutcome } from "../../src/plugins/runner/world/RoundOutcome.ts"
import type { ServedWorld } from "../../src/plugins/runner/world/ServedWorld.ts"
import type { Json } from "../../src/values/Json.ts"
import { asObject } from "../../src/values/JsonObjects.ts"
import type { Shown, Status, StepResult, World } from "../../src/worlds/handle/World.ts"
import { AGENT } from "../../src/worlds/handle/World.ts"
import { ActionRefused, CloneRefused, NoEpisode, NoSuchAgent } from "../../src/worlds/handle/WorldError.ts"

// The modules of the runner take what they use of Deno when they are loaded.
Reflect.set(globalThis, "Deno", { inspect, exit: process.exit, stdin: {}, stdout: {} })
export const { serve } = await import("../../src/plugins/runner/world/ServedWorld.ts")

/** What a test says of a world beside its functions. */
export interface Given {
  readonly spaces: Spaces
  readonly agents?: ReadonlyArray<string>
  readonly maxSteps?: number
}

/** A world's functions as a `World`, served as its process serves them, without a process and a log. */
export const inMemory = (
  world: AuthorWorld | MultiAgentWorld,
  { spaces, agents = [AGENT], maxSteps }: Given,
): World => {
  const facts = { spaces, maxSteps: maxSteps ?? null, maxAgents: agents.length }
  let served: ServedWorld | undefined
  const name = "sample"
  const episode = Effect.suspend(() => (served === undefined ? new NoEpisode({ world: name }) : Either.right(served)))
  const document = Effect.map(episode, ({ state }) => asObject(state()))
  const ownOf = (agent: string) =>
    Effect.map(document, (state) => asObject(asObject(asObject(state.episode).agents)[agent]))
  const first = () => agents[0] ?? AGENT
  const refused = (agent: string, cause: unknown) => {
    const { code = "Error", message } = cause as { readonly code?: string; readonly message: string }
    return code === "NoSuchAgent"
      ? new NoSuchAgent({ world: name, agent, agents })
      : new ActionRefused({ world: name, agent, code, reason: message })
  }
  const observe = (agent: string) =>
    Effect.flatMap(episode, ({ sensors }) =>
      Effect.tryPromise({
        try: async () => (await sensors.observation?.(contextOf(agent))) as Json,
        catch: (cause) => refused(agent, cause),
      }),
    )
  const stepTogether = (actions: { readonly [agent: string]: Json }) =>
    Effect.gen(function* () {
      const { round } = yield* episode
      const [actor = first()] = Object.keys(actions)
      const outcomes = yield* Effect.tryPromise({
        try: async () => (await round(contextOf(actor), actions)) as { readonly [agent: string]: RoundOutcome },
        catch: (cause) => refused(actor, cause),
      })
      const results: Record<string, StepResult> = {}
      const isDone = Object.values(outcomes).some((outcome) => "ok" in outcome)
      for (const [agent, outcome] of Object.entries(outcomes)) {
        if ("ok" in outcome) {
          const { reward, rewards, terminated, truncated, info } = outcome.ok
          results[agent] = { observation: yield* observe(agent), reward, rewards, terminated, truncated, info }
          continue
        }
        const refusal = refused(agent, outcome.error)
        if (!isDone || refusal._tag === "NoSuchAgent") return yield* refusal
        const { status } = yield* ownOf(agent)
        results[agent] = {
          observation: yield* observe(agent),
          info: {},
          reward: 0,
          rewards: {},
          refused: refusal,
          terminated: status === "terminated",
          truncated: status === "truncated",
        }
      }
      return results
    })
  return {
    name,
    info: {
      name: "Sample",
      description: "A sample.",
      version: "1",
      rules: [],
      conventions: [],
      maxAgents: agents.length,
      timeModel: "discrete_steps",
      maxEpisodeSteps: maxSteps ?? null,
    },
    agents: () => agents,
    mode: () => (world.mode === undefined ? "single" : world.mode),
    spaces: () => spaces,
    reset: ({ seed = 1, options = {} } = {}) =>
      Effect.gen(function* () {
        const begun = serve(world, facts, seed)
        yield* Effect.promise(async () => begun.reset(contextOf(first()), options, { agents, seed }))
        const info = asObject(asObject(asObject(begun.state()).episode).info)
        served = begun
        const shown: Record<string, Shown> = {}
        for (const agent of agents) shown[agent] = { observation: yield* observe(agent), info }
        return { ...(shown[first()] as Shown), agents: shown }
      }),
    step: (action, agent = first()) =>
      Effect.map(stepTogether({ [agent]: action }), (results) => results[agent] as StepResult),
    stepTogether,
    tick: () => new EnvironmentRefused({ plugin: name, asked: "a tick", reason: "the samples stand still" }),
    observe: (agent = first()) => observe(agent),
    mask: () => Effect.succeed(null),
    state: document,
    status: (agent = first()) => Effect.map(ownOf(agent), ({ status }) => status as Status),
    turn: Effect.map(document, (state) => (asObject(state.episode).turn ?? null) as string | null),
    taskId: Effect.succeed("in-memory"),
    clone: uncloned,
    restore: () => uncloned,
    close: Effect.sync(() => {
      served = undefined
    }),
  }
}

const uncloned = new CloneRefused({ world: "sample", reason: "the samples have no process" })

/** Only what the worlds of the tests use. */
export const contextOf = (agent: string) => ({ agent, math: elementary }) as unknown as PluginContext
