/** The API's answers about what people said: notes, stars, tags and labels. */

/** A note, star, tag or label. */
export interface AnnotationRow {
  readonly kind: "note" | "star" | "tag" | "label"
  /** The position of its own event, which names it. */
  readonly at: number
  /** The actor, such as `human:ada`. */
  readonly by: string
  readonly recordedAt: number
  /** The task, or the task of the moment; null if it has none. */
  readonly task: string | null
  /** The position of the event that it is about; null for a whole task. */
  readonly moment: number | null
  /** Its words: of a label, those of the judgement and its reason; empty for a star. */
  readonly text: string
}

/** `GET /api/annotations?timeline=…`: those that hold on a timeline, the newest last. */
export interface AnnotationList {
  readonly rows: ReadonlyArray<AnnotationRow>
  /** The number of all; more than the rows if there are too many. */
  readonly total: number
}

/** The subject of an annotation: a task of a timeline, or with `moment` an event of it. */
interface About {
  readonly timeline: string
  readonly task: string | null
  readonly moment: number | null
}

/** `POST /api/annotate` */
export type AnnotationOrder =
  | ({ readonly what: "note"; readonly text: string } & About)
  | ({ readonly what: "star" } & About)
  | ({ readonly what: "label"; readonly measure: string; readonly value: boolean | number | string } & About)
  | {
      readonly what: "tag"
      readonly timeline: string
      readonly task: string
      readonly tag: string
      readonly remove: boolean
    }
  /** Withdraws a note, star or label. */
  | { readonly what: "remove"; readonly annotation: number }

/** The positions of the events that were added; none if nothing changed. */
export interface Annotated {
  readonly positions: ReadonlyArray<number>
}
