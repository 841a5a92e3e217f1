/** The rows of the visited task, computed again only when something about them has changed. */
import { type EventFilter, isFiltering } from "../../../wire/Rows.ts"
import type { CourseHistory } from "../CourseHistory.ts"
import { settings } from "../settings.ts"
import { EventRows, type Listed } from "./EventRows.ts"

export class ListedRows {
  #key: ReadonlyArray<unknown> = []
  #rows: EventRows | null = null

  /** Null while they load, and for all events of a timeline by their positions. */
  of(course: CourseHistory, { kind, agent, plugin }: EventFilter): Listed | null {
    course.version.value
    const marks = course.marks.value
    if (marks === null) {
      const rows = course.rows.value
      // The server may still read a long timeline: until then, all events are better than the first ones.
      return rows !== null && (rows.isWhole || isFiltering({ kind, agent, plugin })) ? rows : null
    }
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
