import { isDeepStrictEqual } from "node:util"
import type { Event } from "../../events/vocabulary/Event.ts"
import { findNonJson } from "../../values/Json.ts"
import { begin, failureAt, type Projection, type StateBuilder, step } from "./Projection.ts"

/** One in so many drafts takes samples. */
const SAMPLED_DRAFTS = 32

/** Events of such a draft between the beginnings of two samples. */
const SAMPLE_EVERY = 1_000

/** Events of a sample, which are folded again. */
const SAMPLED_EVENTS = 32

/** Events that were taken, and the state that they were taken into. */
interface Sample<S> {
  readonly from: S
  readonly events: Array<Event>
}

/**
 * The same projection, held to being pure. Everything it is given and everything it answers is made immutable, so that
 * one which changes its input throws; sampled events are folded twice more, event by event, which must come to the same
 * state, and that must be plain JSON. What is found is a `FoldFailed` that names the event. For development: it costs time.
 */
export const checked = <S>(projection: Projection<S>): Projection<S> => {
  const freeze = freezer()
  const frozen: Projection<S> = {
    ...projection,
    evolve: (state, event) => freeze(projection.evolve(freeze(state), freeze(event))),
  }
  let drafts = 0

  const draft = (from: S): StateBuilder<S> => {
    const own = begin(frozen, freeze(from))
    const isSampled = drafts++ % SAMPLED_DRAFTS === 0
    let taken = 0
    let sample: Sample<S> | undefined

    const state = () => {
      const reached = freeze(own.state())
      const taken = sample
      sample = undefined
      if (taken !== undefined) hold(frozen, taken, reached)
      return reached
    }
    const take = (event: Event) => {
      freeze(event)
      if (isSampled && taken++ % SAMPLE_EVERY === 0) sample = { from: state(), events: [] }
      own.take(event)
      sample?.events.push(event)
      if (sample?.events.length === SAMPLED_EVENTS) state()
    }
    return { take, state, paged: () => own.paged?.() ?? state() }
  }
  return { ...frozen, draft }
}

/** Throws unless a sample's events, folded one by one, come to this state, and to nothing else when folded again. */
const hold = <S>(projection: Projection<S>, { from, events }: Sample<S>, reached: S): void => {
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
  "from the same state and event it came to two different states; it may use nothing else, no clock and no chance"
const DIFFERS = "its `draft` came to another state than `evolve`, event by event, over the events up to here"

/** Makes values immutable, all the way down. What it has been through it does not go through again. */
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
