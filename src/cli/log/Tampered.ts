import { Data } from "effect"
import { at } from "../terminal/Text.ts"

/** The chain of hashes breaks, or is not the one that was anchored, or what events are found by was changed: see `log verify`. */
export class Tampered extends Data.TaggedError("Tampered")<{
  readonly log: string
  /** Null where it is about no event. */
  readonly position: number | null
  readonly reason: string
}> {
  override get message() {
    const { log, position, reason } = this
    const where = position === null ? "" : ` at ${at(position)}`
    const believe = position === null ? "Believe nothing of it" : "From there on believe nothing"
    return `${log} was tampered with${where}: ${reason}. ${believe}: keep the file as evidence, and restore a copy.`
  }
}
