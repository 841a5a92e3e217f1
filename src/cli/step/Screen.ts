/** Renders a session of `hindcast step` as the rows of a terminal. */
import * as EventSummary from "../../projections/summary/EventSummary.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as EventLine from "../pages/events/EventLine.ts"
import type { Size } from "../terminal/FullScreen.ts"
import type { Style } from "../terminal/Style.ts"
import { count, time } from "../terminal/Text.ts"
import * as Width from "../terminal/Width.ts"
import * as PaneLines from "./PaneLines.ts"
import { PANES, type Pane, type SearchQuery, type Session } from "./Session.ts"

export const rows = (style: Style, session: Session, { columns, rows }: Size): ReadonlyArray<string> => {
  const below = [...footer(style, session, columns), ...KEYS.map((line) => style.dim(line))]
  const room = Math.max(0, rows - ABOVE - below.length)
  const { lines: content, here } = PaneLines.of(style, session, columns)
  // The line of the moment shows in the upper third.
  const start = here === null ? 0 : Math.max(0, here - Math.floor(room / 3))
  const top = Math.max(0, Math.min(start + session.scroll, content.length - room))
  const shown = content.slice(top, top + room)
  const more = content.length - top - shown.length
  if (more > 0 && room > 0) shown.splice(-1, 1, style.dim(`… ${count(more + 1, "more line")} (↓)`))
  const all = [
    ...header(style, session, top, columns),
    ...shown,
    ...Array<string>(room - shown.length).fill(""),
    ...below,
  ]
  // A terminal that is too small shows the keys and the message, not the pane.
  return all.slice(Math.max(0, all.length - rows)).map((line) => Width.cut(line, columns))
}

/** Rows above the pane: the position, the event, its summary, the names of the panes. */
const ABOVE = 4

const header = (style: Style, session: Session, top: number, columns: number): ReadonlyArray<string> => {
  const { moment, timeline, head: last, log, task } = session
  const { event } = moment
  const positionText = `${style.bold(`${oneLine(timeline)}@${moment.position}`)} of @${last}`
  const taskFilter = task === null ? "" : `  ${style.warn(`only task ${oneLine(task)}`)}`
  const named = event === null ? style.dim("before the first event") : EventLine.typeOf(style, event)
  const by = event === null ? "" : `  ${style.dim(`${oneLine(event.actor)}  ${time(event.occurredAt)}`)}`
  const names = `${tabs(session)
    .map((pane) => tab(style, session, pane))
    .join(" ")}${top > 0 ? style.dim(`  ${count(top, "line")} above (↑)`) : ""}`
  return [
    `${positionText}${taskFilter}  ${style.dim(oneLine(log))}`,
    `${named}${by}`,
    event === null ? "" : EventSummary.of(event),
    `${names} ${style.dim("─".repeat(columns))}`,
  ]
}

/** The panes that always have a tab. The others have one while they are shown, in the place of the pane that is like them. */
const ALWAYS: ReadonlyArray<Pane> = PANES.filter((pane) => pane !== "failure" && pane !== "saw")

const tabs = ({ pane }: Session): ReadonlyArray<Pane> => {
  const instead: Pane | undefined = pane === "failure" ? "why" : pane === "saw" ? "conversation" : undefined
  return ALWAYS.map((name) => (name === instead ? pane : name))
}

const tab = (style: Style, { pane, moment }: Session, name: Pane): string => {
  const label = name === "diff" ? `diff ${moment.changes.length}` : name
  return pane === name ? style.bold(`[${label}]`) : style.dim(` ${label} `)
}

const MESSAGE_ROWS = 3

const footer = (style: Style, { prompt, message }: Session, columns: number): ReadonlyArray<string> => {
  if (prompt !== null) return [promptLine(style, PROMPTS[prompt.asks], oneLine(prompt.text), columns)]
  if (message === null) return [""]
  const paint = message.bad ? style.bad : style.good
  return Width.wrap(oneLine(message.text), columns).slice(0, MESSAGE_ROWS).map(paint)
}

/** A prompt. If it is too long, shows its end, where the user types. */
const promptLine = (style: Style, label: string, text: string, columns: number): string => {
  const room = Math.max(1, columns - label.length - 1)
  const end = [...text].slice(-room + 1).join("")
  return `${style.bold(label)}${end}█`
}

const PROMPTS: { readonly [asks in SearchQuery]: string } = {
  path: "Path: ",
  moment: "Go to: ",
  predicate: "Run until: ",
}

const KEYS: ReadonlyArray<string> = [
  "n/p next/back N/P ±10 c change r reward b failure f run to m worst ! why failed",
  "e E events v value V world d diff w why s rewards a talk / g go t task ? q quit",
]
