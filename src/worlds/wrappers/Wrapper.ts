/** What a wrapper is: a function from a world to a world that differs in one respect, and how wrappers are put together. */

import { Data, Effect, Either } from "effect"
import type { Json } from "../../values/Json.ts"
import type { Shown, Spaces, Status, StepResult, World, WorldInfo } from "../handle/World.ts"
import { type ActionRefused, NoSuchAgent, type WorldError } from "../handle/WorldError.ts"

/** Leave the wrapper out, or put it around another world: it does not fit this one. */
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
 * A world as a wrapper changes it. What a wrapper remembers of an episode, it keeps for the world that it made: wrap a
 * world once.
 */
export type Wrapper = (world: World) => Either.Either<World, DoesNotFit>

/**
 * A world in several wrappers, from the inside to the outside: the first wrapper is nearest to the world.
 *
 * @example
 * const world = yield* wrapped(yield* World.open({ world: "pendulum" }), RescaleAction(-1, 1), TimeLimit(100))
 */
export const wrapped = (world: World, ...wrappers: ReadonlyArray<Wrapper>): Either.Either<World, DoesNotFit> =>
  wrappers.reduce<Either.Either<World, DoesNotFit>>(
    (inner, wrapper) => Either.flatMap(inner, wrapper),
    Either.right(world),
  )

/** What a wrapper changes. What it does not name, stays as it is. */
export interface Changes {
  readonly info?: Partial<WorldInfo>
  /** Changes the spaces of an agent. */
  readonly spaces?: (spaces: Spaces, agent: string) => Spaces
  /** Called for each agent when an episode begins, before it is shown anything. */
  readonly begin?: (agent: string) => Effect.Effect<void>
  /** Whether an agent may act or observe now. */
  readonly allow?: (agent: string) => Effect.Effect<void, WorldError>
  /** The action that the world takes instead. */
  readonly action?: (action: Json, agent: string) => Either.Either<Json, ActionRefused>
  /** What an agent is shown instead, after a reset or a step of its own. */
  readonly shown?: (observation: Json, agent: string) => Json
  /** What an agent that has not acted since is shown instead: others acted, or it observes again. Default: as `shown`. */
  readonly again?: (observation: Json, agent: string) => Json
  /**
   * What an agent gets for a step instead. Its observation is as `shown` or `again` has it. `acted` is false where the step
   * was not its own.
   */
  readonly step?: (result: StepResult, agent: string, acted: boolean) => Effect.Effect<StepResult>
  /** Changes the status of an agent. */
  readonly status?: (status: Status, agent: string) => Status
}

/** A world with changes. */
export const changed = (world: World, changes: Changes): World => {
  const { begin = () => Effect.void, allow = () => Effect.void, action = Either.right } = changes
  const { shown = same, again = shown, step = Effect.succeed, spaces = same, status = same } = changes
  const first = () => world.agents()[0] ?? ""

  const reset = (one: Shown, agent: string) =>
    Effect.map(begin(agent), () => ({ ...one, observation: shown(one.observation, agent) }))
  // What an agent is shown comes before what it gets, which may count what it was shown.
  const after = (result: StepResult, agent: string, acted: boolean) =>
    Effect.suspend(() => {
      const observation = (acted ? shown : again)(result.observation, agent)
      return step({ ...result, observation }, agent, acted)
    })
  // A step of one agent is a round, too: it may give something to others.
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
    observe: (agent = first()) => Effect.map(world.observe(agent), (observation) => again(observation, agent)),
    status: (agent = first()) => Effect.map(world.status(agent), (found) => status(found, agent)),
  }
}

const same = <A>(value: A): A => value
