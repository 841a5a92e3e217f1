/**
 * Formats a pending confirmation. The person who decides sees all of it, and no text can pass for another part of it.
 */
import type { PendingConfirmation } from "../../../projections/state/PendingConfirmations.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"
import { unmistakable } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, count, duration, time } from "../../terminal/Text.ts"
import * as Width from "../../terminal/Width.ts"

/** Default maximum of characters shown at once: more than a person reads before answering. */
export const SHOWN_LENGTH = 16_384

export interface Page {
  readonly lines: ReadonlyArray<string>
  readonly hidden: number
}

export interface PageOptions {
  /** Columns of the terminal; `Infinity` without one. */
  readonly width: number
  readonly limit?: number
}

/**
 * All facts of a confirmation with their names. Escapes control characters, invisible characters and look-alikes
 * (`unmistakable`). Indents the continuation lines of a long value like values, so that no value can pass for another
 * fact. Counts characters beyond the limit instead of dropping them silently.
 */
export const page = (style: Style, shown: JsonObject, { width, limit = SHOWN_LENGTH }: PageOptions): Page => {
  const facts = Object.entries(shown)
  const name = Math.max(0, ...facts.map(([key]) => unmistakable(key).length))
  const indent = name + 4
  const valueWidth = Math.max(MIN_VALUE_WIDTH, width - indent)
  let left = limit
  let hidden = 0
  const lines: Array<string> = []
  for (const [key, value] of facts) {
    const text = textOf(value, valueWidth)
    const characters = [...text]
    const maxLength = characters.length <= ALWAYS_SHOWN_LENGTH ? ALWAYS_SHOWN_LENGTH : left
    const visible = characters.length <= maxLength ? text : characters.slice(0, maxLength).join("")
    const rest = Math.max(0, characters.length - maxLength)
    if (characters.length > ALWAYS_SHOWN_LENGTH) left = Math.max(0, left - characters.length)
    hidden += rest
    const parts = collapseBlankLines(
      style,
      visible.split("\n").flatMap((line) => Width.breakAnywhere(line, valueWidth)),
    )
    const outputLines = rest === 0 ? parts : [...parts, style.warn(`… ${more(rest)} not shown`)]
    const label = `  ${style.dim(unmistakable(key).padEnd(name))}  `
    lines.push(...outputLines.map((part, index) => (index === 0 ? label + part : " ".repeat(indent) + part).trimEnd()))
  }
  return { lines, hidden }
}

const ALWAYS_SHOWN_LENGTH = 500

const MIN_VALUE_WIDTH = 10

/** Replaces lines of spaces by their count. They could push the lines above them out of sight. */
const collapseBlankLines = (style: Style, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const outputLines: Array<string> = []
  let blank = 0
  const flushBlank = () => {
    if (blank > 0) outputLines.push(style.warn(`… ${count(blank, "line")} of spaces`))
    blank = 0
  }
  for (const line of lines) {
    if (line !== "" && line.trim() === "") {
      blank += 1
      continue
    }
    flushBlank()
    outputLines.push(line)
  }
  flushBlank()
  return outputLines
}

/**
 * A value as text: compact JSON if it fits on a line, else indented JSON. Line feeds come only from the indentation.
 */
const textOf = (value: Json | undefined, valueWidth: number): string => {
  if (typeof value === "string") return unmistakable(value)
  const compact = unmistakable(JSON.stringify(value ?? null))
  if (compact.length <= valueWidth) return compact
  return JSON.stringify(value ?? null, null, 2)
    .split("\n")
    .map(unmistakable)
    .join("\n")
}

export const more = (characters: number): string =>
  `${characters.toLocaleString("en")} more ${characters === 1 ? "character" : "characters"}`

/** The confirmation's id, its agent and goal, and the time left to answer. */
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
    // Indent continuation lines further than facts, because the agent and goal are untrusted text.
    ...Width.breakAnywhere(`asked ${at(position)} by ${unmistakable(origin)}`, width - 6).map((line, index) =>
      index === 0 ? indented(line) : indented(indented(indented(line.trimStart()))),
    ),
    `  ${until}`,
  ]
}

const indented = (line: string): string => `  ${line}`

/** A confirmation in a list: its first line, and the command that shows all of it. */
export const summary = (
  style: Style,
  shown: JsonObject,
  { width }: Pick<PageOptions, "width">,
  show: string,
): ReadonlyArray<string> => {
  const { actuator, request, risk, args = null, ...others } = shown
  const what = unmistakable(`${String(actuator ?? request ?? "")}${risk === undefined ? "" : `, risk ${String(risk)}`}`)
  const whole = JSON.stringify(actuator === undefined ? others : args)
  const valueWidth = Math.max(MIN_VALUE_WIDTH, Math.min(width, LINE_LENGTH) - 2)
  const [first = "", ...further] = Width.breakAnywhere(unmistakable(whole.slice(0, valueWidth)), valueWidth)
  const cut = further.join("").length + Math.max(0, whole.length - valueWidth)
  return [
    ...Width.breakAnywhere(what, valueWidth).map(indented),
    `  ${first}`,
    ...(cut === 0 ? [] : [style.warn(`  … ${more(cut)}: ${show}`)]),
  ]
}

const LINE_LENGTH = 160

export const unseen = (style: Style, hidden: number, show: string): ReadonlyArray<string> =>
  hidden === 0
    ? []
    : [
        style.warn(`${count(hidden, "character")} of it ${hidden === 1 ? "is" : "are"} not shown here.`),
        `All of it: ${show}`,
      ]
