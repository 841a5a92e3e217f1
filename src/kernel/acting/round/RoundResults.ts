/** Splits a world's answer to a round into the results of its commands. */

import type { Failure } from "../../../events/vocabulary/EventType.ts"
import type { RoundAnswer } from "../../../plugins/process/ComponentCalls.ts"
import type { RoundOutcome } from "../../../plugins/process/RoundOutcome.ts"
import type { JsonObject } from "../../../values/Json.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"

/**
 * The results of the agents that acted, in order. The first successful result carries those of all other agents as
 * `others`, like the result of a single agent's step.
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
