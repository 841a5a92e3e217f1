/** What a server of Studio allows besides reading. What it does not allow, it refuses. */

import { Context, Data, Effect, Fiber, type Scope, Stream } from "effect"
import type { Deltas } from "../agents/channel/Deltas.ts"
import { CaughtUp } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import type { Agent } from "../kernel/agents/Agent.ts"
import type { ForkOptions } from "../kernel/fork/Fork.ts"
import * as ProgramLog from "../platform/ProgramLog.ts"
import type { Loaded, Played, PlayOptions } from "../worlds/scenario/Scenario.ts"
import type { WorldAtStart } from "./wire/Scenarios.ts"

/** Why an agent did not go on. */
type Refused = { readonly _tag: string; readonly message: string }

/** What goes on with tasks from a moment. */
export interface Forking {
  /** By the names that the page may say. */
  readonly agents: ReadonlyMap<string, Agent>
  /** Lets an agent go on. Ends when it is done. */
  readonly run: (agent: Agent, options: ForkOptions) => Effect.Effect<unknown, Refused>
}

/** What is forked while the server runs. */
export interface Forks extends Pick<Forking, "agents"> {
  /** One after the other: a timeline's name is taken when its fork stands. */
  readonly inTurn: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Lets an agent go on, until it is done or the server ends. */
  readonly begin: (agent: Agent, options: ForkOptions) => Effect.Effect<Begun>
}

/** Scenarios that the page may edit and run. */
export interface Staging {
  /** Absolute paths of directories, without symbolic links in them. */
  readonly directories: ReadonlyArray<string>
  /** By the names that the page may say. */
  readonly agents: ReadonlyMap<string, Agent>
  /** Starts the world of a scenario, and shows it as it begins. Nothing is recorded. */
  readonly look: (played: Played, seed: number) => Effect.Effect<WorldAtStart, Refused>
  /** Lets an agent play all parts. Ends when it is done. */
  readonly run: (agent: Agent, scenario: Loaded, options: PlayOptions) => Effect.Effect<unknown, Refused>
}

/** Scenarios that are run while the server runs. */
export interface Scenarios extends Omit<Staging, "run"> {
  /** Lets an agent play, until it is done or the server ends. */
  readonly begin: (agent: Agent, scenario: Loaded, options: PlayOptions) => Effect.Effect<Begun>
}

/** An agent at work. */
export interface Begun {
  readonly fiber: Fiber.Fiber<unknown, Refused>
  /** From now on nobody waits for it: what fails is written to the program's log. */
  readonly leave: Effect.Effect<void>
}

/** The agents of this program, as they are talked to. */
export interface Talking {
  /** Passes on their answers while they stream; undefined: they are seen once they are recorded. */
  readonly deltas: Deltas | undefined
}

/** Forks that end with the scope. */
export const inScope = ({ agents, run }: Forking): Effect.Effect<Forks, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const turns = yield* Effect.makeSemaphore(1)
    const begin: Forks["begin"] = (agent, options) => begun(scope, run(agent, options))
    return { agents, begin, inTurn: turns.withPermits(1) }
  })

/** Most worlds that are looked at at once: each is a process. Others wait. */
const MAX_LOOKS = 2

/** Runs of scenarios that end with the scope. */
export const staged = ({ run, look, ...rest }: Staging): Effect.Effect<Scenarios, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const looks = yield* Effect.makeSemaphore(MAX_LOOKS)
    return {
      ...rest,
      look: (played, seed) => looks.withPermits(1)(look(played, seed)),
      begin: (agent, scenario, options) => begun(scope, run(agent, scenario, options)),
    }
  })

const begun = (scope: Scope.Scope, work: Effect.Effect<unknown, Refused>): Effect.Effect<Begun> =>
  Effect.suspend(() => {
    let isLeft = false
    const watched = Effect.tapErrorCause(work, (cause) =>
      isLeft ? ProgramLog.error("an agent that Studio let work failed", cause) : Effect.void,
    )
    const leave = Effect.sync(() => {
      isLeft = true
    })
    return Effect.map(Effect.forkIn(watched, scope), (fiber) => ({ fiber, leave }))
  })

/**
 * Waits for the event with which an agent begins; or fails with why it was refused, which never begins. One that was quick may have ended.
 *
 * @param coming events, from before the agent began
 */
export const untilBegun = <E>(
  working: Begun,
  coming: Stream.Stream<Event | CaughtUp, E>,
  isIt: (event: Event) => boolean = () => true,
) =>
  Effect.raceFirst(
    coming.pipe(
      Stream.filter((next): next is Event => !(next instanceof CaughtUp) && isIt(next)),
      Stream.runHead,
    ),
    Effect.zipRight(Fiber.join(working.fiber), Effect.never),
  ).pipe(
    // Also where the client goes away before that.
    Effect.ensuring(working.leave),
  )

/** What is allowed. */
export class Allowed extends Context.Tag("hindcast/studio/Allowed")<Allowed, Allowed.Service>() {}

/** The type of the service: `Allowed.Service`. */
export declare namespace Allowed {
  /** What a server allows. */
  export interface Service {
    readonly answer: boolean
    /** Null if nothing may be forked. */
    readonly forks: Forks | null
    readonly write: boolean
    /** Null if no scenario may be edited. */
    readonly scenarios: Scenarios | null
    /** The agents that can be talked to, where `answer` allows it: those of this program. Null if it runs no kernel. */
    readonly talk: Talking | null
    /** Who answers and writes: the actor is `human:<by>`. */
    readonly by: string
    /** What the reader should know of the log: sentences. */
    readonly notes: ReadonlyArray<string>
  }
}

/** Start it again with the switch: the server was not started to do this. */
export class NotAllowed extends Data.TaggedError("NotAllowed")<{ readonly what: string; readonly option: string }> {
  override get message() {
    return `This server was not started to ${this.what}. Expected the switch --${this.option} of \`hindcast studio\` (in a program, ${this.option} of Studio.layer), found none.`
  }
}
