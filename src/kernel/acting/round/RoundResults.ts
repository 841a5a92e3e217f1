/** What each command of a round came to, from what the world answered for each agent. */

import type { Failure } from "../../../events/vocabulary/EventType.ts"
import type { RoundAnswer, RoundOutcome } from "../../../plugins/process/Components.ts"
import type { JsonObject } from "../../../values/Json.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"

/**
 * The results of the agents that acted, in their order. What other agents got is told in the first result that there is,
 * as `others`, as the step of one agent tells it.
 */
export const resultsOf = (agents: RoundAnswer["agents"], acted: ReadonlyArray<string>): ReadonlyArray<RoundOutcome> => {
  const others: JsonObject = Object.fromEntries(
    Object.entries(agents).flatMap(([agentId, got]) =>
      acted.includes(agentId) || !("ok" in got) ? [] : [[agentId, got.ok]],
    ),
  )
  let isTold = Object.keys(others).length === 0
  return acted.map((agentId) => {
    const found = SafeRecord.get(agents, agentId)
    if (found === undefined) return { error: NOTHING_SAID }
    if (isTold || !("ok" in found)) return found
    isTold = true
    return { ok: { ...found.ok, others } }
  })
}

const NOTHING_SAID: Failure = { code: "InvalidStep", message: "the world said nothing about this agent's action" }
