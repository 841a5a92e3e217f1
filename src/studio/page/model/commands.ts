/** What a text in the box means: a position, a moment, a path, a task, a screen, a search, or a predicate. */
import { type Address, OVERVIEW, positionOf, visit } from "./Address.ts"
import type { Studio } from "./Studio.ts"

/** What a text would do. */
export interface Meaning {
  readonly says: string
  readonly run: (studio: Studio) => void | Promise<void>
}

const SCREENS: { readonly [name: string]: { readonly says: string; readonly to: Address } } = {
  tasks: { says: "the list of tasks", to: OVERVIEW },
  plugins: { says: "plugins, their grants, crashes and requests", to: { screen: "plugins" } },
  scenarios: { says: "scenarios and rubrics in files", to: { screen: "scenarios", file: "" } },
  questions: { says: "questions that wait for a person", to: { screen: "questions" } },
  log: { says: "all events of main", to: visit({ timeline: "main", task: null }, null) },
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/
const ON_TIMELINE = /^[\w.-]+@(\d+|now)$/
const TASK = /^[\w.:-]{1,100}$/

/** The meaning of a text; null of an empty one. */
export const meaningOf = (text: string): Meaning | null => {
  const given = text.trim()
  if (given === "") return null
  const screen = Object.hasOwn(SCREENS, given) ? SCREENS[given] : undefined
  if (screen !== undefined) return { says: `show ${screen.says}`, run: (studio) => studio.go(screen.to) }
  const position = positionOf(/^\d+$/.test(given) ? `@${given}` : given)
  if (position !== undefined) return { says: `go to @${position}`, run: (studio) => goTo(studio, position) }
  if (UUID.test(given) || TIME.test(given) || ON_TIMELINE.test(given))
    return { says: `go to ${given}`, run: (studio) => locate(studio, given) }
  if (given.startsWith("/"))
    return { says: `follow the value at ${given}`, run: (studio) => studio.look({ path: given, pane: "value" }) }
  const search = /^(?:search|find)\s+(.+)$/.exec(given)?.[1]
  if (search !== undefined)
    return {
      says: `search all payloads for “${search}”`,
      run: (studio) => studio.go({ screen: "search", text: search }),
    }
  if (given === "live") return { says: "follow the last event", run: (studio) => studio.follow() }
  if (TASK.test(given) && !/^(true|false)$/.test(given))
    return { says: `open the task ${given}`, run: (studio) => openTask(studio, given) }
  return { says: `mark where this is true: ${given}`, run: (studio) => mark(studio, given) }
}

/** The names that the box knows, for its list. */
export const NAMES: ReadonlyArray<string> = [...Object.keys(SCREENS), "live", "search "]

const goTo = async (studio: Studio, position: number): Promise<void> => {
  const course = studio.history.value
  const { visit: now } = studio
  const isInside = course !== null && position >= course.first && position <= course.last
  if (now !== null && isInside) return studio.go({ ...now, at: position })
  await locate(studio, `${now?.timeline ?? "main"}@${position}`)
}

const locate = async (studio: Studio, moment: string): Promise<void> => {
  const { timeline, position, task } = await studio.source.ask("locate", { moment })
  studio.go(visit({ timeline, task }, position))
}

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
