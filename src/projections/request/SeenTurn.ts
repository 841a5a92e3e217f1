/** A turn's request with its place among the requests of its task. Pure: Studio's page computes it, too. */

import type { Json } from "../../values/Json.ts"
import * as RequestSizes from "./RequestSizes.ts"
import * as Requests from "./Requests.ts"
import type { LoggedEvent, WholeRequest } from "./WholeRequest.ts"

/** One turn, as the model saw it. */
export interface SeenTurn {
  readonly timeline: string
  /** Null for a question of a critic about no task. */
  readonly taskId: string | null
  readonly request: WholeRequest
  /** The turn's number among the task's requests, from 1, and how many there are. */
  readonly turn: number
  readonly turns: number
  /** Positions of the requests before and after it in the task; null if there are none. */
  readonly before: number | null
  readonly after: number | null
  readonly sizes: ReadonlyArray<RequestSizes.PartSize>
  /**
   * Whether the digest that the log recorded with the request confirms all of it. Null without a digest that could, or
   * if nobody checked it.
   */
  readonly isConfirmed: boolean | null
}

/** How digests are computed, where they can be. */
export interface Checks {
  readonly digest?: (value: Json) => string
  readonly isExact?: (request: WholeRequest) => boolean | undefined
}

/** The turn whose `ModelCalled` event is at a position, among a task's events in order; undefined if there is none. */
export const of = (
  events: ReadonlyArray<LoggedEvent>,
  position: number,
  place: Pick<SeenTurn, "timeline" | "taskId">,
  { digest, isExact }: Checks = {},
): SeenTurn | undefined => {
  const request = Requests.wholeRequest(events, position, digest === undefined ? {} : { digest })
  if (request === undefined) return undefined
  const turns = Requests.turnsIn(events)
  const index = turns.findIndex((one) => one.position === position)
  return {
    ...place,
    request,
    turn: index + 1,
    turns: turns.length,
    before: turns[index - 1]?.position ?? null,
    after: turns[index + 1]?.position ?? null,
    sizes: RequestSizes.sizesOf(request),
    isConfirmed: isExact?.(request) ?? null,
  }
}
