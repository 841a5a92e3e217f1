/** The contract of a projection, a pure fold over events, and the functions that run one. */

import { Data, Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"

/**
 * A pure fold over events: its name, its state, and how one event changes the state.
 *
 * States are plain JSON (encoded form = decoded form). `evolve` is pure and total. It never changes its input, shares
 * structure with it, and returns the identical state for an event that does not concern it.
 */
export interface Projection<S> {
  readonly name: string
  /** Raise it when `evolve` changes meaning. */
  readonly version: number
  readonly state: Schema.Schema<S>
  readonly initial: S
  /** Returns the state after one more event. */
  readonly evolve: (state: S, event: Event) => S
  /**
   * The types of events that concern it. The projector reads only these. `evolve` must return the identical state for
   * every other type. Default: all types.
   */
  readonly types?: ReadonlyArray<string>
  /**
   * A mutable implementation of the same fold, for states with wide records, which `evolve` would copy at every event.
   * It must be equivalent to applying `evolve` event by event. If `own` is true, the caller hands over `from`, and its
   * wide records may be mutated; otherwise they are copied before the first write. See `RecordBuilder`.
   */
  readonly builder?: (from: S, own: boolean) => StateBuilder<S>
  /**
   * Present if the state after a step of an episode depends on earlier steps only through the world's document and the
   * last readings, as long as each change fits the document. `stateAt` then reads compact events in short
   * (`Query.condensed`), and asks whether that holds for a task in the state.
   */
  readonly condensed?: (state: S, taskId: string) => boolean
  /** For a combined projection (`combine`): the projections of its states' fields. */
  readonly parts?: Readonly<Record<string, object>>
}

/** A fold in progress. */
export interface StateBuilder<S> {
  /** Folds the next event. */
  readonly apply: (event: Event) => void
  /**
   * Returns the state so far. Later calls of `apply` do not change it. The identical object if no event has changed it.
   */
  readonly state: () => S
  /**
   * Returns the state for storage, with its wide records as `ChunkedRecord`. Costs only the changes since the last
   * call.
   */
  readonly chunked?: () => unknown
}

/** A state, and the position of the last event folded into it. */
export interface Positioned<S> {
  readonly position: number
  readonly state: S
}

/** A defect of a projection: its `evolve` threw, or is impure. */
export class FoldFailed extends Data.TaggedError("FoldFailed")<{
  readonly projection: string
  readonly position: number
  readonly type: string
  readonly cause: unknown
}> {
  override get message() {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return (
      `Projection ${this.projection} failed at @${this.position} (${this.type}): ${why}. ` +
      "A projection must accept every event, leave its input unchanged, and depend on nothing else."
    )
  }
}

/** The failure of a projection at an event. */
export const failureAt = <S>({ name, version }: Projection<S>, { position, type }: Event, cause: unknown): FoldFailed =>
  new FoldFailed({ projection: `${name}@${version}`, position, type, cause })

/** One step of a fold. Throws `FoldFailed` if `evolve` throws. */
export const step = <S>(projection: Projection<S>, state: S, event: Event): S => {
  try {
    return projection.evolve(state, event)
  } catch (cause) {
    throw cause instanceof FoldFailed ? cause : failureAt(projection, event, cause)
  }
}

/**
 * Returns the state after these events, in order, from `from` or from the initial state. Law:
 * `fold(p, [...a, ...b]) = fold(p, b, fold(p, a))`. Throws `FoldFailed` if `evolve` throws.
 */
export const fold = <S>(projection: Projection<S>, events: Iterable<Event>, from: S = projection.initial): S => {
  const builder = begin(projection, from)
  applyAll(projection, builder, events)
  return builder.state()
}

/** Starts a fold from a state. With `own`, the caller hands the state over and must not read it any more. */
export const begin = <S>(projection: Projection<S>, from: S, own = false): StateBuilder<S> =>
  projection.builder?.(from, own) ?? stepwise(projection, from)

/** Folds all of these events. Throws `FoldFailed`, which names the event, if the projection throws. */
export const applyAll = <S>(projection: Projection<S>, builder: StateBuilder<S>, events: Iterable<Event>): void => {
  let current: Event | undefined
  try {
    for (const event of events) {
      current = event
      builder.apply(event)
    }
  } catch (cause) {
    throw cause instanceof FoldFailed || current === undefined ? cause : failureAt(projection, current, cause)
  }
}

const stepwise = <S>(projection: Projection<S>, from: S): StateBuilder<S> => {
  let state = from
  return {
    apply: (event) => {
      state = projection.evolve(state, event)
    },
    state: () => state,
  }
}

/** Derives `evolve` from a projection's `builder`. */
export const evolveFrom =
  <S>(makeBuilder: (from: S, own: boolean) => StateBuilder<S>): Projection<S>["evolve"] =>
  (state, event) => {
    const builder = makeBuilder(state, false)
    builder.apply(event)
    return builder.state()
  }

/**
 * Combines projections into one whose state is the record of their states: several folds in one pass over the log.
 *
 * @example
 * ```ts
 * combine({ tasks: Tasks.projection, plugins: PluginRegistry.projection })
 * ```
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
  const builder = (from: Combined, own: boolean): StateBuilder<Combined> => {
    const builders = parts.map(([key, part]) => [key, begin(part, from[key], own)] as const)
    let state = from
    return {
      apply: (event) => {
        for (const [, part] of builders) part.apply(event)
      },
      state: () => {
        for (const [key, part] of builders) {
          const after = part.state()
          if (after !== state[key]) state = { ...state, [key]: after }
        }
        return state
      },
      chunked: () => Object.fromEntries(builders.map(([key, part]) => [key, part.chunked?.() ?? part.state()])),
    }
  }
  return {
    name: parts.map(([key, part]) => `${key}:${part.name}@${part.version}`).join("+"),
    version: 1,
    // The keys and value types are those of `projections`; the compiler loses them in `Object.fromEntries`.
    state: Schema.Struct(record((part) => part.state)) as unknown as Schema.Schema<Combined>,
    initial: record((part) => part.initial) as Combined,
    evolve: evolveFrom(builder),
    builder,
    parts: projections,
  }
}
