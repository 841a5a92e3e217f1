/** Splits a body into JSON values: a single one, server-sent events, or lines. */

import type { Json } from "../values/Json.ts"
import * as AwsEvents from "./AwsEvents.ts"
import * as ExactJson from "./ExactJson.ts"

/**
 * Parses JSON at any depth of nesting; undefined if the text is invalid. Redaction must find keys however deep they
 * are, so consumers limit their own recursion.
 */
export const jsonOf = (text: string): Json | undefined => {
  try {
    return ExactJson.parse(text)
  } catch {
    return undefined
  }
}

/** The JSON values of an answer's body, in order. */
export interface AnswerBody {
  readonly pieces: ReadonlyArray<Json>
  /** Whether the body is one complete JSON value. */
  readonly isWhole: boolean
  /** Whether the stream ended with `[DONE]`, as OpenAI's do. */
  readonly isDone: boolean
}

/**
 * Reads one JSON value, a list (Gemini), a value per line (Ollama), or server-sent events
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html). Skips invalid JSON and a last value that was cut.
 *
 * @param bytes the raw body, if it is AWS's binary event stream
 */
export const bodyOf = (body: string, bytes?: () => Uint8Array): AnswerBody => {
  if (bytes !== undefined) return { pieces: AwsEvents.eventsOf(bytes()), isWhole: false, isDone: false }
  const text = body.startsWith("\uFEFF") ? body.slice(1) : body
  if (/^(data|event|id|retry)?:/m.test(text.slice(0, FIRST_LINES))) {
    const events = eventsOf(text)
    return {
      pieces: events.flatMap(parsed),
      isWhole: false,
      isDone: events.slice(-LAST).some((event) => event.trim() === DONE),
    }
  }
  const whole = jsonOf(text)
  if (Array.isArray(whole)) return { pieces: whole, isWhole: false, isDone: false }
  return whole === undefined
    ? { pieces: linesOf(text).flatMap(parsed), isWhole: false, isDone: false }
    : { pieces: [whole], isWhole: true, isDone: false }
}

export const piecesOf = (body: string): ReadonlyArray<Json> => bodyOf(body).pieces

const DONE = "[DONE]"

/** The end marker is among this many last events. */
const LAST = 8

/** Characters at the start of a body that tell server-sent events from JSON. */
const FIRST_LINES = 1024

/** The lines of a text, or the complete elements of a list that was cut. */
const linesOf = (text: string): ReadonlyArray<string> =>
  text.trimStart().startsWith("[") ? elementsOf(text) : text.split("\n")

const parsed = (text: string): ReadonlyArray<Json> => {
  // Frequent in streams, and trying to parse these would cost more than all else.
  if (text === "" || text === DONE) return []
  const value = jsonOf(text)
  return value === undefined ? [] : [value]
}

/** The data of each event. An event that was cut counts up to its last whole line. */
const eventsOf = (text: string): ReadonlyArray<string> =>
  // Fast path: most streams have no carriage returns and one line per event.
  text.includes("\r")
    ? text.split(/\r\n\r\n|\n\n|\r\r/).map((event) => dataOf(event.split(/\r\n|\n|\r/)))
    : text.split("\n\n").map((event) => (event.includes("\n") ? dataOf(event.split("\n")) : (dataIn(event) ?? "")))

const dataOf = (lines: ReadonlyArray<string>): string =>
  lines
    .map(dataIn)
    .filter((data) => data !== undefined)
    .join("\n")

/** The data of a line; undefined for other fields. */
const dataIn = (line: string): string | undefined =>
  line.startsWith("data:") ? line.slice(line[DATA] === " " ? DATA + 1 : DATA) : undefined

const DATA = "data:".length

/** The complete elements of a list of objects that was cut. */
const elementsOf = (text: string): ReadonlyArray<string> => {
  const elements: Array<string> = []
  let [depth, start, inText] = [0, 0, false]
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (inText) {
      if (character === "\\") index++
      else if (character === '"') inText = false
    } else if (character === '"') inText = true
    else if (character === "{" && depth++ === 0) start = index
    else if (character === "}" && --depth === 0) elements.push(text.slice(start, index + 1))
  }
  return elements
}
