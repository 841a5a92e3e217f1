/** A tool call that the program's framework reports while it runs. */

import type { BegunCall, ObservedCalls, ReportedCall, ReportedEnd } from "./http/ObservedCalls.ts"
import type { Redaction } from "./http/Redaction.ts"
import type { RunLog } from "./log/RunLog.ts"

export interface RunningTool {
  /** Id of the call's dispatch: the cause of the tool's effects. */
  readonly dispatched: BegunCall["dispatched"]
  readonly ended: (end: ReportedEnd) => void
}

export interface ToolParts {
  readonly log: RunLog
  readonly redaction: Redaction
  readonly calls: ObservedCalls
}

/**
 * Records a call of the answer to a request. A failed log shows in the program's next call. Undefined if the program
 * records the tool itself.
 */
export const begin = (
  { log, redaction, calls }: ToolParts,
  request: string,
  call: ReportedCall,
): RunningTool | undefined => {
  const tell = (events: ReturnType<ObservedCalls["ended"]>) => {
    const [first, ...others] = events
    if (first !== undefined) log.inBackground(log.tellSoon(first, ...others))
  }
  const begun = calls.began({ ...call, args: redaction.value(call.args) }, request, Date.now())
  if (begun === undefined) return undefined
  tell(begun.events)
  return {
    dispatched: begun.dispatched,
    ended: (end) => tell(calls.ended(begun.commandId, { ...end, content: redaction.value(end.content) }, Date.now())),
  }
}
