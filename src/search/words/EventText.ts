/** The searchable words of an event's payload, and their kind. Pure. */

import type { CoreName } from "../../events/vocabulary/Vocabulary.ts"
import type { Json, JsonObject } from "../../values/Json.ts"

/** Kinds of hits, by the meaning of their text for people. */
export const KINDS = ["goal", "message", "argument", "result", "error", "note", "other"] as const

export type Kind = (typeof KINDS)[number]

/** The text of an event. */
export interface EventText {
  readonly kind: Kind
  /** Its strings and whole numbers, one a line. */
  readonly text: string
}

/** Maximum length of an event's text in characters. A search does not find later text. */
export const MAX_TEXT = 262_144

/** The text of a payload; undefined if it has none. */
export const of = (type: string, payload: JsonObject): EventText | undefined => {
  const lines: Array<string> = []
  let length = 0
  const add = (line: string) => {
    if (length >= MAX_TEXT || line === "" || DIGEST.test(line)) return
    const shown = line.length > MAX_DATA && !SPACE.test(line) ? line.slice(0, SHOWN_DATA) : line
    lines.push(shown.length > MAX_TEXT - length ? shown.slice(0, MAX_TEXT - length) : shown)
    length += shown.length + 1
  }
  for (const [name, value] of Object.entries(payload)) {
    // Numbers of the event itself, such as its priority, are no text; those of arguments and results are.
    if (REFERENCES.has(name) || typeof value === "number" || isVector(type, name)) continue
    visit(type === "ModelCalled" && name === "request" ? newPart(value) : value, type === "DecisionMade", add)
  }
  return lines.length === 0 ? undefined : { kind: kindOf(type, payload), text: lines.join("\n") }
}

/** The kind of an event's text. */
export const kindOf = (type: string, payload: JsonObject): Kind => {
  if (type === "TaskClosed") return payload.outcome === "achieved" ? "result" : "error"
  return KIND_OF.get(type) ?? "other"
}

const TYPES_OF: { readonly [kind in Exclude<Kind, "other">]: ReadonlyArray<CoreName> } = {
  goal: ["TaskOpened"],
  message: [
    ...(["InputReceived", "MessageSent", "DecisionMade", "ModelCalled", "ModelResponded"] as const),
    ...(["GuideApplied", "MemoryCompacted", "SignalReceived"] as const),
  ],
  argument: ["ActuatorCommanded", "IoCalled", "BrokerRequested", "ConfirmationRequested"],
  result: ["CommandSucceeded", "IoAnswered", "BrokerAnswered", "SensorRead", "EnvironmentChanged"],
  error: [
    ...(["CommandFailed", "CommandDenied", "CommandOutcomeUnknown", "IoFailed", "ModelFailed"] as const),
    ...(["SensorFailed", "PluginStartRefused", "PluginMisbehaved", "PluginQuarantined", "BrokerDenied"] as const),
    "ListenerFailed",
  ],
  note: ["NoteAdded", "TagAdded", "PluginLogged", "CaptureNoted", "GuidanceGiven", "MemoryStored"],
}

const KIND_OF: ReadonlyMap<string, Kind> = new Map(
  KINDS.flatMap((kind) => (kind === "other" ? [] : TYPES_OF[kind].map((type) => [type, kind] as const))),
)

/** Fields that refer to other things by names nobody types. */
const REFERENCES = new Set([
  ...["commandId", "callId", "argsDigest", "requestDigest", "digest", "confirmationId"],
  ...["basedOn", "because", "inputs", "positions", "hashes"],
])

const isVector = (type: string, name: string): boolean =>
  name === "vector" && (type === "MemoryStored" || type === "MemoryEmbedded")

/** Digests and UUIDs. */
const DIGEST = /^(?:[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Longer strings of ASCII without a space are data, such as an image. Only their beginning counts. */
const MAX_DATA = 2_000
const SHOWN_DATA = 200
const SPACE = /[\s\u0080-\uffff]/

/** Payloads are at most 200 levels deep: `MAX_DEPTH`. */
const visit = (value: Json, isDecision: boolean, add: (line: string) => void): void => {
  if (typeof value === "string") add(value)
  else if (typeof value === "number") {
    if (Number.isSafeInteger(value)) add(String(value))
  } else if (Array.isArray(value)) for (const item of value) visit(item, isDecision, add)
  else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      // The command after a decision has the same arguments.
      if (!(isDecision && name === "args")) visit(member, isDecision, add)
    }
  }
}

/** Each request repeats the conversation: only the messages after the model's last one are new. */
const newPart = (request: Json): Json => {
  if (typeof request !== "object" || request === null || Array.isArray(request)) return request
  for (const name of ["messages", "input", "contents"]) {
    const messages = Object.hasOwn(request, name) ? (request as JsonObject)[name] : undefined
    if (!Array.isArray(messages)) continue
    const last = messages.findLastIndex((message) => isOfModel(message))
    return last < 0 ? withoutTools(request as JsonObject) : messages.slice(last + 1)
  }
  return withoutTools(request as JsonObject)
}

const isOfModel = (message: Json): boolean =>
  typeof message === "object" &&
  message !== null &&
  !Array.isArray(message) &&
  ((message as JsonObject).role === "assistant" ||
    (message as JsonObject).role === "model" ||
    (message as JsonObject).type === "function_call" ||
    (message as JsonObject).type === "reasoning")

const withoutTools = (request: JsonObject): Json =>
  Object.fromEntries(Object.entries(request).filter(([name]) => name !== "tools"))
