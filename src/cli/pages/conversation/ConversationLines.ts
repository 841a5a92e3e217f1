/** Formats a task's conversation for a terminal: one paragraph for each item, with the position of its event. */
import type { Answer, Call, Item } from "../../../projections/conversation/Item.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, count, duration, oneLine, shorten, value, visibleLines } from "../../terminal/Text.ts"
import * as Width from "../../terminal/Width.ts"

/** Maximum number of lines of one text. The pane of the event shows the whole text. */
const MOST_LINES = 24

/** Maximum characters of a call's arguments or result. */
const VALUE = 240

export interface ConversationLines {
  readonly lines: ReadonlyArray<string>
  /** The index of the first line of the item that has the position, else of the last one that began before it. */
  readonly here: number
}

/**
 * The items as lines of at most `columns` columns, except for longer words. Marks the item that has `position` with `▸`.
 */
export const lines = (
  style: Style,
  items: ReadonlyArray<Item>,
  position: number,
  columns: number,
): ConversationLines => {
  const shown: Array<string> = []
  let here: number | undefined
  let before = 0
  for (const item of items) {
    const isHere = item.events.includes(position)
    if (isHere) here ??= shown.length
    if (item.begins <= position) before = shown.length
    const heading = headingOf(style, item)
    shown.push(`${isHere ? style.bold("▸") : " "} ${style.bold(at(item.position))} ${heading}`)
    for (const { text, paint } of bodyOf(style, item)) {
      const wrapped = text
        .split("\n")
        .flatMap((line) => (line === "" ? [""] : Width.wrap(line, columns - INDENT.length)))
      const left = wrapped.length - MOST_LINES
      for (const line of wrapped.slice(0, MOST_LINES)) shown.push(`${INDENT}${paint(line)}`)
      if (left > 0) shown.push(style.dim(`${INDENT}… ${count(left, "more line")}; e shows the event`))
    }
  }
  return { lines: shown, here: here ?? before }
}

const INDENT = "    "

interface Text {
  readonly text: string
  readonly paint: (line: string) => string
}

const plain = (line: string): string => line

const text = (of: string, paint: (line: string) => string = plain): ReadonlyArray<Text> =>
  of.trim() === "" ? [] : [{ text: visibleLines(of.trim()), paint }]

const headingOf = (style: Style, item: Item): string => {
  const who = item.agentId === null ? "" : `${style.name(oneLine(item.agentId))}  `
  switch (item.kind) {
    case "goal":
      return `${who}goal${item.agent === null ? "" : style.dim(`  given to ${oneLine(item.agent)}`)}`
    case "guide":
      return `${who}system`
    case "input":
      return `${who}${style.name(oneLine(item.by))}`
    case "said":
      return `${who}said${item.audience.length === 0 ? "" : style.dim(`  to ${item.audience.map(oneLine).join(", ")}`)}`
    case "answer":
      return `${who}${style.name(oneLine(item.model ?? "model"))}${style.dim(useOf(item))}`
    case "call":
      return `${who}${style.name(oneLine(item.tool))} ${value(item.args, VALUE)}`
    case "note":
      return item.isBad ? style.bad(oneLine(item.line)) : oneLine(item.line)
    case "close":
      return paintOf(
        style,
        item.outcome === "failed" || item.outcome === "abandoned",
      )(`closed: ${oneLine(item.outcome)}`)
  }
}

const useOf = ({ use, latencyMs, isRetry }: Answer): string => {
  const known = [
    ...(isRetry ? ["again"] : []),
    ...(use.inputTokens === null ? [] : [`${use.inputTokens} tokens in`]),
    ...(use.outputTokens === null ? [] : [`${use.outputTokens} out`]),
    ...(latencyMs === null ? [] : [duration(latencyMs)]),
  ]
  return known.length === 0 ? "" : `  ${known.join(", ")}`
}

const bodyOf = (style: Style, item: Item): ReadonlyArray<Text> => {
  switch (item.kind) {
    case "goal":
      return [
        ...text(item.text),
        ...(item.parent === null ? [] : text(`The agent of task ${item.parent} asked for it.`, style.dim)),
      ]
    case "guide":
      return [...text(item.text, style.dim), ...item.memories.flatMap((memory) => text(`memory: ${memory}`, style.dim))]
    case "input":
      return [...text(item.text), ...filesOf(item.files.length, style)]
    case "said":
    case "note":
      return text(item.text)
    case "close":
      return text(item.reason)
    case "answer":
      return [
        ...text(item.reasoning, style.dim),
        ...text(item.text),
        ...filesOf(item.files.length, style),
        ...item.calls.flatMap(({ tool, args }) => text(`wants ${oneLine(tool)} ${value(args, VALUE)}`, style.dim)),
        ...(item.failed === null
          ? []
          : text(
              `failed${item.failed.kind === null ? "" : ` (${item.failed.kind})`}: ${item.failed.reason}`,
              style.bad,
            )),
      ]
    case "call":
      return callOf(style, item)
  }
}

const filesOf = (files: number, style: Style): ReadonlyArray<Text> =>
  files === 0 ? [] : text(`with ${count(files, "file")}`, style.dim)

const callOf = (style: Style, { approval, end, state, rule, changes }: Call): ReadonlyArray<Text> => {
  const by = approval?.by == null ? "" : ` by ${approval.by}`
  const asked = approval === null ? [] : text(`approval: ${approval.state}${by}${reasonOf(approval.reason)}`)
  const files = changes.flatMap((change) => change.files.map(({ path }) => path))
  const changed = files.length === 0 ? [] : text(shorten(`changed ${files.map(oneLine).join(", ")}`, VALUE), style.dim)
  if (end === null) return [...asked, ...text(state, style.warn)]
  const took = end.latencyMs === null ? "" : `, ${duration(end.latencyMs)}`
  const denied = end.status === "denied" && rule !== null ? ` by ${rule}` : ""
  const outcome = typeof end.result === "string" ? end.result : value(end.result, VALUE)
  const paint = paintOf(style, end.status !== "succeeded")
  return [...asked, ...text(`${end.status}${denied}${took}: ${shorten(outcome, VALUE)}`, paint), ...changed]
}

const reasonOf = (reason: string | null): string => (reason === null || reason === "" ? "" : `, ${reason}`)

const paintOf = (style: Style, isBad: boolean): ((line: string) => string) => (isBad ? style.bad : plain)
