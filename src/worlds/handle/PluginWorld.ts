/** Runs a world on the kernel: each episode is a task, each step a command and each observation a reading. */

import { Effect, type Scope } from "effect"
import type { EventLog } from "../../events/log/EventLog.ts"
import type { Kernel } from "../../kernel/Kernel.ts"
import { contains, isSpace } from "../../plugins/spaces/Space.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import type * as Options from "../../values/Options.ts"
import type { Ended, Environment } from "./Environment.ts"
import * as PluginEnvironment from "./PluginEnvironment.ts"
import { gotOf, tickedOf } from "./StepAnswer.ts"
import { AGENT, type Mode, type Shown, type Spaces, type StepResult, type World } from "./World.ts"
import { ActionRefused, EpisodeReplaced, NoSuchAgent, NothingShown, type WorldError } from "./WorldError.ts"

/** Options of `World.open`. */
export interface WorldOptions extends Omit<PluginEnvironment.PluginEnvironmentOptions, "plugin" | "ended"> {
  readonly world: string
}

/**
 * Opens a world. The first task opens with the first reset. When the scope closes, the task of the last episode closes
 * with the world's outcome, or as `truncated`.
 *
 * @example
 * ```ts
 * const world = yield* World.open({ world: "cartpole" })
 * const { observation } = yield* world.reset({ seed: 42 })
 * const { reward, terminated } = yield* world.step(1)
 * ```
 */
export const open = ({
  world,
  ...options
}: WorldOptions): Effect.Effect<
  World,
  Options.InvalidOptions | PluginEnvironment.NoSuchEnvironment | WorldError,
  Kernel | Projector | EventLog | Scope.Scope
> =>
  Effect.gen(function* () {
    const environment = yield* PluginEnvironment.open({ ...options, plugin: world })
    const { spaces } = environment.info
    if (spaces !== null) return over(environment, spaces)
    return yield* new PluginEnvironment.NoSuchEnvironment({
      plugin: world,
      found: "an environment without spaces, so it has no steps",
    })
  })

const over = (environment: Environment, declared: Spaces): World => {
  const { name, info } = environment
  const first = () => environment.agents()[0] ?? AGENT
  let spacesOf = new Map<string, Spaces>()
  let mode: Mode = info.maxAgents === 1 ? "single" : "parallel"
  /** A reset must return the observations of its own episode. */
  const alone = Effect.unsafeMakeSemaphore(1).withPermits(1)

  /** Fails if the episode changes between an action and the observation after it. */
  const inOneEpisode = <A>(step: Effect.Effect<A, WorldError>) =>
    Effect.gen(function* () {
      const began = yield* alone(environment.taskId)
      const result = yield* step
      const now = yield* Effect.catchTag(environment.taskId, "NoEpisode", () => Effect.succeed(undefined))
      return now === began ? result : yield* new EpisodeReplaced({ world: name })
    })

  const taking = (agent: string): Effect.Effect<void, NoSuchAgent> => {
    const agents = environment.agents()
    return agents.includes(agent) ? Effect.void : Effect.fail(new NoSuchAgent({ world: name, agent, agents }))
  }

  const read = (agent: string, sensor: string) =>
    Effect.gen(function* () {
      const { readings } = environment.perceived(agent) ?? (yield* environment.perceive(agent))
      return Object.hasOwn(readings, sensor) ? readings[sensor] : undefined
    })

  const observe = (agent: string) =>
    Effect.flatMap(read(agent, "observation"), (observation) =>
      observation === undefined
        ? new NothingShown({ world: name, agent, sensor: `${name}/observation` })
        : Effect.succeed(observation),
    )

  /** Carries out one agent's action. Returns what each agent got. */
  const act = (agent: string, action: Json) =>
    Effect.gen(function* () {
      yield* taking(agent)
      const ended = yield* environment.act(agent, { actuator: "step", args: { action } })
      if (ended.status !== "succeeded") return yield* refusalOf(name, agent, ended)
      return yield* gotOf(name, agent, ended)
    })

  /** Carries out the actions of a round, together if there are several. */
  const round = (actions: { readonly [agent: string]: Json }) =>
    Effect.gen(function* () {
      const [only, ...others] = Object.entries(actions)
      if (only === undefined) {
        const reason = "expected at least one action, found none"
        return yield* new ActionRefused({ world: name, agent: "nobody", code: "NoActions", reason })
      }
      if (others.length === 0) return yield* act(...only)
      // Refuse an invalid action before the world takes the others.
      for (const [agent, action] of Object.entries(actions)) {
        yield* taking(agent)
        const problem = contains((spacesOf.get(agent) ?? declared).action, action)
        if (problem === undefined) continue
        return yield* new ActionRefused({ world: name, agent, code: "ActionOutsideSpace", reason: problem })
      }
      const got: Record<string, Got> = {}
      const refusals: Array<ActionRefused> = []
      for (const [agent, ended] of yield* environment.together(actions)) {
        if (ended.status === "succeeded") Object.assign(got, yield* gotOf(name, agent, ended))
        else refusals.push(refusalOf(name, agent, ended))
      }
      const [first] = refusals
      if (first !== undefined && Object.keys(got).length === 0) return yield* first
      for (const refused of refusals) got[refused.agent] = yield* gotNothing(refused)
      return got
    })

  /** The result of an agent whose action was refused in a round in which others acted. */
  const gotNothing = (refused: ActionRefused) =>
    Effect.map(Effect.all([environment.status(refused.agent), environment.state]), ([status, state]): Got => {
      const { step = 0 } = asObject(state.episode)
      const terminated = status === "terminated"
      const isLast = info.maxEpisodeSteps !== null && Number(step) >= info.maxEpisodeSteps
      const over = { terminated, truncated: status === "truncated" || (terminated && isLast) }
      return { ...NOTHING, ...over, refused }
    })

  const shownAfter = (agent: string, got: Got) =>
    Effect.map(observe(agent), (observation): StepResult => ({ observation, ...got }))

  const learn = Effect.map(environment.state, (state) => {
    const { agents, turn } = asObject(state.episode)
    mode = info.maxAgents === 1 ? "single" : turn === undefined ? "parallel" : "turn-based"
    spacesOf = new Map(Object.entries(asObject(agents)).flatMap(([agent, own]) => spacesIn(agent, asObject(own))))
  })

  return {
    name,
    info: {
      name: info.name,
      description: info.description,
      version: info.version,
      rules: info.rules,
      conventions: info.conventions,
      maxAgents: info.maxAgents,
      timeModel: info.timeModel,
      maxEpisodeSteps: info.maxEpisodeSteps,
    },
    agents: environment.agents,
    mode: () => mode,
    spaces: (agent = first()) => spacesOf.get(info.maxAgents === 1 ? AGENT : agent) ?? declared,
    reset: (options) =>
      alone(
        Effect.gen(function* () {
          yield* environment.reset(options)
          yield* learn
          const { info } = asObject((yield* environment.state).episode)
          const agents: Record<string, Shown> = {}
          for (const agent of environment.agents()) {
            agents[agent] = { observation: yield* observe(agent), info: asObject(info) }
          }
          return { ...(agents[first()] ?? { observation: null, info: {} }), agents }
        }),
      ),
    step: (action, agent = first()) =>
      inOneEpisode(
        Effect.gen(function* () {
          const { [agent]: got } = yield* act(agent, action)
          // The agent that acted always has an entry.
          return yield* shownAfter(agent, got ?? NOTHING)
        }),
      ),
    stepTogether: (actions) =>
      inOneEpisode(
        Effect.gen(function* () {
          const results: Record<string, StepResult> = {}
          for (const [agent, got] of Object.entries(yield* round(actions))) {
            results[agent] = yield* shownAfter(agent, got)
          }
          return results
        }),
      ),
    tick: (milliseconds) =>
      inOneEpisode(
        Effect.gen(function* () {
          const results: Record<string, StepResult> = {}
          for (const [agent, got] of Object.entries(yield* tickedOf(name, yield* environment.tick(milliseconds)))) {
            results[agent] = yield* shownAfter(agent, got)
          }
          return results
        }),
      ),
    observe: (agent = first()) => Effect.zipRight(taking(agent), observe(agent)),
    mask: (agent = first()) =>
      Effect.zipRight(
        taking(agent),
        Effect.map(read(agent, "action_mask"), (mask) => mask ?? null),
      ),
    state: environment.state,
    status: (agent = first()) => Effect.zipRight(taking(agent), environment.status(agent)),
    turn: Effect.map(environment.state, ({ episode }) => {
      const { turn } = asObject(episode)
      return typeof turn === "string" ? turn : null
    }),
    taskId: environment.taskId,
    clone: environment.clone,
    restore: environment.restored,
    close: environment.close,
  }
}

type Got = Omit<StepResult, "observation">

const NOTHING: Got = { reward: 0, rewards: {}, terminated: false, truncated: false, info: {} }

/** The refusal of a command, with the codes that worlds use. */
const refusalOf = (world: string, agent: string, { code, reason, status }: Ended) =>
  new ActionRefused({
    world,
    agent,
    reason: reason ?? status,
    code: status === "failed" ? (code ?? "Failed") : code === "args-schema" ? "ActionOutsideSpace" : codeOf(status),
  })

const codeOf = (status: Ended["status"]): string =>
  status === "denied" ? "Denied" : status === "expired" ? "Expired" : "OutcomeUnknown"

/** The agent's spaces, if the document overrides the manifest's. */
const spacesIn = (agent: string, { spaces }: JsonObject): ReadonlyArray<readonly [string, Spaces]> => {
  const { observation, action } = asObject(spaces)
  return isSpace(observation) && isSpace(action) ? [[agent, { observation, action }]] : []
}
