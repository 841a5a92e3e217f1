/** The contents of the palette: commands with their keys, screens, places of the visited task, tasks and paths. */
import { oneLine } from "../../../../values/PlainText.ts"
import type { TaskRow } from "../../../wire/Task.ts"
import { visit } from "../Address.ts"
import { type Meaning, SCREENS, suggestedPaths } from "../commands.ts"
import { KEYS } from "../keys.ts"
import type { Studio } from "../Studio.ts"

export const GROUPS = ["here", "commands", "screens", "tasks", "values"] as const

export interface PaletteEntry {
  readonly group: (typeof GROUPS)[number]
  readonly text: string
  readonly says: string
  /** The key that does the same, or empty. */
  readonly key: string
  /** Its effect; null if it only puts its text into the box. */
  readonly run: Meaning["run"] | null
}

/** Maximum number of tasks in the palette. The list of tasks has all. */
export const MOST_TASKS = 12

/** Maximum length of a text by which the log looks for tasks, in characters. */
export const MOST_TASK_NAME = 200

/**
 * The entries for a typed text, in the order of the groups. An empty text has all of them; for the beginning of a path,
 * only paths.
 *
 * @param tasks those that the log found by the text, the worst first
 */
export const entriesFor = (
  text: string,
  studio: Studio,
  tasks: ReadonlyArray<TaskRow>,
): ReadonlyArray<PaletteEntry> => {
  if (text.startsWith("/")) {
    return suggestedPaths(text, studio).map((path) => ({ group: "values", text: path, says: "", key: "", run: null }))
  }
  const words = text
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
  const matches = ({ text: name, says }: PaletteEntry): boolean => {
    const all = `${name} ${says}`.toLowerCase()
    return words.every((word) => all.includes(word))
  }
  return [
    ...placesOf(studio).filter(matches),
    ...[...commands, ...screens].filter(matches),
    ...tasks.map(taskOf).filter(matches).slice(0, MOST_TASKS),
  ]
}

const commands: ReadonlyArray<PaletteEntry> = [
  ...KEYS.flatMap(
    ({ name, says, shown, run }): ReadonlyArray<PaletteEntry> =>
      name === null ? [] : [{ group: "commands", text: name, says, key: shown, run }],
  ),
  {
    group: "commands",
    text: "search ",
    says: "words in goals, messages, arguments, results, errors and notes",
    key: "",
    run: null,
  },
  { group: "commands", text: "task ", says: "a task by its id", key: "", run: null },
]

const screens: ReadonlyArray<PaletteEntry> = Object.entries(SCREENS).map(([text, { says, to }]) => ({
  ...{ group: "screens", text, says, key: "" },
  run: (studio) => studio.go(to),
}))

const taskOf = ({ id, goal, timeline }: TaskRow): PaletteEntry => ({
  ...{ group: "tasks", text: oneLine(id), says: oneLine(goal), key: "" },
  run: (studio) => studio.go(visit({ timeline, task: id }, null)),
})

/** Positions of the visited task that are worth a look. */
const placesOf = (studio: Studio): ReadonlyArray<PaletteEntry> => {
  const course = studio.history.value
  if (course === null) return []
  const worst = course.head.value?.worst ?? null
  const places: ReadonlyArray<readonly [position: number, says: string]> = [
    ...(worst === null ? [] : [[worst, "the worst moment"] as const]),
    [course.first, "the first event"],
    [course.last, "the last event"],
  ]
  return places.map(([position, says]) => ({
    ...{ group: "here", text: `@${position}`, says, key: "" },
    run: () => studio.moveTo(position),
  }))
}
