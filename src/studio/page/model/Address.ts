/** The addresses of the page: a link and an `Address` convert into each other without loss. */

import { type FilesSpan, SPANS } from "../../wire/Files.ts"
import { KINDS, type Kind } from "../../wire/Kind.ts"

export const PANES = ["event", "why", "rewards", "value", "diff", "saw", "capture"] as const

export type Pane = (typeof PANES)[number]

/** The ways to look at a task. */
export const VIEWS = ["conversation", "debugger", "files", "agents", "tree"] as const

export type TaskView = (typeof VIEWS)[number]

/** A course of events: a task's, or all of a timeline. */
export interface Course {
  readonly timeline: string
  readonly task: string | null
}

/** A position in a course, and how the page shows it. */
export interface Visit extends Course {
  readonly screen: "visit"
  /** Null follows the last one live. */
  readonly at: number | null
  /** Null for the task's own: the conversation if it called models. */
  readonly view: TaskView | null
  readonly pane: Pane
  /** The JSON Pointer of the followed value, or empty. */
  readonly path: string
  /** A position (`@412`) for a difference, or `TIMELINE/TASK,…` for a comparison, or empty. */
  readonly vs: string
  /** The shown scores: a pointer, a label or the id of a score set; empty for the score that counts for each task. */
  readonly scores: string
  /** The marked predicate, or empty. */
  readonly when: string
  /** In the view of files: the path of the open file, or empty. */
  readonly file: string
  /** In the view of files: whose changes are shown; empty for the open file. */
  readonly span: FilesSpan | ""
  /** The range of the lanes; null for all. */
  readonly zoom: readonly [from: number, to: number] | null
  /** The kind of the listed events, or empty for all. */
  readonly kind: "" | Kind
  /** The agent and the plugin of the listed events, or empty for all. */
  readonly agent: string
  readonly plugin: string
}

export interface Overview {
  readonly screen: "tasks"
  readonly timeline: string
  readonly where: string
  readonly order: "worst" | "newest" | "oldest"
  readonly by: "" | "agent" | "outcome" | "plugin"
  /** Words that one of a task's events has. */
  readonly text: string
  /** An outcome, an activity, or `questions`. */
  readonly state: string
  readonly agent: string
  readonly model: string
  /** The beginning of `YYYY-MM-DDTHH`. */
  readonly day: string
  /** As in a visit. */
  readonly scores: string
}

export const isFiltered = ({ where, text, state, agent, model, day }: Overview): boolean =>
  [where, text, state, agent, model, day].some((filter) => filter !== "")

export type Address =
  | Visit
  | Overview
  | { readonly screen: "start" }
  | { readonly screen: "plugins" }
  | { readonly screen: "curricula" }
  | { readonly screen: "questions" }
  | { readonly screen: "notes"; readonly text: string }
  | { readonly screen: "search"; readonly text: string }
  | { readonly screen: "scenarios"; readonly file: string }
  | { readonly screen: "lost"; readonly link: string }

/** A task on a timeline. */
export interface TaskPlace {
  readonly timeline: string
  readonly task: string
}

/** The address with these scores, if its screen shows scores and its address names none. */
export const withScores = <A extends Address>(address: A, scores: string): A =>
  (address.screen === "visit" || address.screen === "tasks") && address.scores === "" ? { ...address, scores } : address

/** The other task of a comparison of two; null for other visits. */
export const otherOf = (visit: Visit): TaskPlace | null => {
  const [other, ...more] = othersOf(visit)
  return other === undefined || more.length > 0 ? null : other
}

/** The other tasks of a comparison; empty for other visits. */
export const othersOf = ({ vs }: Visit): ReadonlyArray<TaskPlace> =>
  vs.split(",").flatMap((part) => {
    const named = unescaped(part)
    const at = named.indexOf("/")
    return at <= 0 ? [] : [{ timeline: named.slice(0, at), task: named.slice(at + 1) }]
  })

/** The `vs` of a comparison with these tasks, in which commas of names are escaped. */
export const vsOf = (others: ReadonlyArray<TaskPlace>): string =>
  others.map(({ timeline, task }) => `${timeline}/${task}`.replace(/[%,]/g, encodeURIComponent)).join(",")

const unescaped = (part: string): string => part.replace(/%2C/g, ",").replace(/%25/g, "%")

/** A visit of a course, with defaults for everything else. */
export const visit = (course: Course, at: number | null, rest: Partial<Visit> = {}): Visit => ({
  screen: "visit",
  view: null,
  pane: "event",
  path: "",
  vs: "",
  scores: "",
  when: "",
  file: "",
  span: "",
  zoom: null,
  kind: "",
  agent: "",
  plugin: "",
  ...rest,
  timeline: course.timeline,
  task: course.task,
  at,
})

export const OVERVIEW: Overview = {
  ...{ screen: "tasks", timeline: "main", where: "", order: "worst", by: "" },
  ...{ text: "", state: "", agent: "", model: "", day: "", scores: "" },
}

/** Parses a link's path and query. An unknown link is `lost`. */
export const parse = (pathname: string, search: string): Address => {
  const lost: Address = { screen: "lost", link: pathname + search }
  const parts = decoded(pathname)
  if (parts === null) return lost
  const query = new URLSearchParams(search)
  const [first, timeline, ...rest] = parts
  switch (first) {
    case undefined:
      return { screen: "start" }
    case "tasks":
      return { ...OVERVIEW, ...overviewOf(query), timeline: query.get("timeline") ?? "main" }
    case "plugins":
    case "curricula":
    case "questions":
      return { screen: first }
    case "search":
    case "notes":
      return { screen: first, text: query.get("text") ?? "" }
    case "scenarios":
      return { screen: "scenarios", file: query.get("file") ?? "" }
    case "t": {
      const [task, at] = rest
      if (timeline === undefined || task === undefined || rest.length > 2) return lost
      return visitOf({ timeline, task }, at, query) ?? lost
    }
    case "l":
      if (timeline === undefined || rest.length > 1) return lost
      return visitOf({ timeline, task: null }, rest[0], query) ?? lost
    default:
      return lost
  }
}

export const format = (address: Address): string => {
  switch (address.screen) {
    case "start":
      return "/"
    case "plugins":
    case "curricula":
    case "questions":
      return `/${address.screen}`
    case "search":
    case "notes":
      return `/${address.screen}${queryOf({ text: address.text })}`
    case "scenarios":
      return `/scenarios${queryOf({ file: address.file })}`
    case "lost":
      return address.link
    case "tasks": {
      const { screen: _, timeline, order, ...filters } = address
      return `/tasks${queryOf({ timeline: timeline === "main" ? "" : timeline, order: order === "worst" ? "" : order, ...filters })}`
    }
    case "visit": {
      const { timeline, task, at, view, pane, path, vs, scores, when, file, span, zoom, kind, agent, plugin } = address
      const course = task === null ? `/l/${segment(timeline)}` : `/t/${segment(timeline)}/${segment(task)}`
      const query = queryOf({
        path,
        vs,
        scores,
        when,
        file,
        span,
        kind,
        agent,
        plugin,
        view: view ?? "",
        pane: pane === "event" ? "" : pane,
        zoom: zoom === null ? "" : zoom.join("-"),
      })
      return course + (at === null ? "" : `/@${at}`) + query
    }
  }
}

const visitOf = (course: Course, at: string | undefined, query: URLSearchParams): Visit | null => {
  const position = at === undefined ? null : positionOf(at)
  if (position === undefined) return null
  // Until 0.3.1, the conversation was a pane.
  const named = query.get("pane") === "talk" ? "conversation" : query.get("view")
  const pane = PANES.find((name) => name === query.get("pane")) ?? "event"
  const text = (name: string) => query.get(name) ?? ""
  const zoom = /^(\d{1,15})-(\d{1,15})$/.exec(text("zoom"))
  return visit(course, position, {
    view: VIEWS.find((name) => name === named) ?? null,
    pane,
    path: text("path"),
    vs: text("vs"),
    scores: text("scores"),
    when: text("when"),
    file: text("file"),
    span: SPANS.find((name) => name === text("span")) ?? "",
    kind: KINDS.find((kind) => kind === text("kind")) ?? "",
    agent: text("agent"),
    plugin: text("plugin"),
    zoom: zoom === null ? null : [Number(zoom[1]), Number(zoom[2])],
  })
}

export const positionOf = (text: string): number | undefined =>
  /^@\d{1,15}$/.test(text) ? Number(text.slice(1)) : undefined

const overviewOf = (query: URLSearchParams): Omit<Overview, "screen" | "timeline"> => ({
  ...{ where: query.get("where") ?? "", text: query.get("text") ?? "", state: query.get("state") ?? "" },
  ...{
    agent: query.get("agent") ?? "",
    model: query.get("model") ?? "",
    day: query.get("day") ?? "",
    scores: query.get("scores") ?? "",
  },
  order: (["worst", "newest", "oldest"] as const).find((name) => name === query.get("order")) ?? "worst",
  by: (["agent", "outcome", "plugin"] as const).find((name) => name === query.get("by")) ?? "",
})

const decoded = (pathname: string): ReadonlyArray<string> | null => {
  try {
    return pathname
      .split("/")
      .filter((part) => part !== "")
      .map(decodeURIComponent)
  } catch {
    return null
  }
}

/** Leaves `@` as it is, so that positions stay readable. */
const segment = (text: string): string => encodeURIComponent(text).replaceAll("%40", "@")

const queryOf = (values: { readonly [name: string]: string }): string => {
  const given = Object.entries(values).filter(([, value]) => value !== "")
  // Slashes are allowed in a query, and make a pointer readable.
  return given.length === 0
    ? ""
    : `?${given.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2F", "/")}`).join("&")}`
}
