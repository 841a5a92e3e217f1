/** Requests in a form of their own: those of agents that call models by themselves, and a critic's questions. */

import type { Json, JsonObject } from "../../../values/Json.ts"
import { asObject, fieldOf, isObject, textOf } from "../../../values/JsonObjects.ts"
import { toolsIn } from "../Prompt.ts"
import { messagesIn } from "../RequestMessage.ts"
import type { LoggedEvent } from "../WholeRequest.ts"
import type { Account } from "./AgentRequests.ts"

/** Whether a critic asked about a reward. */
export const isQuestion = (request: Json | undefined): boolean =>
  isObject(request) && textOf(request.measure) !== undefined && isObject(request.reward) && "repeat" in request

/** Whether a request is no turn of an agent: a critic's question, or a request for a summary. */
export const isAside = (request: Json | undefined): boolean =>
  isQuestion(request) || typeof fieldOf(request, "summarize") === "number"

/** Folds the events of one task or of a critic's stream, oldest first. */
export class CriticQuestions {
  /** The whole first question about a task, by the task. Later ones record only the differences. */
  readonly #first = new Map<Json, { readonly question: JsonObject; readonly at: number }>()

  take({ type, position, payload }: LoggedEvent): void {
    const question = asObject(payload.request)
    if (type === "ModelCalled" && isQuestion(question) && Array.isArray(question.evidence))
      this.#first.set(taskOf(question), { question, at: position })
  }

  /** The question of a `ModelCalled` event, before it is taken. */
  at({ position, payload }: LoggedEvent): Account {
    const own = asObject(payload.request)
    const first = Array.isArray(own.evidence) ? { question: own, at: position } : this.#first.get(taskOf(own))
    const { evidence, settings, omitted, task } = first?.question ?? {}
    const shared = first === undefined ? {} : { task: task ?? null, evidence: evidence ?? [], omitted: omitted ?? 0 }
    const whole = { ...own, ...shared }
    const { settings: _, ...content } = whole as JsonObject
    return {
      asksFor: "verdict",
      system: { notRecorded: "A critic's model gets its question as data, and writes its own prompt." },
      tools: { value: [], at: position },
      settings:
        first === undefined || !isObject(settings)
          ? { notRecorded: "The settings are in the first question about the task, which is not in these events." }
          : { value: settings, at: first.at },
      messages: [{ role: "user", content, at: position, sources: first === undefined ? [] : [first.at] }],
      earlier:
        first === undefined
          ? "The evidence is in the first question about the task, which is not in these events."
          : null,
      memory: null,
      notes: [],
    }
  }
}

const taskOf = (question: JsonObject): Json => textOf(fieldOf(question.task, "id")) ?? null

/**
 * The request of an agent's own code, as the code recorded it.
 *
 * @param isWhole whether the log has all of it; undefined if that is unknown
 */
export const ofProgram = ({ position: at, payload }: LoggedEvent, isWhole: boolean | undefined): Account => {
  const request = payload.request ?? null
  const { messages, system, tools, ...settings } = asObject(request)
  const isKnown = Array.isArray(messages)
  const otherwise = isWhole === true ? "The request has no such part." : "The agent's own code did not record it."
  return {
    asksFor: "turn",
    system: typeof system === "string" ? { value: system, at } : { notRecorded: otherwise },
    tools: Array.isArray(tools) ? { value: toolsIn(tools), at } : { notRecorded: otherwise },
    settings: isKnown ? { value: settings, at } : { notRecorded: otherwise },
    messages: isKnown ? messagesIn(messages, at) : [{ role: "unknown", content: request, at, sources: [] }],
    earlier:
      isWhole === true
        ? null
        : isWhole === false
          ? "The agent's own code recorded only a part of the request."
          : "The agent's own code recorded the request. It may be only the part that was new.",
    memory: null,
    notes: isKnown ? [] : ["The agent's own code recorded the request in a form that Hindcast does not know."],
  }
}
