/** The option `--limit`, and the functions that apply it to a stream of results. */
import { Options } from "@effect/cli"
import { Chunk, Effect, Option, Stream } from "effect"
import type { Style } from "../terminal/Style.ts"
import { MORE_HINT } from "../terminal/Text.ts"
import { wholeNumber } from "./CommonOptions.ts"

/** The option `--limit`. `description` says which results are shown; the default is appended to it. */
export const limit = (description: string, otherwise = 50) =>
  wholeNumber("limit", 1).pipe(
    Options.withDescription(`${description}. Default: ${otherwise}`),
    Options.withDefault(otherwise),
  )

/** Limits to the last results, or to the first ones if the option `from` is given. */
export const lastOrFirst = (from: string) =>
  limit(`Show at most this many: the last ones; with --${from}, the first ones`)

export interface LimitedResults<A> {
  readonly shown: ReadonlyArray<A>
  readonly beyond: string | undefined
}

/**
 * The first `limit` results if `from` is given, else the last ones.
 *
 * @param skipped the number of earlier results that the stream leaves out
 */
export const of = <A, E, R>(
  all: Stream.Stream<A, E, R>,
  limit: number,
  from: Option.Option<string>,
  skipped = 0,
): Effect.Effect<LimitedResults<A>, E, R> => (Option.isSome(from) ? first(all, limit) : last(all, limit, skipped))

const first = <A, E, R>(all: Stream.Stream<A, E, R>, limit: number) =>
  // One additional result shows whether there are more.
  Effect.map(Stream.runCollect(Stream.take(all, limit + 1)), (found) => ({
    shown: Chunk.toReadonlyArray(found).slice(0, limit),
    beyond: found.length > limit ? `Later ones follow; ${MORE_HINT}` : undefined,
  }))

const last = <A, E, R>(all: Stream.Stream<A, E, R>, limit: number, skipped: number) =>
  Effect.gen(function* () {
    let passed = skipped
    const counted = Stream.mapChunks(all, (chunk) => {
      passed += chunk.length
      return chunk
    })
    const shown = Chunk.toReadonlyArray(yield* Stream.runCollect(Stream.takeRight(counted, limit)))
    const earlier = passed - shown.length
    return { shown, beyond: earlier > 0 ? `${earlier} earlier; ${MORE_HINT}` : undefined }
  })

export const lines = <A>(
  style: Style,
  { shown, beyond }: LimitedResults<A>,
  format: (style: Style, shown: ReadonlyArray<A>) => ReadonlyArray<string>,
  nothing: string,
): ReadonlyArray<string> =>
  shown.length === 0 ? [nothing] : [...format(style, shown), ...(beyond === undefined ? [] : [style.dim(beyond)])]
