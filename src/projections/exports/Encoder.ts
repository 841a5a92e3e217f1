/** The interface of an export format: turns pages of items into chunks of a file. */

import { Effect, Stream } from "effect"

/**
 * Bytes, or text to write as UTF-8. Many short texts stay a list, which a writer would otherwise have to split again.
 */
export type Chunk = string | Uint8Array | ReadonlyArray<string>

/**
 * Encodes a file piece by piece: `add` encodes a page of items, `end` returns the rest of the file. Buffers only what
 * the format requires. Do not use it after `end`.
 */
export interface Encoder<Item> {
  readonly add: (page: ReadonlyArray<Item>) => Chunk | Promise<Chunk>
  readonly end: () => Chunk | Promise<Chunk>
}

/** A chunk as an effect. A rejected promise is a defect of the encoder. */
export const made = (chunk: Chunk | Promise<Chunk>): Effect.Effect<Chunk> =>
  chunk instanceof Promise ? Effect.promise(() => chunk) : Effect.succeed(chunk)

/** Streams the chunks of a file, encoded from these pages by a new encoder. */
export const encode = <Item, E, R>(
  make: () => Encoder<Item>,
  pages: Stream.Stream<ReadonlyArray<Item>, E, R>,
): Stream.Stream<Chunk, E, R> =>
  Stream.suspend(() => {
    const encoder = make()
    return pages.pipe(
      Stream.mapEffect((page) => Effect.suspend(() => made(encoder.add(page)))),
      Stream.concat(Stream.suspend(() => Stream.fromEffect(made(encoder.end())))),
      Stream.filter(({ length }) => length > 0),
    )
  })
