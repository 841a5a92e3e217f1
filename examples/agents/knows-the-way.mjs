/**
 * An agent that knows how The Lost Key is solved. It tries the desk once before it looks for the key, as anybody would,
 * and stops as soon as the world does something else than it expects.
 *
 * An agent is a plain object. `decide` gets a view of the task and answers what to do next; all that this one needs to
 * remember is in the view, so that it decides the same whenever it is shown the same.
 */

/** What to do, in order; `refused` where the world should say no. */
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

/** What came otherwise than expected, in words; undefined where nothing did. */
const surpriseIn = (outcome, expected) => {
  const status = expected?.refused === undefined ? "succeeded" : "failed"
  if (outcome?.status === status && (expected?.refused ?? outcome.error?.code) === outcome.error?.code) return undefined
  const why = outcome?.error?.message ?? outcome?.reason ?? "no reason given"
  return `Expected ${expected?.act} to have ${status}, found ${outcome?.status ?? "no outcome"}: ${why}`
}
