/** The rounds of a group: who takes part, who has the turn, when the world is stepped, and who hears what. */

import { Cause, Deferred, Effect, Exit, Option, type Scope } from "effect"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import type { CommandOutcome } from "../../kernel/acting/CommandExecution.ts"
import { stepResultOf } from "../../kernel/acting/WorldRewards.ts"
import { type Agent, AgentFailed, type AgentTask, fullName } from "../../kernel/agents/Agent.ts"
import { loop, type RunResult } from "../../kernel/agents/AgentLoop.ts"
import * as EpisodeEnd from "../../kernel/agents/EpisodeEnd.ts"
import type { Task } from "../../kernel/tasks/Task.ts"
import { digest } from "../../values/Digest.ts"
import type { Json } from "../../values/Json.ts"
import * as Channels from "./Channels.ts"
import * as EpisodeDocument from "./EpisodeDocument.ts"
import * as Seat from "./Seat.ts"

/** How a group works in a world. */
export interface RoundsOptions {
  /** The world that they are in: the name of its plugin. */
  readonly world: string
  /** The agents by their names in the task. */
  readonly agents: { readonly [agentId: string]: Agent }
  /** Most rounds, or turns of a world in which they act one after the other. Default: 1,000. */
  readonly maxRounds?: number
  /** How long an agent may take before its round is closed without it, in milliseconds. Default: no limit. */
  readonly decideWithinMs?: number
  /**
   * How the time of a world that moves by itself passes: so many milliseconds after each round, or `real-time`: as many as
   * have passed by the clock. Default: it does not.
   */
  readonly ticks?: number | "real-time"
  /** Who hears whom. Default: everybody, one round later. */
  readonly channels?: Channels.Channels
  /** Who joins, leaves or is suspended at the start of a round, which is numbered from 0. Default: nobody. */
  readonly changes?: (round: number) => ReadonlyArray<MemberChange>
}

/** A change of who takes part. */
export type MemberChange =
  | { readonly join: string; readonly agent: Agent }
  | { readonly leave: string; readonly reason?: string }
  | { readonly suspend: string; readonly reason?: string }
  | { readonly continue: string }

const MAX_ROUNDS = 1_000

/** A seat, and how its agent stands. */
interface Member {
  readonly seat: Seat.Seat
  suspended: boolean
  /** How its run ended; undefined while it takes part. */
  ended?: { readonly outcome: TaskOutcome; readonly reason?: string }
}

/** Runs the rounds until nobody takes part any more, and closes the task. */
export const run = (options: RoundsOptions, task: AgentTask): Effect.Effect<void, unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { world, agents, maxRounds = MAX_ROUNDS, channels = {}, changes = () => [], ticks } = options
      const members = new Map<string, Member>()
      const said: Array<Channels.Utterance> = []
      const clock = elapsed()
      let round = 0
      let isParallel = true

      const sit = (agentId: string, agent: Agent, midway: boolean) =>
        Effect.gen(function* () {
          const seat = yield* Seat.make({
            ...{ agentId, agent, step: `${world}/step` },
            task: { ...task, seed: seedOf(task.seed, agentId) },
            isParallel: () => isParallel,
            said: (content, audience) => said.push({ speaker: agentId, content, audience, round }),
          })
          const payload = { agentId, agent: fullName(agent), ...(midway ? { midway: true as const } : {}) }
          yield* task.member({ type: "AgentJoined", payload })
          members.set(agentId, { seat, suspended: false })
          yield* start(seat, maxRounds)
        })

      const active = () =>
        [...members.values()]
          .filter(({ suspended, ended }) => !suspended && ended === undefined)
          .sort((a, b) => (a.seat.agentId < b.seat.agentId ? -1 : 1))

      for (const agentId of Object.keys(agents).sort()) {
        const agent = agents[agentId]
        if (agent !== undefined) yield* sit(agentId, agent, false)
      }
      for (; round < maxRounds; round++) {
        for (const change of changes(round)) yield* apply(task, members, change, sit)
        if (active().length === 0) break
        const turn = EpisodeDocument.turnOf(yield* task.document(world))
        isParallel = Option.isNone(turn)
        yield* deliver(task, channels, said, active(), round)
        if (Option.isSome(turn)) {
          const member = members.get(turn.value ?? "")
          if (member === undefined || member.suspended || member.ended !== undefined) break
          const acted = yield* takeTurn(task, member, options)
          if (acted !== undefined) yield* endEpisodes(task, members, member, acted, options)
        } else {
          for (const member of active()) if (!member.seat.hasHandedIn()) yield* takeTurn(task, member, options)
          const acting = active().filter(({ seat }) => seat.hasHandedIn())
          yield* stepTogether(task, acting)
          yield* endIdle(
            task,
            world,
            [...members.values()].filter((member) => !acting.includes(member)),
          )
        }
        if (ticks !== undefined) yield* task.tick(world, ticks === "real-time" ? clock() : ticks)
      }
      yield* close(task, [...members.values()], round >= maxRounds)
    }),
  )

/** The milliseconds since the last call. */
const elapsed = (): (() => number) => {
  let last = performance.now()
  return () => {
    const before = last
    last = performance.now()
    return last - before
  }
}

/** Runs an agent's loop in its seat. It begins with its first turn. */
const start = (seat: Seat.Seat, maxSteps: number): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.forkScoped(Effect.flatMap(Effect.exit(loop(seat.agent, seat.task, { maxSteps })), (exit) => seat.end(exit))),
  )

/** Gives an agent the turn. It may be late, or come to its end. Answers what came of its action, if it took one. */
const takeTurn = (task: AgentTask, member: Member, { world, decideWithinMs }: RoundsOptions) =>
  Effect.gen(function* () {
    const { seat } = member
    const turn = Effect.asSome(seat.takeTurn)
    const end =
      decideWithinMs === undefined
        ? yield* turn
        : yield* Effect.raceFirst(
            turn,
            Effect.as(task.late(seat.agentId, decideWithinMs, seat.interruptTurn), Option.none<Seat.TurnEnd>()),
          )
    if (Option.isNone(end)) return undefined
    if (end.value.kind === "ended") yield* leave(task, world, member, end.value.exit)
    return end.value.kind === "acted" ? end.value.outcome : undefined
  })

/** Ends the runs of the agents whose episode a step ended: of the one that took it, and of others. */
const endEpisodes = (
  task: AgentTask,
  members: ReadonlyMap<string, Member>,
  member: Member,
  outcome: CommandOutcome,
  options: RoundsOptions,
) =>
  Effect.gen(function* () {
    const step = outcome.status === "succeeded" ? stepResultOf(outcome.result) : undefined
    if (step === undefined) return
    // The agent that acted sees it in the outcome of its command.
    if (EpisodeEnd.endIn(step) !== undefined) yield* takeTurn(task, member, options)
    for (const agentId of Object.keys(step.others ?? {}).sort()) {
      const other = members.get(agentId)
      const got = step.others?.[agentId]
      const ended = got === undefined ? undefined : EpisodeEnd.endIn(got)
      if (other === undefined || ended === undefined || other.ended !== undefined) continue
      other.ended = ended
      yield* task.member({ type: "AgentLeft", payload: { agentId, ...ended } })
    }
  })

/** Steps the world with the actions that were handed in, and gives each agent its outcome. */
const stepTogether = (task: AgentTask, members: ReadonlyArray<Member>) =>
  Effect.gen(function* () {
    const handedIn = members.flatMap(({ seat }) => seat.takeHandedIn() ?? [])
    if (handedIn.length === 0) return
    const outcomes = yield* task.together(handedIn.map(({ command }) => command))
    for (const [index, { answer }] of handedIn.entries()) {
      const outcome: CommandOutcome | undefined = outcomes[index]
      if (outcome !== undefined) yield* Deferred.succeed(answer, outcome)
    }
  })

/** Records that an agent's run is over. What stopped the task, and not the agent alone, stops the group. */
const leave = (task: AgentTask, world: string, member: Member, exit: Exit.Exit<RunResult, unknown>) =>
  Effect.gen(function* () {
    if (Exit.isFailure(exit)) {
      const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
      if (!(failure instanceof AgentFailed)) return yield* Effect.failCause(exit.cause)
      member.ended = { outcome: "failed", reason: failure.message }
    } else {
      const { outcome, reason } = exit.value
      member.ended = { outcome, ...(reason === undefined ? {} : { reason }) }
    }
    const { agentId } = member.seat
    // A world in which its episode goes on is told that it does nothing any more.
    const midway = (yield* statusOf(task, world, agentId)) === "active" ? { midway: true as const } : {}
    yield* task.member({ type: "AgentLeft", payload: { agentId, ...member.ended, ...midway } })
  })

const statusOf = (task: AgentTask, world: string, agentId: string) =>
  Effect.map(task.document(world), (document) => EpisodeDocument.statusOf(document, agentId))

/** Ends the runs of agents whose episode is over although they did not act, such as late ones. */
const endIdle = (task: AgentTask, world: string, members: ReadonlyArray<Member>) =>
  Effect.gen(function* () {
    for (const member of members) {
      const { agentId } = member.seat
      if (member.ended !== undefined) continue
      const status = yield* statusOf(task, world, agentId)
      if (status !== "terminated" && status !== "truncated") continue
      member.ended = { outcome: status === "truncated" ? "truncated" : "achieved", reason: "its episode is over" }
      yield* task.member({ type: "AgentLeft", payload: { agentId, ...member.ended } })
    }
  })

/** Tells agents what others said, as far as they hear it and it is due. */
const deliver = (
  task: AgentTask,
  channels: Channels.Channels,
  said: Array<Channels.Utterance>,
  members: ReadonlyArray<Member>,
  round: number,
) =>
  Effect.gen(function* () {
    const due = said.filter((utterance) => Channels.isDue(channels, utterance, round))
    for (const utterance of due) {
      said.splice(said.indexOf(utterance), 1)
      const names = members.map(({ seat }) => seat.agentId)
      for (const agentId of Channels.hearersOf(channels, names, utterance)) {
        const payload = { source: `agent:${utterance.speaker}`, content: utterance.content, agentId }
        yield* task.record(utterance.speaker, { type: "InputReceived", payload })
      }
    }
  })

/** Changes who takes part. */
const apply = (
  task: AgentTask,
  members: Map<string, Member>,
  change: MemberChange,
  sit: (agentId: string, agent: Agent, midway: boolean) => Effect.Effect<void, unknown, Scope.Scope>,
) => {
  if ("join" in change) return sit(change.join, change.agent, true)
  if ("leave" in change) {
    const { leave: agentId, reason } = change
    const ended = { outcome: "abandoned" as const, ...(reason === undefined ? {} : { reason }) }
    return changed(members, agentId, (member) => {
      member.ended = ended
      return task.member({ type: "AgentLeft", payload: { agentId, ...ended, midway: true } })
    })
  }
  if ("suspend" in change) {
    const { suspend: agentId, reason } = change
    return changed(members, agentId, (member) => {
      member.suspended = true
      const payload = { agentId, ...(reason === undefined ? {} : { reason }) }
      return task.member({ type: "AgentSuspended", payload })
    })
  }
  const { continue: agentId } = change
  return changed(members, agentId, (member) => {
    member.suspended = false
    return task.member({ type: "AgentContinued", payload: { agentId } })
  })
}

/** Changes one agent that takes part. A change of one that does not is a mistake of the group. */
const changed = (
  members: ReadonlyMap<string, Member>,
  agentId: string,
  change: (member: Member) => ReturnType<Task["member"]>,
) => {
  const member = members.get(agentId)
  const names = [...members].flatMap(([name, { ended }]) => (ended === undefined ? [name] : [])).join(", ")
  return member === undefined || member.ended !== undefined
    ? new AgentFailed({
        agent: agentId,
        reason: `expected a change of an agent that takes part (${names || "there is none"}), found one of ${agentId}`,
      })
    : change(member)
}

const close = (task: AgentTask, members: ReadonlyArray<Member>, isOutOfRounds: boolean) => {
  const outcomes = members.map(({ ended }) => ended?.outcome ?? "truncated")
  const outcome = EpisodeEnd.joint(outcomes) ?? "abandoned"
  const each = members.map(({ seat, ended }) => `${seat.agentId} ${ended?.outcome ?? "goes on"}`).join(", ")
  return task.close(outcome, isOutOfRounds ? `the rounds are used up: ${each}` : each)
}

/** The seed of one agent's random numbers: it follows from the task's and its name. */
const seedOf = (seed: number, agentId: string): number => {
  const hash: Json = [seed, agentId]
  return Number.parseInt(digest(hash).slice(0, 8), 16) >>> 1
}
