/** The error of commands that find changed events or indexes. */
import { Data } from "effect"
import { at } from "../terminal/Text.ts"

/**
 * The log was tampered with: its hash chain is broken or differs from the anchored one, or a table or index that
 * locates events was changed.
 */
export class Tampered extends Data.TaggedError("Tampered")<{
  readonly log: string
  /** Null if the finding concerns no event. */
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
