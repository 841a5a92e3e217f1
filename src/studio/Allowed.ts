/** The actions that a Studio server allows in addition to reading. It refuses all others. */

import { Context, Data, Effect, Fiber, type Scope, Stream } from "effect"
import type { Deltas } from "../agents/channel/Deltas.ts"
import { CaughtUp } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import type { Agent } from "../kernel/agents/Agent.ts"
import type { ForkOptions } from "../kernel/fork/Fork.ts"
import * as ProgramLog from "../platform/ProgramLog.ts"
import type { Loaded, Played, PlayOptions } from "../worlds/scenario/Scenario.ts"
import type { WorldAtStart } from "./wire/Scenarios.ts"

/** Why an agent did not start or continue. */
type Refused = { readonly _tag: string; readonly message: string }

export interface Forking {
  readonly agents: ReadonlyMap<string, Agent>
  readonly run: (agent: Agent, options: ForkOptions) => Effect.Effect<unknown, Refused>
}

/** Forks that run while the server does. */
export interface Forks extends Pick<Forking, "agents"> {
  /** Runs one effect at a time: the timeline's name is free until its fork is recorded. */
  readonly inTurn: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Starts an agent, which runs until it is done or the server ends. */
  readonly begin: (agent: Agent, options: ForkOptions) => Effect.Effect<Begun>
}

/** Scenarios that the page may edit and run. */
export interface Staging {
  /** Absolute paths without symbolic links. */
  readonly directories: ReadonlyArray<string>
  /** By the names that the page uses. */
  readonly agents: ReadonlyMap<string, Agent>
  /** Starts a scenario's world and returns its initial state. Records nothing. */
  readonly look: (played: Played, seed: number) => Effect.Effect<WorldAtStart, Refused>
  readonly run: (agent: Agent, scenario: Loaded, options: PlayOptions) => Effect.Effect<unknown, Refused>
}

/** Scenarios that run while the server does. */
export interface Scenarios extends Omit<Staging, "run"> {
  /** Starts an agent, which plays until it is done or the server ends. */
  readonly begin: (agent: Agent, scenario: Loaded, options: PlayOptions) => Effect.Effect<Begun>
}

export interface Begun {
  readonly fiber: Fiber.Fiber<unknown, Refused>
  /** Stops waiting for it: later failures go to the program's log. */
  readonly leave: Effect.Effect<void>
}

/** Input to the agents of this program. */
export interface Talking {
  /** Passes on answers while they stream. Without it, answers appear once they are recorded. */
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

/** Maximum number of concurrent previews, each of which is a process. Others wait. */
const MAX_LOOKS = 2

/** Scenario runs that end with the scope. */
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
      isLeft ? ProgramLog.error("an agent that Studio ran failed", cause) : Effect.void,
    )
    const leave = Effect.sync(() => {
      isLeft = true
    })
    return Effect.map(Effect.forkIn(watched, scope), (fiber) => ({ fiber, leave }))
  })

/**
 * Waits for the event with which an agent begins, even if the agent has ended since. Fails if the kernel refuses the
 * agent.
 *
 * @param coming events since before the agent began
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
    // Also if the client goes away first.
    Effect.ensuring(working.leave),
  )

export class Allowed extends Context.Tag("hindcast/studio/Allowed")<Allowed, Allowed.Service>() {}

export declare namespace Allowed {
  export interface Service {
    readonly answer: boolean
    /** Null if forks are not allowed. */
    readonly forks: Forks | null
    readonly write: boolean
    /** Whether people may add notes, stars, tags and labels. */
    readonly annotate: boolean
    /** Null if no scenario may be edited. */
    readonly scenarios: Scenarios | null
    /** With `answer`: access to this program's agents. Null if it runs no kernel. */
    readonly talk: Talking | null
    /** Who answers and writes: the actor is `human:<by>`. */
    readonly by: string
    /** The person who asks, where several share a Studio. Otherwise, the holder of the token may use all of the above. */
    readonly person?: Person
    /** Sentences about the log for the reader. */
    readonly notes: ReadonlyArray<string>
  }
}

/** Rights of a person on a log of a shared Studio. None includes another. */
export const ROLES = ["see", "answer", "annotate", "fork", "write"] as const

export type Role = (typeof ROLES)[number]

/** A person of a shared Studio. */
export interface Person {
  readonly account: string
  readonly roles: ReadonlySet<Role>
}

/** The actions that remain for a person. Their events name the person. */
export const forPerson = (allowed: Allowed.Service, person: Person): Allowed.Service => {
  const has = (role: Role) => person.roles.has(role)
  return {
    ...allowed,
    answer: allowed.answer && has("answer"),
    forks: has("fork") ? allowed.forks : null,
    write: allowed.write && has("write"),
    annotate: allowed.annotate && has("annotate"),
    scenarios: has("write") ? allowed.scenarios : null,
    talk: has("answer") ? allowed.talk : null,
    by: person.account,
    person,
  }
}

/** A person's account lacks the role of a path. */
export class RoleMissing extends Data.TaggedError("RoleMissing")<{
  readonly account: string
  readonly role: Role
  readonly roles: ReadonlyArray<Role>
}> {
  override get message() {
    const found = this.roles.length === 0 ? "none" : this.roles.join(", ")
    return `${this.account}: expected the role ${this.role} on this log, found ${found}. The file of \`hindcast studio --share\` gives roles.`
  }
}

/** The server was started without the switch for this action. */
export class NotAllowed extends Data.TaggedError("NotAllowed")<{ readonly what: string; readonly option: string }> {
  override get message() {
    return `This server was started without permission to ${this.what}. Expected --${this.option} of \`hindcast studio\` (in a program, ${this.option} of Studio.layer), found none.`
  }
}
