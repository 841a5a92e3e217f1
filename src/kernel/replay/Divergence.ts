import { Data } from "effect"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { Request } from "./Recording.ts"

/**
 * How today's agent went another way than the recorded one:
 * - `another-command`, `another-message`, `another-question`: it commands or says something else, or asks a model something else;
 * - `another-request`: it asks for something of another kind, such as a command where it once said something;
 * - `done-earlier`, `done-later`: it ends where it once went on, or goes on where it once ended;
 * - `another-outcome`: it ends where it once ended, with another outcome or reason;
 * - `asked-for-more`: it goes on where the task once ended, so that there is no answer;
 * - `agent-failed`: it fails where it once did not.
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

/** The first thing that today's agent did otherwise. */
export interface Divergence {
  readonly kind: DivergenceKind
  /** The recorded event that it differs from. */
  readonly position: number
  /** Where in the choice the first difference is: a JSON Pointer (RFC 6901), `""` for all of it. */
  readonly path: string
  /** What was recorded, as a choice: `{ act, args }`, `{ say }`, `{ done, reason? }`, `{ consult }` or `{ perceive: true }`. */
  readonly expected: JsonObject
  readonly found: JsonObject
}

/** Thrown through an agent that works by itself, so that it does not go on with what is no answer. */
export class Stopped extends Data.TaggedError("Stopped") {
  override get message() {
    return "The replay has ended: there is no recorded answer to what the agent asked."
  }
}

/** A request as a choice. */
export const choiceOf = (request: Request): JsonObject => {
  switch (request.kind) {
    case "perceive":
      return { perceive: true }
    case "decide":
      return request.decision.choice
    case "act":
      return { act: request.actuator, args: request.args }
    case "say":
      return { say: request.content }
    case "consult":
      return { consult: { ...request.question } }
  }
}

/** The difference of two choices; nothing where they come to the same. */
export const between = (position: number, recorded: JsonObject, found: JsonObject): Divergence | undefined => {
  const [expected, chosen] = [complete(recorded), complete(found)]
  const [first] = JsonPatch.diff(expected, chosen)
  if (first === undefined) return undefined
  const kind = kindOf(expected, chosen)
  const isAlike = kind !== "another-request" && kind !== "done-earlier" && kind !== "done-later"
  return { kind, position, path: isAlike ? first.path : "", expected: recorded, found }
}

/** A command without arguments has none of them: written out or not, it is the same one. */
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
}

const KINDS = ["act", "say", "done", "perceive", "consult"]
