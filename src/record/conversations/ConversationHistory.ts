/** Restores a run's conversation from the events of an earlier process. */

import { Schema } from "effect"
import { AnswerPart, Message } from "../../agents/models/Message.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import type { RunConversations } from "./Conversations.ts"

const areMessages = Schema.is(Schema.Array(Message))
const areParts = Schema.is(Schema.Array(AnswerPart))

/**
 * Registers the requests and answers among a run's events and skips unknown shapes. A request without an answer has
 * failed, since the process that waited for it is gone.
 */
export const recall = (conversations: RunConversations, events: ReadonlyArray<Event>): void => {
  const unanswered = new Set<string>()
  for (const event of events) {
    if (is(event, "ModelCalled")) {
      const { request } = event.payload
      const messages = fieldOf(request, "messages")
      if (!areMessages(messages)) continue
      const thread = threadIn(fieldOf(request, "thread"))
      unanswered.add(event.id)
      conversations.recalled(event.id, { messages, after: textOf(fieldOf(request, "after")), ...thread })
    } else if (is(event, "ModelResponded") && event.causationId !== null) {
      unanswered.delete(event.causationId)
      const { response } = event.payload
      const parts = fieldOf(response, "parts")
      const answerId = textOf(fieldOf(response, "id"))
      if (areParts(parts)) conversations.answered({ id: event.id, request: event.causationId, parts, answerId })
    } else if (is(event, "ModelFailed") && event.causationId !== null) {
      unanswered.delete(event.causationId)
      conversations.failed(event.causationId)
    }
  }
  for (const request of unanswered) conversations.failed(request)
}

const threadIn = (thread: unknown) => {
  const conversation = textOf(fieldOf(thread, "conversation"))
  return conversation === undefined ? {} : { thread: { conversation } }
}
