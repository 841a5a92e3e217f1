/** The notes, stars, tags and labels of the timeline that the page shows. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals"
import type { AnnotationOrder, AnnotationRow } from "../../../wire/Annotations.ts"
import type { Source } from "../../source/Source.ts"

export class Annotated {
  /** The timeline's annotations, the newest last; null until they arrive. */
  readonly rows: Signal<ReadonlyArray<AnnotationRow> | null> = signal(null)
  /** The number of all; more than the rows if there are too many. */
  readonly total: Signal<number> = signal(0)
  /** The annotations of events, by position. */
  readonly byPosition: ReadonlySignal<ReadonlyMap<number, ReadonlyArray<AnnotationRow>>> = computed(() => {
    const found = new Map<number, Array<AnnotationRow>>()
    for (const row of this.rows.value ?? []) {
      if (row.moment === null) continue
      const own = found.get(row.moment)
      if (own === undefined) found.set(row.moment, [row])
      else own.push(row)
    }
    return found
  })
  readonly #source: Source
  #timeline: string | null = null
  #asked = 0

  constructor(source: Source) {
    this.#source = source
  }

  /** Loads the annotations of a timeline, unless they are here. */
  async look(timeline: string): Promise<void> {
    if (timeline === this.#timeline) return
    this.#timeline = timeline
    this.rows.value = null
    await this.reload()
  }

  /** Drops the loaded annotations, and loads none until the next look. */
  forget(): void {
    this.#timeline = null
    this.rows.value = null
  }

  async reload(): Promise<void> {
    const timeline = this.#timeline
    if (timeline === null) return
    const asked = ++this.#asked
    const { rows, total } = await this.#source.ask("annotations", { timeline })
    // A later request is newer, or for another timeline.
    if (asked !== this.#asked || timeline !== this.#timeline) return
    this.rows.value = rows
    this.total.value = total
  }

  /** Records an annotation, and shows it. */
  async order(order: AnnotationOrder): Promise<void> {
    await this.#source.order("annotate", order)
    await this.reload()
  }
}
