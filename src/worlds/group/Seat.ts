/**
 * The place of one agent in a group. The agent runs in the ordinary loop, on a task of its own that is part of the
 * shared one. Its requests wait until it has the turn, so the order of events depends on the turns and never on which
 * agent answers first.
 */

import { Deferred, Effect, type Exit, FiberId } from "effect"
import type { CommandOutcome } from "../../kernel/acting/CommandExecution.ts"
import { copied } from "../../kernel/acting/command/Arguments.ts"
import type { AgentCommand } from "../../kernel/acting/round/Round.ts"
import type { Agent } from "../../kernel/agents/Agent.ts"
import type { RunResult } from "../../kernel/agents/AgentLoop.ts"
import type { Reading } from "../../kernel/sensing/SensorReading.ts"
import type { ActOptions } from "../../kernel/tasks/OpenOptions.ts"
import type { Task } from "../../kernel/tasks/Task.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"

/** How an agent's turn ended. */
export type TurnEnd =
  /** The agent handed in its action, which waits for the group. */
  | { readonly kind: "handed-in" }
  /** Its run is over. */
  | { readonly kind: "ended"; readonly exit: Exit.Exit<RunResult, unknown> }

/** An action that waits for the group to carry it out. */
interface HandedIn {
  readonly command: AgentCommand
  /** The model's id of the tool call. */
  readonly callId?: string
  /** The deadline of the action, on the clock of `performance.now`; infinite without a limit. */
  readonly until: number
  readonly answer: Deferred.Deferred<CommandOutcome, ActFailure>
}

type ActFailure = Effect.Effect.Error<ReturnType<Task["act"]>>

export interface Seat {
  readonly agentId: string
  readonly agent: Agent
  /** The task as the agent sees it. */
  readonly task: Task
  /** Gives the agent the turn and waits until it ends. */
  readonly takeTurn: Effect.Effect<TurnEnd>
  /**
   * Takes the turn away: later requests of the agent wait for its next turn. Returns whether the agent had the turn.
   */
  readonly interruptTurn: () => boolean
  /** Reports that the agent's run is over. */
  readonly end: (exit: Exit.Exit<RunResult, unknown>) => Effect.Effect<unknown>
  /** Takes the waiting action; undefined if there is none. */
  readonly takeHandedIn: () => HandedIn | undefined
  readonly hasHandedIn: () => boolean
  /**
   * Whether the agent's next requests are its inputs and then a perception: it decides step by step, and begins one.
   * Waits until an agent that got its answer begins its next step, or ends.
   */
  readonly isBeforeStep: Effect.Effect<boolean>
  /** Gives the readings of the agent's next perception, which were taken before its turn. */
  readonly give: (readings: ReadonlyArray<Reading>) => void
}

export interface SeatOptions {
  readonly agentId: string
  readonly agent: Agent
  readonly task: Task
  /** The world's actuator `world/step`. */
  readonly step: string
  /** Called with each utterance of the agent. */
  readonly said: (content: string, audience: ReadonlyArray<string> | undefined) => void
}

export const make = ({ agentId, agent, task, step, said }: SeatOptions): Effect.Effect<Seat> =>
  Effect.gen(function* () {
    let holds = false
    /** Completes when the agent gets the turn. */
    let given = yield* Deferred.make<void>()
    /** Completes when the turn ends. */
    let waiting: Deferred.Deferred<TurnEnd> | undefined
    let handedIn: HandedIn | undefined
    let ended: TurnEnd | undefined
    const decides = "decide" in agent && agent.conductedBy === undefined
    /** Where an agent that decides step by step is: on the way to its next step, before its perception, or after it. */
    let place: "between" | "before" | "within" = "between"
    /** Completes when it is no longer between two steps. */
    let arrived = Deferred.unsafeMake<void>(FiberId.none)
    /** The readings of its next perception, if they were taken before. */
    let ahead: ReadonlyArray<Reading> | undefined

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
        // If the turn was taken away, nobody waits for its end.
        return told === undefined ? Effect.void : Deferred.succeed(told, end)
      })

    const takeTurn = Effect.suspend(() => {
      if (ended !== undefined) return Effect.succeed(ended)
      const end = Deferred.unsafeMake<TurnEnd>(FiberId.none)
      waiting = end
      holds = true
      return Effect.zipRight(Deferred.succeed(given, undefined), Deferred.await(end))
    })

    /** Runs a request once the agent has the turn and is in time. */
    const inTurn = <A, E>(request: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() =>
        holds
          ? Effect.zipRight(
              task.inTime(agentId),
              Effect.suspend(() => (holds ? request : inTurn(request))),
            )
          : Effect.zipRight(Deferred.await(given), inTurn(request)),
      )

    const act: Task["act"] = (actuator, args = {}, options = {}) =>
      inTurn(actuator === step ? handIn(args, options) : task.act(actuator, args, { ...options, agentId }))

    const handIn = (args: JsonObject, { causationId, callId, withinMs = Number.POSITIVE_INFINITY }: ActOptions) =>
      Effect.gen(function* () {
        const until = performance.now() + withinMs
        const copy = yield* copied(step, args)
        const answer = yield* Deferred.make<CommandOutcome, ActFailure>()
        const caused = causationId === undefined ? {} : { causationId }
        const called = callId === undefined ? {} : { callId }
        handedIn = { command: { agentId, actuator: step, args: copy, ...caused }, ...called, until, answer }
        place = "between"
        arrived = Deferred.unsafeMake(FiberId.none)
        yield* endTurn({ kind: "handed-in" })
        return yield* Deferred.await(answer)
      })

    const own: Task = {
      ...task,
      capabilities: () => task.capabilities(agentId),
      perceive: (options = {}) =>
        inTurn(
          Effect.suspend(() => {
            const taken = ahead
            ahead = undefined
            place = "within"
            return taken === undefined ? task.perceive({ ...options, agentId }) : Effect.succeed(taken)
          }),
        ),
      perceiveAhead: undefined,
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
      saying: (content, options = {}) =>
        inTurn(
          Effect.tap(task.saying(content, { ...options, agentId }), () =>
            Effect.sync(() => said(content, options.audience)),
          ),
        ),
      consult: (question, answering) => inTurn(task.consult(question, answering, { agentId })),
      worked: () => task.worked(agentId),
      lost: () => task.lost(agentId),
      // After its answer, an agent may wait for its turn, so the answer is recorded at once.
      ask: (question, answering, options = {}) =>
        inTurn(task.ask(question, answering, { ...options, soon: false, agentId })),
      inputs: (options = {}) =>
        Effect.suspend(() => {
          // An agent that decides takes its inputs at the beginning of each step.
          place = "before"
          Deferred.unsafeDone(arrived, Effect.void)
          return inTurn(task.inputs({ ...options, agentId }))
        }),
      tick: (...time) => inTurn(task.tick(...time)),
      member: (event) => inTurn(task.member(event)),
      record: (name, event) => inTurn(task.record(name, withAgent(event, agentId))),
      decided: (decision) => inTurn(task.decided({ ...decision, agentId })),
      deciding: (decision) => inTurn(task.deciding({ ...decision, agentId })),
      // The group closes the shared task.
      close: () => Effect.void,
    }
    return {
      agentId,
      agent,
      task: own,
      takeTurn,
      interruptTurn: () => {
        const hadTurn = waiting !== undefined
        closeTurn()
        return hadTurn
      },
      end: (exit) =>
        Effect.suspend(() => {
          Deferred.unsafeDone(arrived, Effect.void)
          return endTurn({ kind: "ended", exit })
        }),
      takeHandedIn: () => {
        const taken = handedIn
        handedIn = undefined
        return taken
      },
      hasHandedIn: () => handedIn !== undefined,
      isBeforeStep: Effect.suspend(() =>
        !decides || handedIn !== undefined
          ? Effect.succeed(false)
          : Effect.map(
              place === "between" && ended === undefined ? Deferred.await(arrived) : Effect.void,
              () => ended === undefined && place === "before",
            ),
      ),
      give: (readings) => {
        ahead = readings
      },
    }
  })

/** An agent's state carries the agent's name. */
const withAgent = (event: Parameters<Task["record"]>[1], agentId: string): Parameters<Task["record"]>[1] =>
  event.type === "AgentStateChanged" ? { ...event, payload: { ...event.payload, agentId } } : event
