/** Signals: what listeners bring in, with ids of their own, and what becomes of them. */

import { Data, Schema } from "effect"
import type { AppendError, LogError } from "../events/log/EventLog.ts"
import { Json } from "../values/Json.ts"
import * as Options from "../values/Options.ts"

/** Something that happened outside. */
export interface Signal {
  readonly content: Json
  /**
   * Its own id, such as the delivery's: a signal of the listener with the same id is the same signal. Default: a new id,
   * so that nothing recognizes a repetition.
   */
  readonly id?: string
  /** Where it came from. Default: the listener's kind and name, such as `webhook:github`. */
  readonly source?: string
}

/** A signal on the disk. */
export interface Received {
  readonly id: string
  /** The position of its `SignalReceived`. */
  readonly position: number
  /** Whether the log had it before. */
  readonly duplicate: boolean
}

/** Options of `emitInput`. */
export interface EmitOptions {
  /** Wait while too many signals wait for their tasks. Default: true. */
  readonly wait?: boolean
}

/** Send the signal again later: as many as may wait do so. Nothing was recorded. */
export class InboxFull extends Data.TaggedError("InboxFull")<{ readonly listener: string; readonly waiting: number }> {
  override get message() {
    return `Listener ${this.listener}: expected room for a signal, found ${this.waiting} that wait for their tasks. Nothing was recorded; send it again later.`
  }
}

/** Why a signal was not received. Nothing was recorded. */
export type ReceiveError = Options.InvalidOptions | InboxFull | AppendError | LogError

/** In characters. Longer ids belong hashed. */
const MAX_ID = 300

const Id = Schema.String.pipe(
  Schema.filter((id) => id !== "" && id.length <= MAX_ID && id.isWellFormed()),
  Schema.annotations({ description: `an id of 1 to ${MAX_ID} characters` }),
)

/** Schema of `Signal`. */
export const Signal = Options.of<Signal>({ required: { content: Json }, optional: { id: Id, source: Options.Name } })

/** Schema of `EmitOptions`. */
export const EmitOptions = Options.of<EmitOptions>({ optional: { wait: Schema.Boolean } })
