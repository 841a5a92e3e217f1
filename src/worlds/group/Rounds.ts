/** Runs the rounds of a group: gives agents the turn, steps the world, and delivers utterances. */

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
  /** The name of the world's plugin. */
  readonly world: string
  /** The agents, by their names in the task. */
  readonly agents: { readonly [agentId: string]: Agent }
  /** Maximum number of rounds, or of turns in a turn-based world. Default: 1,000. */
  readonly maxRounds?: number
  /** Maximum time of an agent's decision before its round closes without it, in milliseconds. Default: no limit. */
  readonly decideWithinMs?: number
  /**
   * Time that passes after each round in a world that moves by itself: a number of milliseconds, or `real-time` for the
   * time by the clock. Default: none.
   */
  readonly ticks?: number | "real-time"
  /** Who hears whom. Default: everybody, one round later. */
  readonly channels?: Channels.Channels
  /** The agents that join, leave or are suspended at the start of a round, counted from 0. Default: none. */
  readonly changes?: (round: number) => ReadonlyArray<Members.MemberChange>
}

const MAX_ROUNDS = 1_000

/** Runs rounds until no agent takes part or has the turn, then closes the task. */
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
        const turn = EpisodeDocument.agentToMove(yield* task.document(world))
        yield* deliver(task, channels, said, members.active(), round)
        if (Option.isSome(turn)) {
          const member = members.taking(turn.value ?? "")
          if (member === undefined) break
          // A suspended agent keeps the turn until it is continued.
          if (!member.suspended) yield* actInTurn(task, members, member, options)
        } else yield* actTogether(task, members, options)
        if (ticks !== undefined) {
          const got = yield* task.tick(world, ticks === "real-time" ? clock() : ticks)
          yield* endEpisodes(members, got)
        }
        // The document comes last: a step or a tick also tells the outcome of an end.
        yield* endByDocument(members, yield* task.document(world))
        yield* leaveOutOfSteps(members)
      }
      yield* members.close(round >= maxRounds)
    }),
  )

/** Returns the milliseconds since its last call. */
const elapsed = (): (() => number) => {
  let last = performance.now()
  return () => {
    const before = last
    last = performance.now()
    return last - before
  }
}

/** Starts an agent's loop in its seat, where it waits for its first turn. */
const start = (seat: Seat.Seat, maxSteps: number): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.forkScoped(Effect.flatMap(Effect.exit(loop(seat.agent, seat.task, { maxSteps })), (exit) => seat.end(exit))),
  )

/** Gives an agent the turn until it hands in its action, is late, or its run ends. */
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
    // The world may end its episode in this round, which takes precedence.
    if (Exit.isSuccess(exit) && exit.value.outcome === "truncated") member.outOfSteps = exit
    else yield* members.leave(member, exit)
  })

/** Removes the agents that used up their steps in this round. Speaking costs a step too. */
const leaveOutOfSteps = (members: Members.Members) =>
  Effect.forEach(
    members.active(),
    (member) => (member.outOfSteps === undefined ? Effect.void : members.leave(member, member.outOfSteps)),
    { discard: true },
  )

/** The remaining time of an action that was handed in earlier: the agent's time budget keeps running. */
const timeLeft = (until: number): { readonly withinMs?: number } =>
  Number.isFinite(until) ? { withinMs: Math.max(0, until - performance.now()) } : {}

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
    // Failures reach the agent too.
    yield* Deferred.done(answer, acted)
    if (Exit.isSuccess(acted)) yield* follow(task, members, [{ member, outcome: acted.value }], options)
  })

/** One round in a world in which all agents act at once. */
const actTogether = (task: AgentTask, members: Members.Members, options: RoundsOptions) =>
  Effect.gen(function* () {
    yield* perceiveAhead(task, members, options)
    // An agent whose earlier action has not been carried out yet does not get another turn.
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

/**
 * Reads the sensors for all agents that begin a step, in one commit, if nothing that one of them can do in its turn
 * changes the readings of another: their only actuator is the world's step. An agent that may be late perceives in its
 * own turn.
 */
const perceiveAhead = (
  task: AgentTask,
  members: Members.Members,
  { world, decideWithinMs = Number.POSITIVE_INFINITY }: RoundsOptions,
) =>
  Effect.gen(function* () {
    if (task.perceiveAhead === undefined) return
    const { sensors, actuators } = yield* task.capabilities()
    if (actuators.some(({ name }) => name !== `${world}/step`)) return
    if (sensors.some(({ name }) => !name.startsWith(`${world}/`))) return
    const seats: Array<Seat.Seat> = []
    for (const { seat } of members.active()) if (yield* seat.isBeforeStep) seats.push(seat)
    if (seats.length < 2) return
    const readings = yield* task.perceiveAhead(
      seats.map(({ agentId }) => agentId),
      Number.isFinite(decideWithinMs),
    )
    for (const seat of seats) {
      const own = readings.get(seat.agentId)
      if (own !== undefined) seat.give(own)
    }
  })

interface Acted {
  readonly member: Members.Member
  readonly outcome: CommandOutcome
}

/** Ends the runs of all agents whose episode a step ended, not only of those that took it. */
const follow = (task: AgentTask, members: Members.Members, acted: ReadonlyArray<Acted>, options: RoundsOptions) =>
  Effect.gen(function* () {
    for (const { member, outcome } of acted) {
      const step = outcome.status === "succeeded" ? stepResultOf(outcome.result) : undefined
      if (step === undefined) continue
      // An agent that acted learns of its end from the command's outcome: give it a turn to end by itself.
      if (EpisodeEnd.endIn(step) !== undefined) yield* takeTurn(task, members, member, options)
      yield* endEpisodes(members, { [member.seat.agentId]: step, ...step.others })
    }
  })

/** Ends the runs of agents whose episode is over and whose part has not ended. */
const endEpisodes = (members: Members.Members, got: { readonly [agentId: string]: EpisodeEnd.Ending }) =>
  Effect.gen(function* () {
    for (const agentId of Object.keys(got).sort()) {
      const ending = got[agentId]
      const end = ending === undefined ? undefined : EpisodeEnd.endIn(ending)
      if (end !== undefined) yield* members.end(agentId, end)
    }
  })

/** Ends the runs of agents whose episode is over by the document, including those that were refused or did not act. */
const endByDocument = (members: Members.Members, document: Json | undefined) =>
  Effect.forEach(
    EpisodeDocument.endedIn(document),
    ({ agentId, ...ending }) => {
      const end = EpisodeEnd.endIn(ending)
      return end === undefined ? Effect.void : members.end(agentId, end)
    },
    { discard: true },
  )

/** Delivers the utterances that are due to the agents that hear them. */
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

/** Derives an agent's random seed from the task's seed and the agent's name. */
const seedOf = (seed: number, agentId: string): number => {
  const hash: Json = [seed, agentId]
  return Number.parseInt(digest(hash).slice(0, 8), 16) >>> 1
}
