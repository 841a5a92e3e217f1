/** Wraps a recorded program's functions as tools: each call is a command that passes the gate, with its outcome. */

import type { CoreNewEvent } from "../events/log/EventLog.ts"
import type { Failure } from "../events/vocabulary/EventType.ts"
import * as MonotonicClock from "../platform/MonotonicClock.ts"
import * as GatedCalls from "./GatedCalls.ts"
import type { Redaction } from "./http/Redaction.ts"
import * as JsonCopy from "./JsonCopy.ts"
import { type Recorded, ToolDenied, type ToolOptions } from "./Run.ts"
import { failureOf } from "./Thrown.ts"
import * as Unrecorded from "./Unrecorded.ts"
import * as Within from "./Within.ts"

export interface ToolParts extends GatedCalls.GateParts {
  readonly redaction: Redaction
  /** Id of the event that causes all calls. */
  readonly openedBy: string
}

export const tool =
  <Args extends ReadonlyArray<unknown>, Result>(
    parts: ToolParts,
    name: string,
    does: (...args: Args) => Result,
    options: ToolOptions = {},
  ): Recorded<Args, Result> =>
  async (...given): Promise<Awaited<Result>> => {
    const { log, redaction } = parts
    const { risk, description = "A function of the recorded program" } = options
    const args = JsonCopy.argsOf(given)
    const call = GatedCalls.make(parts, {
      actuator: `program/${name}`,
      args,
      shown: redaction.value(args),
      cause: parts.openedBy,
      risk,
      description,
    })
    const isRecorded = await GatedCalls.dispatched(parts, call)
    if (call.denied !== undefined) throw new ToolDenied({ tool: name, ...call.denied })
    if (!isRecorded && parts.gate !== undefined) {
      throw new ToolDenied({ tool: name, rule: "log", reason: "the log failed, and with it the gate" })
    }
    const startedAt = performance.now()
    const latencyMs = () => MonotonicClock.elapsedSince(startedAt)
    let result: unknown
    try {
      result = await Within.run(call.state.last, () => does(...given))
    } catch (thrown) {
      await log.tell(failed(call, failureOf(thrown, redaction), latencyMs()))
      throw thrown
    }
    const { commandId } = call.request
    const causationId = call.state.last
    const took = latencyMs()
    await Unrecorded.appendResult(log, redaction, result, (result, why) => ({
      type: "CommandSucceeded",
      causationId,
      payload: { commandId, result, latencyMs: took, ...Unrecorded.because(why) },
    }))
    return result as Awaited<Result>
  }

const failed = ({ request, state }: GatedCalls.GatedCall, error: Failure, latencyMs: number): CoreNewEvent => ({
  type: "CommandFailed",
  causationId: state.last,
  payload: { commandId: request.commandId, error, latencyMs },
})
