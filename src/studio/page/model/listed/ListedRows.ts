/** The rows of the visited task, computed again only when something about them has changed. */
import type { CourseHistory } from "../CourseHistory.ts"
import { settings } from "../settings.ts"
import { type EventFilter, EventRows } from "./EventRows.ts"

export class ListedRows {
  #key: ReadonlyArray<unknown> = []
  #rows: EventRows | null = null

  /** Null for a whole timeline, whose events are too many to list by anything but their positions. */
  of(course: CourseHistory, { kind, agent, plugin }: EventFilter): EventRows | null {
    course.version.value
    const marks = course.marks.value
    if (marks === null) return null
    const spans = course.spans.value
    const turned = course.turned.value
    const folded = settings.foldCalls.value
    const key = [marks, marks.length, spans, turned, folded, kind, agent, plugin]
    if (this.#rows === null || key.some((part, index) => part !== this.#key[index])) {
      this.#key = key
      this.#rows = new EventRows(marks, spans, { filter: { kind, agent, plugin }, folded, turned })
    }
    return this.#rows
  }
}
