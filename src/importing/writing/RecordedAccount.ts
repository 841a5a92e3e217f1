/**
 * The account that a recorder, such as the hooks of a coding agent, has of a session. Finds the event in it that tells
 * the same as an event of another account. Pure.
 */

import type { Event } from "../../events/vocabulary/Event.ts"
import type { MatchRule } from "../../events/vocabulary/Inference.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { digest } from "../../values/Digest.ts"
import type { Json } from "../../values/Json.ts"
import type { RunEvent } from "../runs/RunEvent.ts"

/** A recorded event that tells the same. */
export interface Match {
  readonly eventId: string
  /** Index of the task that has it; a session may have several. */
  readonly part: number
  /** Undefined for an event that follows from an earlier match. */
  readonly rule?: MatchRule
}

interface Told {
  readonly eventId: string
  readonly part: number
  readonly at: number
  /** The key of the comparison. */
  readonly by: string
}

interface Call extends Told {
  /** Newest event by its type, for causes. */
  readonly events: Map<string, string>
}

/** Times of the accounts of one thing may differ this much, in milliseconds: a hook may wait for a person. */
const WITHIN_MS = 10 * 60 * 1000

export class RecordedAccount {
  /** Texts and calls without a match yet, by the key of their comparison. */
  readonly #unmatched = new Map<string, Array<Told>>()
  readonly #told = new Map<string, Told>()
  readonly #calls = new Map<string, Call>()
  readonly #byCommand = new Map<string, Call>()
  /** By the other account's command id. */
  readonly #paired = new Map<string, Call>()
  readonly #known = new Map<string, Match>()
  readonly #openings: Array<string> = []

  /** Takes the next event of the session's task with this index, in order. */
  take(event: Event, part: number): void {
    if (event.actor.startsWith("import:")) return
    if (is(event, "TaskOpened")) this.#openings[part] = event.id
    else if (is(event, "InputReceived")) this.#add(event, part, toldOf("in", event.payload.content))
    else if (is(event, "MessageSent")) this.#add(event, part, toldOf("out", event.payload.content))
    else if (is(event, "ActuatorCommanded")) {
      const { callId = "", commandId, actuator, args } = event.payload
      const told = this.#add(event, part, callId === "" ? inputOf(actuator, args) : idOf(callId))
      const call = { ...told, events: new Map([[event.type, event.id]]) }
      this.#byCommand.set(commandId, call)
      this.#calls.set(event.id, call)
    } else this.#byCommand.get(commandOf(event.payload))?.events.set(event.type, event.id)
  }

  /** A match that an earlier import recorded. */
  matched(key: string, match: Match): void {
    this.#known.set(key, match)
    const told = this.#told.get(match.eventId)
    if (told !== undefined) this.#remove(told)
  }

  #add({ id, occurredAt }: Event, part: number, by: string): Told {
    const told = { eventId: id, part, at: occurredAt, by }
    const before = this.#unmatched.get(by)
    if (before === undefined) this.#unmatched.set(by, [told])
    else before.push(told)
    this.#told.set(id, told)
    return told
  }

  #remove(told: Told): void {
    const left = (this.#unmatched.get(told.by) ?? []).filter((one) => one.eventId !== told.eventId)
    if (left.length === 0) this.#unmatched.delete(told.by)
    else this.#unmatched.set(told.by, left)
  }

  /** The event that tells the same; undefined if the recorder has none. */
  match(event: RunEvent): Match | undefined {
    const found = this.#known.get(event.key) ?? this.#find(event)
    if (found === undefined) return undefined
    this.#known.set(event.key, found)
    const { body } = event
    const call = body.type === "ActuatorCommanded" ? this.#calls.get(found.eventId) : undefined
    if (body.type === "ActuatorCommanded" && call !== undefined) this.#paired.set(body.payload.commandId, call)
    return found
  }

  /** The recorded event for a key of the other account. */
  eventOf(key: string): string | undefined {
    return this.#known.get(key)?.eventId
  }

  #find({ body, at }: RunEvent): Match | undefined {
    switch (body.type) {
      case "TaskOpened":
        return this.#openings[0] === undefined ? undefined : { eventId: this.#openings[0], part: 0 }
      case "InputReceived":
        return this.#nearest(toldOf("in", body.payload.content), at)
      case "MessageSent":
        return this.#nearest(toldOf("out", body.payload.content), at)
      case "ActuatorCommanded": {
        const { callId = "", actuator, args } = body.payload
        return (
          this.#taken(this.#unmatched.get(idOf(callId))?.[0], "same-id") ??
          this.#taken(this.#unmatched.get(inputOf(actuator, args))?.find(near(at)), "same-input")
        )
      }
      default: {
        const call = this.#paired.get(commandOf(body.payload))
        if (call === undefined) return undefined
        const { part, events } = call
        return { eventId: events.get(body.type) ?? [...events.values()].at(-1) ?? call.eventId, part }
      }
    }
  }

  /** The same text whose time is nearest; without a time, the first one. */
  #nearest(by: string, at: number | null): Match | undefined {
    const fitting = (this.#unmatched.get(by) ?? []).filter(near(at))
    const distance = (one: Told) => (at === null ? 0 : Math.abs(one.at - at))
    return this.#taken(fitting.sort((a, b) => distance(a) - distance(b))[0], "same-text")
  }

  #taken(told: Told | undefined, rule: MatchRule): Match | undefined {
    if (told === undefined) return undefined
    this.#remove(told)
    return { eventId: told.eventId, part: told.part, rule }
  }
}

const commandOf = (payload: object): string =>
  "commandId" in payload && typeof payload.commandId === "string" ? payload.commandId : ""

/** Texts are compared without the space around them, and content of one text part as its text. */
const toldOf = (direction: "in" | "out", content: Json): string => {
  const [part, ...others] = Array.isArray(content) ? content : [content]
  const isText = typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"
  const only = others.length > 0 ? content : isText ? part.text : part
  return `${direction} ${digest(typeof only === "string" ? only.trim() : (only ?? null))}`
}

const idOf = (callId: string): string => `id ${callId}`

/** The tool's name without the program's: a client's hooks and its files may name the program differently. */
const inputOf = (actuator: string, args: Json): string =>
  `input ${actuator.slice(actuator.indexOf("/") + 1)} ${digest(args)}`

const near =
  (at: number | null) =>
  (one: Told): boolean =>
    at === null || Math.abs(one.at - at) <= WITHIN_MS
