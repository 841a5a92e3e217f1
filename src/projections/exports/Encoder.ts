/** The interface of an export format: turns pages of items into chunks of a file. */

import { Effect, Stream } from "effect"

/**
 * Bytes, or text to write as UTF-8. Many short texts stay a list, which a writer would otherwise have to split again.
 */
export type Encoded = string | Uint8Array | ReadonlyArray<string>

/**
 * Encodes a file piece by piece: `add` encodes a page of items, `end` returns the rest of the file. Buffers only what
 * the format requires. Do not use it after `end`.
 */
export interface Encoder<Item> {
  readonly add: (page: ReadonlyArray<Item>) => Encoded | Promise<Encoded>
  readonly end: () => Encoded | Promise<Encoded>
}

/** A chunk as an effect. A rejected promise is a defect of the encoder. */
export const made = (chunk: Encoded | Promise<Encoded>): Effect.Effect<Encoded> =>
  chunk instanceof Promise ? Effect.promise(() => chunk) : Effect.succeed(chunk)

/** Streams the chunks of a file, encoded from these pages by a new encoder. */
export const encode = <Item, E, R>(
  make: () => Encoder<Item>,
  pages: Stream.Stream<ReadonlyArray<Item>, E, R>,
): Stream.Stream<Encoded, E, R> =>
  Stream.suspend(() => {
    const encoder = make()
    return pages.pipe(
      Stream.mapEffect((page) => Effect.suspend(() => made(encoder.add(page)))),
      Stream.concat(Stream.suspend(() => Stream.fromEffect(made(encoder.end())))),
      Stream.filter(({ length }) => length > 0),
    )
  })
