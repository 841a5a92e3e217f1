/** The failures of calls: the plugin's own, an invalid answer, the end of the process. */
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { defined } from "../../values/defined.ts"
import { plainText } from "../../values/Json.ts"
import { AnswerInvalid, type CallError, CallFailed, PluginExited, PluginStuck } from "../PluginError.ts"
import type { ChildExit } from "../sandbox/Child.ts"
import { type AnswerFrame, FRAME_LIMIT } from "./Protocol.ts"

/** The end of a process, and its open calls by name. */
export interface Ended extends ChildExit {
  readonly inFlight: ReadonlyArray<string>
}

/** The failure of a call whose process ended, killed as stuck or otherwise. */
export const ended = (
  plugin: string,
  call: string,
  { code, signal, reason, inFlight }: Ended,
  stuckReason: string | undefined,
): CallError =>
  reason !== undefined && reason === stuckReason
    ? new PluginStuck({ plugin, reason, inFlight, call })
    : new PluginExited({ plugin, code, signal, inFlight, call, ...defined({ reason }) })

/** The failure that a plugin answered. */
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

/** Makes a thrown error recordable, even if its text is malformed. */
const plainFailure = ({ code, message }: Failure): Failure => ({
  code: code.slice(0, CODE_LENGTH).toWellFormed(),
  message: plainText(message),
})

/** Maximum length of a recorded failure code, in characters. Longer ones are cut. */
const CODE_LENGTH = 100

/** The failure of a call whose frame exceeds the limit. */
export const tooLong = (plugin: string, call: string) =>
  new CallFailed({
    plugin,
    call,
    error: { code: "ArgumentsTooLarge", message: `expected at most ${FRAME_LIMIT} bytes; nothing was sent` },
  })
