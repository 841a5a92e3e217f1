/**
 * The requests of recorded programs. Each names the request or answer that it continues (`after`) and adds its new
 * messages; its prompt is its own or that of an earlier request (`like`).
 */

import type { Json, JsonObject } from "../../../values/Json.ts"
import { asObject, fieldOf, isObject, textOf } from "../../../values/JsonObjects.ts"
import { missing, type Prompt, recorded } from "../Prompt.ts"
import { answerMessage, messagesIn, type SeenMessage } from "../RequestMessage.ts"
import type { LoggedEvent, WholeRequest } from "../WholeRequest.ts"
import type { Account } from "./AgentRequests.ts"

/** A point in a conversation. */
interface Place {
  readonly before: Place | null
  readonly messages: ReadonlyArray<SeenMessage>
  /** Why messages before this place are not recorded. */
  readonly gap: string | null
  /** The position of the request. */
  readonly request: number
}

/** Whether a recorder wrote this request. */
export const isRecorded = (request: Json | undefined): boolean =>
  isObject(request) &&
  (isObject(request.http) ||
    textOf(request.like) !== undefined ||
    (typeof request.system === "string" && "tools" in request && "settings" in request))

/** Folds the events of one task, oldest first. */
export class RecorderRequests {
  readonly #places = new Map<string, Place>()
  readonly #prompts = new Map<string, Prompt>()

  take(event: LoggedEvent): void {
    const { id, type, position, payload, causationId } = event
    if (type === "ModelCalled") {
      const request = asObject(payload.request)
      if (!isRecorded(request)) return
      this.#places.set(id, this.#placeOf(event, request))
      if (textOf(request.like) === undefined) this.#prompts.set(id, recorded(event, request))
    } else if (type === "ModelResponded") {
      const asked = this.#places.get(causationId ?? "")
      const messages = answerMessage(payload.response, position)
      if (asked !== undefined) this.#places.set(id, { before: asked, messages, gap: null, request: asked.request })
    }
  }

  /** The request of a `ModelCalled` event, before it is taken, and the position of the one that it continues. */
  at(event: LoggedEvent): Account & Pick<WholeRequest, "http" | "previous" | "isContinuation"> {
    const request = asObject(event.payload.request)
    const place = this.#placeOf(event, request)
    const like = textOf(request.like)
    const prompt = like === undefined ? recorded(event, request) : this.#prompts.get(like)
    const { method, url } = asObject(request.http)
    // Programs may also name a thread, and send the whole conversation.
    const isContinuation = fieldOf(event.payload.inferred, "after") === "thread"
    return {
      asksFor: "turn",
      ...(prompt ?? missing("The request has the prompt of an earlier one that is not in this task's events.")),
      ...told(place),
      memory: null,
      http: typeof method === "string" && typeof url === "string" ? { method, url } : null,
      previous: place.before?.request ?? null,
      isContinuation,
      notes: [
        ...(isContinuation
          ? ["The program sent only the newest messages. The provider's server keeps the earlier ones."]
          : []),
        ...(event.payload.observed === true
          ? ["The telemetry of the program's framework reported this request. No request over HTTP was seen."]
          : []),
      ],
    }
  }

  #placeOf({ position }: LoggedEvent, request: JsonObject): Place {
    const after = textOf(request.after)
    const before = after === undefined ? null : (this.#places.get(after) ?? null)
    const thread = asObject(request.thread)
    const gap =
      after !== undefined
        ? before === null
          ? "The request continues a conversation that is not in this task's events."
          : null
        : textOf(thread.after) !== undefined || textOf(thread.conversation) !== undefined
          ? "The provider's server keeps the conversation, and no recorder saw its earlier messages."
          : null
    return { before, gap, messages: messagesIn(request.messages, position), request: position }
  }
}

const told = (last: Place): Pick<Account, "messages" | "earlier"> => {
  const places: Array<Place> = []
  for (let place: Place | null = last; place !== null; place = place.before) places.push(place)
  const first = places.at(-1)
  return { messages: places.reverse().flatMap(({ messages }) => messages), earlier: first?.gap ?? null }
}
