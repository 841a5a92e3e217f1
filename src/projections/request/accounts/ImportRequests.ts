/**
 * The requests of imported tasks. An import records for each agent the messages since its last turn, as far as the
 * file has them.
 */

import type { Json } from "../../../values/Json.ts"
import { asObject, messageText, textOf } from "../../../values/JsonObjects.ts"
import type { Prompt } from "../Prompt.ts"
import { answerMessage, messagesIn, type SeenMessage } from "../RequestMessage.ts"
import type { LoggedEvent } from "../WholeRequest.ts"
import type { Account } from "./AgentRequests.ts"

interface Conversation {
  messages: Array<SeenMessage>
  earlier: string | null
  notes: ReadonlyArray<string>
  /** The text of a summary that the next request may repeat. */
  summary: string | null
}

/** Opens the note by which an import records that its person went back to an earlier message. */
const REWOUND = "the conversation was rewound"

/** The agent of a task with one. */
const ONLY = ""

/** Folds the events of one task, oldest first. */
export class ImportRequests {
  readonly #conversations = new Map<string, Conversation>()
  readonly #asked = new Map<string, string>()
  #guide: LoggedEvent | undefined

  take(event: LoggedEvent): void {
    const { id, type, position, payload, causationId } = event
    if (type === "GuideApplied") this.#guide = event
    else if (type === "ModelCalled") {
      const agent = textOf(payload.agentId) ?? ONLY
      this.#asked.set(id, agent)
      const conversation = this.#of(agent)
      if (repeatsSummary(conversation, event)) conversation.messages = []
      conversation.messages.push(...newsIn(event))
      conversation.summary = null
    } else if (type === "ModelResponded" || type === "ModelFailed") {
      const agent = this.#asked.get(causationId ?? "")
      if (agent === undefined) return
      this.#of(agent).messages.push(...answerMessage(payload.response, position))
    } else if (type === "MemoryCompacted") this.#compact(event)
    else if (type === "NoteAdded" && String(payload.text).startsWith(REWOUND)) {
      const conversation = this.#of(ONLY)
      const note = `At @${position} the person went back to an earlier message. Messages of the branch that was left are still listed here.`
      conversation.notes = [...conversation.notes, note]
    }
  }

  /** The request of a `ModelCalled` event, before it is taken. */
  at(event: LoggedEvent): Account {
    const agent = textOf(event.payload.agentId) ?? ONLY
    const conversation = this.#of(agent)
    const { messages, earlier, notes } = conversation
    return {
      asksFor: "turn",
      ...this.#prompt(agent),
      messages: [...(repeatsSummary(conversation, event) ? [] : messages), ...newsIn(event)],
      earlier,
      memory: null,
      notes: [
        "These are the messages that the imported file has, in its order. The program may have sent others.",
        ...notes,
      ],
    }
  }

  #of(agent: string): Conversation {
    const known = this.#conversations.get(agent)
    if (known !== undefined) return known
    const begun: Conversation = { messages: [], earlier: null, notes: [], summary: null }
    this.#conversations.set(agent, begun)
    return begun
  }

  /** Drops the messages that a summary replaced. */
  #compact({ position, payload }: LoggedEvent): void {
    const conversation = this.#of(ONLY)
    const summary = textOf(payload.summary)
    const content: Json = [{ type: "text", text: summary ?? "" }]
    conversation.messages = summary === undefined ? [] : [{ role: "user", content, at: position, sources: [] }]
    conversation.summary = summary ?? null
    conversation.earlier = `A summary replaced the conversation before @${position}. The file does not say which earlier messages stayed in the requests${summary === undefined ? ", nor what the summary says" : ""}.`
  }

  #prompt(agent: string): Prompt {
    const systemPrompt = this.#guide?.payload.systemPrompt
    return {
      system:
        this.#guide === undefined || typeof systemPrompt !== "string" || agent !== ONLY
          ? { notRecorded: "The imported file does not have the system prompt of this agent." }
          : { value: systemPrompt, at: this.#guide.position },
      tools: { notRecorded: "An import does not record the tools of a request." },
      settings: { notRecorded: "An import does not record the settings of a request." },
    }
  }
}

const newsIn = ({ position, payload }: LoggedEvent): ReadonlyArray<SeenMessage> =>
  messagesIn(asObject(payload.request).messages, position)

const repeatsSummary = ({ summary }: Conversation, event: LoggedEvent): boolean =>
  summary !== null && newsIn(event).some(({ content }) => messageText(content).trim() === summary.trim())
