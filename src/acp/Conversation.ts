/** One session of a connection: which events its prompts, messages and tool calls are. Pure but for its own state. */

import { newId } from "../events/vocabulary/Event.ts"
import type { Happening } from "../hooks/HookEvent.ts"
import type { Json, JsonObject } from "../values/Json.ts"
import { asObject, textOf } from "../values/JsonObjects.ts"
import * as AnnouncedCall from "./AnnouncedCall.ts"
import { textOfBlock } from "./Prompt.ts"

/** What to record: the protocol's name of it, and its content. */
export interface Told {
  readonly event: string
  readonly happening: Happening
  readonly payload: Json
}

interface Call {
  fields: JsonObject
  /** Its id in the log. Differs from the agent's if that one was used before. */
  readonly callId: string
  isAsked: boolean
  isDenied: boolean
}

/** Maximum length of a message gathered from its chunks. A longer one becomes several messages. */
const MAX_MESSAGE = 256 * 1024

/** Maximum number of open calls of a turn. The log keeps further calls as the agent announced them. */
const MAX_CALLS = 10_000

const OTHER: Happening = { kind: "other" }

export interface Conversation {
  /** Turns that run. */
  turns: number
  /** @param isNew whether the log knows no call with this id */
  readonly update: (update: JsonObject, isNew: (callId: string) => Promise<boolean>) => Promise<ReadonlyArray<Told>>
  /** The call that a permission request is about. Each question is about a command of its own. */
  readonly asked: (fields: JsonObject, isNew: (callId: string) => Promise<boolean>) => Promise<Asked>
  /** Ends the message in progress. */
  readonly flush: () => ReadonlyArray<Told>
  /** Ends a turn: a call that is still open has an unknown end. */
  readonly endTurn: () => ReadonlyArray<Told>
}

export interface Asked {
  readonly call: ReturnType<typeof AnnouncedCall.callOf>
  readonly denied: () => void
}

export const make = (): Conversation => {
  let gathered = ""
  let gathering: "said" | "thought" = "said"
  let calls = new Map<string, Call>()

  const flush = (): ReadonlyArray<Told> => {
    const text = gathered
    gathered = ""
    if (text === "") return []
    return gathering === "said"
      ? [{ event: "agent_message", happening: { kind: "said", text }, payload: {} }]
      : [{ event: "agent_thought", happening: OTHER, payload: { text } }]
  }

  const gather = (kind: typeof gathering, text: string): ReadonlyArray<Told> => {
    const before = kind === gathering && gathered.length + text.length <= MAX_MESSAGE ? [] : flush()
    gathering = kind
    gathered += text
    return before
  }

  /** An id that no earlier call of the session has: agents may use theirs again. */
  const unusedId = async (id: string, isNew: (callId: string) => Promise<boolean>): Promise<string> =>
    (await isNew(id)) ? id : `${id}#${newId()}`

  const updated = async (id: string, update: JsonObject, isNew: (callId: string) => Promise<boolean>) => {
    const found = calls.get(id)
    if (found !== undefined) {
      found.fields = AnnouncedCall.merged(found.fields, update)
      return { call: found, isFirst: false }
    }
    if (calls.size >= MAX_CALLS) return undefined
    const fields = AnnouncedCall.merged({}, update)
    const call: Call = { fields, callId: await unusedId(id, isNew), isAsked: false, isDenied: false }
    calls.set(id, call)
    return { call, isFirst: true }
  }

  const ended = (id: string, { fields, callId, isDenied }: Call): ReadonlyArray<Told> => {
    const outcome = AnnouncedCall.outcomeOf(fields)
    if (outcome === undefined) return []
    calls.delete(id)
    if (isDenied && !outcome.ok) return []
    // The agent ran a call despite the refusal: another command, which nobody allowed.
    const call = AnnouncedCall.callOf(fields, isDenied ? `${callId}#ran` : callId)
    return [{ event: "tool_call_update", happening: { kind: "after", ...call, ...outcome }, payload: {} }]
  }

  return {
    turns: 0,
    flush,
    update: async (update, isNew) => {
      const event = textOf(update.sessionUpdate) ?? "unknown update"
      switch (event) {
        case "agent_message_chunk":
          return gather("said", textOfBlock(update.content))
        case "agent_thought_chunk":
          return gather("thought", textOfBlock(update.content))
        case "user_message_chunk":
          // It repeats the prompt, which the log has as the editor sent it.
          return []
        case "tool_call":
        case "tool_call_update": {
          const id = AnnouncedCall.idOf(update)
          const known = id === undefined ? undefined : await updated(id, update, isNew)
          if (id === undefined || known === undefined) return [...flush(), { event, happening: OTHER, payload: update }]
          const { isFirst, call } = known
          const called = AnnouncedCall.callOf(call.fields, call.callId)
          const first: Told = { event, happening: { kind: "announced", ...called }, payload: update }
          return [...flush(), ...(isFirst ? [first] : []), ...ended(id, call)]
        }
        default:
          return [...flush(), { event, happening: OTHER, payload: update }]
      }
    },
    asked: async (fields, isNew) => {
      const id = AnnouncedCall.idOf(fields) ?? "unnamed"
      const before = calls.get(id)
      if (before?.isAsked === true) {
        // Asked a second time: a command of its own, which continues under the agent's id.
        calls.set(id, { ...before, callId: await unusedId(`${id}#again`, async () => false), isDenied: false })
      }
      const found = await updated(id, fields, isNew)
      const call: Call = found?.call ?? {
        fields: asObject(fields),
        callId: await unusedId(id, isNew),
        isAsked: true,
        isDenied: false,
      }
      call.isAsked = true
      return {
        call: AnnouncedCall.callOf(call.fields, call.callId),
        denied: () => {
          call.isDenied = true
        },
      }
    },
    endTurn: () => {
      const open = [...calls.values()].filter(({ isDenied }) => !isDenied)
      calls = new Map()
      if (open.length === 0) return flush()
      const left = open.map(({ fields, callId }) => ({ ...AnnouncedCall.callOf(fields, callId), content: null }))
      return [...flush(), { event: "turn ended", happening: { kind: "batch", calls: left }, payload: {} }]
    },
  }
}
