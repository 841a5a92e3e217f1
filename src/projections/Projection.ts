import { Data, Schema } from "effect"
import type { Event } from "../events/Event.ts"

/**
 * A pure fold over events: what it is called, what its state is, and how one event changes it.
 *
 * States are plain JSON (encoded form = decoded form). `evolve` is pure and total, never changes its input, shares
 * structure with it, and answers with the very same state for an event that is no concern of it.
 */
export interface Projection<S> {
  readonly name: string
  /** Raise it when `evolve` changes meaning. */
  readonly version: number
  readonly state: Schema.Schema<S>
  readonly initial: S
  readonly evolve: (state: S, event: Event) => S
  /**
   * Optional: what evolving by each of these events in turn comes to, the same state at less cost. For states that are
   * wide records, which `evolve` has to copy at every event and this only once.
   */
  readonly evolveAll?: (state: S, events: Iterable<Event>) => S
}

/** A defect of a projection: its `evolve` threw. */
export class FoldFailed extends Data.TaggedError("FoldFailed")<{
  readonly projection: string
  readonly position: number
  readonly type: string
  readonly cause: unknown
}> {
  override get message() {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return (
      `Projection ${this.projection} failed at @${this.position} (${this.type}): expected a state, found an exception: ` +
      `${why}. \`evolve\` must accept every event; correct it.`
    )
  }
}

/** One step of a fold. Throws `FoldFailed` where `evolve` throws. */
export const step = <S>(projection: Projection<S>, state: S, event: Event): S => {
  try {
    return projection.evolve(state, event)
  } catch (cause) {
    throw new FoldFailed({
      projection: `${projection.name}@${projection.version}`,
      position: event.position,
      type: event.type,
      cause,
    })
  }
}

/**
 * The state after these events, in their order, from `from` or from the beginning. It holds that
 * `fold(p, [...a, ...b]) = fold(p, b, fold(p, a))`. Throws `FoldFailed` where `evolve` throws.
 */
export const fold = <S>(projection: Projection<S>, events: Iterable<Event>, from: S = projection.initial): S => {
  if (projection.evolveAll !== undefined) return projection.evolveAll(from, events)
  let state = from
  for (const event of events) state = step(projection, state, event)
  return state
}

/**
 * One projection whose state is the record of the given ones' states: several folds in one pass over the log.
 *
 * @example combine({ tasks: Tasks.projection, plugins: PluginRegistry.projection })
 */
export const combine = <States extends Record<string, unknown>>(
  projections: {
    readonly [Key in keyof States]: Projection<States[Key]>
  },
): Projection<{ readonly [Key in keyof States]: States[Key] }> => {
  type Combined = { readonly [Key in keyof States]: States[Key] }
  const parts: ReadonlyArray<[keyof States & string, Projection<States[keyof States]>]> = Object.entries(projections)
  const record = <Value>(of: (part: Projection<States[keyof States]>) => Value) =>
    Object.fromEntries(parts.map(([key, part]) => [key, of(part)]))
  const eachPart = (
    state: Combined,
    next: (part: Projection<States[keyof States]>, before: States[keyof States]) => States[keyof States],
  ): Combined => {
    let combined = state
    for (const [key, part] of parts) {
      const before = state[key]
      const after = next(part, before)
      if (after !== before) combined = { ...combined, [key]: after }
    }
    return combined
  }
  return {
    name: parts.map(([key, part]) => `${key}:${part.name}@${part.version}`).join("+"),
    version: 1,
    // The keys and the types of their values are those of `projections`, which the compiler cannot see through a record.
    state: Schema.Struct(record((part) => part.state)) as unknown as Schema.Schema<Combined>,
    initial: record((part) => part.initial) as Combined,
    evolve: (state, event) => eachPart(state, (part, before) => part.evolve(before, event)),
    evolveAll: (state, events) => {
      // Each part goes through the events in turn, so they have to be there more than once.
      const page = [...events]
      return eachPart(state, (part, before) => fold(part, page, before))
    },
  }
}
