/** Finds the perceptions that agents make again where a task is gone on with. */

import { agentIn, type Request } from "./Request.ts"

/**
 * The perceptions that may have been cut off at a position: those after which nothing followed, and those of agents that
 * were late since. That another agent was late shows that the turn had passed on.
 */
export const cutPerceptions = (requests: ReadonlyArray<Request>, at: number): ReadonlyArray<Request> => {
  const last = new Map<string | undefined, Request>()
  const late = new Set<string | undefined>()
  const made = requests.filter(({ position }) => position <= at)
  for (const request of made) {
    const agentId = agentIn(request)
    if (request.kind === "late") late.add(agentId)
    else {
      late.delete(agentId)
      last.set(agentId, request)
    }
  }
  const isEnd = (request: Request) => request.kind === "perceive" && last.get(agentIn(request)) === request
  const followed = made.findLastIndex((request) => !isEnd(request))
  return made.filter((request, index) => isEnd(request) && (index > followed || late.has(agentIn(request))))
}
