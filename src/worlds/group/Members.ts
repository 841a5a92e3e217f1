/** The agents of a group: who takes part, joins, leaves or is suspended, and how each agent's part ends. */

import { Cause, Effect, Exit, Option, type Scope } from "effect"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { type Agent, AgentFailed, type AgentTask, fullName } from "../../kernel/agents/Agent.ts"
import type { RunResult } from "../../kernel/agents/AgentLoop.ts"
import * as EpisodeEnd from "../../kernel/agents/EpisodeEnd.ts"
import type { Task } from "../../kernel/tasks/Task.ts"
import * as EpisodeDocument from "./EpisodeDocument.ts"
import type * as Seat from "./Seat.ts"

/** A change of who takes part. */
export type MemberChange =
  | { readonly join: string; readonly agent: Agent }
  | { readonly leave: string; readonly reason?: string }
  | { readonly suspend: string; readonly reason?: string }
  | { readonly continue: string }

interface MemberEnd {
  readonly outcome: TaskOutcome
  readonly reason?: string
}

/** A seat, and the state of its agent. */
export interface Member {
  readonly seat: Seat.Seat
  suspended: boolean
  /** Set if the agent used up its steps: it leaves at the end of the round. */
  outOfSteps?: Exit.Exit<RunResult, unknown>
  /** Undefined while the agent takes part. */
  ended?: MemberEnd
}

type Recording = ReturnType<Task["member"]>

export interface Members {
  /** An agent that takes part, suspended or not; undefined if there is none of this name. */
  readonly taking: (agentId: string) => Member | undefined
  /** The agents that take part and are not suspended, by name. */
  readonly active: () => ReadonlyArray<Member>
  /** Whether no agent takes part any more. */
  readonly isOver: () => boolean
  /** Seats an agent that takes part from the start. */
  readonly sit: (agentId: string, agent: Agent) => Effect.Effect<void, unknown, Scope.Scope>
  /** Carries out a change at the start of a round. */
  readonly apply: (change: MemberChange) => Effect.Effect<void, unknown, Scope.Scope>
  /** Records that the world ended an agent's episode, unless the agent's part has already ended. */
  readonly end: (agentId: string, end: MemberEnd) => Recording | Effect.Effect<void>
  /** Records that an agent's run is over. Fails if the run's failure concerns the task and not only this agent. */
  readonly leave: (member: Member, exit: Exit.Exit<RunResult, unknown>) => Effect.Effect<void, unknown>
  /** Closes the task with the joint outcome of its agents. */
  readonly close: (isOutOfRounds: boolean) => ReturnType<Task["close"]>
}

/**
 * Makes a group without members.
 *
 * @param world the name of the world's plugin
 * @param seatOf makes an agent's seat
 * @param start begins an agent's run
 */
export const make = (
  task: AgentTask,
  world: string,
  seatOf: (agentId: string, agent: Agent) => Effect.Effect<Seat.Seat>,
  start: (seat: Seat.Seat) => Effect.Effect<void, never, Scope.Scope>,
): Members => {
  const members = new Map<string, Member>()
  const taking = (agentId: string) => {
    const member = members.get(agentId)
    return member?.ended === undefined ? member : undefined
  }

  const join = (agentId: string, agent: Agent, midway: boolean) =>
    Effect.gen(function* () {
      const seat = yield* seatOf(agentId, agent)
      const payload = { agentId, agent: fullName(agent), ...(midway ? { midway: true as const } : {}) }
      yield* task.member({ type: "AgentJoined", payload })
      members.set(agentId, { seat, suspended: false })
      yield* start(seat)
    })

  /** Changes one agent that takes part. Fails for any other. */
  const changed = (agentId: string, change: (member: Member) => Recording) => {
    const member = taking(agentId)
    if (member !== undefined) return change(member)
    const names = [...members.keys()].filter((name) => taking(name) !== undefined).join(", ")
    const reason = `expected a change of an agent that takes part (${names || "none"}), found ${agentId}`
    return new AgentFailed({ agent: agentId, reason })
  }

  const leave = (member: Member, end: MemberEnd, midway: boolean) => {
    const { agentId } = member.seat
    member.ended = end
    return task.member({
      type: "AgentLeft",
      payload: { agentId, ...end, ...(midway ? { midway: true as const } : {}) },
    })
  }

  return {
    taking,
    active: () =>
      [...members.values()]
        .filter(({ suspended, ended }) => !suspended && ended === undefined)
        .sort((a, b) => (a.seat.agentId < b.seat.agentId ? -1 : 1)),
    isOver: () => [...members.values()].every(({ ended }) => ended !== undefined),
    sit: (agentId, agent) => join(agentId, agent, false),
    apply: (change) => {
      if ("join" in change) return join(change.join, change.agent, true)
      if ("leave" in change) {
        const end = { outcome: "abandoned" as const, ...because(change.reason) }
        return changed(change.leave, (member) => leave(member, end, true))
      }
      if ("suspend" in change) {
        const agentId = change.suspend
        return changed(agentId, (member) => {
          member.suspended = true
          return task.member({ type: "AgentSuspended", payload: { agentId, ...because(change.reason) } })
        })
      }
      const agentId = change.continue
      return changed(agentId, (member) => {
        member.suspended = false
        return task.member({ type: "AgentContinued", payload: { agentId } })
      })
    },
    end: (agentId, end) => {
      const member = taking(agentId)
      return member === undefined ? Effect.void : leave(member, end, false)
    },
    leave: (member, exit) =>
      Effect.gen(function* () {
        if (Exit.isFailure(exit) && !isOwnFailure(exit.cause)) return yield* Effect.failCause(exit.cause)
        // If the agent's episode is still active, `midway` tells the world that the agent no longer acts.
        const status = EpisodeDocument.statusOf(yield* task.document(world), member.seat.agentId)
        yield* leave(member, Exit.match(exit, { onSuccess: endOf, onFailure: failedBy }), status === "active")
      }),
    close: (isOutOfRounds) => {
      const all = [...members.values()]
      const outcomes = all.map(({ ended }) => ended?.outcome ?? "truncated")
      const outcome = EpisodeEnd.joint(outcomes)
      const each = all.map(({ seat, ended }) => `${seat.agentId} ${ended?.outcome ?? "still running"}`).join(", ")
      return task.close(outcome ?? "abandoned", isOutOfRounds ? `the rounds are used up: ${each}` : each)
    },
  }
}

const because = (reason: string | undefined) => (reason === undefined ? {} : { reason })

const endOf = ({ outcome, reason }: RunResult): MemberEnd => ({ outcome, ...because(reason) })

const ownFailure = (cause: Cause.Cause<unknown>): AgentFailed | undefined => {
  const failure = Option.getOrUndefined(Cause.failureOption(cause))
  return failure instanceof AgentFailed ? failure : undefined
}

const isOwnFailure = (cause: Cause.Cause<unknown>): boolean => ownFailure(cause) !== undefined

const failedBy = (cause: Cause.Cause<unknown>): MemberEnd => ({
  outcome: "failed",
  ...because(ownFailure(cause)?.message),
})
