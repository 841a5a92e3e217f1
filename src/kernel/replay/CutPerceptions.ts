/** Finds the perceptions that agents make again where a task is gone on with. */

import { agentIn, type Request } from "./Request.ts"

/**
 * The perceptions that may have been cut off at a position: those after which nothing else was requested, and those of
 * agents that were late since.
 */
export const cutPerceptions = (requests: ReadonlyArray<Request>, at: number): ReadonlyArray<Request> => {
  const last = new Map<string | undefined, Request>()
  const late = new Set<string | undefined>()
  const made = requests.filter((request) => {
    if (request.position > at) return false
    const agentId = agentIn(request)
    if (request.kind === "late") {
      late.add(agentId)
      return false
    }
    late.delete(agentId)
    last.set(agentId, request)
    return true
  })
  const isEnd = (request: Request) => request.kind === "perceive" && last.get(agentIn(request)) === request
  const followed = made.findLastIndex((request) => !isEnd(request))
  return made.filter((request, index) => isEnd(request) && (index > followed || late.has(agentIn(request))))
}
