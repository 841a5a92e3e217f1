/**
 * Interprets a text in the box: a position, a moment, a time, a path, a task, a screen, a command, a search, or a
 * predicate.
 */

import { pointerKeys, pointerToken, valueAt } from "../../../values/Json.ts"
import { dayOf } from "../parts/format.ts"
import { type Address, OVERVIEW, positionOf, visit } from "./Address.ts"
import { KEYS, type KeyTargets } from "./keys.ts"
import type { Studio } from "./Studio.ts"

export interface Meaning {
  readonly says: string
  readonly run: (studio: Studio, page: KeyTargets) => void | Promise<void>
}

/** Screens by their names in the box. */
export const SCREENS: { readonly [name: string]: { readonly says: string; readonly to: Address } } = {
  tasks: { says: "the list of tasks", to: OVERVIEW },
  notes: { says: "notes, stars, tags and labels", to: { screen: "notes", text: "" } },
  plugins: { says: "plugins, their grants, crashes and requests", to: { screen: "plugins" } },
  curricula: { says: "runs of curricula: stages, decisions, help", to: { screen: "curricula" } },
  scenarios: { says: "scenarios and rubrics in files", to: { screen: "scenarios", file: "" } },
  questions: { says: "questions that wait for a person", to: { screen: "questions" } },
  log: { says: "all events of main", to: visit({ timeline: "main", task: null }, null) },
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/
/** A time as the page shows it, in the reader's zone, optionally without the day. */
const LOCAL_TIME = /^(?:(\d{4}-\d{2}-\d{2})[ T])?(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)$/
const ON_TIMELINE = /^[\w.-]+@(\d+|now)$/
/** Several words without an operator of CEL, or a phrase in quotes. */
const WORDS = /^(?:"[^"]+"|[^\s=!<>?&|()[\]{}+*/%.,:'"]+(?:\s+[^\s=!<>?&|()[\]{}+*/%,:'"]+)+[.!?]?)$/
const TASK = /^[\w.:-]{1,100}$/

export const meaningOf = (text: string): Meaning | null => {
  const given = text.trim()
  if (given === "") return null
  if (given === "@") return { says: "a position, such as @412", run: () => {} }
  const screen = Object.hasOwn(SCREENS, given) ? SCREENS[given] : undefined
  if (screen !== undefined) return { says: `show ${screen.says}`, run: (studio) => studio.go(screen.to) }
  const key = KEYS.find(({ name }) => name === given)
  if (key !== undefined) return { says: `${key.says} (${key.shown})`, run: key.run }
  const position = positionOf(/^\d+$/.test(given) ? `@${given}` : given)
  if (position !== undefined) return { says: `go to @${position}`, run: (studio) => goTo(studio, position) }
  if (UUID.test(given) || TIME.test(given) || ON_TIMELINE.test(given))
    return { says: `go to ${given}`, run: (studio) => locate(studio, given) }
  if (LOCAL_TIME.test(given))
    return { says: `go to ${given}, by the clock here`, run: (studio) => atTime(studio, given) }
  if (given.startsWith("/"))
    return { says: `follow the value at ${given}`, run: (studio) => studio.look({ path: given, pane: "value" }) }
  const search = /^(?:search|find)\s+(.+)$/.exec(given)?.[1]
  if (search !== undefined)
    return {
      says: `search all events for “${search}”`,
      run: (studio) => searchFor(studio, search),
    }
  // Text that begins with an operator compares `task`: it is a predicate.
  const named = /^task\s+([^=!<>?&|].*)$/.exec(given)?.[1]
  if (named !== undefined) return { says: `open the task ${named}`, run: (studio) => openTask(studio, named) }
  if (TASK.test(given) && !/^(true|false)$/.test(given))
    return { says: `open the task ${given}`, run: (studio) => openTask(studio, given) }
  if (WORDS.test(given)) return { says: `search all events for “${given}”`, run: (studio) => searchFor(studio, given) }
  return { says: `mark where this is true: ${given}`, run: (studio) => mark(studio, given) }
}

const MOST_PATHS = 100

/** Paths of the state that begin as a text, which itself begins with a slash. */
export const suggestedPaths = (text: string, studio: Studio): ReadonlyArray<string> => {
  const above = text.slice(0, text.lastIndexOf("/"))
  const begun = text.slice(above.length + 1)
  const state = studio.frame.value?.after
  const parent = state === undefined ? undefined : valueAt(state, pointerKeys(above))
  if (typeof parent !== "object" || parent === null) return []
  return Object.keys(parent)
    .map(pointerToken)
    .filter((token) => token.startsWith(begun))
    .slice(0, MOST_PATHS)
    .map((token) => `${above}/${token}`)
}

export const goTo = async (studio: Studio, position: number): Promise<void> => {
  const course = studio.history.value
  const { visit: now } = studio
  const isInside = course !== null && position >= course.first && position <= course.last
  if (now !== null && isInside) return studio.go({ ...now, at: position })
  await locate(studio, `${now?.timeline ?? "main"}@${position}`)
}

const locate = async (studio: Studio, moment: string): Promise<void> => {
  const { timeline, position, task, said } = await studio.source.ask("locate", { moment })
  studio.go(visit({ timeline, task }, position))
  if (said !== undefined) studio.say(said)
}

const atTime = async (studio: Studio, given: string): Promise<void> => {
  const [, day, clock = ""] = LOCAL_TIME.exec(given) ?? []
  const here = new Date(studio.frame.value?.entry?.occurredAt ?? studio.log.value.headAt ?? Date.now())
  const time = new Date(`${day ?? dayOf(here.getTime())}T${clock}`)
  if (Number.isNaN(time.getTime())) return studio.say(`${given} is not a time of day.`, true)
  await locate(studio, time.toISOString())
}

const searchFor = (studio: Studio, text: string): void => studio.go({ screen: "search", text })

const openTask = async (studio: Studio, id: string): Promise<void> => {
  const { timeline, id: task } = await studio.source.ask("task", {
    timeline: studio.visit?.timeline ?? "main",
    task: id,
  })
  studio.go(visit({ timeline, task }, null))
}

const mark = (studio: Studio, when: string): void => {
  const { address } = studio
  if (address.value.screen === "tasks") studio.go({ ...address.value, where: when })
  else if (studio.visit !== null) studio.look({ when })
  else studio.go({ ...OVERVIEW, where: when })
}
