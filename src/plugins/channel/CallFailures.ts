/** What calls fail with: the plugin's own failure, an invalid answer, the end of the process. */
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { defined } from "../../values/defined.ts"
import { plainText } from "../../values/Json.ts"
import { AnswerInvalid, type CallError, CallFailed, PluginExited, PluginStuck } from "../PluginError.ts"
import type { ChildExit } from "../sandbox/Child.ts"
import { type AnswerFrame, FRAME_LIMIT } from "./Protocol.ts"

/** The end of a process, and the names of the calls that were open. */
export interface Ended extends ChildExit {
  readonly inFlight: ReadonlyArray<string>
}

/** A call whose process ended: killed because it was stuck, if it ended for that reason, or otherwise. */
export const ended = (
  plugin: string,
  call: string,
  { code, signal, reason, inFlight }: Ended,
  stuckReason: string | undefined,
): CallError =>
  reason !== undefined && reason === stuckReason
    ? new PluginStuck({ plugin, reason, inFlight, call })
    : new PluginExited({ plugin, code, signal, inFlight, call, ...defined({ reason }) })

/** A plugin's answer that is no success. */
export const answered = (
  plugin: string,
  call: string,
  frame: Exclude<AnswerFrame, { readonly type: "ok" }>,
): CallFailed | AnswerInvalid => {
  const state = frame.state === undefined ? {} : { state: frame.state }
  return frame.type === "error"
    ? new CallFailed({ plugin, call, error: plainFailure(frame.error), ...state })
    : new AnswerInvalid({ plugin, call, reason: plainText(frame.reason), ...state })
}

/** A thrown error, made recordable: the call gets an answer even if the error's text is malformed. */
const plainFailure = ({ code, message }: Failure): Failure => ({
  code: code.slice(0, CODE_LENGTH).toWellFormed(),
  message: plainText(message),
})

/** Maximum length of a recorded failure code, in characters. Longer codes are cut. */
const CODE_LENGTH = 100

/** A call whose frame is longer than the process accepts. */
export const tooLong = (plugin: string, call: string) =>
  new CallFailed({
    plugin,
    call,
    error: { code: "ArgumentsTooLarge", message: `expected at most ${FRAME_LIMIT} bytes; nothing was sent` },
  })
