/** The rounds of a group: who has the turn, when the world is stepped, and who hears what. */

import { Deferred, Effect, Exit, Option, type Scope } from "effect"
import type { CommandOutcome } from "../../kernel/acting/CommandExecution.ts"
import { stepResultOf } from "../../kernel/acting/WorldRewards.ts"
import type { Agent, AgentTask } from "../../kernel/agents/Agent.ts"
import { loop } from "../../kernel/agents/AgentLoop.ts"
import * as EpisodeEnd from "../../kernel/agents/EpisodeEnd.ts"
import { digest } from "../../values/Digest.ts"
import type { Json } from "../../values/Json.ts"
import * as Channels from "./Channels.ts"
import * as EpisodeDocument from "./EpisodeDocument.ts"
import * as Members from "./Members.ts"
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
  readonly changes?: (round: number) => ReadonlyArray<Members.MemberChange>
}

const MAX_ROUNDS = 1_000

/** Runs the rounds until nobody takes part any more, or it is nobody's turn, and closes the task. */
export const run = (options: RoundsOptions, task: AgentTask): Effect.Effect<void, unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { world, agents, maxRounds = MAX_ROUNDS, channels = {}, changes = () => [], ticks } = options
      const said: Array<Channels.Utterance> = []
      const clock = elapsed()
      let round = 0
      const seatOf = (agentId: string, agent: Agent) =>
        Seat.make({
          agentId,
          agent,
          step: `${world}/step`,
          task: { ...task, seed: seedOf(task.seed, agentId) },
          said: (content, audience) => said.push({ speaker: agentId, content, audience, round }),
        })
      const members = Members.make(task, world, seatOf, (seat) => start(seat, maxRounds))
      for (const agentId of Object.keys(agents).sort()) {
        const agent = agents[agentId]
        if (agent !== undefined) yield* members.sit(agentId, agent)
      }
      for (; round < maxRounds; round++) {
        for (const change of changes(round)) yield* members.apply(change)
        if (members.isOver()) break
        const turn = EpisodeDocument.turnOf(yield* task.document(world))
        yield* deliver(task, channels, said, members.active(), round)
        if (Option.isSome(turn)) {
          const member = members.taking(turn.value ?? "")
          if (member === undefined) break
          // The turn of an agent that is suspended is its own until it is continued.
          if (!member.suspended) yield* actInTurn(task, members, member, options)
        } else yield* actTogether(task, members, options)
        if (ticks !== undefined) {
          const got = yield* task.tick(world, ticks === "real-time" ? clock() : ticks)
          yield* endEpisodes(members, got)
        }
        // The last of the round: what a step or a tick said of an end, with its outcome, comes first.
        yield* endByDocument(members, yield* task.document(world))
        yield* leaveOutOfSteps(members)
      }
      yield* members.close(round >= maxRounds)
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

/** Gives an agent the turn, until it hands in its action, is late, or comes to its end. */
const takeTurn = (
  task: AgentTask,
  members: Members.Members,
  member: Members.Member,
  { decideWithinMs = Number.POSITIVE_INFINITY }: RoundsOptions,
) =>
  Effect.gen(function* () {
    const { seat } = member
    const end = yield* Effect.raceFirst(
      Effect.asSome(seat.takeTurn),
      Effect.as(task.late(seat.agentId, decideWithinMs, seat.interruptTurn), Option.none<Seat.TurnEnd>()),
    )
    if (Option.isNone(end) || end.value.kind !== "ended") return
    const { exit } = end.value
    // The world may end its episode in this round: that goes before.
    if (Exit.isSuccess(exit) && exit.value.outcome === "truncated") member.outOfSteps = exit
    else yield* members.leave(member, exit)
  })

/** Lets the agents leave that used up their steps in the round, which saying something costs too. */
const leaveOutOfSteps = (members: Members.Members) =>
  Effect.forEach(
    members.active(),
    (member) => (member.outOfSteps === undefined ? Effect.void : members.leave(member, member.outOfSteps)),
    { discard: true },
  )

/** How long an action may take that was handed in before: its agent's budget of time goes on. */
const timeLeft = (until: number): { readonly withinMs?: number } =>
  Number.isFinite(until) ? { withinMs: Math.max(0, until - performance.now()) } : {}

/** One turn of a world in which agents act one after the other. */
const actInTurn = (task: AgentTask, members: Members.Members, member: Members.Member, options: RoundsOptions) =>
  Effect.gen(function* () {
    yield* takeTurn(task, members, member, options)
    const handedIn = member.seat.takeHandedIn()
    if (handedIn === undefined) return
    const { command, callId, until, answer } = handedIn
    const { agentId, actuator, args, causationId } = command
    const caused = causationId === undefined ? {} : { causationId }
    const called = callId === undefined ? {} : { callId }
    const acted = yield* Effect.exit(task.act(actuator, args, { agentId, ...caused, ...called, ...timeLeft(until) }))
    // The agent is told, also that it failed.
    yield* Deferred.done(answer, acted)
    if (Exit.isSuccess(acted)) yield* follow(task, members, [{ member, outcome: acted.value }], options)
  })

/** One round of a world in which all agents act at once. */
const actTogether = (task: AgentTask, members: Members.Members, options: RoundsOptions) =>
  Effect.gen(function* () {
    // An agent whose turn ended with an action that was not carried out yet waits.
    for (const member of members.active()) {
      if (!member.seat.hasHandedIn()) yield* takeTurn(task, members, member, options)
    }
    const acting = members.active().flatMap((member) => {
      const handedIn = member.seat.takeHandedIn()
      return handedIn === undefined ? [] : [{ member, handedIn }]
    })
    if (acting.length === 0) return
    const outcomes = yield* task.together(
      acting.map(({ handedIn: { command, until } }) => ({ ...command, ...timeLeft(until) })),
    )
    const acted: Array<Acted> = []
    for (const [index, { member, handedIn }] of acting.entries()) {
      const outcome: CommandOutcome | undefined = outcomes[index]
      if (outcome === undefined) continue
      yield* Deferred.succeed(handedIn.answer, outcome)
      acted.push({ member, outcome })
    }
    yield* follow(task, members, acted, options)
  })

/** An agent that acted, and what came of it. */
interface Acted {
  readonly member: Members.Member
  readonly outcome: CommandOutcome
}

/** Ends the runs of the agents whose episode a step ended: of those that took it, and of others. */
const follow = (task: AgentTask, members: Members.Members, acted: ReadonlyArray<Acted>, options: RoundsOptions) =>
  Effect.gen(function* () {
    for (const { member, outcome } of acted) {
      const step = outcome.status === "succeeded" ? stepResultOf(outcome.result) : undefined
      if (step === undefined) continue
      // An agent that acted learns of its end from the outcome of its command, and comes to it by itself, or is late.
      if (EpisodeEnd.endIn(step) !== undefined) yield* takeTurn(task, members, member, options)
      yield* endEpisodes(members, { [member.seat.agentId]: step, ...step.others })
    }
  })

/** Ends the runs of agents whose episode is over, unless they have ended by themselves. */
const endEpisodes = (members: Members.Members, got: { readonly [agentId: string]: EpisodeEnd.Ending }) =>
  Effect.gen(function* () {
    for (const agentId of Object.keys(got).sort()) {
      const ending = got[agentId]
      const end = ending === undefined ? undefined : EpisodeEnd.endIn(ending)
      if (end !== undefined) yield* members.end(agentId, end)
    }
  })

/** Ends the runs of agents whose episode is over by the world's document: also of those that were refused, or did not act. */
const endByDocument = (members: Members.Members, document: Json | undefined) =>
  Effect.forEach(
    EpisodeDocument.endedIn(document),
    ({ agentId, ...ending }) => {
      const end = EpisodeEnd.endIn(ending)
      return end === undefined ? Effect.void : members.end(agentId, end)
    },
    { discard: true },
  )

/** Tells agents what others said, as far as they hear it and it is due. */
const deliver = (
  task: AgentTask,
  channels: Channels.Channels,
  said: Array<Channels.Utterance>,
  members: ReadonlyArray<Members.Member>,
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

/** The seed of one agent's random numbers: it follows from the task's and its name. */
const seedOf = (seed: number, agentId: string): number => {
  const hash: Json = [seed, agentId]
  return Number.parseInt(digest(hash).slice(0, 8), 16) >>> 1
}
