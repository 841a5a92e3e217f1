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

/** A state, and the position up to which it takes events into account. */
export interface Positioned<S> {
  readonly position: number
  readonly state: S
}

/** A defect of a projection: its `evolve` threw, or was found not to be pure. */
export class FoldFailed extends Data.TaggedError("FoldFailed")<{
  readonly projection: string
  readonly position: number
  readonly type: string
  readonly cause: unknown
}> {
  override get message() {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return (
      `Projection ${this.projection} failed at @${this.position} (${this.type}): expected a new state, found a fault: ${why}. ` +
      "`evolve` must accept every event, change nothing it is given, and depend on nothing else; correct it."
    )
  }
}

/** The failure of a projection at an event. */
export const failureAt = <S>({ name, version }: Projection<S>, { position, type }: Event, cause: unknown): FoldFailed =>
  new FoldFailed({ projection: `${name}@${version}`, position, type, cause })

/** One step of a fold. Throws `FoldFailed` where `evolve` throws. */
export const step = <S>(projection: Projection<S>, state: S, event: Event): S => {
  try {
    return projection.evolve(state, event)
  } catch (cause) {
    throw cause instanceof FoldFailed ? cause : failureAt(projection, event, cause)
  }
}

/**
 * The state after these events, in their order, from `from` or from the beginning. It holds that
 * `fold(p, [...a, ...b]) = fold(p, b, fold(p, a))`. Throws `FoldFailed` where `evolve` throws.
 */
export const fold = <S>(projection: Projection<S>, events: Iterable<Event>, from: S = projection.initial): S =>
  projection.evolveAll === undefined
    ? foldEach(projection, events, from)
    : foldAll(projection.evolveAll, projection, events, from)

const foldEach = <S>(projection: Projection<S>, events: Iterable<Event>, from: S): S => {
  let state = from
  for (const event of events) state = step(projection, state, event)
  return state
}

const foldAll = <S>(
  evolveAll: (state: S, events: Iterable<Event>) => S,
  projection: Projection<S>,
  events: Iterable<Event>,
  from: S,
): S => {
  try {
    return evolveAll(from, events)
  } catch (cause) {
    // Event by event it fails as well, and then says where.
    if (!(cause instanceof FoldFailed)) foldEach(projection, events, from)
    throw cause
  }
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
