/**
 * The place of one agent in a group. Its agent runs by the ordinary loop, on a task of its own that is a part of the
 * shared one, and makes requests only while it has the turn. So the order of events follows from whose turn it is, and
 * never from who answered first.
 */

import { Deferred, Effect, type Exit, FiberId } from "effect"
import type { CommandOutcome } from "../../kernel/acting/CommandExecution.ts"
import type { AgentCommand } from "../../kernel/acting/Round.ts"
import type { Agent } from "../../kernel/agents/Agent.ts"
import type { RunResult } from "../../kernel/agents/AgentLoop.ts"
import type { Task } from "../../kernel/tasks/Task.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"

/** How a turn of an agent ended. */
export type TurnEnd =
  /** It handed in its action, which waits for the round. */
  | { readonly kind: "handed-in" }
  /** It has acted, and this is what came of it. */
  | { readonly kind: "acted"; readonly outcome: CommandOutcome }
  /** Its run is over. */
  | { readonly kind: "ended"; readonly exit: Exit.Exit<RunResult, unknown> }

/** An action that waits for its round. */
interface HandedIn {
  readonly command: AgentCommand
  readonly answer: Deferred.Deferred<CommandOutcome>
}

/** The place of an agent. */
export interface Seat {
  readonly agentId: string
  readonly agent: Agent
  /** The task as the agent sees it. */
  readonly task: Task
  /** Gives the agent the turn, and waits until it ends. */
  readonly takeTurn: Effect.Effect<TurnEnd>
  /** Takes the turn away: what the agent requests from now on waits until it has the turn again. */
  readonly interruptTurn: () => void
  /** Says that the agent's run is over. */
  readonly end: (exit: Exit.Exit<RunResult, unknown>) => Effect.Effect<unknown>
  /** The action that waits for its round; undefined if there is none. It is taken. */
  readonly takeHandedIn: () => HandedIn | undefined
  readonly hasHandedIn: () => boolean
}

/** What a seat needs of its group. */
export interface SeatOptions {
  readonly agentId: string
  readonly agent: Agent
  /** The shared task. */
  readonly task: Task
  /** The world's actuator `world/step`. */
  readonly step: string
  /** Whether actions wait for the others' (`parallel`), or are taken at once (`turn-based`). */
  readonly isParallel: () => boolean
  /** Told what the agent says. */
  readonly said: (content: string, audience: ReadonlyArray<string> | undefined) => void
}

export const make = ({ agentId, agent, task, step, isParallel, said }: SeatOptions): Effect.Effect<Seat> =>
  Effect.gen(function* () {
    let holds = false
    /** Completes when the agent gets the turn. */
    let given = yield* Deferred.make<void>()
    /** Who waits for the end of the turn. */
    let waiting: Deferred.Deferred<TurnEnd> | undefined
    let handedIn: HandedIn | undefined
    let ended: TurnEnd | undefined

    /** Takes the turn away: what is requested from now on waits for the next one. */
    const closeTurn = () => {
      holds = false
      given = Deferred.unsafeMake(FiberId.none)
      waiting = undefined
    }

    const endTurn = (end: TurnEnd) =>
      Effect.suspend(() => {
        if (end.kind === "ended") ended = end
        const told = waiting
        closeTurn()
        // Nobody waits for what a late agent did in a turn that was taken away.
        return told === undefined ? Effect.void : Deferred.succeed(told, end)
      })

    const takeTurn = Effect.suspend(() => {
      if (ended !== undefined) return Effect.succeed(ended)
      const end = Deferred.unsafeMake<TurnEnd>(FiberId.none)
      waiting = end
      holds = true
      return Effect.zipRight(Deferred.succeed(given, undefined), Deferred.await(end))
    })

    /** Runs a request once the agent has the turn. */
    const inTurn = <A, E>(request: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => (holds ? request : Effect.zipRight(Deferred.await(given), inTurn(request))))

    const act: Task["act"] = (actuator, args = {}, options = {}) => {
      const own = { ...options, agentId }
      if (actuator !== step) return inTurn(task.act(actuator, args, own))
      return inTurn(
        Effect.suspend(() =>
          isParallel() ? handIn(args, options.causationId) : Effect.tap(task.act(actuator, args, own), acted),
        ),
      )
    }
    const acted = (outcome: CommandOutcome) => endTurn({ kind: "acted", outcome })

    const handIn = (args: JsonObject, causationId: string | undefined) =>
      Effect.gen(function* () {
        const answer = yield* Deferred.make<CommandOutcome>()
        const caused = causationId === undefined ? {} : { causationId }
        handedIn = { command: { agentId, actuator: step, args, ...caused }, answer }
        yield* endTurn({ kind: "handed-in" })
        return yield* Deferred.await(answer)
      })

    const own: Task = {
      ...task,
      capabilities: () => task.capabilities(agentId),
      perceive: (options = {}) => inTurn(task.perceive({ ...options, agentId })),
      act,
      together: (commands) =>
        inTurn(
          commands.every((command) => command.agentId === agentId)
            ? task.together(commands)
            : new Options.InvalidOptions({
                of: "together",
                problems: [{ path: "commands", expected: `commands of ${agentId}`, found: "those of another agent" }],
              }),
        ),
      say: (content, options = {}) =>
        inTurn(
          Effect.tap(task.say(content, { ...options, agentId }), () =>
            Effect.sync(() => said(content, options.audience)),
          ),
        ),
      consult: (question, answering) => inTurn(task.consult(question, answering, { agentId })),
      ask: (question, answering, options = {}) => inTurn(task.ask(question, answering, { ...options, agentId })),
      inputs: (options = {}) => inTurn(task.inputs({ ...options, agentId })),
      tick: (...time) => inTurn(task.tick(...time)),
      member: (event) => inTurn(task.member(event)),
      record: (name, event) => inTurn(task.record(name, withAgent(event, agentId))),
      decided: (decision) => inTurn(task.decided({ ...decision, agentId })),
      // The end of the shared task is the group's.
      close: () => Effect.void,
    }
    return {
      ...{ agentId, agent, task: own },
      takeTurn,
      interruptTurn: closeTurn,
      end: (exit) => endTurn({ kind: "ended", exit }),
      takeHandedIn: () => {
        const taken = handedIn
        handedIn = undefined
        return taken
      },
      hasHandedIn: () => handedIn !== undefined,
    }
  })

/** An agent's state is told apart by its name. */
const withAgent = (event: Parameters<Task["record"]>[1], agentId: string): Parameters<Task["record"]>[1] =>
  event.type === "AgentStateChanged" ? { ...event, payload: { ...event.payload, agentId } } : event
