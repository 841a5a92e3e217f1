/** Notes in a conversation: compactions, budgets, forks, pauses, agents that come and go, and its close. */

import type { JsonObject } from "../../values/Json.ts"
import { begun } from "./Begun.ts"
import type { Close, Note } from "./Item.ts"
import { isText, textOr } from "./Parts.ts"
import type { Told } from "./Told.ts"

/** Each of these types has the role of a note (`Role`). */
const NOTES: ReadonlyMap<string, Note["what"]> = new Map([
  ["MemoryCompacted", "compacted"],
  ["BudgetExceeded", "budget"],
  ["TimelineForked", "forked"],
  ["TaskPaused", "paused"],
  ["TaskContinued", "continued"],
  ["TaskCancelled", "cancelled"],
  ["TaskResumed", "resumed"],
  ["TaskHandedOff", "agent"],
  ["AgentJoined", "agent"],
  ["AgentLeft", "agent"],
  ["AgentSuspended", "agent"],
  ["AgentContinued", "agent"],
  ["AgentLate", "agent"],
])

/** The note of an event; undefined for events that need none. */
export const noteOf = (event: Told, { summary, agentId }: JsonObject): Note | undefined => {
  const what = NOTES.get(event.type)
  if (what === undefined) return undefined
  return {
    kind: "note",
    ...begun(event, agentId),
    what,
    line: event.line,
    text: what === "compacted" && isText(summary) ? summary : "",
    isBad: what === "budget" || event.type === "AgentLate",
  }
}

export const closeOf = (event: Told, { outcome, unjudged, reason, exit }: JsonObject): Close => {
  const named = textOr(outcome) ?? event.line
  return {
    kind: "close",
    ...begun(event, undefined),
    // The same word as in lists and audits (`summary/Outcome`), for outcomes of any version.
    outcome: named === "achieved" && unjudged === true ? "finished" : named,
    reason: textOr(reason) ?? "",
    exit: typeof exit === "number" ? String(exit) : textOr(exit),
  }
}
