/**
 * Knows how to solve The Lost Key. It tries the desk once before it looks for the key, as anybody would, and stops as
 * soon as the world reacts unexpectedly.
 *
 * An agent is a plain object. `decide` gets the context of the decision and returns the next action. Everything that this one
 * needs is in the context, so the same context always gives the same decision.
 */

/** The actions in order; `refused` marks those that the world should refuse. */
const WAY = [
  { act: "text-room/open", args: { target: "desk" }, refused: "locked" },
  { act: "text-room/go", args: { direction: "north" } },
  { act: "text-room/examine", args: { target: "clock" } },
  { act: "text-room/take", args: { item: "brass_key" } },
  { act: "text-room/go", args: { direction: "south" } },
  { act: "text-room/use", args: { item: "brass_key", on: "desk" } },
  { act: "text-room/open", args: { target: "desk" } },
  { act: "text-room/take", args: { item: "document" } },
]

export default {
  name: "knows-the-way",
  version: "1.0.0",

  decide({ step, readings, lastOutcome }) {
    if (step > 0) {
      const surprise = surpriseIn(lastOutcome, WAY[step - 1])
      if (surprise !== undefined) return { done: "failed", reason: surprise }
    }
    const next = WAY[step]
    if (next !== undefined) return { act: next.act, args: next.args }
    return readings["text-room/room"]?.won === true
      ? { done: "achieved", reason: "The document is in hand." }
      : { done: "failed", reason: "Every step was taken, and the story is not won." }
  },
}

/** The difference from the expected outcome, in words; undefined if there is none. */
const surpriseIn = (outcome, expected) => {
  const status = expected?.refused === undefined ? "succeeded" : "failed"
  if (outcome?.status === status && (expected?.refused ?? outcome.error?.code) === outcome.error?.code) return undefined
  const why = outcome?.error?.message ?? outcome?.reason ?? "no reason given"
  return `Expected ${expected?.act} to have ${status}, found ${outcome?.status ?? "no outcome"}: ${why}`
}
