/** Events of a task's channel as updates for an editor. A pure fold: it remembers the text that the editor shows. */

import type { ChannelEvent, Happening } from "../../agents/channel/ChannelEvent.ts"
import * as ToolProgress from "../../agents/channel/ToolProgress.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject, isObject } from "../../values/JsonObjects.ts"
import * as ToolCallView from "./ToolCallView.ts"

export interface Shown {
  /** The text of the answer in progress that the editor already has. */
  readonly streamed: string
  /** The calls whose progress the editor shows. */
  readonly inProgress: ReadonlySet<string>
  readonly cwd: string
}

type Told = Happening | ChannelEvent

/** The updates for an event. `showsWords`: also for people's words, where the editor does not have them. */
export const of = (
  shown: Shown,
  event: Told,
  showsWords: boolean,
): readonly [Shown, updates: ReadonlyArray<JsonObject>] => {
  switch (event.type) {
    case "onDelta":
      return delta(shown, event)
    case "onNewMessage":
      return [{ ...shown, streamed: "" }, message(shown, event.content)]
    case "onInputReceived":
      return [{ ...shown, streamed: "" }, showsWords ? words(event) : []]
    case "onToolCall":
      return [{ ...shown, streamed: "" }, [toolCall(event, shown.cwd)]]
    case "onToolProgress":
      return [{ ...shown, inProgress: new Set([...shown.inProgress, event.commandId]) }, [toolProgress(event)]]
    case "onToolCallEnd":
      return ended(shown, event)
    case "onToolCallSettled":
      return [shown, []]
    case "onRetryWait":
      return [
        shown,
        [messagePart("agent_thought_chunk", `The model did not answer (${event.kind}): ${event.reason}\n`)],
      ]
    default:
      return [shown, []]
  }
}

export const messagePart = (sessionUpdate: string, text: string): JsonObject => ({
  sessionUpdate,
  content: { type: "text", text },
})

const delta = (
  shown: Shown,
  { kind, text }: Extract<Told, { readonly type: "onDelta" }>,
): readonly [Shown, ReadonlyArray<JsonObject>] => {
  if (kind === "reasoning") return [shown, [messagePart("agent_thought_chunk", text)]]
  if (kind === "call") return [shown, []]
  return [{ ...shown, streamed: shown.streamed + text }, [messagePart("agent_message_chunk", text)]]
}

/** The part of a message that the editor does not show yet. */
const message = ({ streamed }: Shown, content: string): ReadonlyArray<JsonObject> => {
  const rest = content.startsWith(streamed) ? content.slice(streamed.length) : content
  return rest === "" ? [] : [messagePart("agent_message_chunk", rest)]
}

const words = ({ content }: Extract<Told, { readonly type: "onInputReceived" }>): ReadonlyArray<JsonObject> => {
  if (typeof content === "string") return [messagePart("user_message_chunk", content)]
  if (!Array.isArray(content)) return [messagePart("user_message_chunk", JSON.stringify(content))]
  return content.filter(isObject).map((part) => {
    const { type, text, mediaType, data } = part
    if (type === "text" && typeof text === "string") return messagePart("user_message_chunk", text)
    const isImage = type === "file" && typeof mediaType === "string" && mediaType.startsWith("image/")
    return isImage
      ? { sessionUpdate: "user_message_chunk", content: { type: "image", mimeType: mediaType, data: data ?? "" } }
      : messagePart("user_message_chunk", `[${typeof mediaType === "string" ? mediaType : "file"}]`)
  })
}

const toolCall = (command: ToolCallView.Command, cwd: string): JsonObject => ({
  sessionUpdate: "tool_call",
  toolCallId: command.commandId,
  status: "pending",
  ...ToolCallView.viewOf(command, cwd),
})

/** An editor replaces the content of a call by that of its next update. */
const toolProgress = ({ commandId, progress }: Extract<Told, { readonly type: "onToolProgress" }>): JsonObject => ({
  ...inProgress(commandId),
  content: [textContent(ToolProgress.inWords(progress))],
})

const textContent = (text: string): JsonObject => ({ type: "content", content: { type: "text", text } })

/** The end of a call, whose progress is not its result. */
const ended = (
  shown: Shown,
  event: Extract<Told, { readonly type: "onToolCallEnd" }>,
): readonly [Shown, ReadonlyArray<JsonObject>] => {
  const { commandId } = event
  if (!shown.inProgress.has(commandId)) return [shown, [toolCallEnd(event)]]
  const others = [...shown.inProgress].filter((other) => other !== commandId)
  return [{ ...shown, inProgress: new Set(others) }, [{ content: [], ...toolCallEnd(event) }]]
}

/** Only a success completes a call; an unknown outcome does not. */
const toolCallEnd = ({
  commandId,
  status,
  result,
  unrecorded,
}: Extract<Told, { readonly type: "onToolCallEnd" }>): JsonObject => ({
  sessionUpdate: "tool_call_update",
  toolCallId: commandId,
  status: status === "succeeded" ? "completed" : "failed",
  rawOutput: result,
  ...(status === "succeeded" && unrecorded === undefined
    ? {}
    : { content: [textContent(wordsOf(status, result, unrecorded))] }),
})

const wordsOf = (status: string, result: Json, unrecorded: string | undefined): string => {
  if (unrecorded !== undefined) return `Done. The log has no result: ${unrecorded}`
  const { reason, message } = asObject(result)
  const because = typeof reason === "string" ? reason : typeof message === "string" ? message : undefined
  const word = { denied: "Denied", unknown: "Nobody knows whether it was done", failed: "Failed" }[status] ?? status
  return because === undefined ? word : `${word}: ${because}`
}

/** A running call: after its permission, or without one. */
export const inProgress = (commandId: string): JsonObject => ({
  sessionUpdate: "tool_call_update",
  toolCallId: commandId,
  status: "in_progress",
})
