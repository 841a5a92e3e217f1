/** The JSON values in a body: one, or those of a stream of server-sent events or of lines. */

import type { Json } from "../values/Json.ts"
import * as AwsEvents from "./AwsEvents.ts"
import * as ExactJson from "./ExactJson.ts"

/**
 * The JSON value of a text; undefined if it is none. However deep it is nested: the keys in it are learned, so that they are
 * not recorded. What takes the value looks no deeper than calls can be, or keeps a list of what is left.
 */
export const jsonOf = (text: string): Json | undefined => {
  try {
    return ExactJson.parse(text)
  } catch {
    return undefined
  }
}

/** What came of an answer: its JSON values in order, and how they came. */
export interface AnswerBody {
  readonly pieces: ReadonlyArray<Json>
  /** Whether the body is one JSON value, which came to its end. */
  readonly isWhole: boolean
  /** Whether the stream said `[DONE]`, as those of OpenAI's format do after all else. */
  readonly isDone: boolean
}

/**
 * The JSON values of a body. It may be one value, a list of them (Gemini), one in each line (Ollama), or server-sent
 * events (https://html.spec.whatwg.org/multipage/server-sent-events.html). What is no JSON, and a last value that was
 * cut, are left out.
 *
 * @param bytes the bytes, where the body is no text: the event stream of AWS is read
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

/** The JSON values of a body, in order. */
export const piecesOf = (body: string): ReadonlyArray<Json> => bodyOf(body).pieces

const DONE = "[DONE]"

/** Among how many last events of a stream is its end. */
const LAST = 8

/** How much of a body shows whether it has server-sent events, in characters. */
const FIRST_LINES = 1024

/** The lines of a text. Of a list that was cut, its whole elements. */
const linesOf = (text: string): ReadonlyArray<string> =>
  text.trimStart().startsWith("[") ? elementsOf(text) : text.split("\n")

const parsed = (text: string): ReadonlyArray<Json> => {
  // Each stream has some of these, and to try them costs more than all else.
  if (text === "" || text === DONE) return []
  const value = jsonOf(text)
  return value === undefined ? [] : [value]
}

/** The data of each event. An event that was cut before its blank line counts as far as its lines are whole. */
const eventsOf = (text: string): ReadonlyArray<string> =>
  // Most streams have no carriage return, and a line for each event.
  text.includes("\r")
    ? text.split(/\r\n\r\n|\n\n|\r\r/).map((event) => dataOf(event.split(/\r\n|\n|\r/)))
    : text.split("\n\n").map((event) => (event.includes("\n") ? dataOf(event.split("\n")) : (dataIn(event) ?? "")))

const dataOf = (lines: ReadonlyArray<string>): string =>
  lines
    .map(dataIn)
    .filter((data) => data !== undefined)
    .join("\n")

/** The data of a line; undefined if it has another field. */
const dataIn = (line: string): string | undefined =>
  line.startsWith("data:") ? line.slice(line[DATA] === " " ? DATA + 1 : DATA) : undefined

const DATA = "data:".length

/** The whole elements of a list of objects that was cut. */
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
