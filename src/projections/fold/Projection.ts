import { Data, Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"

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
   * Optional: a fold that changes its state in place, and comes to what evolving by each event in turn comes to. For
   * states that are wide records, which `evolve` has to copy at every event. With `own`, nobody else has the wide records
   * of the state: they may be changed as they are. See `RecordBuilder`.
   */
  readonly draft?: (from: S, own: boolean) => StateBuilder<S>
}

/** A fold under way. */
export interface StateBuilder<S> {
  /** Takes the next event into account. */
  readonly take: (event: Event) => void
  /** The state so far. What is taken later does not change it; where that changes nothing, it is the very same one again. */
  readonly state: () => S
  /** Optional: the same for being stored, with wide records as `ChunkedRecord`: it costs what has changed since the last time. */
  readonly paged?: () => unknown
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
export const fold = <S>(projection: Projection<S>, events: Iterable<Event>, from: S = projection.initial): S => {
  const draft = begin(projection, from)
  applyAll(projection, draft, events)
  return draft.state()
}

/** Begins to fold from a state. With `own`, that state is nobody else's, and may not be looked at any more. */
export const begin = <S>(projection: Projection<S>, from: S, own = false): StateBuilder<S> =>
  projection.draft?.(from, own) ?? stepwise(projection, from)

/** Takes all of these events into account. Throws `FoldFailed`, which names the event, where the projection throws. */
export const applyAll = <S>(projection: Projection<S>, draft: StateBuilder<S>, events: Iterable<Event>): void => {
  let taken: Event | undefined
  try {
    for (const event of events) {
      taken = event
      draft.take(event)
    }
  } catch (cause) {
    throw cause instanceof FoldFailed || taken === undefined ? cause : failureAt(projection, taken, cause)
  }
}

const stepwise = <S>(projection: Projection<S>, from: S): StateBuilder<S> => {
  let state = from
  return {
    take: (event) => {
      state = projection.evolve(state, event)
    },
    state: () => state,
  }
}

/** The `evolve` of a projection that is written as its draft: one event at a time. */
export const evolveFrom =
  <S>(draft: (from: S, own: boolean) => StateBuilder<S>): Projection<S>["evolve"] =>
  (state, event) => {
    const one = draft(state, false)
    one.take(event)
    return one.state()
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
  const draft = (from: Combined, own: boolean): StateBuilder<Combined> => {
    const drafts = parts.map(([key, part]) => [key, begin(part, from[key], own)] as const)
    let state = from
    return {
      take: (event) => {
        for (const [, part] of drafts) part.take(event)
      },
      state: () => {
        for (const [key, part] of drafts) {
          const after = part.state()
          if (after !== state[key]) state = { ...state, [key]: after }
        }
        return state
      },
      paged: () => Object.fromEntries(drafts.map(([key, part]) => [key, part.paged?.() ?? part.state()])),
    }
  }
  return {
    name: parts.map(([key, part]) => `${key}:${part.name}@${part.version}`).join("+"),
    version: 1,
    // The keys and the types of their values are those of `projections`, which the compiler cannot see through a record.
    state: Schema.Struct(record((part) => part.state)) as unknown as Schema.Schema<Combined>,
    initial: record((part) => part.initial) as Combined,
    evolve: evolveFrom(draft),
    draft,
  }
}
