import { Data } from "effect"
import { at } from "./render/Text.ts"

/** The chain of hashes breaks, or is not the one that was anchored: what the log says is not what was recorded. */
export class Tampered extends Data.TaggedError("Tampered")<{
  readonly log: string
  readonly position: number
  readonly reason: string
}> {
  override get message() {
    return `${this.log} was tampered with at ${at(this.position)}: ${this.reason}. From there on believe nothing: keep the file as evidence, and restore a copy.`
  }
}
