/** Wrappers: functions from a world to a world that differs in one respect, and their composition. */

import { Data, Effect, Either } from "effect"
import type { Json } from "../../values/Json.ts"
import type { Shown, Spaces, Status, StepResult, World, WorldInfo } from "../handle/World.ts"
import { type ActionRefused, CloneRefused, NoSuchAgent, type WorldError } from "../handle/WorldError.ts"

/** The wrapper does not fit this world. Leave it out, or wrap another world. */
export class DoesNotFit extends Data.TaggedError("DoesNotFit")<{
  readonly wrapper: string
  readonly world: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `${this.wrapper} does not fit ${this.world}: expected ${this.expected}, found ${this.found}.`
  }
}

/**
 * Makes a changed world from a world. A wrapper keeps the state of an episode in the world that it makes, so wrap a
 * world once.
 */
export type Wrapper = (world: World) => Either.Either<World, DoesNotFit>

/**
 * Applies wrappers from the inside out: the first one is nearest to the world.
 *
 * @example
 * ```ts
 * const world = yield* wrapped(yield* World.open({ world: "pendulum" }), RescaleAction(-1, 1), TimeLimit(100))
 * ```
 */
export const wrapped = (world: World, ...wrappers: ReadonlyArray<Wrapper>): Either.Either<World, DoesNotFit> =>
  wrappers.reduce<Either.Either<World, DoesNotFit>>(
    (inner, wrapper) => Either.flatMap(inner, wrapper),
    Either.right(world),
  )

/** The parts of a world that a wrapper replaces. The rest is unchanged. */
export interface Changes {
  readonly info?: Partial<WorldInfo>
  /** Changes an agent's spaces. */
  readonly spaces?: (spaces: Spaces, agent: string) => Spaces
  /** Runs for each agent when an episode begins, before its first observation. */
  readonly begin?: (agent: string) => Effect.Effect<void>
  /** Fails if an agent may not act now. */
  readonly allow?: (agent: string) => Effect.Effect<void, WorldError>
  /** Maps the agent's action to the world's. */
  readonly action?: (action: Json, agent: string) => Either.Either<Json, ActionRefused>
  /** Maps an observation after a reset or the agent's own step. */
  readonly shown?: (observation: Json, agent: string) => Json
  /** Maps an observation after which the agent has not acted: others acted, or it observes again. Default: `shown`. */
  readonly again?: (observation: Json, agent: string) => Json
  /**
   * Maps the result of a step, after `shown` or `again` has mapped its observation. `acted` is false if the step was
   * not the agent's own.
   */
  readonly step?: (result: StepResult, agent: string, acted: boolean) => Effect.Effect<StepResult>
  /** Maps an agent's status. */
  readonly status?: (status: Status, agent: string) => Status
}

/** Returns a world with changes. */
export const changed = (world: World, changes: Changes): World => {
  const { begin = () => Effect.void, allow = () => Effect.void, action = Either.right } = changes
  const { shown = same, again = shown, step = Effect.succeed, spaces = same, status = same } = changes
  const first = () => world.agents()[0] ?? ""

  const reset = (one: Shown, agent: string) =>
    Effect.map(begin(agent), () => ({ ...one, observation: shown(one.observation, agent) }))
  // Map the observation first: `step` may count it.
  const after = (result: StepResult, agent: string, acted: boolean) =>
    Effect.suspend(() => {
      const observation = (acted ? shown : again)(result.observation, agent)
      return step({ ...result, observation }, agent, acted)
    })
  // A step of one agent is a round too, because it may change what others get.
  const stepTogether = (inputs: { readonly [agent: string]: Json }) =>
    Effect.gen(function* () {
      const actions: Record<string, Json> = {}
      for (const [agent, input] of Object.entries(inputs)) {
        yield* allow(agent)
        actions[agent] = yield* action(input, agent)
      }
      const results: Record<string, StepResult> = {}
      for (const [agent, result] of Object.entries(yield* world.stepTogether(actions))) {
        const acted = Object.hasOwn(inputs, agent) && result.refused === undefined
        results[agent] = yield* after(result, agent, acted)
      }
      return results
    })

  return {
    ...world,
    info: { ...world.info, ...changes.info },
    spaces: (agent = first()) => spaces(world.spaces(agent), agent),
    reset: (options) =>
      Effect.gen(function* () {
        const began = yield* world.reset(options)
        const agents: Record<string, Shown> = {}
        for (const [agent, one] of Object.entries(began.agents)) agents[agent] = yield* reset(one, agent)
        return { ...began, ...agents[first()], agents }
      }),
    step: (input, agent = first()) =>
      Effect.flatMap(stepTogether({ [agent]: input }), ({ [agent]: result }) =>
        result === undefined
          ? new NoSuchAgent({ world: world.name, agent, agents: world.agents() })
          : Effect.succeed(result),
      ),
    stepTogether,
    tick: (milliseconds) =>
      Effect.gen(function* () {
        const results: Record<string, StepResult> = {}
        for (const [agent, result] of Object.entries(yield* world.tick(milliseconds))) {
          results[agent] = yield* after(result, agent, false)
        }
        return results
      }),
    clone: uncloned(world.name),
    restore: () => uncloned(world.name),
    observe: (agent = first()) => Effect.map(world.observe(agent), (observation) => again(observation, agent)),
    status: (agent = first()) => Effect.map(world.status(agent), (found) => status(found, agent)),
  }
}

/** A clone would be one of the world without this wrapper, whose actions and observations differ. */
const uncloned = (world: string) =>
  new CloneRefused({ world, reason: "expected a world without wrappers; clone the world that is wrapped" })

const same = <A>(value: A): A => value
