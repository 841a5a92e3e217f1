/** Renders a session of `hindcast step` as the rows of a terminal. */
import type { Event } from "../../events/vocabulary/Event.ts"
import * as EventSummary from "../../projections/summary/EventSummary.ts"
import { pointerKeys, pointerToken, valueAt } from "../../values/Json.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as EventLine from "../pages/events/EventLine.ts"
import * as EventPage from "../pages/events/EventPage.ts"
import * as PatchLines from "../pages/time/PatchLines.ts"
import * as ViewPage from "../pages/time/ViewPage.ts"
import type { Size } from "../terminal/FullScreen.ts"
import type { Style } from "../terminal/Style.ts"
import { count, json, time } from "../terminal/Text.ts"
import * as Width from "../terminal/Width.ts"
import type { Pane, SearchQuery, Session } from "./Session.ts"

export const rows = (style: Style, session: Session, { columns, rows }: Size): ReadonlyArray<string> => {
  const below = [...footer(style, session, columns), ...KEYS.map((line) => style.dim(line))]
  const room = Math.max(0, rows - ABOVE - below.length)
  const content = paneLines(style, session, columns)
  const top = Math.min(session.scroll, Math.max(0, content.length - room))
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
  const names = `${PANES.map((pane) => tab(style, session, pane)).join("  ")}${top > 0 ? style.dim(`  ${count(top, "line")} above (↑)`) : ""}`
  return [
    `${positionText}${taskFilter}  ${style.dim(oneLine(log))}`,
    `${named}${by}`,
    event === null ? "" : EventSummary.of(event),
    `${names} ${style.dim("─".repeat(columns))}`,
  ]
}

const PANES: ReadonlyArray<Exclude<Pane, "help">> = ["event", "state", "view", "diff", "why"]

const tab = (style: Style, { pane, moment }: Session, name: Exclude<Pane, "help">): string => {
  const label = name === "diff" ? `diff ${moment.changes.length}` : name
  return pane === name ? style.bold(`[${label}]`) : style.dim(` ${label} `)
}

const paneLines = (style: Style, session: Session, columns: number): Array<string> => {
  const { moment } = session
  const { event } = moment
  switch (session.pane) {
    case "help":
      return [...HELP]
    case "event":
      return event === null
        ? ["Nothing has happened yet. n goes to the first event."]
        : EventPage.lines(style, event, moment.annotations)
            .slice(1)
            .flatMap((line) => line.split("\n"))
    case "state":
      return stateLines(style, session)
    case "view":
      return moment.worlds.length === 0
        ? ["No world has a view at this moment. A plugin's manifest defines one in peas.environment.view."]
        : [...ViewPage.lines(style, moment.worlds, columns)]
    case "diff":
      return moment.changes.length === 0
        ? ["This event changed nothing in the environment. c goes to the next one that does."]
        : [...PatchLines.lines(style, moment.changes)]
    case "why":
      return event === null ? ["Nothing has happened yet."] : [...EventPage.chain(style, moment.causes)]
  }
}

const stateLines = (style: Style, session: Session): Array<string> => {
  const path = session.path === "" ? defaultPath(session.moment.event) : session.path
  const value = valueAt(session.moment.state, pointerKeys(path))
  const title = `${style.name(oneLine(path) || "all")}${style.dim(session.path === "" ? "  (/ shows another path)" : "")}`
  return value === undefined ? [title, "The path has no value at this moment."] : [title, ...json(value, 2).split("\n")]
}

/** The path shown by default: the part of the state that the event can change. */
const defaultPath = (event: Event | null): string =>
  event?.taskId == null ? "/shared" : `/tasks/${pointerToken(event.taskId)}`

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
  "n next p back N/P ±10  c/C change  r/R reward  f/b run to a predicate F/B again",
  "e event s state v view d diff w why  / path  g go to  t task  ↑↓  ? help  q quit",
]

const HELP: ReadonlyArray<string> = [
  "Lower-case letters go towards the end of the log, capitals towards its beginning.",
  "",
  "n p  → ←    the next event, the one before        N P   ten events at a time",
  "c C         the next (previous) change of the path set with /, or of anything",
  "r R         the next (previous) reward or punishment",
  "f b         run forward (back) to where a CEL predicate is true, such as",
  '            state.tasks["t1"].pending.size() > 0; event and position are there too',
  "F B         the same predicate again",
  "g           go to a position (@412, fork-1@512), an event's id or a time",
  "Home End    the beginning and the end of the log",
  "e s v d w   the whole event, the state after it, the worlds, what it changed, why",
  "/           a path (JSON Pointer): the state shows only this",
  "t           step through the events of this task only, or of all again",
  "↑ ↓ j k     scroll; also Page Up and Page Down",
  "Esc         stop a search, leave a prompt",
  "q           quit; so do Ctrl-C and Ctrl-D",
]
