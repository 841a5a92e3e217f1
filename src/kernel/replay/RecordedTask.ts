/** A task that answers from its recording as long as the agent asks the same. */

import { Effect, Exit } from "effect"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import { digest } from "../../values/Digest.ts"
import { type JsonObject, plainText } from "../../values/Json.ts"
import { copied } from "../acting/Command.ts"
import type { RunResult } from "../agents/AgentLoop.ts"
import { TaskClosed } from "../context/TaskLifecycle.ts"
import * as TasksBelow from "../context/TasksBelow.ts"
import * as Deadline from "../sensing/Deadline.ts"
import type { Reading } from "../sensing/SensorReading.ts"
import { type Input, type InputOptions, isOf } from "../tasks/Inputs.ts"
import { type AskOptions, ModelCallFailed, type ModelCallRequest, type ModelCallResponse } from "../tasks/ModelCalls.ts"
import type { Task } from "../tasks/Task.ts"
import * as LostCalls from "./calls/LostCalls.ts"
import { between, choiceOf, type Divergence, Stopped } from "./Divergence.ts"
import * as RecordedAgentEvents from "./RecordedAgentEvents.ts"
import * as RecordedDocuments from "./RecordedDocuments.ts"
import * as RecordedLateness from "./RecordedLateness.ts"
import { isTurn, type Recording, type Request } from "./Recording.ts"

export interface RecordedTask {
  /** Indistinguishable from a live task until the agent asks for something else. */
  readonly task: Task
  /** The task answers nothing after it. */
  readonly divergence: () => Divergence | undefined
  /** The recorded one has none, or the recording has ended. */
  readonly exhausted: () => JsonObject | undefined
  /** The next recorded request, if any. `decides` includes decisions (default: once one was compared). */
  readonly next: (decides?: boolean) => Request | undefined
  /** The recording has no more answers. */
  readonly isUsedUp: () => boolean
  /** Gives an agent the turn. False if the recording ends before the agent was late. */
  readonly turn: RecordedLateness.RecordedLateness["turn"]
  readonly turnsLeft: () => number
  /** Takes the next event of a type about the agent itself. */
  readonly takeAgentEvent: RecordedAgentEvents.RecordedAgentEvents["take"]
  /** A model's tool call with this id is still due. */
  readonly hasCall: (callId: string) => boolean
  /** An equal command is still due. */
  readonly hasCommand: (actuator: string, args: JsonObject, agentId?: string) => boolean
  readonly diverge: (divergence: Divergence) => Effect.Effect<never>
  readonly exhaust: (found: JsonObject) => Effect.Effect<never>
  readonly closed: () => { readonly outcome: TaskOutcome; readonly reason?: string } | undefined
  /** Number of decisions with another rationale, which is no divergence. */
  readonly rationales: () => number
  /** Positions of model calls answered by their place, although the agent asked something else. */
  readonly askedDifferently: () => ReadonlyArray<number>
}

export interface Leading {
  /** Up to here, a model call gets the answer recorded at its place, for any question. Default: 0. */
  readonly byPlaceUntil?: number
  /** End of the recording. Default: its last event. */
  readonly until?: number
}

/** Answers requests from the recording, in the recorded order. It reads, executes and appends nothing. */
export const make = (
  recording: Recording,
  { byPlaceUntil = 0, until = Number.POSITIVE_INFINITY }: Leading = {},
): RecordedTask => {
  const { taskId, requests, opened, instructions } = recording
  const past = recording.events.filter(({ position }) => position <= until)
  const turns = past.filter((event) => is(event, "DecisionMade") && isTurn(event.payload))
  const told = RecordedAgentEvents.make(past)
  const documents = RecordedDocuments.make(recording.events)
  const decides = requests.some(({ kind }) => kind === "decide")
  /** The requests still to repeat. */
  const rest = [...requests]
  const lateness = RecordedLateness.make(rest)
  let divergence: Divergence | undefined
  let exhausted: JsonObject | undefined
  let closed: { readonly outcome: TaskOutcome; readonly reason?: string } | undefined
  let rationales = 0
  let hasDecided = false
  const askedDifferently: Array<number> = []

  /** The request that is due. Skips decisions for an agent that advances by itself. */
  const next = (kind: Request["kind"]): Request | undefined => {
    const due = lateness.due()
    if (kind === "decide" || due?.kind !== "decide") return due
    rest.splice(rest.indexOf(due), 1)
    return next(kind)
  }

  const place = () => lateness.due()?.position ?? Number.POSITIVE_INFINITY

  /**
   * The recorded counterpart: the request that is due, or the first equal one among commands requested together, whose
   * order is arbitrary.
   */
  const match = (kind: Request["kind"], found: JsonObject): Request | undefined => {
    const due = next(kind)
    if (kind !== "act" || due?.kind !== "act") return due
    const isTogether = (request: Request) =>
      request.kind === "act" &&
      (request.position <= due.until || (request.callId !== undefined && request.causationId === due.causationId))
    const ahead = rest.slice(rest.indexOf(due))
    const end = ahead.findIndex((request) => !isTogether(request))
    const together = end === -1 ? ahead : ahead.slice(0, end)
    return together.find((request) => between(request.position, choiceOf(request), found) === undefined) ?? due
  }

  const stop = Effect.suspend(() => Effect.die(new Stopped()))

  const diverge = (found: Divergence | undefined) =>
    Effect.suspend(() => {
      divergence ??= found
      return stop
    })

  const exhaust = (found: JsonObject) =>
    Effect.suspend(() => {
      exhausted ??= found
      return stop
    })

  /** Runs `answer` while the task still answers. */
  const whenOpen = <A>(answer: () => Effect.Effect<A, TaskClosed>) =>
    Effect.suspend(() => {
      if (closed !== undefined) return new TaskClosed({ taskId })
      return divergence === undefined && exhausted === undefined ? answer() : stop
    })

  /** Readings that were taken before the agent's turn. */
  const ahead = new Map<string, ReadonlyArray<Reading>>()
  /** Agents that have such readings, up to their decision. */
  const begins = new Set<string>()

  /** Takes the perceptions of several agents that are due. Agents that may be late perceived in their own turns. */
  const takeAhead = (): void => {
    for (let due = lateness.due(); due?.kind === "perceive" && !lateness.isAnyLate; due = lateness.due()) {
      const { agentId } = due
      if (agentId === undefined || ahead.has(agentId)) return
      ahead.set(agentId, due.readings)
      rest.splice(rest.indexOf(due), 1)
      lateness.advanced()
    }
  }

  /** Returns the recorded answer if the request equals the one due. */
  const answer = <Kind extends Request["kind"], A>(
    kind: Kind,
    found: JsonObject,
    take: (request: Extract<Request, { readonly kind: Kind }>) => A | undefined,
  ): Effect.Effect<A, TaskClosed> =>
    whenOpen(() => {
      const agentId = typeof found.as === "string" ? found.as : undefined
      const due = lateness.due()
      // The recorded agents perceived before the turn of the first.
      if (kind !== "perceive" && due?.kind === "perceive" && due.agentId !== agentId) takeAhead()
      const request = match(kind, found)
      if (request === undefined) return exhaust(found)
      const expected = choiceOf(request)
      const position = positionOf(request)
      const different = between(position, expected, found)
      if (different !== undefined) return diverge(different)
      // Of two equal choices, one may be a decision and the other the end of a run.
      if (request.kind !== kind) return diverge({ kind: "another-request", position, path: "", expected, found })
      const answered = take(request as Extract<Request, { readonly kind: Kind }>)
      // A request without an answer ends the replay, unless the other agents continued without this one.
      if (answered === undefined && !lateness.isLateBefore(agentId, request.until)) return exhaust(found)
      rest.splice(rest.indexOf(request), 1)
      lateness.advanced()
      return Effect.zipRight(
        lateness.answered(agentId, request.until),
        answered === undefined ? exhaust(found) : Effect.succeed(answered),
      )
    })

  const answerOf = (question: JsonObject) => answer("consult", question, ({ answer }) => answer ?? undefined)

  const ask = (
    { provider, model, request, requestDigest }: ModelCallRequest,
    { agentId }: Pick<AskOptions, "agentId"> = {},
  ): Effect.Effect<ModelCallResponse, ModelCallFailed | TaskClosed> =>
    Effect.flatMap(
      whenOpen(() => {
        const whole = requestDigest === undefined || requestDigest === digest(request) ? {} : { requestDigest }
        const question = { consult: { provider, model, request, ...whole }, ...as(agentId) }
        const due = next("consult")
        if (due?.kind !== "consult" || due.agentId !== agentId || due.position > byPlaceUntil) return answerOf(question)
        if (between(due.position, choiceOf(due), question) !== undefined) askedDifferently.push(due.position)
        return answerOf(choiceOf(due))
      }),
      (answered) => (answered instanceof ModelCallFailed ? answered : Effect.succeed(answered)),
    )

  /** Returns no inputs if something else is due. An agent that waits must find its input recorded. */
  const inputs = (options: InputOptions) =>
    whenOpen((): Effect.Effect<ReadonlyArray<Input>, TaskClosed> => {
      // Before its decision, an agent that has its reading takes its inputs: the decision is not to be skipped.
      const due = begins.has(options.agentId ?? "") ? lateness.due() : next("input")
      const isDue =
        due?.kind === "input" && due.agentId === options.agentId && due.inputs.every((input) => isOf(options, input))
      if (!isDue && options.wait !== true) return Effect.succeed([])
      if (isDue) return answer("input", choiceOf(due), ({ inputs }) => inputs)
      return answer("input", { inputs: [], ...as(options.agentId) }, (): ReadonlyArray<Input> | undefined => undefined)
    })

  const act = (actuator: string, args: JsonObject, agentId: string | undefined) =>
    Effect.flatMap(copied(actuator, args), (args) =>
      answer("act", { act: actuator, args, ...as(agentId) }, ({ outcome }) => outcome ?? undefined),
    )

  const perceive = (agentId: string | undefined) =>
    Effect.suspend(() => {
      const taken = agentId === undefined ? undefined : ahead.get(agentId)
      if (taken === undefined || agentId === undefined)
        return answer("perceive", { perceive: true, ...as(agentId) }, ({ readings }) => readings)
      ahead.delete(agentId)
      return Effect.succeed(taken)
    })

  /** If the recording ends first, the agent has its whole time. */
  const late: Task["late"] = (agentId, afterMs, closing) =>
    Effect.flatMap(lateness.turn(agentId, closing), (wasLate) =>
      wasLate ? Effect.void : Effect.zipRight(Effect.sleep(afterMs), exhaust({ late: true, as: agentId })),
    )

  const say: Task["say"] = (content, { agentId } = {}) =>
    answer("say", { say: plainText(content), ...as(agentId) }, ({ event }) => event)

  const decided: Task["decided"] = ({ choice, rationale, agentId }) =>
    decides && !(agentId !== undefined && "calls" in choice)
      ? answer("decide", { ...choice, ...as(agentId) }, ({ event, decision }) => {
          hasDecided = true
          begins.delete(agentId ?? "")
          if (decision.rationale !== rationale) rationales++
          return event
        })
      : Effect.sync(() => turns.shift() ?? opened)

  const task: Task = {
    id: taskId,
    ...instructions,
    capabilities: () => Effect.sync(() => recording.capabilitiesAt(place())),
    document: (plugin) => Effect.sync(() => documents.of(plugin, place())),
    perceive: ({ deadlineMs, agentId } = {}) =>
      Effect.zipRight(deadlineMs === undefined ? Effect.void : Deadline.after(deadlineMs), perceive(agentId)),
    perceiveAhead: (agentIds) =>
      Effect.sync(() => {
        takeAhead()
        const own = agentIds.flatMap((agentId) => {
          const readings = ahead.get(agentId)
          return readings === undefined ? [] : [[agentId, readings] as const]
        })
        for (const [agentId] of own) {
          ahead.delete(agentId)
          begins.add(agentId)
        }
        return new Map(own)
      }),
    act: (actuator, args = {}, { agentId } = {}) => act(actuator, args, agentId),
    together: (commands) => Effect.forEach(commands, ({ actuator, args, agentId }) => act(actuator, args, agentId)),
    say,
    saying: (content, options) => Effect.asVoid(say(content, options)),
    consult: (question, _answering, options) => Effect.map(ask(question, options), ({ response }) => response),
    worked: () => 0,
    lost: LostCalls.before(past, place),
    ask: (question, _answering, options) => ask(question, options),
    generate: ({ provider, model }) =>
      new ModelCallFailed({ provider, model, kind: "not-recorded", reason: "a replay asks no plugin" }),
    inputs: (options = {}) => inputs(options),
    late,
    inTime: lateness.inTime,
    record: () => Effect.void,
    tick: () => Effect.sync(() => RecordedAgentEvents.gottenBy(told.take("WorldTicked"))),
    member: () => Effect.void,
    events: (after) =>
      Effect.sync(() => {
        const end = place()
        return past.filter(({ position }) => position > after && position < end)
      }),
    below: ({ after } = {}) =>
      Effect.suspend(() => {
        const use = TasksBelow.countedIn(past, place())
        // The recorded agent waited until the recording ended.
        const isWaiting = after !== undefined && after === use && lateness.due() === undefined
        return isWaiting ? exhaust({ below: true }) : Effect.succeed(use)
      }),
    conduct: () => Effect.void,
    searched: () => Effect.succeed(opened.id),
    decided,
    deciding: (decision) =>
      Effect.map(decided(decision), (event) => ({
        id: event.id,
        choice: is(event, "DecisionMade") ? event.payload.choice : decision.choice,
      })),
    close: (outcome, reason) =>
      Effect.suspend(() => {
        if (closed !== undefined) return new TaskClosed({ taskId })
        closed = { outcome, ...(reason === undefined ? {} : { reason: plainText(reason) }) }
        return Effect.void
      }),
  }
  return {
    task,
    divergence: () => divergence,
    exhausted: () => exhausted,
    next: (agentDecides = false) => next(agentDecides || hasDecided ? "decide" : "act"),
    isUsedUp: () => lateness.due() === undefined,
    turn: lateness.turn,
    turnsLeft: () => turns.length,
    takeAgentEvent: told.take,
    hasCall: (callId) => rest.some((request) => request.kind === "act" && request.callId === callId),
    hasCommand: (actuator, args, agentId) =>
      rest.some(
        (request) =>
          request.kind === "act" &&
          request.actuator === actuator &&
          request.agentId === agentId &&
          JsonPatch.equal(request.args, args),
      ),
    diverge,
    exhaust,
    closed: () => closed,
    rationales: () => rationales,
    askedDifferently: () => askedDifferently,
  }
}

const as = (agentId: string | undefined): JsonObject => (agentId === undefined ? {} : { as: agentId })

/** The position that identifies a request. A perception without readings has that of the following decision. */
export const positionOf = (request: Request): number => Math.ceil(request.position)

/** The divergence of an agent that finished before the end of the recording. */
export const doneEarly = (
  recordedTask: RecordedTask,
  worked: Exit.Exit<RunResult, unknown>,
): Divergence | undefined => {
  const next = recordedTask.next()
  if (next === undefined || Exit.isFailure(worked)) return undefined
  const found = { done: worked.value.outcome }
  return { kind: "done-earlier", position: positionOf(next), path: "", expected: choiceOf(next), found }
}
