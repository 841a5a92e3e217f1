import { isDeepStrictEqual } from "node:util"
import type { Event } from "../events/Event.ts"
import { findNonJson } from "../events/Json.ts"
import { failureAt, fold, type Projection, step } from "./Projection.ts"

/** Pages of events between two that are folded twice. */
const SAMPLED_PAGES = 32

/** Events of such a page that are folded twice. */
const SAMPLED_EVENTS = 32

/**
 * The same projection, held to being pure. Everything it is given and everything it answers is made immutable, so that
 * one which changes its input throws; on sampled pages it runs twice, and event by event, must come to the same state, and
 * that must be plain JSON. What is found is a `FoldFailed` that names the event. For development: it costs time.
 */
export const checked = <S>(projection: Projection<S>): Projection<S> => {
  const freeze = freezer()
  let pages = 0

  const foldPage = (state: S, page: ReadonlyArray<Event>): S => {
    freeze(state)
    freeze(page)
    if (pages++ % SAMPLED_PAGES === 0) foldTwice(state, page.slice(0, SAMPLED_EVENTS))
    return projection.evolveAll === undefined ? page.reduce(frozenStep, state) : freeze(fold(projection, page, state))
  }

  const frozenStep = (state: S, event: Event): S => freeze(step(projection, state, event))

  const foldTwice = (state: S, page: ReadonlyArray<Event>) => {
    const fail = (event: Event, why: string) => failureAt(projection, event, new Error(why))
    let before = state
    for (const event of page) {
      const after = frozenStep(before, event)
      if (!isDeepStrictEqual(after, frozenStep(before, event))) throw fail(event, VARIES)
      before = after
    }
    const last = page.at(-1)
    if (last === undefined) return
    if (!isDeepStrictEqual(before, fold(projection, page, state))) throw fail(last, DIFFERS)
    const bad = findNonJson(before)
    if (bad !== undefined) throw fail(last, `its state has ${bad.found} at ${bad.path || "the top"}, which is not JSON`)
  }

  return {
    ...projection,
    evolve: (state, event) => foldPage(state, [event]),
    evolveAll: (state, events) => foldPage(state, [...events]),
  }
}

const VARIES =
  "from the same state and event it came to two different states; it may use nothing else, no clock and no chance"
const DIFFERS = "`evolveAll` came to another state than `evolve`, event by event, over the events up to here"

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
