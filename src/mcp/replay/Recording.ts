/** A recorded session with a server, as answers to a client's requests. Pure but for its memory of given answers. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { digest } from "../../values/Digest.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject, textOf } from "../../values/JsonObjects.ts"
import * as Answers from "../Answers.ts"
import * as Calls from "../Calls.ts"
import * as Message from "../Message.ts"

/** `result` or `error` of a response; `missing` says why the log has none. */
export type Answer = JsonObject | { readonly missing: string }

export interface Recording {
  /** Undefined if the events are not those of a gateway. */
  readonly server: string | undefined
  readonly calls: number
  /** The next recorded answer. Each call is answered once, in the recorded order; other requests as often as needed. */
  readonly answer: (request: Message.Request, redacted: (value: Json) => Json) => Answer
}

/** Answers of the same request or call, in order. */
interface Answered {
  readonly answers: Array<Answer>
  next: number
}

export const of = (events: ReadonlyArray<Event>): Recording => {
  const requests = new Map<string, { readonly method: string; readonly params: Json }>()
  const failures = failuresOf(events)
  const waiting = new Map<string, { readonly actuator: string; readonly args: Json }>()
  const calls = new Map<string, Answered>()
  const others = new Map<string, Answered>()
  const withheld = new Set<string>()
  let server: string | undefined
  let lastList: ((withheld: ReadonlySet<string>) => void) | undefined
  let count = 0

  const end = (commandId: string, answerOf: (actuator: string) => Answer): void => {
    const call = waiting.get(commandId)
    if (call === undefined) return
    waiting.delete(commandId)
    count++
    add(calls, callKey(call.actuator, call.args), answerOf(call.actuator))
  }

  for (const event of events) {
    if (is(event, "ActuatorCommanded")) {
      const { commandId, actuator, args } = event.payload
      waiting.set(commandId, { actuator, args })
    } else if (is(event, "CommandSucceeded")) {
      end(event.payload.commandId, () => whole({ result: event.payload.result }))
    } else if (is(event, "CommandFailed")) {
      end(event.payload.commandId, () => whole(failures.get(event.payload.commandId) ?? LEFT_OUT))
    } else if (is(event, "CommandDenied")) {
      const { commandId, rule, reason } = event.payload
      end(commandId, (actuator) => ({ result: Answers.denied(actuator, { rule, reason }) }))
    } else if (is(event, "CommandOutcomeUnknown")) {
      end(event.payload.commandId, () => ({ missing: "its outcome is unknown: nobody recorded an answer" }))
    } else if (is(event, "ToolsChanged")) {
      for (const name of [...event.payload.added, ...event.payload.changed]) withheld.add(name)
      // It follows the response that it is about.
      lastList?.(withheld)
    } else if (is(event, "ToolsPinned")) {
      server = event.payload.server
      for (const name of Object.keys(event.payload.tools)) withheld.delete(name)
    } else if (is(event, "SourceRecordKept")) {
      const { source, kind } = event.payload
      const record = asObject(event.payload.record)
      if (kind.startsWith(REQUEST)) {
        server ??= source
        requests.set(event.id, { method: kind.slice(REQUEST.length), params: record.params ?? {} })
      }
      const request = kind.startsWith(RESPONSE) ? requests.get(event.causationId ?? "") : undefined
      if (request !== undefined) {
        const isList = request.method === Message.LIST
        const answer = whole(isList ? visible(record, withheld) : record)
        const { answers } = add(others, keyOf(request.method, request.params), answer)
        const index = answers.length - 1
        if (isList)
          lastList = (withheld) => {
            answers[index] = whole(visible(record, withheld))
          }
      }
    }
  }

  return {
    server,
    calls: count,
    answer: ({ method, params }, redacted) => {
      if (method !== Message.CALL) {
        const found = others.get(keyOf(method, redacted(params)))
        return found === undefined
          ? { missing: `the log has no answer to ${method} with these parameters` }
          : (found.answers[Math.min(found.next++, found.answers.length - 1)] ?? LEFT_OUT)
      }
      const actuator = Calls.actuatorOf(server ?? "", String(params.name))
      const found = calls.get(callKey(actuator, redacted(params.arguments ?? {})))
      const answer = found?.answers[found.next]
      if (found === undefined) return { missing: `the log has no call of ${actuator} with these arguments` }
      if (answer === undefined)
        return { missing: `the log has ${found.answers.length} such calls of ${actuator}, which were answered` }
      found.next++
      return answer
    },
  }
}

const REQUEST = "request "
const RESPONSE = "response "

const LEFT_OUT: Answer = { missing: "its answer was too large for the log, which has a part of it" }

const add = (all: Map<string, Answered>, key: string, answer: Answer): Answered => {
  const found = all.get(key) ?? { answers: [], next: 0 }
  found.answers.push(answer)
  all.set(key, found)
  return found
}

const callKey = (actuator: string, args: Json): string => digest([actuator, args])

/** Clients say who they are in each request, or once; neither changes the answer. */
const keyOf = (method: string, params: Json): string => {
  const { _meta, ...others } = asObject(params)
  return digest([method, method === "initialize" ? {} : others])
}

/** Responses of failed calls, by command. */
const failuresOf = (events: ReadonlyArray<Event>): ReadonlyMap<string, JsonObject> =>
  new Map(
    events.flatMap((event) => {
      if (!is(event, "SourceRecordKept") || event.payload.kind !== Answers.FAILED) return []
      const { commandId, ...outcome } = asObject(event.payload.record)
      const id = textOf(commandId)
      return id === undefined ? [] : [[id, outcome] as const]
    }),
  )

/** The list that the client got, without the tools that the gateway withheld. */
const visible = (record: JsonObject, withheld: ReadonlySet<string>): JsonObject => {
  const result = asObject(record.result)
  if (!Array.isArray(result.tools) || withheld.size === 0) return record
  const tools = result.tools.filter((tool: Json) => !withheld.has(String(asObject(tool).name)))
  return { result: { ...result, tools } }
}

/** What `recordable` writes in place of a long text or a large value. */
const OMITTED = /^\[\d+ (?:characters|bytes) are left out\]$/

/** The answer, unless the log has only a part of it. */
const whole = (answer: Answer): Answer => (isWhole(answer) ? answer : LEFT_OUT)

const isWhole = (value: Json): boolean => {
  if (typeof value === "string") return !OMITTED.test(value)
  return typeof value !== "object" || value === null || Object.values(value).every(isWhole)
}
