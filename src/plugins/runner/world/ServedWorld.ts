/**
 * Serves a world: checks its inputs and outputs against its spaces, keeps the episode, and offers the sensors and the
 * actuator that the manifest derives from the world.
 */

import type {
  Environment,
  Json,
  JsonObject,
  MultiAgentWorld,
  Plugin,
  PluginContext,
  Spaces,
  World,
  WorldContext,
} from "../../author.ts"
import { contains, flaws, maskFlaw } from "../../spaces/Space.ts"
import type { SlotCall, WorldFacts } from "../HostFrame.ts"
import { after, describe } from "../Outcome.ts"
import { type AgentStep, checkStep, isRecord, NOTHING } from "./checkStep.ts"
import * as Episode from "./Episode.ts"
import { refusal } from "./Refusal.ts"
import { failureOf, type RoundOutcome, succeeded } from "./RoundOutcome.ts"
import { type SlotAnswer, slots } from "./Slots.ts"

/** The agent's name in a world for one. */
const ONLY_AGENT = "agent"

/** The start of an episode. */
export interface Beginning {
  readonly agents?: ReadonlyArray<string> | undefined
  readonly seed?: number | undefined
  /** Continues the random numbers of the episode before, instead of using the seed. */
  readonly continued?: boolean | undefined
}

/** A world, as the dispatcher calls it. */
export interface ServedWorld {
  readonly sensors: NonNullable<Plugin["sensors"]>
  /** The process refuses answers that are not JSON. */
  readonly actuators: { readonly [name: string]: (context: PluginContext, args: unknown) => unknown }
  readonly reset: (context: PluginContext, options: JsonObject, beginning: Beginning) => unknown
  readonly restore?: (context: PluginContext, options: JsonObject, state: Json) => unknown
  /** The world's state, including the episode. */
  readonly state: () => Json
  /** Steps the world with several agents' actions. Returns a `RoundOutcome` per agent. */
  readonly round: (context: PluginContext, actions: { readonly [agent: string]: Json }) => unknown
  readonly join: (context: PluginContext, agent: string) => unknown
  readonly leave: (context: PluginContext, agent: string) => unknown
  /** Lets the world's time pass. Returns the steps of affected agents. */
  readonly tick: (context: PluginContext, milliseconds: number) => unknown
  /** Carries out calls of several episodes, one in each slot. */
  readonly slots: (
    context: PluginContext,
    calls: ReadonlyArray<SlotCall>,
  ) => ReadonlyArray<SlotAnswer> | Promise<ReadonlyArray<SlotAnswer>>
}

type AnyWorld = World | MultiAgentWorld

/** Whether an environment has steps. */
export const isWorld = (environment: Environment | AnyWorld | undefined): environment is AnyWorld =>
  isRecord(environment) && "step" in environment

const isShared = (world: AnyWorld): world is MultiAgentWorld => "mode" in world

/** Serves a world. A reset without a seed uses the process's seed. */
export const serve = (world: AnyWorld, facts: WorldFacts, processSeed: number): ServedWorld => {
  let episode = Episode.begin(processSeed, [])
  /** The options of the last reset. */
  let given: JsonObject = {}

  /** The world's own state in the last document, as long as no function of the world has run since. */
  let shown: Json | undefined
  /** The last context of a world for one agent, and the call's context that it extends. */
  let lent: { readonly base: PluginContext; readonly context: WorldContext } | undefined

  const contextOf = (context: PluginContext, agent: string, seed: number | null = null): WorldContext => {
    shown = undefined
    const own = { agent, agents: Episode.taking(episode), rng: episode.rng, seed }
    // A frame with the steps of many episodes has one context, and the steps of a world for one agent follow each other.
    if (lent?.base === context) return Object.assign(lent.context, own)
    // Inherits members that are created on first access, such as the signal.
    const made: WorldContext = Object.assign(Object.create(context) as PluginContext, own)
    if (!isShared(world)) lent = { base: context, context: made }
    return made
  }

  const nameIn = ({ agent }: PluginContext) => agent ?? firstOf(episode)
  const spacesOf = (agent: string): Spaces => episode.agents.get(agent)?.spaces ?? facts.spaces

  const assertAction = (agent: string, action: Json) => {
    Episode.assertActive(episode, agent)
    const wrong = contains(spacesOf(agent).action, action)
    if (wrong !== undefined) throw refusal("ActionOutsideSpace", `the action of ${agent}: ${wrong}`)
  }

  /** The agent whose turn it is. One that has left or finished passes its turn to the next by name. */
  const turnNow = (): string | null => {
    const turn = isShared(world) ? (world.turn?.() ?? null) : null
    const status = turn === null ? undefined : Episode.statusOf(episode, turn)
    if (turn === null || status === undefined || status === "active") return turn
    const active = activeIn(episode)
    return active.find((agent) => agent > turn) ?? active[0] ?? null
  }

  const assertTurn = (agent: string) => {
    if (!isShared(world) || world.mode === "parallel" || world.turn === undefined) return
    const turn = turnNow()
    if (turn !== agent) throw refusal("NotYourTurn", `it is ${turn ?? "nobody"}'s turn, not ${agent}'s`)
  }

  /** Records the agents' steps, applying the limit of steps. */
  const credited = (steps: ReadonlyArray<readonly [string, AgentStep]>): { readonly [agent: string]: AgentStep } => {
    const isLast = facts.maxSteps !== null && episode.step >= facts.maxSteps
    const active = isLast ? activeIn(episode) : []
    const limited = new Map(steps.map(([agent, step]) => [agent, cutOff(step, active.includes(agent))] as const))
    for (const agent of active) if (!limited.has(agent)) limited.set(agent, cutOff(NOTHING, true))
    for (const [agent, step] of limited) Episode.credit(episode, agent, step)
    return Object.fromEntries(limited)
  }

  const checkedSteps = (steps: unknown): ReadonlyArray<readonly [string, AgentStep]> => {
    if (!isRecord(steps)) throw refusal("InvalidStep", `expected the steps by agent, found ${typeof steps}`)
    return Object.keys(steps)
      .sort()
      .map((agent) => {
        if (Episode.statusOf(episode, agent) === undefined) {
          throw refusal("NoSuchAgentInStep", `expected steps of agents that take part, found one of ${agent}`)
        }
        return [agent, checkStep(agent, steps[agent])] as const
      })
  }

  /** Steps the world with checked actions. Returns each agent's step, and the agents that the world named. */
  const stepWith = (context: PluginContext, agent: string, actions: { readonly [agent: string]: Json }) => {
    const taken: unknown = isShared(world)
      ? world.step(contextOf(context, agent), actions)
      : world.step(contextOf(context, agent), actions[agent])
    return after(taken, (steps) => {
      episode.step += 1
      return {
        steps: credited(isShared(world) ? checkedSteps(steps) : [[agent, checkStep(agent, steps)]]),
        named: isShared(world) ? Object.keys(steps as object) : [agent],
      }
    })
  }

  const step = (context: PluginContext, args: unknown) => {
    const agent = nameIn(context)
    const action = (args as { readonly action: Json }).action
    assertAction(agent, action)
    if (!isShared(world)) {
      return after(world.step(contextOf(context, agent), action), (taken: unknown) => {
        episode.step += 1
        const isLast = facts.maxSteps !== null && episode.step >= facts.maxSteps
        const own = cutOff(checkStep(agent, taken), isLast && Episode.statusOf(episode, agent) === "active")
        Episode.credit(episode, agent, own)
        return own
      })
    }
    assertTurn(agent)
    return after(stepWith(context, agent, { [agent]: action }), ({ steps }) => {
      const { [agent]: own = NOTHING, ...others } = steps
      return Object.keys(others).length === 0 ? own : { ...own, others }
    })
  }

  const round = (context: PluginContext, actions: { readonly [agent: string]: Json }) => {
    const refused: { [agent: string]: Extract<RoundOutcome, { readonly error: unknown }> } = {}
    const accepted: { [agent: string]: Json } = {}
    for (const agent of Object.keys(actions).sort()) {
      const action = actions[agent] ?? null
      try {
        assertAction(agent, action)
        assertTurn(agent)
        accepted[agent] = action
      } catch (cause) {
        refused[agent] = { error: failureOf(cause) }
      }
    }
    const [first] = Object.keys(accepted)
    if (first === undefined) return refused
    return after(stepWith(context, first, accepted), ({ steps, named }) => {
      const acted = Object.fromEntries(Object.keys(accepted).map((agent) => [agent, steps[agent] ?? NOTHING]))
      const all: { [agent: string]: RoundOutcome } = succeeded({ ...steps, ...acted }, named)
      for (const [agent, { error }] of Object.entries(refused)) {
        const got = steps[agent]
        all[agent] = { error, ...(got === undefined ? {} : { got }) }
      }
      return all
    })
  }

  const observe = (context: PluginContext) => {
    const agent = nameIn(context)
    assertTakesPart(episode, agent)
    return after(world.observe(contextOf(context, agent)), (observation) => {
      const wrong = contains(spacesOf(agent).observation, observation)
      if (wrong !== undefined) throw refusal("ObservationOutsideSpace", `the observation of ${agent}: ${wrong}`)
      return observation
    })
  }

  /** The spaces that the world computes for an agent, if it does. */
  const computedSpaces = (agent: string): Spaces | undefined => {
    const spaces = isShared(world) ? world.spaces?.(given, agent) : world.spaces?.(given)
    if (spaces !== undefined) assertSpaces(agent, spaces)
    return spaces
  }

  const reset: ServedWorld["reset"] = (
    context,
    options,
    { agents = [ONLY_AGENT], seed = processSeed, continued = false },
  ) => {
    if (agents.length > facts.maxAgents) {
      throw refusal("TooManyAgents", `expected at most ${facts.maxAgents} agents, found ${agents.length}`)
    }
    episode = Episode.begin(seed, agents, continued ? episode.rng : undefined)
    given = options
    for (const [agent, entry] of episode.agents) {
      const spaces = computedSpaces(agent)
      if (spaces !== undefined) entry.spaces = spaces
    }
    return after(world.reset(contextOf(context, nameIn(context), continued ? null : seed), options), (first) => {
      if (!isRecord(first) || first.info === undefined) return
      const { info } = first
      if (!isRecord(info))
        throw refusal("InvalidInfo", `expected the info of the reset to be an object, found ${describe(info)}`)
      episode.info = info as JsonObject
    })
  }

  const state = () => {
    const own: unknown = world.state()
    if (!isRecord(own)) throw new TypeError("expected environment.state() to return an object")
    shown = own as Json
    if (Object.hasOwn(own, Episode.KEY)) throw new TypeError(`the key ${Episode.KEY} of the state is Hindcast's`)
    const turn = isShared(world) && world.mode === "turn-based" ? { turn: turnNow() } : {}
    return { ...own, [Episode.KEY]: { ...Episode.encode(episode), ...turn } } as Json
  }

  const restore =
    world.restore &&
    ((context: PluginContext, options: JsonObject, document: Json) => {
      const { [Episode.KEY]: recorded, ...own } = document as { readonly [key: string]: Json }
      episode = Episode.decode(recorded as JsonObject)
      given = options
      return world.restore?.(contextOf(context, nameIn(context)), options, own)
    })

  const readMask = (context: PluginContext) => {
    const agent = nameIn(context)
    assertTakesPart(episode, agent)
    return after(world.mask?.(contextOf(context, agent)), (found) => {
      const mask = found ?? null
      const wrong = maskFlaw(spacesOf(agent).action, mask)
      if (wrong !== undefined) throw refusal("MaskOutsideSpace", `the mask of ${agent}: ${wrong}`)
      return mask
    })
  }

  const readings = (context: PluginContext) =>
    after(observe(context), (observation) =>
      world.mask === undefined
        ? { observation }
        : after(readMask(context), (action_mask) => ({ observation, action_mask })),
    )

  return {
    slots: slots({
      hold: () => ({ episode, options: given, state: shown ?? (world.state() as unknown as Json) }),
      take:
        world.restore &&
        ((context, held) => {
          episode = held.episode
          given = held.options
          return world.restore?.(contextOf(context, nameIn(context)), given, held.state as JsonObject)
        }),
      begin: (context, { options, seed, continued }) => reset(context, options, { seed, continued }),
      restore,
      step: (context, action) => step(context, { action }),
      readings,
      state,
      round,
      taking: () => Episode.taking(episode),
      acting: () => {
        if (!isShared(world) || world.mode === "parallel") return activeIn(episode)
        const turn = turnNow()
        return turn === null ? [] : [turn]
      },
      actionSpaceOf: (agent) => spacesOf(agent).action,
      maskOf: (context) => (world.mask === undefined ? null : readMask(context)),
    }),
    sensors: {
      observation: observe,
      ...(world.mask === undefined
        ? {}
        : {
            action_mask: readMask,
          }),
    },
    actuators: { step },
    reset,
    state,
    round,
    ...(restore === undefined ? {} : { restore }),
    join: (context, agent) => {
      if (!isShared(world) || world.join === undefined) throw refusal("NoJoining", "agents cannot join this world")
      if (Episode.taking(episode).length >= facts.maxAgents) {
        throw refusal("TooManyAgents", `expected at most ${facts.maxAgents} agents, found one more`)
      }
      const spaces = computedSpaces(agent)
      return after(world.join(contextOf(context, agent), agent), () => {
        Episode.join(episode, agent)
        const entry = episode.agents.get(agent)
        // Earlier logs lack the spaces of agents that joined, so spaces equal to the manifest's stay out of the
        // document.
        if (entry !== undefined && spaces !== undefined && !isEqual(spaces, facts.spaces)) entry.spaces = spaces
        return null
      })
    },
    leave: (context, agent) => {
      assertTakesPart(episode, agent)
      const left = isShared(world) ? world.leave?.(contextOf(context, agent), agent) : undefined
      return after(left, () => {
        const entry = episode.agents.get(agent)
        if (entry !== undefined) entry.status = "left"
        return null
      })
    },
    tick: (context, milliseconds) => {
      if (!isShared(world) || world.tick === undefined) throw refusal("NoTicks", "this world does not move by itself")
      return after(world.tick(contextOf(context, nameIn(context)), milliseconds), (steps) =>
        succeeded(steps === undefined ? {} : credited(checkedSteps(steps))),
      )
    },
  }
}

const isEqual = (spaces: Spaces, others: Spaces): boolean =>
  JSON.stringify([spaces.observation, spaces.action]) === JSON.stringify([others.observation, others.action])

const firstOf = (episode: Episode.Episode) => Episode.taking(episode)[0] ?? ONLY_AGENT

const activeIn = ({ agents }: Episode.Episode) =>
  [...agents].flatMap(([name, { status }]) => (status === "active" ? [name] : []))

/** The step at the limit is truncated even if it also terminates, as in Gymnasium. */
const cutOff = (step: AgentStep, isLast: boolean): AgentStep => (isLast ? { ...step, truncated: true } : step)

const assertTakesPart = (episode: Episode.Episode, agent: string) => {
  const status = Episode.statusOf(episode, agent)
  if (status !== undefined && status !== "left") return
  const names = Episode.taking(episode).join(", ") || "there is none"
  throw refusal("NoSuchAgent", `expected an agent that takes part (${names}), found ${agent}`)
}

const assertSpaces = (agent: string, spaces: Spaces) => {
  for (const part of ["observation", "action"] as const) {
    const [flaw] = flaws(spaces[part])
    if (flaw !== undefined) {
      throw refusal(
        "InvalidSpace",
        `the ${part} space of ${agent}, at ${flaw.path || "/"}: expected ${flaw.expected}, found ${flaw.found}`,
      )
    }
  }
}
