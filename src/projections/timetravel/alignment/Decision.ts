/**
 * The decisions of a run: the calls or the text of a model's answer, a choice, a command. Times, ids, explanations,
 * readings and the results of commands are no decisions.
 */

import canonicalize from "canonicalize"
import type { Event } from "../../../events/vocabulary/Event.ts"
import { type CoreName, is } from "../../../events/vocabulary/Vocabulary.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"
import { asObject, isObject, textOf } from "../../../values/JsonObjects.ts"
import * as ModelCallEnd from "../../state/ModelCallEnd.ts"

/** How the log records a decision: as a model's answer, as an agent's choice, or as a command. */
export type DecisionForm = "answer" | "choice" | "command"

/** A call that a decision makes. */
export interface DecidedCall {
  /** The name of the tool or actuator. */
  readonly tool: string
  readonly args: Json
}

/** One decision. */
export interface Decision {
  readonly event: Event
  readonly form: DecisionForm
  /** The agent in a task of several; null in a task of one. */
  readonly agentId: string | null
  readonly calls: ReadonlyArray<DecidedCall>
  /** Its text; null if it has none. Next to calls, the text only explains them. */
  readonly text: string | null
  /** The rest of a choice, such as `{ "done": "achieved" }`. */
  readonly rest: JsonObject
  /** False if the log lacks its content: the key is destroyed, or a source left it out. */
  readonly isReadable: boolean
}

/** Types of events that `makeReader` needs to see. */
export const TYPES: ReadonlyArray<CoreName> = ["ModelCalled", "ModelResponded", "DecisionMade", "ActuatorCommanded"]

/**
 * Makes a function that reads decisions. Call it with the events of a run in order: an answer belongs to the agent of
 * its request. Returns null for an event that is no decision, such as a critic's answer or a scenario's command.
 */
export const makeReader = (): ((event: Event) => Decision | null) => {
  const agentOf = new Map<string, string>()
  const ofCritics = new Set<string>()
  return (event) => {
    if (is(event, "ModelCalled")) {
      if (ModelCallEnd.isOfCritic(event)) ofCritics.add(event.id)
      else if (event.payload.agentId !== undefined) agentOf.set(event.id, event.payload.agentId)
      return null
    }
    if (is(event, "ModelResponded")) {
      const request = event.causationId ?? ""
      if (ModelCallEnd.isOfCritic(event) || ofCritics.has(request)) return null
      return answer(event, event.payload.response, agentOf.get(request) ?? null)
    }
    if (is(event, "DecisionMade")) return choice(event, event.payload.choice, event.payload.agentId ?? null)
    if (is(event, "ActuatorCommanded") && event.payload.source === undefined) {
      const { actuator, args, agentId = null } = event.payload
      return { ...decision(event, "command"), agentId, calls: [{ tool: actuator, args }] }
    }
    return null
  }
}

const decision = (event: Event, form: DecisionForm): Decision => ({
  event,
  form,
  agentId: null,
  calls: [],
  text: null,
  rest: {},
  isReadable: event.personal?.readable !== false,
})

const answer = (event: Event, response: Json, agentId: string | null): Decision => {
  const parts = isObject(response) && Array.isArray(response.parts) ? response.parts.map(asObject) : null
  const own = { ...decision(event, "answer"), agentId }
  if (parts === null) return { ...own, isReadable: false }
  const texts = parts.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
  return {
    ...own,
    calls: parts.flatMap((part) => (part.type === "call" || part.type === "hosted" ? callOf(part) : [])),
    text: texts.length === 0 ? null : texts.join("\n"),
  }
}

const callOf = ({ tool, args }: JsonObject): ReadonlyArray<DecidedCall> => [
  { tool: textOf(tool) ?? "", args: args ?? null },
]

/** Fields of a choice that have their own place, or that only explain it. */
const OWN: ReadonlySet<string> = new Set(["act", "args", "calls", "order", "say", "reason", "rationale"])

const choice = (event: Event, chosen: JsonObject, agentId: string | null): Decision => {
  const own = { ...decision(event, "choice"), agentId }
  const acted = textOf(chosen.act)
  const calls = Array.isArray(chosen.calls) ? chosen.calls.flatMap((call) => callOf(asObject(call))) : []
  const said = [chosen.say, chosen.reason].flatMap((text) => textOf(text) ?? [])
  return {
    ...own,
    isReadable: own.isReadable && Object.keys(chosen).length > 0,
    calls: acted === undefined ? calls : [{ tool: acted, args: chosen.args ?? {} }, ...calls],
    text: said.length === 0 ? null : said.join("\n"),
    rest: Object.fromEntries(Object.entries(chosen).filter(([name]) => !OWN.has(name))),
  }
}

/** The content of a decision, as text that equal decisions share. Text counts only where there are no calls. */
export const contentOf = ({ calls, text, rest }: Decision): string =>
  canonicalize([calls, calls.length === 0 ? text : null, rest]) ?? ""
