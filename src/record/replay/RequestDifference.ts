/** Describes how two requests differ for a model: which message, and which words. Pure. */

import { Option, Schema } from "effect"
import { AnswerPart, Message } from "../../agents/models/Message.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import { Json } from "../../values/Json.ts"

export interface Difference {
  /** `message 3 (user)`, `the system prompt`, `the tools`, `the settings`, `the request`. */
  readonly where: string
  /** Recorded and current value; for text, the differing words in context. */
  readonly recorded: string
  readonly now: string
}

export interface WhatIsRead {
  readonly system: string
  readonly messages: ReadonlyArray<Message>
  readonly tools: Json
  readonly settings: Json
}

const Asked = Schema.Struct({ after: optional(Schema.String), messages: Schema.Array(Message) })

/** A request's prompt, or a reference to an earlier request with the same one. */
const Prompt = Schema.Struct({ system: Schema.String, tools: Json, settings: Json })
const Like = Schema.Struct({ like: Schema.String })

const asAsked = Schema.decodeUnknownOption(Asked)
const asPrompt = Schema.decodeUnknownOption(Schema.Union(Prompt, Like))
const asAnswer = Schema.decodeUnknownOption(Schema.Struct({ parts: Schema.Array(AnswerPart) }))

/** Everything that a recorded request shows its model; undefined for other events. */
export const readIn = (events: ReadonlyArray<Event>, called: Event): WhatIsRead | undefined => {
  const byId = new Map(events.map((event) => [event.id, event]))
  const messagesUpTo = (event: Event | undefined): ReadonlyArray<Message> => {
    if (event === undefined) return []
    if (is(event, "ModelResponded")) {
      const answer = Option.getOrUndefined(asAnswer(event.payload.response))
      const before = messagesUpTo(byId.get(event.causationId ?? ""))
      return answer === undefined ? before : [...before, { role: "assistant", content: answer.parts }]
    }
    const asked = is(event, "ModelCalled") ? Option.getOrUndefined(asAsked(event.payload.request)) : undefined
    if (asked === undefined) return []
    return [...(asked.after === undefined ? [] : messagesUpTo(byId.get(asked.after))), ...asked.messages]
  }
  const told = promptIn(called)
  const found = told !== undefined && "like" in told ? promptIn(byId.get(told.like)) : told
  const prompt = found === undefined || "like" in found ? undefined : found
  return prompt === undefined ? undefined : { ...prompt, messages: messagesUpTo(called) }
}

const promptIn = (event: Event | undefined) =>
  event !== undefined && is(event, "ModelCalled") ? Option.getOrUndefined(asPrompt(event.payload.request)) : undefined

/** The first difference. Without one, the requests differ only in what no model reads. */
export const between = (recorded: WhatIsRead, now: WhatIsRead): Difference => {
  if (recorded.system !== now.system) return words("the system prompt", recorded.system, now.system)
  const most = Math.max(recorded.messages.length, now.messages.length)
  for (let index = 0; index < most; index++) {
    const [was, is] = [recorded.messages[index], now.messages[index]]
    if (was !== undefined && is !== undefined && same(was, is)) continue
    const where = `message ${index + 1} (${(is ?? was)?.role})`
    if (was === undefined || is === undefined || was.role !== is.role) {
      return {
        where,
        recorded: was === undefined ? "nothing" : whole(was),
        now: is === undefined ? "nothing" : whole(is),
      }
    }
    return words(where, textOf(was), textOf(is))
  }
  if (!same(recorded.tools, now.tools)) return first("the tools", recorded.tools, now.tools)
  if (!same(recorded.settings, now.settings)) return first("the settings", recorded.settings, now.settings)
  return {
    where: "the request",
    recorded: "the recorded bytes and address",
    now: "the same content for the model in other bytes, or at another address",
  }
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const textOf = ({ content }: Message): string =>
  content
    .map((part) => {
      if ("content" in part) return typeof part.content === "string" ? part.content : JSON.stringify(part.content)
      if (part.type === "call" || part.type === "hosted") return `${part.tool}(${JSON.stringify(part.args)})`
      if (part.type === "item") return JSON.stringify(part.item)
      return part.type === "file" ? `[a file, ${part.mediaType}]` : part.text
    })
    .join("\n")

const whole = (message: Message): string => shortened(`${message.role}: ${textOf(message)}`)

/** Maximum length of a text in a difference, in characters. */
const LONGEST = 120

const shortened = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`)

/** Characters of context on each side of the differing words. */
const AROUND = 20

/** The differing words of two texts. */
export const words = (where: string, recorded: string, now: string): Difference => {
  const [was, is] = [recorded.split(/(?<=\s)/), now.split(/(?<=\s)/)]
  let start = 0
  while (start < was.length && start < is.length && was[start] === is[start]) start++
  let end = 0
  while (end < Math.min(was.length, is.length) - start && was.at(-1 - end) === is.at(-1 - end)) end++
  const shown = (of: ReadonlyArray<string>) => {
    const [before, after] = [of.slice(0, start).join(""), end === 0 ? "" : of.slice(-end).join("")]
    const differing = of.slice(start, of.length - end).join("")
    const middle = differing.trimEnd()
    // Keeps the space between the differing words and the context.
    const between = after === "" ? "" : differing.slice(middle.length)
    const lead = before.length > AROUND ? `…${before.slice(-AROUND)}` : before
    return `${lead}[${shortened(middle)}]${between}${after.length > AROUND ? `${after.slice(0, AROUND)}…` : after}`
  }
  return { where, recorded: shown(was), now: shown(is) }
}

/** The first path at which two values differ. */
export const first = (where: string, recorded: Json, now: Json): Difference => {
  const [change] = JsonPatch.diff(recorded, now)
  if (change === undefined) return { where, recorded: shownJson(recorded), now: shownJson(now) }
  const at = (value: Json) => {
    const found = change.path
      .split("/")
      .slice(1)
      .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<Json | undefined>((inner, key) => {
        return typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
          ? Reflect.get(inner, key)
          : undefined
      }, value)
    return found === undefined ? "nothing" : shownJson(found)
  }
  return { where: change.path === "" ? where : `${where}, at ${change.path}`, recorded: at(recorded), now: at(now) }
}

const shownJson = (value: Json): string => shortened(JSON.stringify(value))
