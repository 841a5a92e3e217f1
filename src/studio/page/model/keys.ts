/** Single-key commands, the same as those of `hindcast step` where both have them. */

import { pointerKeys, valueAt } from "../../../values/Json.ts"
import type { Pane, TaskView } from "./Address.ts"
import type { CourseMoment } from "./CourseHistory.ts"
import type { Studio } from "./Studio.ts"
import { settings } from "./settings.ts"

export type Dialog = "help" | "copy" | "fork" | "compare" | "rescore" | "task" | null

/** The parts of the page that keys reach, besides the studio. */
export interface KeyTargets {
  readonly open: (dialog: Dialog) => void
  readonly focusBox: (text: string) => void
  /** @param missing called if there are no filters */
  readonly focusFilter: (missing: () => void) => void
}

export interface Key {
  readonly keys: ReadonlyArray<string>
  readonly shown: string
  /** Its name in the box; null for keys that lead to the box. */
  readonly name: string | null
  readonly says: string
  readonly run: (studio: Studio, page: KeyTargets) => void
}

const LEAP = 10

/** Whether an event changed the followed value, or without one, any value. */
const changes =
  (studio: Studio) =>
  (frame: CourseMoment): boolean => {
    const path = studio.visit?.path ?? ""
    if (path === "") return (frame.entry?.changes.length ?? 0) > 0
    const touches = frame.entry?.changes.some(
      (change) => change.path === path || path.startsWith(`${change.path}/`) || change.path.startsWith(`${path}/`),
    )
    const keys = pointerKeys(path)
    return (
      touches === true && JSON.stringify(valueAt(frame.before, keys)) !== JSON.stringify(valueAt(frame.after, keys))
    )
  }

const noChange = (studio: Studio, where: string): string =>
  `${studio.visit?.path || "The state"} does not change ${where} this.`

const rewardsOf = (studio: Studio): ReadonlyArray<number> => [...new Set(studio.moments.value.map(({ at }) => at))]

const hit = (studio: Studio, by: 1 | -1, page: KeyTargets): void => {
  const hits = studio.marked.hits.value
  if (hits === null) page.focusBox("")
  else studio.hop(hits.positions, by, `\`${hits.when}\` does not become true ${by > 0 ? "after" : "before"} this.`)
}

const pane =
  (name: Pane) =>
  (studio: Studio): void =>
    studio.look({ pane: name }, true)

const nextView = ({ views: { value: views }, view: { value: shown } }: Studio): TaskView =>
  views[(views.indexOf(shown) + 1) % views.length] ?? "debugger"

export const KEYS: ReadonlyArray<Key> = [
  {
    keys: ["n", "ArrowRight", "j", "ArrowDown"],
    shown: "n j →",
    name: "next",
    says: "the next event, or item of the conversation",
    run: (studio) => studio.step(1),
  },
  {
    keys: ["p", "ArrowLeft", "k", "ArrowUp"],
    shown: "p k ←",
    name: "back",
    says: "the previous event, or item of the conversation",
    run: (studio) => studio.step(-1),
  },
  {
    keys: ["N", "PageDown"],
    shown: "N",
    name: "ten on",
    says: "ten events forward",
    run: (studio) => studio.step(LEAP),
  },
  { keys: ["P", "PageUp"], shown: "P", name: "ten back", says: "ten events back", run: (studio) => studio.step(-LEAP) },
  {
    keys: ["Home"],
    shown: "Home",
    name: "first",
    says: "the first event",
    run: (studio) => studio.moveTo(studio.history.value?.first ?? 1),
  },
  {
    keys: ["End"],
    shown: "End",
    name: "last",
    says: "the last event",
    run: (studio) => studio.moveTo(studio.history.value?.last ?? 1),
  },
  {
    keys: ["c"],
    shown: "c",
    name: "next change",
    says: "the next change of the followed value",
    run: (studio) => void studio.seek(1, changes(studio), () => studio.say(noChange(studio, "after"))),
  },
  {
    keys: ["C"],
    shown: "C",
    name: "change before",
    says: "the previous change of the followed value",
    run: (studio) => void studio.seek(-1, changes(studio), () => studio.say(noChange(studio, "before"))),
  },
  {
    keys: ["r"],
    shown: "r",
    name: "next reward",
    says: "the next reward or punishment",
    run: (studio) => studio.hop(rewardsOf(studio), 1, "No reward or punishment comes after this."),
  },
  {
    keys: ["R"],
    shown: "R",
    name: "reward before",
    says: "the previous reward or punishment",
    run: (studio) => studio.hop(rewardsOf(studio), -1, "No reward or punishment comes before this."),
  },
  {
    keys: ["b"],
    shown: "b",
    name: "next failure",
    says: "the next failure",
    run: (studio) =>
      void studio.seek(
        1,
        ({ entry }) => entry?.bad === true,
        () => studio.say("Nothing fails after this."),
      ),
  },
  {
    keys: ["B"],
    shown: "B",
    name: "failure before",
    says: "the previous failure",
    run: (studio) =>
      void studio.seek(
        -1,
        ({ entry }) => entry?.bad === true,
        () => studio.say("Nothing failed before this."),
      ),
  },
  {
    keys: ["f"],
    shown: "f",
    name: "next hit",
    says: "forward to where the predicate becomes true",
    run: (studio, page) => hit(studio, 1, page),
  },
  {
    keys: ["F"],
    shown: "F",
    name: "hit before",
    says: "back to where it became true",
    run: (studio, page) => hit(studio, -1, page),
  },
  { keys: ["m"], shown: "m", name: "worst", says: "the worst moment", run: worst },
  {
    keys: ["!"],
    shown: "!",
    name: "why it failed",
    says: "the worst moment, and why the task failed",
    run: (studio) => {
      worst(studio)
      studio.look({ pane: "why" }, true)
    },
  },
  {
    keys: ["g"],
    shown: "g",
    name: null,
    says: "go to a position, id, time, task, path, or run to a predicate",
    run: (_, page) => page.focusBox("@"),
  },
  {
    keys: ["/"],
    shown: "/",
    name: null,
    says: "follow a value by its path",
    run: (studio, page) => page.focusBox(studio.visit?.path || "/"),
  },
  { keys: ["e"], shown: "e", name: "event", says: "the event", run: pane("event") },
  { keys: ["w"], shown: "w", name: "why", says: "why it happened", run: pane("why") },
  { keys: ["v"], shown: "v", name: "value", says: "the followed value", run: pane("value") },
  { keys: ["d"], shown: "d", name: "diff", says: "what it changed", run: pane("diff") },
  { keys: ["S"], shown: "S", name: "saw", says: "what the model saw", run: pane("saw") },
  { keys: ["s"], shown: "s", name: "rewards", says: "rewards and score sets", run: pane("rewards") },
  {
    keys: ["a"],
    shown: "a",
    name: "conversation",
    says: "the conversation, the debugger, or the files of the workspace",
    run: (studio) => studio.look({ view: nextView(studio) }, true),
  },
  {
    keys: ["M"],
    shown: "M",
    name: "raw text",
    says: "texts of the conversation as they are, or as Markdown",
    run: () => settings.setRaw(!settings.raw.value),
  },
  {
    keys: ["z"],
    shown: "z",
    name: "open call",
    says: "the call here: its events, or one row",
    run: turnCall,
  },
  {
    keys: ["Z"],
    shown: "Z",
    name: "fold calls",
    says: "all calls as one row each, or as their events",
    run: (studio) => {
      if (studio.history.value !== null) studio.history.value.turned.value = new Set()
      settings.setFoldCalls(!settings.foldCalls.value)
    },
  },
  {
    keys: ["h"],
    shown: "h",
    name: "filter",
    says: "filter the events by kind, agent and plugin",
    run: (studio, page) =>
      page.focusFilter(() => studio.say("The list of events, which the debugger has (a), can be filtered.")),
  },
  { keys: ["i"], shown: "i", name: "capture", says: "what a recording or import captured", run: pane("capture") },
  {
    keys: ["t"],
    shown: "t",
    name: "task or all",
    says: "this task only, or all events",
    run: (studio) => void toggleTask(studio),
  },
  { keys: ["l"], shown: "l", name: "live", says: "follow live", run: (studio) => studio.follow() },
  {
    keys: ["x"],
    shown: "x",
    name: "compare",
    says: "compare with another task or fork",
    run: (_, page) => page.open("compare"),
  },
  { keys: ["o"], shown: "o", name: "fork", says: "fork here", run: (_, page) => page.open("fork") },
  {
    keys: ["u"],
    shown: "u",
    name: "rescore",
    says: "score again by another rubric",
    run: (_, page) => page.open("rescore"),
  },
  {
    keys: ["y"],
    shown: "y",
    name: "copy",
    says: "copy this view: link, command line, library call",
    run: (_, page) => page.open("copy"),
  },
  {
    keys: ["Y"],
    shown: "Y",
    name: "print",
    says: "print this page: the whole conversation, and why the task failed",
    run: printAll,
  },
  { keys: ["?"], shown: "?", name: "keys", says: "this help", run: (_, page) => page.open("help") },
]

function worst(studio: Studio): void {
  const at = studio.history.value?.head.value?.worst
  if (at == null) studio.say("Nothing went wrong here.")
  else studio.moveTo(at)
}

/** A conversation has to load first, and prints when it is there. */
function printAll(studio: Studio): void {
  if (studio.visit !== null && studio.view.value === "conversation") studio.printing.value = true
  else window.print()
}

function turnCall(studio: Studio): void {
  const course = studio.history.value
  const call = course?.callAt(studio.position.value)
  if (course == null || call === undefined) studio.say("No call is here.")
  else course.turn(call.from)
}

async function toggleTask(studio: Studio): Promise<void> {
  const { visit } = studio
  if (visit === null) return
  const at = studio.position.value
  const task = visit.task === null ? ((await studio.history.value?.load(at))?.entry?.task ?? null) : null
  if (visit.task !== null) studio.go({ ...visit, task: null, at, zoom: null })
  else if (task === null) studio.say("This event belongs to no task.")
  else studio.go({ ...visit, task, at, zoom: null })
}

const byKey: ReadonlyMap<string, Key> = new Map(KEYS.flatMap((key) => key.keys.map((name) => [name, key] as const)))

/** Whether an element takes text. A field of a closed dialog may keep the focus until the next frame; ignore it. */
const isField = (element: HTMLElement): boolean =>
  (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName)) &&
  element.closest("dialog:not([open])") === null

const SCROLLING = /^(Arrow|Page|Home$|End$)/

/** The command of a key press, unless the key goes to a field or a browser function. */
export const commandOf = (event: KeyboardEvent): Key | undefined => {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined
  const { target } = event
  if (target instanceof HTMLElement && isField(target)) return undefined
  // A focused pane keeps the scrolling keys; buttons and links keep the keys that press them.
  if (
    target instanceof HTMLElement &&
    target.closest(".pane, .questions, .plugins") !== null &&
    SCROLLING.test(event.key)
  ) {
    return undefined
  }
  return byKey.get(event.key)
}
