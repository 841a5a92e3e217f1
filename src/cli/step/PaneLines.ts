/** The lines of each pane of `hindcast step`, and which of them is about the moment. */
import type { Event } from "../../events/vocabulary/Event.ts"
import { pointerKeys, pointerToken, valueAt } from "../../values/Json.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as ConversationLines from "../pages/conversation/ConversationLines.ts"
import * as EventLine from "../pages/events/EventLine.ts"
import * as EventPage from "../pages/events/EventPage.ts"
import * as WhyLines from "../pages/explanation/WhyLines.ts"
import * as PatchLines from "../pages/time/PatchLines.ts"
import * as SawPage from "../pages/time/SawPage.ts"
import * as ViewPage from "../pages/time/ViewPage.ts"
import type { Style } from "../terminal/Style.ts"
import * as Table from "../terminal/Table.ts"
import { at, json, number } from "../terminal/Text.ts"
import * as Width from "../terminal/Width.ts"
import type { Scored, Shown, Spoken } from "./PaneContent.ts"
import type { Pane, Session } from "./Session.ts"

export interface PaneLines {
  readonly lines: ReadonlyArray<string>
  /** The index of the line that is about the moment; null if the pane shows nothing else. */
  readonly here: number | null
}

export const of = (style: Style, session: Session, columns: number): PaneLines =>
  READ.has(session.pane)
    ? ofContent(style, session, session.content?.shows, columns)
    : { lines: ofMoment(style, session, columns), here: null }

/** Panes whose content is read. */
const READ: ReadonlySet<Pane> = new Set(["events", "rewards", "conversation", "failure", "saw"])

const ofContent = (style: Style, { moment }: Session, shows: Shown | undefined, columns: number): PaneLines => {
  switch (shows?.kind) {
    case undefined:
      return { lines: [], here: null }
    case "none":
      return { lines: Width.wrap(oneLine(shows.says), columns), here: null }
    case "events":
      return eventLines(style, shows.events, moment.position)
    case "rewards":
      return rewardLines(style, shows.scored, moment.position)
    case "conversation":
      return conversationLines(style, shows.spoken, moment.position, columns)
    case "failure":
      return {
        lines: wrapped([style.bold(shows.why.sentence), "", ...WhyLines.chain(style, shows.why)], columns),
        here: null,
      }
    case "saw":
      return { lines: SawPage.lines(style, shows.saw, false), here: null }
  }
}

const wrapped = (lines: ReadonlyArray<string>, columns: number): ReadonlyArray<string> =>
  lines.flatMap((line) => (line === "" ? [""] : Width.wrap(line, columns)))

const eventLines = (style: Style, events: ReadonlyArray<Event>, position: number): PaneLines => {
  const lines = EventLine.shortOf(style, events).map(
    (line, index) => `${events[index]?.position === position ? style.bold("▸") : " "} ${line}`,
  )
  const here = events.findIndex((event) => event.position === position)
  if (lines.length === 0) return { lines: ["There is no event here."], here: null }
  return { lines, here: here === -1 ? null : here }
}

const rewardLines = (style: Style, { rows, net, label, unscored }: Scored, position: number): PaneLines => {
  if (net === null) return { lines: [`This task has no score by ${oneLine(label)}.`], here: null }
  const head = [`${style.bold(number(net))} by ${oneLine(label)}`, ""]
  const isHere = rows.map(({ moments }) => moments.some((moment) => moment.at === position))
  const paint = (amount: number) => (amount < 0 ? style.bad : style.good)
  const table = rows.map(({ at: last, amount, measure, name, because, rationale }, index) => [
    isHere[index] === true ? style.bold("▸") : " ",
    paint(amount)(number(amount)),
    `${oneLine(measure)}: ${oneLine(name)}`,
    because.length > 1 ? `${because.length} × to ${at(last)}` : at(last),
    rationale === null ? "" : oneLine(rationale),
  ])
  const lines = rows.length === 0 ? ["No rule of this score set applied."] : Table.rows(style, table, ["left", "right"])
  const missing = unscored.length === 0 ? [] : ["", style.warn(`Not scored: ${unscored.map(oneLine).join(", ")}`)]
  const index = lines.findIndex((line) => line.includes("▸"))
  return { lines: [...head, ...lines, ...missing], here: index === -1 ? null : head.length + index }
}

const conversationLines = (style: Style, spoken: Spoken, position: number, columns: number): PaneLines => {
  const { lines, here } = ConversationLines.lines(style, spoken.items, position, columns)
  if (lines.length === 0) return { lines: ["Nothing was said or done in this task."], here: null }
  const before =
    spoken.from === null ? [] : [style.dim(`The conversation begins earlier; this part begins at ${at(spoken.from)}.`)]
  const after = spoken.to === null ? [] : [style.dim(`The conversation continues after ${at(spoken.to)}.`)]
  return { lines: [...before, ...lines, ...after], here: here + before.length }
}

const ofMoment = (style: Style, session: Session, columns: number): Array<string> => {
  const { moment } = session
  const { event } = moment
  switch (session.pane) {
    case "help":
      return [...HELP]
    case "value":
      return valueLines(style, session)
    case "world":
      return moment.worlds.length === 0
        ? ["No world has a view at this moment. A plugin's manifest defines one in peas.environment.view."]
        : [...ViewPage.lines(style, moment.worlds, columns)]
    case "diff":
      return moment.changes.length === 0
        ? ["This event changed nothing in the environment. c goes to the next one that does."]
        : [...PatchLines.lines(style, moment.changes)]
    case "why":
      return event === null ? ["Nothing has happened yet."] : [...EventPage.chain(style, moment.causes)]
    default:
      return event === null
        ? ["Nothing has happened yet. n goes to the first event."]
        : EventPage.lines(style, event, moment.annotations)
            .slice(1)
            .flatMap((line) => line.split("\n"))
  }
}

const valueLines = (style: Style, session: Session): Array<string> => {
  const path = session.path === "" ? defaultPath(session.moment.event) : session.path
  const value = valueAt(session.moment.state, pointerKeys(path))
  const title = `${style.name(oneLine(path) || "all")}${style.dim(session.path === "" ? "  (/ shows another path)" : "")}`
  return value === undefined ? [title, "The path has no value at this moment."] : [title, ...json(value, 2).split("\n")]
}

/** The path shown by default: the part of the state that the event can change. */
const defaultPath = (event: Event | null): string =>
  event?.taskId == null ? "/shared" : `/tasks/${pointerToken(event.taskId)}`

const HELP: ReadonlyArray<string> = [
  "The keys are those of Studio. Lower-case letters go towards the end of the log, capitals towards its beginning.",
  "",
  "n p  → ←    the next event, the one before (j k too); in a conversation, the item",
  "N P         ten events at a time",
  "c C         the next (previous) change of the path set with /, or of anything",
  "r R         the next (previous) reward or punishment, by the chosen score",
  "b B         the next (previous) failure",
  "m !         the worst moment of the task; ! also shows why the task failed",
  "f F         forward (back) to where a CEL predicate is true, such as",
  '            state.tasks["t1"].pending.size() > 0; event and position are there too',
  "g           go to a position (@412, fork-1@512), an event's id or a time, or run to",
  "            another predicate",
  "Home End    the beginning and the end of the log",
  "e E         the whole event; the events around it",
  "v V d w     the value at the path, the worlds, what the event changed, why",
  "s a S       the task's rewards, its conversation, what the model saw",
  "/           a path (JSON Pointer): the value shows only this",
  "t           step through the events of this task only, or of all again",
  "↑ ↓         scroll; also Page Up and Page Down",
  "Esc         stop a search, leave a prompt",
  "q           quit; so do Ctrl-C and Ctrl-D",
]
