/** Turns the events of a channel into the text of a conversation, piece by piece. */

import type { ChannelEvent } from "../../agents/channel/ChannelEvent.ts"
import * as ToolProgress from "../../agents/channel/ToolProgress.ts"
import { visibleLines } from "../../values/PlainText.ts"
import { inWords } from "../../values/time/Wait.ts"
import type { Style } from "../terminal/Style.ts"
import { oneLine, shorten, value } from "../terminal/Text.ts"
import * as StreamedMarkdown from "./StreamedMarkdown.ts"

export interface ChatTranscript {
  readonly of: (event: ChannelEvent) => string
}

/** Maximum length of arguments and results, in characters. */
const MAX_LENGTH = 160

/**
 * @param user leaves out this person's own answers to questions
 * @param isOwn whether an input was typed here, and is already on the screen
 */
export const make = (
  style: Style,
  user: string,
  isOwn: (event: Extract<ChannelEvent, { readonly type: "onInputReceived" }>) => boolean,
): ChatTranscript => {
  const markdown = StreamedMarkdown.make(style)
  /** The part of the current answer that is on the screen. */
  let streamed = ""
  /** The last answer that was streamed and whose message has not arrived yet. */
  let unsaid = ""
  let request = ""
  let isWithinLine = false

  const shown = (text: string): string => {
    if (text !== "") isWithinLine = !text.endsWith("\n")
    return text
  }

  /** Ends the streamed text and the line. */
  const ended = (): string => {
    const rest = streamed === "" ? "" : markdown.end()
    unsaid = streamed === "" ? unsaid : streamed
    streamed = ""
    const text = shown(rest)
    return isWithinLine ? `${text}${shown("\n")}` : text
  }

  const line = (text: string): string => `${ended()}${shown(`${text}\n`)}`

  const piece = (event: Extract<ChannelEvent, { readonly type: "onDelta" }>): string => {
    if (event.kind !== "text") return ""
    const before = event.request === request ? "" : ended()
    request = event.request
    streamed += event.text
    return before + shown(markdown.push(event.text))
  }

  const message = (content: string): string => {
    const before = ended()
    const wasStreamed = unsaid === content
    unsaid = ""
    if (wasStreamed) return before
    const whole = markdown.push(content) + markdown.end()
    return before + shown(`${whole}\n`)
  }

  return {
    of: (event) => {
      switch (event.type) {
        case "onDelta":
          return piece(event)
        case "onNewMessage":
          return message(event.content)
        case "onInputReceived": {
          if (isOwn(event)) return ended()
          const said =
            typeof event.content === "string" ? visibleLines(event.content) : value(event.content, MAX_LENGTH)
          return line(`${style.dim(`${oneLine(event.by)}:`)} ${said}`)
        }
        case "onToolCall":
          return line(`${style.dim("→")} ${style.name(oneLine(event.toolName))} ${value(event.args, MAX_LENGTH)}`)
        case "onToolProgress": {
          const told = shorten(oneLine(ToolProgress.inWords(event.progress)), MAX_LENGTH)
          return line(style.dim(`  ${oneLine(event.toolName)}: ${told}`))
        }
        case "onToolCallEnd": {
          const paint = event.status === "succeeded" ? style.good : style.bad
          const { unrecorded } = event
          const told =
            unrecorded === undefined ? resultOf(event.result) : `its result was not recorded: ${oneLine(unrecorded)}`
          const result = shorten(told, MAX_LENGTH)
          return line(`${style.dim("←")} ${style.name(oneLine(event.toolName))} ${paint(event.status)} ${result}`)
        }
        case "onToolCallSettled": {
          if (event.by === user) return ""
          const by = event.by === undefined ? "" : ` by ${oneLine(event.by)}`
          return line(style.dim(`The question was ${event.answer}${by}.`))
        }
        case "onRetryWait": {
          const { retryInMs, kind, reason } = event
          const why = shorten(oneLine(`${kind}: ${reason}`), MAX_LENGTH)
          return line(style.dim(`The model is asked again in ${inWords(retryInMs)} (${why}).`))
        }
        case "onAgentStateChange":
          // An interrupted answer has no message.
          return event.state === "thinking" ? "" : ended()
        case "onToolCallRequest":
        case "onReadyForInput":
          return ended()
      }
    },
  }
}

const resultOf = (result: Parameters<typeof value>[0]): string => {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return value(result, MAX_LENGTH)
  const { reason, message } = result as { readonly reason?: unknown; readonly message?: unknown }
  const said = reason ?? message
  return typeof said === "string" ? oneLine(said) : value(result, MAX_LENGTH)
}
