/** The error of the commands that find a log's events or indexes changed. */
import { Data } from "effect"
import { at } from "../terminal/Text.ts"

/**
 * The log was tampered with: its hash chain is broken, differs from the anchored one, or a table or index that finds
 * events was changed. See `log verify`.
 */
export class Tampered extends Data.TaggedError("Tampered")<{
  readonly log: string
  /** Null if the finding does not concern an event. */
  readonly position: number | null
  readonly reason: string
}> {
  override get message() {
    const { log, position, reason } = this
    const where = position === null ? "" : ` at ${at(position)}`
    const believe = position === null ? "Do not trust the log" : "Do not trust events from there on"
    return `${log} was tampered with${where}: ${reason}. ${believe}: keep the file as evidence, and restore a copy.`
  }
}
