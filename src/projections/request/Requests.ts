/**
 * Puts together the whole request of a model call from a task's events. Pure, and free of anything of Node.
 */

import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject, fieldOf, isObject, textOf } from "../../values/JsonObjects.ts"
import { type Account, AgentRequests } from "./accounts/AgentRequests.ts"
import { ImportRequests } from "./accounts/ImportRequests.ts"
import { CriticQuestions, isAside, isQuestion, ofProgram } from "./accounts/OwnRequests.ts"
import { isRecorded, RecorderRequests } from "./accounts/RecorderRequests.ts"
import { Sources } from "./Sources.ts"
import type { LoggedEvent, RecordedBy, RequestUsage, WholeRequest } from "./WholeRequest.ts"

/** Types of the events that requests are put together from. */
export const TYPES: ReadonlyArray<string> = [
  ...["TaskOpened", "TimelineForked", "GuideApplied", "ModelCalled", "ModelResponded", "ModelFailed"],
  ...["MemoryCompacted", "NoteAdded", "InputReceived", "ActuatorCommanded"],
  ...["CommandSucceeded", "CommandFailed", "CommandDenied", "CommandOutcomeUnknown"],
]

/** One request among those of a task. */
export interface RequestTurn {
  readonly position: number
  readonly provider: string
  readonly model: string
  readonly agentId: string | null
}

/** The model calls among a task's events, in order. A turn's number is its place in this list, from 1. */
export const turnsIn = (events: Iterable<LoggedEvent>): ReadonlyArray<RequestTurn> => {
  const turns: Array<RequestTurn> = []
  for (const { type, position, payload } of events)
    if (type === "ModelCalled") turns.push({ position, ...callOf(payload) })
  return turns
}

const callOf = ({ provider, model, agentId }: JsonObject) => ({
  provider: textOf(provider) ?? "",
  model: textOf(model) ?? "",
  agentId: textOf(agentId) ?? null,
})

/** Options of `wholeRequest`. */
export interface RequestOptions {
  /**
   * The digest of a JSON value (`Digest.digest`), to find out whether an agent's own code recorded a whole request.
   * Default: that stays unknown.
   */
  readonly digest?: (value: Json) => string
}

/**
 * The whole request of the `ModelCalled` event at a position; undefined if there is none. Parts that the log does not
 * have say so.
 *
 * @param events a task's events in order, at least those of `TYPES`, including the answer if there is one
 */
export const wholeRequest = (
  events: Iterable<LoggedEvent>,
  position: number,
  options: RequestOptions = {},
): WholeRequest | undefined => {
  const told = new ToldRequests(options)
  let found: WholeRequest | undefined
  for (const event of events) {
    if (found === undefined && event.position === position && event.type === "ModelCalled") found = told.at(event)
    if (found !== undefined && event.causationId === found.id && ANSWERS.has(event.type))
      return withAnswer(found, event)
    if (found === undefined) told.take(event)
  }
  return found
}

const ANSWERS: ReadonlySet<string> = new Set(["ModelResponded", "ModelFailed"])

const IMPORTER = "import:"

/** Marks of the parts that a recorder left out of a request that is too long for an event. */
const LEFT_OUT = /^\[\d+ (?:characters|bytes) are left out\]$/

class ToldRequests {
  readonly #agent = new AgentRequests()
  readonly #recorder = new RecorderRequests()
  readonly #import = new ImportRequests()
  readonly #critic = new CriticQuestions()
  readonly #sources = new Sources()
  readonly #options: RequestOptions
  /** Positions of requests and answers whose contents the log no longer has. */
  readonly #lost: Array<number> = []
  /** The position of the last request of each agent. */
  readonly #last = new Map<string, number>()
  #isCaptured = false

  constructor(options: RequestOptions) {
    this.#options = options
  }

  take(event: LoggedEvent): void {
    const { type, payload, position } = event
    if (type === "TaskOpened") this.#isCaptured = payload.recorder !== undefined || isImported(event)
    if (type === "ModelCalled") {
      if (payload.request === null) this.#lost.push(position)
      this.#last.set(this.#conversationOf(event), position)
    }
    if (type === "ModelResponded" && payload.response === null) this.#lost.push(position)
    if (type === "TimelineForked" && fieldOf(payload.overrides, "fresh") === true) this.#last.clear()
    this.#sources.take(event)
    this.#recorder.take(event)
    this.#critic.take(event)
    if (this.#isCaptured) this.#import.take(event)
    else if (!isQuestion(payload.request)) this.#agent.take(event)
  }

  at(event: LoggedEvent): WholeRequest {
    const { id, position, payload } = event
    const recordedBy = this.#recordedBy(event)
    const account = this.#accountOf(recordedBy, event)
    const {
      isContinuation = false,
      http = null,
      previous = this.#last.get(this.#conversationOf(event)) ?? null,
      ...parts
    } = account
    return {
      position,
      id,
      ...callOf(payload),
      recordedBy,
      ...parts,
      messages: parts.messages.map((message) => this.#sources.of(message)),
      isContinuation,
      http,
      notes: [...parts.notes, ...this.#cutsIn(event, parts)],
      digest: textOf(payload.requestDigest) ?? "",
      previous,
      answer: null,
      usage: {},
    }
  }

  #recordedBy(event: LoggedEvent): RecordedBy {
    const { request } = event.payload
    if (isRecorded(request)) return "recorder"
    if (isQuestion(request)) return "critic"
    if (isImported(event) || this.#isCaptured) return "import"
    const isTurn = isObject(request) && (Array.isArray(request.messages) || typeof request.summarize === "number")
    return this.#agent.isGuided && (isTurn || request === null) ? "agent" : "program"
  }

  #accountOf(
    recordedBy: RecordedBy,
    event: LoggedEvent,
  ): Account & Partial<Pick<WholeRequest, "http" | "previous" | "isContinuation">> {
    switch (recordedBy) {
      case "agent":
        return this.#agent.at(event)
      case "recorder":
        return this.#recorder.at(event)
      case "import":
        return this.#import.at(event)
      case "critic":
        return this.#critic.at(event)
      case "program": {
        const { digest } = this.#options
        const { request = null, requestDigest } = event.payload
        return ofProgram(event, digest === undefined ? undefined : digest(request) === requestDigest)
      }
    }
  }

  /** Tells the turns of agents from each other, and from requests for summaries and verdicts. */
  #conversationOf(event: LoggedEvent): string {
    const { request, agentId } = event.payload
    return `${isAside(request) ? "aside" : "turn"}:${textOf(agentId) ?? ""}`
  }

  #cutsIn({ position, payload }: LoggedEvent, { messages, system, tools, settings }: Account): ReadonlyArray<string> {
    const lost = [...this.#lost, ...(payload.request === null ? [position] : [])]
    const isCut = [messages.map(({ content }) => content), system, tools, settings].some(hasCut)
    return [
      ...(lost.length === 0
        ? []
        : [
            `The log no longer has the contents of ${named(lost)}, whose personal data was destroyed. Messages may be missing.`,
          ]),
      ...(isCut
        ? ["The request was too long to be recorded whole. A mark in place of each missing text says how long it was."]
        : []),
    ]
  }
}

const isImported = ({ actor }: LoggedEvent): boolean => actor.startsWith(IMPORTER)

const MOST_NAMED = 5

const named = (positions: ReadonlyArray<number>): string => {
  const shown = positions.slice(0, MOST_NAMED).map((position) => `@${position}`)
  const more = positions.length - shown.length
  return more === 0 ? shown.join(", ") : `${shown.join(", ")} and ${more} more events`
}

const hasCut = (value: unknown): boolean => {
  if (typeof value === "string") return LEFT_OUT.test(value)
  return typeof value === "object" && value !== null && Object.values(value).some(hasCut)
}

const withAnswer = (request: WholeRequest, { type, position, payload }: LoggedEvent): WholeRequest => {
  const isFailed = type === "ModelFailed"
  const failed = isFailed
    ? [payload.kind, payload.reason].filter((part) => textOf(part) !== undefined).join(": ")
    : null
  return {
    ...request,
    answer: { at: position, failed, response: payload.response ?? null },
    usage: usageIn(payload.usage),
  }
}

/** A provider's counts. A count that it does not report is absent. */
const usageIn = (usage: Json | undefined): RequestUsage => {
  const { unknown, ...counts } = asObject(usage)
  const isUnknown = (name: string) => Array.isArray(unknown) && unknown.includes(name)
  const known: Record<string, number> = {}
  for (const name of ["inputTokens", "cachedTokens", "cacheWriteTokens", "outputTokens"]) {
    const count = counts[name]
    if (typeof count === "number" && !isUnknown(name)) known[name] = count
  }
  // All counts of a provider that reports none are 0.
  return known.inputTokens === 0 && known.outputTokens === 0 ? {} : known
}

/** Finds the request that each event belongs to, from a task's events in order. */
export class RequestOf {
  readonly #calls = new Map<string, number>()
  readonly #causes = new Map<string, string | null>()
  readonly #last = new Map<string, number>()
  #newest: number | undefined

  /** Takes the next event. Returns the position of its request, or undefined if there is none. */
  take({ type, id, causationId, payload, position }: LoggedEvent): number | undefined {
    this.#causes.set(id, causationId)
    const agentId = textOf(payload.agentId)
    if (type === "ModelCalled") {
      this.#calls.set(id, position)
      this.#newest = position
      if (agentId !== undefined) this.#last.set(agentId, position)
    }
    const seen = new Set<string>()
    // An event of a damaged log may name itself.
    for (let cause: string | null = id; cause !== null && !seen.has(cause); cause = this.#causes.get(cause) ?? null) {
      const found = this.#calls.get(cause)
      if (found !== undefined) return found
      seen.add(cause)
    }
    return (agentId === undefined ? undefined : this.#last.get(agentId)) ?? this.#newest
  }
}

/**
 * The position of the request that an event belongs to: the event itself, the request behind its causes, or the last
 * request of its agent before it. Undefined if there is none.
 *
 * @param events a task's events in order, at least up to the position
 */
export const requestAt = (events: Iterable<LoggedEvent>, position: number): number | undefined => {
  const requestOf = new RequestOf()
  let newest: number | undefined
  for (const event of events) {
    if (event.position > position) break
    const found = requestOf.take(event)
    if (event.position === position) return found
    if (event.type === "ModelCalled") newest = event.position
  }
  return newest
}
