/** Compares a replayed agent's requests with the recorded ones. */

import { Data } from "effect"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { agentIn, type Request } from "./Request.ts"

/**
 * How a replayed agent first differs from the recorded one:
 * - `another-command`, `another-message`, `another-question`: the same kind of request with different content
 * - `another-request`: another kind of request, or other inputs
 * - `done-earlier`, `done-later`: it finished where the recording continues, or the other way round
 * - `another-outcome`: it finished there with another outcome or reason
 * - `asked-for-more`: it continues after the end of the recorded task
 * - `agent-failed`: it failed where the recorded agent did not
 * - `no-answer`: it made no decision within the deadline
 */
export type DivergenceKind =
  | "another-command"
  | "another-message"
  | "another-question"
  | "another-request"
  | "done-earlier"
  | "done-later"
  | "another-outcome"
  | "asked-for-more"
  | "agent-failed"
  | "no-answer"

/** The first difference between the replayed and the recorded agent. */
export interface Divergence {
  readonly kind: DivergenceKind
  /** The position of the recorded event; after a failure or silence, of the request due next. */
  readonly position: number
  /** JSON Pointer (RFC 6901) within the choice; `""` for all of it. */
  readonly path: string
  /**
   * The recorded choice: `{ act, args }`, `{ say }`, `{ done, reason? }`, `{ consult }`, `{ perceive: true }`,
   * `{ inputs }` (positions), or `{ late: true }`.
   */
  readonly expected: JsonObject
  /** After a failure: `{ done: "failed", reason }`; without an answer: `{ unansweredMs }`. */
  readonly found: JsonObject
}

/** Stops an agent that the replay has no answer for. */
export class Stopped extends Data.TaggedError("Stopped") {
  override get message() {
    return "The replay has ended: there is no recorded answer to what the agent asked."
  }
}

/** A request as a choice. Among several agents, `as` names the one that made it. */
export const choiceOf = (request: Request): JsonObject => {
  const agentId = agentIn(request)
  return agentId === undefined ? bareChoiceOf(request) : { ...bareChoiceOf(request), as: agentId }
}

const bareChoiceOf = (request: Request): JsonObject => {
  switch (request.kind) {
    case "perceive":
      return { perceive: true }
    case "decide":
      return request.decision.choice
    case "act":
      return { act: request.actuator, args: request.args }
    case "say":
      return { say: request.content }
    case "late":
      return { late: true }
    case "input":
      return { inputs: request.inputs.map(({ position }) => position) }
    case "consult":
      return { consult: { ...request.question } }
  }
}

/** Compares two choices; undefined if they are equivalent. */
export const between = (position: number, recorded: JsonObject, found: JsonObject): Divergence | undefined => {
  const [expected, chosen] = [complete(recorded), complete(found)]
  const [first] = JsonPatch.diff(expected, chosen)
  if (first === undefined) return undefined
  const kind = kindOf(expected, chosen)
  const isAlike = kind !== "another-request" && kind !== "done-earlier" && kind !== "done-later"
  return { kind, position, path: isAlike ? first.path : "", expected: recorded, found }
}

/** A command without arguments equals one with empty arguments. */
const complete = (choice: JsonObject): JsonObject =>
  "act" in choice && choice.args === undefined ? { ...choice, args: {} } : choice

const kindOf = (expected: JsonObject, found: JsonObject): DivergenceKind => {
  const [was, is] = [expected, found].map((choice): Json => KINDS.find((kind) => kind in choice) ?? null)
  if (was === is) return ALIKE[String(was)] ?? "another-outcome"
  if (is === "done") return "done-earlier"
  return was === "done" ? "done-later" : "another-request"
}

const ALIKE: { readonly [kind: string]: DivergenceKind } = {
  act: "another-command",
  say: "another-message",
  consult: "another-question",
  inputs: "another-request",
}

const KINDS = ["act", "say", "done", "perceive", "consult", "inputs", "late"]
