/** Why a bisection has no answer. */

import { Data } from "effect"
import { at } from "../../values/Formats.ts"
import { inWords, position, type Tested } from "./Tested.ts"

/** The command ended in a way that marks no state. */
export class RunAborted extends Data.TaggedError("RunAborted")<{
  readonly command: string
  readonly position: number
  readonly exitCode: number
  readonly output: string
}> {
  override get message() {
    const { command, position, exitCode, output } = this
    return `\`${command}\` at ${at(position)}: expected an exit code up to 127, found ${exitCode}${exitCode > 128 ? `, which stands for signal ${exitCode - 128}` : ""}. The search ends.${quoted(output)}`
  }
}

/** A search needs a good beginning and a bad end. */
export class EndUnfit extends Data.TaggedError("EndUnfit")<{
  readonly end: "first" | "last"
  readonly command: string
  readonly tested: Tested
  readonly advice: string
}> {
  override get message() {
    const { end, command, tested, advice } = this
    const expected = end === "first" ? "it to succeed on the first state" : "it to fail on the last state"
    const words = `\`${command}\`: expected ${expected}, ${at(position(tested))}, found that it ${inWords(tested)}. Nothing was searched. ${advice}`
    return `${words.trim()}${quoted(tested.output)}`
  }
}

/** No state between the last good and the first bad one can be tested. */
export class OnlySkippedLeft extends Data.TaggedError("OnlySkippedLeft")<{
  readonly command: string
  readonly good: Tested
  readonly bad: Tested
  readonly skipped: ReadonlyArray<Tested>
}> {
  override get message() {
    const { command, good, bad, skipped } = this
    const places = [...skipped, bad].map((one) => at(position(one)))
    const some = places.length <= MAX_PLACES ? places : [...places.slice(0, MAX_PLACES - 1), "…", places.at(-1)]
    const [first] = skipped
    const why = first === undefined ? "" : ` At ${at(position(first))} it ${inWords(first)}.`
    return `\`${command}\` succeeds at ${at(position(good))} and fails at ${at(position(bad))}: expected one first step, found ${places.length} that it may be, since the states between cannot be tested: ${some.join(", ")}.${why}`
  }
}

const MAX_PLACES = 12

const quoted = (output: string): string => {
  const lines = output.trimEnd().split("\n").slice(-MAX_QUOTED)
  return lines.join("") === "" ? "" : `\nThe end of its output:\n${lines.map((line) => `  ${line}`).join("\n")}`
}

const MAX_QUOTED = 12
