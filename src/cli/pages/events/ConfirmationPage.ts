import type { PendingConfirmation } from "../../../projections/state/PendingConfirmations.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"
import { unmistakable } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, count, duration, time } from "../../terminal/Text.ts"
import * as Width from "../../terminal/Width.ts"

/** Most characters of a question that are shown at once: more than anybody reads before answering. */
export const SHOWN_LENGTH = 16_384

/** A question as a person is shown it. */
export interface Page {
  readonly lines: ReadonlyArray<string>
  /** How many characters are not among the lines. */
  readonly hidden: number
}

export interface PageOptions {
  /** Columns of the terminal; `Infinity` where there is none. */
  readonly width: number
  /** Most characters that are shown. Default: `SHOWN_LENGTH`. */
  readonly limit?: number
}

/**
 * What a person is asked to confirm: every fact of it, under its name. What a terminal would obey, what nobody would see and
 * what looks like another character is written as an escape (`unmistakable`). A long value goes on in lines that begin where
 * values do, so that no value looks like another fact. What is beyond the limit is counted, never left out without a word.
 */
export const page = (style: Style, shown: JsonObject, { width, limit = SHOWN_LENGTH }: PageOptions): Page => {
  const facts = Object.entries(shown)
  const name = Math.max(0, ...facts.map(([key]) => unmistakable(key).length))
  const indent = name + 4
  const room = Math.max(MIN_ROOM, width - indent)
  let left = limit
  let hidden = 0
  const lines: Array<string> = []
  for (const [key, value] of facts) {
    const text = textOf(value, room)
    const characters = [...text]
    const most = characters.length <= SHORT ? SHORT : left
    const taken = characters.length <= most ? text : characters.slice(0, most).join("")
    const rest = Math.max(0, characters.length - most)
    if (characters.length > SHORT) left = Math.max(0, left - characters.length)
    hidden += rest
    const parts = withoutBlanks(
      style,
      taken.split("\n").flatMap((line) => Width.broken(line, room)),
    )
    const told = rest === 0 ? parts : [...parts, style.warn(`… ${more(rest)} not shown`)]
    const label = `  ${style.dim(unmistakable(key).padEnd(name))}  `
    lines.push(...told.map((part, index) => (index === 0 ? label + part : " ".repeat(indent) + part).trimEnd()))
  }
  return { lines, hidden }
}

/** Characters of a fact that is shown however long the others are. */
const SHORT = 500

/** Least columns of a value, however narrow the terminal is. */
const MIN_ROOM = 10

/** Says how many lines have nothing but spaces: what stands before them would be out of sight. */
const withoutBlanks = (style: Style, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const told: Array<string> = []
  let blank = 0
  const tell = () => {
    if (blank > 0) told.push(style.warn(`… ${count(blank, "line")} of spaces`))
    blank = 0
  }
  for (const line of lines) {
    if (line !== "" && line.trim() === "") {
      blank += 1
      continue
    }
    tell()
    told.push(line)
  }
  tell()
  return told
}

/** A value as text: on one line where it fits there, else as indented JSON. Line feeds are ours alone. */
const textOf = (value: Json | undefined, room: number): string => {
  if (typeof value === "string") return unmistakable(value)
  const compact = unmistakable(JSON.stringify(value ?? null))
  if (compact.length <= room) return compact
  return JSON.stringify(value ?? null, null, 2)
    .split("\n")
    .map(unmistakable)
    .join("\n")
}

/** `4,321 more characters`. */
export const more = (characters: number): string =>
  `${characters.toLocaleString("en")} more ${characters === 1 ? "character" : "characters"}`

/** Whose question it is and how long it waits, before what is asked. */
export const heading = (
  style: Style,
  id: string,
  { position, expiresAt }: PendingConfirmation,
  origin: string,
  { width }: Pick<PageOptions, "width">,
): ReadonlyArray<string> => {
  const left = expiresAt - Date.now()
  const until =
    left > 0 ? `${duration(left)} left, until ${time(expiresAt)}` : style.bad(`expired at ${time(expiresAt)}`)
  return [
    style.name(id),
    // What goes on stands further in than facts do: it is a text of others, and none of it is one.
    ...Width.broken(`asked ${at(position)} by ${unmistakable(origin)}`, width - 6).map((line, index) =>
      index === 0 ? indented(line) : indented(indented(indented(line.trimStart()))),
    ),
    `  ${until}`,
  ]
}

const indented = (line: string): string => `  ${line}`

/** What a question comes to in a list: the first line of it, and what to do to see the rest. */
export const summary = (
  style: Style,
  shown: JsonObject,
  { width }: Pick<PageOptions, "width">,
  show: string,
): ReadonlyArray<string> => {
  const { actuator, request, risk, args = null, ...others } = shown
  const what = unmistakable(`${String(actuator ?? request ?? "")}${risk === undefined ? "" : `, risk ${String(risk)}`}`)
  const whole = JSON.stringify(actuator === undefined ? others : args)
  const room = Math.max(MIN_ROOM, Math.min(width, LINE_LENGTH) - 2)
  const [first = "", ...further] = Width.broken(unmistakable(whole.slice(0, room)), room)
  const cut = further.join("").length + Math.max(0, whole.length - room)
  return [
    ...Width.broken(what, room).map(indented),
    `  ${first}`,
    ...(cut === 0 ? [] : [style.warn(`  … ${more(cut)}: ${show}`)]),
  ]
}

/** Columns of a line in a list where there is no terminal. */
const LINE_LENGTH = 160

/** What is said below a page that does not show all. */
export const unseen = (style: Style, hidden: number, show: string): ReadonlyArray<string> =>
  hidden === 0
    ? []
    : [
        style.warn(`${count(hidden, "character")} of it ${hidden === 1 ? "is" : "are"} not shown here.`),
        `All of it: ${show}`,
      ]
