/** Finds the perceptions that agents make again where a task is gone on with. */

import { agentIn, type Request } from "./Request.ts"

/**
 * The perceptions that may have been cut off at a position: those after which their agent requested nothing. One of several
 * agents is asked again only where not all sensors were read: it may have handed in its action since, of which nothing is
 * recorded before the round ends.
 */
export const cutPerceptions = (requests: ReadonlyArray<Request>, at: number): ReadonlyArray<Request> => {
  const last = new Map<string | undefined, Request>()
  for (const request of requests) {
    if (request.position <= at && request.kind !== "late") last.set(agentIn(request), request)
  }
  return [...last.values()].filter(
    (request) => request.kind === "perceive" && (request.agentId === undefined || !request.isWhole),
  )
}
