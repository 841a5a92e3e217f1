/** What the model saw. */
import type { SeenTurn } from "../../projections/request/SeenTurn.ts"

/**
 * `GET /api/saw?timeline=…&position=N&task=…`: the whole request behind an event: its own, that of its causes, or the
 * last one before it in its task. `task` is for events of no task. Null if there is no request to a model before it.
 */
export interface Saw {
  readonly saw: SeenTurn | null
}
