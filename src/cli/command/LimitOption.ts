/** The option `--limit`, and the function that applies it to a stream of results. */
import { Options } from "@effect/cli"
import { Chunk, Effect, Option, Stream } from "effect"
import { wholeNumber } from "./CommonOptions.ts"

/** Default number of results. */
const LIMIT = 50

/** The maximum number of results to show. */
export const limit = wholeNumber("limit", 1).pipe(
  Options.withDescription(`Show at most so many: the last ones, with --since the first ones. Default: ${LIMIT}`),
  Options.withDefault(LIMIT),
)

/** A part of the results, and a line about the remaining ones if there are any. */
export interface Some<A> {
  readonly shown: ReadonlyArray<A>
  readonly beyond: string | undefined
}

const MORE_HINT = "--limit N shows more."

/** The first `limit` results if `--since` was given, else the last ones. */
export const of = <A, E, R>(
  all: Stream.Stream<A, E, R>,
  limit: number,
  since: Option.Option<string>,
): Effect.Effect<Some<A>, E, R> => (Option.isSome(since) ? first(all, limit) : last(all, limit))

const first = <A, E, R>(all: Stream.Stream<A, E, R>, limit: number) =>
  // One additional result shows whether there are more.
  Effect.map(Stream.runCollect(Stream.take(all, limit + 1)), (found) => ({
    shown: Chunk.toReadonlyArray(found).slice(0, limit),
    beyond: found.length > limit ? `Later ones follow; ${MORE_HINT}` : undefined,
  }))

const last = <A, E, R>(all: Stream.Stream<A, E, R>, limit: number) =>
  Effect.gen(function* () {
    let passed = 0
    const counted = Stream.mapChunks(all, (chunk) => {
      passed += chunk.length
      return chunk
    })
    const shown = Chunk.toReadonlyArray(yield* Stream.runCollect(Stream.takeRight(counted, limit)))
    const earlier = passed - shown.length
    return { shown, beyond: earlier > 0 ? `${earlier} earlier; ${MORE_HINT}` : undefined }
  })
