/**
 * Development checks of a projection's contract: it must not change its input, must be deterministic, and its state
 * must be plain JSON. A violation is a `FoldFailed` that names the event.
 */

import { isDeepStrictEqual } from "node:util"
import type { Event } from "../../events/vocabulary/Event.ts"
import { findNonJson } from "../../values/Json.ts"
import { begin, failureAt, type Projection, type StateBuilder, step } from "./Projection.ts"

/** One fold in this many is sampled. */
const SAMPLED_FOLDS = 32

/** Events between the starts of two samples. */
const SAMPLE_EVERY = 1_000

/** Events of a sample. */
const SAMPLED_EVENTS = 32

interface Sample<S> {
  readonly from: S
  readonly events: Array<Event>
}

/**
 * Adds checks to a projection. Freezes its input and output, so that changing the input throws. Folds sampled events
 * twice more, event by event; both folds must give the same state, and that must be plain JSON.
 */
export const checked = <S>(projection: Projection<S>): Projection<S> => {
  const freeze = freezer()
  const frozen: Projection<S> = {
    ...projection,
    evolve: (state, event) => freeze(projection.evolve(freeze(state), freeze(event))),
  }
  let foldCount = 0

  const checkedBuilder = (from: S): StateBuilder<S> => {
    const builder = begin(frozen, freeze(from))
    const isSampled = foldCount++ % SAMPLED_FOLDS === 0
    let folded = 0
    let sample: Sample<S> | undefined

    const state = () => {
      const reached = freeze(builder.state())
      const finished = sample
      sample = undefined
      if (finished !== undefined) verify(frozen, finished, reached)
      return reached
    }
    const apply = (event: Event) => {
      freeze(event)
      if (isSampled && folded++ % SAMPLE_EVERY === 0) sample = { from: state(), events: [] }
      builder.apply(event)
      sample?.events.push(event)
      if (sample?.events.length === SAMPLED_EVENTS) state()
    }
    return { apply, state, chunked: () => builder.chunked?.() ?? state() }
  }
  return { ...frozen, builder: checkedBuilder }
}

/** Throws unless folding a sample's events one by one gives this state, twice. */
const verify = <S>(projection: Projection<S>, { from, events }: Sample<S>, reached: S): void => {
  const fail = (event: Event, why: string) => failureAt(projection, event, new Error(why))
  let before = from
  for (const event of events) {
    const after = step(projection, before, event)
    if (!isDeepStrictEqual(after, step(projection, before, event))) throw fail(event, VARIES)
    before = after
  }
  const last = events.at(-1)
  if (last === undefined) return
  if (!isDeepStrictEqual(before, reached)) throw fail(last, DIFFERS)
  const bad = findNonJson(before)
  if (bad !== undefined) throw fail(last, `its state has ${bad.found} at ${bad.path || "the top"}, which is not JSON`)
}

const VARIES =
  "the same state and event gave two different states: `evolve` must not depend on anything else, such as a clock or random numbers"
const DIFFERS = "its `builder` and its `evolve` gave different states for the events up to here"

/** Freezes values deeply. Does not traverse frozen values again. */
const freezer = () => {
  const frozen = new WeakSet<object>()
  const freeze = <Value>(value: Value): Value => {
    if (typeof value === "object" && value !== null && !frozen.has(value)) {
      frozen.add(Object.freeze(value))
      for (const part of Object.values(value)) freeze(part)
    }
    return value
  }
  return freeze
}
