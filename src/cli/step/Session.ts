/** The state of `hindcast step`, and the pure function from a key to the next state or to a search. */
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Annotation } from "../../projections/annotations/Annotations.ts"
import type { World } from "../../projections/state/Worlds.ts"
import type { Cause } from "../../projections/timetravel/TimeTravel.ts"
import type { Json } from "../../values/Json.ts"
import type { ShownChange } from "../pages/time/PatchLines.ts"
import type { Key } from "../terminal/FullScreen.ts"
import type { Content } from "./PaneContent.ts"

export interface ShownMoment {
  /** 0 is before the first event. */
  readonly position: number
  /** Null at 0. */
  readonly event: Event | null
  readonly state: Json
  /** Worlds with a view: those of the event's task, and those that all tasks share. */
  readonly worlds: ReadonlyArray<World>
  /** The changes that the event made to the state. */
  readonly changes: ReadonlyArray<ShownChange>
  readonly causes: ReadonlyArray<Cause>
  /** People's annotations of the event. */
  readonly annotations: ReadonlyArray<Annotation>
}

/** The panes have the names that they have in Studio; `world` and `events` are always on its page. */
export type Pane = (typeof PANES)[number] | "help"

export const PANES = [
  ...(["event", "events", "value", "world", "diff", "why", "failure", "saw", "rewards", "conversation"] as const),
]

/** Forward is towards the log's end. */
export type Direction = "forward" | "back"

export type Search =
  | { readonly kind: "event"; readonly direction: Direction; readonly steps: number }
  | { readonly kind: "change"; readonly direction: Direction; readonly path: string }
  | { readonly kind: "item"; readonly direction: Direction; readonly steps: number }
  | { readonly kind: "reward"; readonly direction: Direction }
  | { readonly kind: "failure"; readonly direction: Direction }
  | { readonly kind: "worst" }
  | { readonly kind: "predicate"; readonly direction: Direction; readonly predicate: string }
  | { readonly kind: "moment"; readonly moment: string }

export type SearchQuery = "path" | "moment" | "predicate"

export interface Session {
  readonly log: string
  readonly timeline: string
  readonly head: number
  readonly moment: ShownMoment
  readonly pane: Pane
  /** Number of the pane's lines above the screen; in a pane with the moment's line, counted from where that line shows. */
  readonly scroll: number
  /** The content of the pane, if it is more than the moment. */
  readonly content: Content | null
  /** Restricts stepping to this task's events; null steps through all. */
  readonly task: string | null
  /** A JSON Pointer to the part of the state that the pane shows and that change searches watch. */
  readonly path: string
  readonly predicate: string
  readonly direction: Direction
  readonly prompt: { readonly asks: SearchQuery; readonly text: string } | null
  readonly message: { readonly text: string; readonly bad: boolean } | null
}

export type Update =
  | { readonly do: "show"; readonly session: Session }
  | { readonly do: "search"; readonly session: Session; readonly search: Search }
  | { readonly do: "quit" }

/** Applies a key to a session. Pure: the caller runs searches and draws the screen. */
export const press = (session: Session, key: Key): Update => {
  if (key.ctrl && (key.name === "c" || key.name === "d")) return { do: "quit" }
  return session.prompt === null ? command({ ...session, message: null }, key) : edit(session, session.prompt, key)
}

const command = (session: Session, key: Key): Update => {
  const action = COMMANDS.get(key.text) ?? COMMANDS.get(key.name)
  return action === undefined
    ? show(say(session, `${describe(key)} does nothing here; ? lists the keys.`))
    : action(session)
}

const describe = ({ name, text, ctrl }: Key): string => `${ctrl ? "Ctrl-" : ""}${text.trim() === "" ? name : text}`

const show = (session: Session): Update => ({ do: "show", session })

export const say = (session: Session, text: string, bad = false): Session => ({ ...session, message: { text, bad } })

export const moved = (session: Session, moment: ShownMoment): Session => ({
  ...session,
  moment,
  scroll: session.pane === "value" || session.pane === "world" ? session.scroll : 0,
})

const search =
  (found: (session: Session) => Search) =>
  (session: Session): Update => ({ do: "search", session, search: found(session) })

/** In the conversation, its items are the steps. */
const step = (direction: Direction, steps: number) =>
  search(({ pane }) => ({ kind: pane === "conversation" ? "item" : "event", direction, steps }))

const change = (direction: Direction) => search(({ path }) => ({ kind: "change", direction, path }))

const reward = (direction: Direction) => search(() => ({ kind: "reward", direction }))

const failure = (direction: Direction) => search(() => ({ kind: "failure", direction }))

const worst = search(() => ({ kind: "worst" }))

const pane =
  (name: Pane) =>
  (session: Session): Update =>
    show({ ...session, pane: session.pane === name && name === "help" ? "event" : name, scroll: 0 })

const scroll =
  (lines: number) =>
  (session: Session): Update =>
    show({
      ...session,
      scroll: FOLLOWING.has(session.pane) ? session.scroll + lines : Math.max(0, session.scroll + lines),
    })

/** Panes that scroll to the line of the moment. */
const FOLLOWING: ReadonlySet<Pane> = new Set(["events", "rewards", "conversation"])

const ask =
  (asks: SearchQuery, text: (session: Session) => string, direction?: Direction) =>
  (session: Session): Update =>
    show({
      ...session,
      prompt: { asks, text: text(session) },
      direction: direction ?? session.direction,
    })

/** Searches by the predicate, or asks for one. */
const predicate =
  (direction: Direction) =>
  (session: Session): Update =>
    session.predicate === ""
      ? ask("predicate", () => "", direction)(session)
      : { do: "search", session, search: { kind: "predicate", direction, predicate: session.predicate } }

const toggleTask = (session: Session): Update => {
  if (session.task !== null) return show(say({ ...session, task: null }, "Stepping through all events."))
  const task = session.moment.event?.taskId ?? null
  if (task === null)
    return show(say(session, "This event belongs to no task. Go to an event of a task and press t there.", true))
  return show(say({ ...session, task }, `Stepping only through events of task ${task}; t ends that.`))
}

const PAGE_LINES = 10
const LEAP = 10

const COMMANDS: ReadonlyMap<string, (session: Session) => Update> = new Map(
  Object.entries({
    n: step("forward", 1),
    right: step("forward", 1),
    j: step("forward", 1),
    space: step("forward", 1),
    p: step("back", 1),
    left: step("back", 1),
    k: step("back", 1),
    N: step("forward", LEAP),
    P: step("back", LEAP),
    home: search(() => ({ kind: "moment", moment: "0" })),
    end: search(() => ({ kind: "moment", moment: "now" })),
    c: change("forward"),
    C: change("back"),
    r: reward("forward"),
    R: reward("back"),
    b: failure("forward"),
    B: failure("back"),
    m: worst,
    "!": (session: Session): Update => worst({ ...session, pane: "failure", scroll: 0 }),
    f: predicate("forward"),
    F: predicate("back"),
    g: ask("moment", () => "@"),
    "/": ask("path", ({ path }) => path),
    e: pane("event"),
    E: pane("events"),
    v: pane("value"),
    V: pane("world"),
    d: pane("diff"),
    w: pane("why"),
    S: pane("saw"),
    s: pane("rewards"),
    a: pane("conversation"),
    "?": pane("help"),
    t: toggleTask,
    down: scroll(1),
    up: scroll(-1),
    pagedown: scroll(PAGE_LINES),
    pageup: scroll(-PAGE_LINES),
    q: (): Update => ({ do: "quit" }),
  }),
)

const edit = (session: Session, prompt: NonNullable<Session["prompt"]>, key: Key): Update => {
  const text = (changed: string) => show({ ...session, prompt: { ...prompt, text: changed } })
  if (key.name === "escape") return show({ ...session, prompt: null, message: null })
  if (key.name === "return" || key.name === "enter")
    return submitPrompt({ ...session, prompt: null, message: null }, prompt)
  if (key.name === "backspace") return text([...prompt.text].slice(0, -1).join(""))
  if (key.ctrl && key.name === "u") return text("")
  return key.ctrl || key.text === "" ? show(session) : text(prompt.text + key.text)
}

const submitPrompt = (session: Session, { asks, text }: NonNullable<Session["prompt"]>): Update => {
  const given = text.trim()
  switch (asks) {
    case "path":
      return given === "" || given.startsWith("/")
        ? show({ ...session, path: given, pane: "value", scroll: 0 })
        : show(
            say(
              session,
              `"${given}" is not a path: expected a JSON Pointer such as /shared, or nothing for all.`,
              true,
            ),
          )
    case "moment":
      if (given === "" || given === "@") return show(session)
      return MOMENT.test(given)
        ? { do: "search", session, search: { kind: "moment", moment: given } }
        : runTo({ ...session, direction: "forward" }, given.replace(/^@/, ""))
    case "predicate":
      return given === "" ? show(session) : runTo(session, given)
  }
}

/** Positions, ids and times are one word. Every other text is a predicate. */
const MOMENT = /^[\w.:+@#-]+$/

const runTo = (session: Session, predicate: string): Update => ({
  do: "search",
  session: { ...session, predicate },
  search: { kind: "predicate", direction: session.direction, predicate },
})
