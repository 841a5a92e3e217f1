/** A position of a recorded task, and whether the task can fork there. */

import { Data, Either } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { ENDS as COMMAND_ENDS } from "../acting/CommandState.ts"
import { type LeftCommand, leftIn, unasked } from "../acting/LeftCommand.ts"
import * as Agent from "../agents/Agent.ts"
import { PERCEIVING, type Recording } from "./Recording.ts"
import { agentIn, cutPerceptions, type Request } from "./Request.ts"

/** The task cannot fork at this position. Choose another one. */
export class NotForkable extends Data.TaggedError("NotForkable")<{
  readonly taskId: string
  readonly at: number
  readonly reason: string
}> {
  override get message() {
    return `Task ${this.taskId} cannot be forked @${this.at}: ${this.reason}. Nothing was recorded.`
  }
}

/** A position of a recorded task where a fork can continue. */
export interface Point {
  readonly recording: Recording
  readonly at: number
  readonly past: ReadonlyArray<Request>
  /** Requests made or answered later. */
  readonly ahead: ReadonlyArray<Request>
  /** Commands without an outcome. A fork neither dispatches them nor keeps their confirmations. */
  readonly left: ReadonlyArray<LeftCommand>
  /** Ids of the open confirmations. */
  readonly questions: ReadonlyArray<string>
  readonly perceptions: number
}

/** Finds the point of a task at a position in its timeline's history. */
export const find = (recording: Recording, at: number): Either.Either<Point, NotForkable> => {
  const { taskId, opened, closed, requests, events } = recording
  const refuse = (reason: string) => Either.left(new NotForkable({ taskId, at, reason }))
  if (at < opened.position) return refuse(`it was opened later, @${opened.position}`)
  if (closed !== null && at >= closed.position) {
    return refuse(`it had ended by then, @${closed.position}; it can be forked up to @${closed.position - 1}`)
  }
  const before = events.filter(({ position }) => position <= at)
  const inFlight = dispatched(before)
  if (inFlight !== undefined) return refuse(inFlightReason(recording, inFlight))
  const cut = requests.find((request) => request.kind === "act" && inside(request, at) && endOf(request) <= at)
  if (cut !== undefined) {
    return refuse(`a command's outcome and its changes are recorded together, up to @${cut.until}; fork it there`)
  }
  const torn = tornMove(events, at)
  if (torn !== undefined) {
    return refuse(
      `a tick, join or leave of a world is recorded together with its changes, up to @${torn.position}; fork it there`,
    )
  }
  const overtaken = requests.find(
    (request) =>
      request.kind === "act" &&
      request.position <= at &&
      request.until > at &&
      requests.some(({ position, until }) => position > request.position && until <= at),
  )
  if (overtaken !== undefined) {
    return refuse(
      `commands that its agent requested together were still running; fork it @${Math.ceil(overtaken.position) - 1}, before them${Number.isFinite(overtaken.until) ? `, or @${overtaken.until}, after them` : ""}`,
    )
  }
  const refused = refusedBy(before)
  if (refused !== undefined) {
    const request = requests.find((one) => one.kind === "act" && one.commandId === refused.commandId)
    const until = request === undefined || !Number.isFinite(request.until) ? "" : ` @${request.until}, after that, or`
    return refuse(
      `nobody approved a command @${refused.position}, and it was not denied yet; fork it${until} @${refused.askedAt - 1}, before anybody was asked`,
    )
  }
  // Among several agents, those that had not read all sensors perceive again; one that had requested a command
  // continues with it.
  const begun = requests.filter(({ kind, until }) => kind === "perceive" || kind === "act" || until <= at)
  const again = new Set(opened.payload.agents === undefined ? [] : cutPerceptions(begun, at))
  const isPast = (request: Request) => request.until <= at && !again.has(request)
  return Either.right({
    recording,
    at,
    past: requests.filter(isPast),
    ahead: requests.filter((request) => !isPast(request)),
    left: leftAt(recording, before).map(restarted),
    questions: unanswered(before),
    perceptions: before.reduce((most, { type, payload: { perception } }) => {
      return PERCEIVING.has(type) && typeof perception === "number" ? Math.max(most, perception) : most
    }, 0),
  })
}

/** A fork continues a command without its confirmation, at the start of a new stream. */
const restarted = (command: LeftCommand): LeftCommand => {
  const left = unasked(command)
  return { ...left, state: { ...left.state, version: 0 } }
}

/** Drops a last perception without a following request, so that the agent perceives again. */
export const beforePerceiving = (point: Point): Point => {
  const last = point.past.at(-1)
  if (last?.kind !== "perceive") return point
  return { ...point, past: point.past.slice(0, -1), ahead: [last, ...point.ahead] }
}

/** Fails if the recording lacks the response to a model call before the point. */
export const reachable = (point: Point): Either.Either<Point, NotForkable> => {
  const { recording, at, past } = point
  // A late agent of several may still wait for its answer.
  const isFollowed = ({ position, agentId }: Request & { readonly kind: "consult" }) =>
    past.some((next) => next.position > position && next.kind !== "late" && agentIn(next) === agentId)
  const lost = recording.requests.find(
    (request) => request.kind === "consult" && request.answer === null && isFollowed(request),
  )
  if (lost === undefined) return Either.right(point)
  const reason = `its agent called a model @${lost.position} and the log has no response, so no agent can replay past that call; fork it before, or start the agent at the fork (\`fresh\`, \`--fresh\`)`
  return Either.left(new NotForkable({ taskId: recording.taskId, at, reason }))
}

/** Fails if the recording has several agents, and the given agent does not have one for each. */
export const playable = (
  { taskId, opened }: Recording,
  at: number,
  agent: Agent.Agent,
): Either.Either<void, NotForkable> => {
  const expected = opened.payload.agents
  const found = Agent.isGroup(agent) ? Object.keys(agent.agents) : "decide" in agent ? [] : undefined
  const isPlayed =
    expected === undefined || found === undefined || [...expected].sort().join() === [...found].sort().join()
  if (isPlayed) return Either.right(undefined)
  const each = `an agent for each of ${expected.join(", ")}`
  const reason = `expected ${each}, found ${found.length === 0 ? `${Agent.fullName(agent)} alone` : found.join(", ")}`
  return Either.left(new NotForkable({ taskId, at, reason }))
}

const inside = ({ position, until }: Request, at: number) => position <= at && at < until

const endOf = (request: Request): number =>
  request.kind === "act" ? (request.outcome?.event.position ?? Number.POSITIVE_INFINITY) : request.until

/** The commands without an end, each with its latest event. */
const open = (events: ReadonlyArray<Event>): ReadonlyMap<string, Event> => {
  const commands = new Map<string, Event>()
  for (const event of events) {
    const { commandId } = event.payload
    if (typeof commandId !== "string") continue
    if (is(event, "ActuatorCommanded") || is(event, "CommandDispatched")) commands.set(commandId, event)
    else if (ENDS.has(event.type)) commands.delete(commandId)
  }
  return commands
}

/** The last event after a position that shares a commit with an earlier tick, join or leave. */
const tornMove = (events: ReadonlyArray<Event>, at: number): Event | undefined => {
  const moves = new Set(
    events.flatMap((event) => {
      const isMove = is(event, "WorldTicked") || is(event, "AgentJoined") || is(event, "AgentLeft")
      return isMove && event.position <= at ? [event.id] : []
    }),
  )
  return events.findLast(({ position, causationId }) => position > at && moves.has(causationId ?? ""))
}

const ENDS: ReadonlySet<string> = new Set(COMMAND_ENDS)

const dispatched = (events: ReadonlyArray<Event>): Event | undefined =>
  [...open(events).values()].find((event) => is(event, "CommandDispatched"))

/** Commands without an outcome in these events, oldest first. */
export const leftAt = (recording: Recording, events: ReadonlyArray<Event>): ReadonlyArray<LeftCommand> =>
  leftIn(events, (actuator, position) =>
    SafeRecord.get(recording.registryAt(position), actuator.slice(0, actuator.indexOf("/"))),
  )

/** A rejection or expiry whose command has no outcome yet. */
const refusedBy = (events: ReadonlyArray<Event>) => {
  const commands = open(events)
  const questions = new Map<string, { readonly commandId: string; readonly askedAt: number }>()
  for (const event of events) {
    if (is(event, "ConfirmationRequested") && event.payload.commandId !== undefined) {
      const { confirmationId, commandId } = event.payload
      questions.set(confirmationId, { commandId, askedAt: event.position })
    }
    const isRefusal = is(event, "ConfirmationExpired") || (is(event, "ConfirmationDecided") && !event.payload.approved)
    const question = isRefusal ? questions.get(String(event.payload.confirmationId)) : undefined
    if (question !== undefined && commands.has(question.commandId)) return { ...question, position: event.position }
  }
  return undefined
}

/** At such a position the log cannot tell whether the command took effect. */
const inFlightReason = ({ events, requests }: Recording, { payload }: Event): string => {
  const commanded = events.find(
    (event) => is(event, "ActuatorCommanded") && event.payload.commandId === payload.commandId,
  )
  const request = requests.find(({ kind, position }) => kind === "act" && position === commanded?.position)
  const name = request?.kind === "act" ? request.actuator : "a command"
  const after = request === undefined || !Number.isFinite(request.until) ? "" : `, or @${request.until}, after it`
  return `${name} was running, and it was unknown whether it took effect; fork it @${(commanded?.position ?? 1) - 1}, before it${after}`
}

const unanswered = (events: ReadonlyArray<Event>): ReadonlyArray<string> => {
  const questions = new Set<string>()
  for (const event of events) {
    const { confirmationId } = event.payload
    if (typeof confirmationId !== "string") continue
    if (is(event, "ConfirmationRequested")) questions.add(confirmationId)
    else questions.delete(confirmationId)
  }
  return [...questions]
}

export const guideAt = ({ recording, at }: Point): string | undefined =>
  recording.events.reduce<string | undefined>(
    (digest, event) => (is(event, "GuideApplied") && event.position <= at ? event.payload.digest : digest),
    undefined,
  )

export const decisions = ({ recording, at }: Point): number =>
  recording.events.filter((event) => is(event, "DecisionMade") && event.position <= at).length
