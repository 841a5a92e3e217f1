/** Merges the items of all parts of some work into one sequence, in the order of their keys. */
import { Chunk, Effect, Stream } from "effect"
import type { TaskPart } from "../../events/log/TaskPart.ts"
import { compare, type Item, nameOf, type PartOf, type PartReading, PartUnusable, readFile } from "./PartLines.ts"

/** The work whose parts are merged. */
export type Work = Pick<PartOf, "kind" | "about">

/** The items of parts, which have been checked to be all parts of one work. Fails if one of them is not whole. */
export const ofAll = (parts: ReadonlyArray<AsyncIterable<ReadonlyArray<Item>>>): Stream.Stream<Item, PartUnusable> =>
  Stream.fromAsyncIterable(inOrder(parts), usable).pipe(Stream.map(Chunk.unsafeFromArray), Stream.flattenChunks)

/** The items of files. Fails if a part is missing, or there are two of one, before any item. */
export const ofFiles = (work: Work, files: ReadonlyArray<string>): Stream.Stream<Item, PartUnusable> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const readings = yield* Effect.forEach(files, (file) =>
        Effect.tryPromise({ try: async () => ({ file, ...(await readFile(file)) }), catch: usable }),
      )
      yield* checkComplete(work, readings)
      return ofAll(readings.map(({ items }) => items))
    }),
  )

const checkComplete = (
  work: Work,
  readings: ReadonlyArray<{ readonly file: string } & Pick<PartReading, "of">>,
): Effect.Effect<void, PartUnusable> =>
  Effect.gen(function* () {
    const seen = new Map<number, string>()
    const of = readings[0]?.of.part.of ?? 0
    for (const { file, of: found } of readings) {
      const refuse = (reason: string) => new PartUnusable({ part: file, reason })
      if (found.kind !== work.kind) return yield* refuse(`expected a part of ${work.kind}, found one of ${found.kind}`)
      if (found.about !== work.about)
        return yield* refuse("it is of other work: another score set, log, position or option than this command's")
      if (found.part.of !== of) return yield* refuse(`expected one of ${of} parts, found the part ${nameOf(found)}`)
      const other = seen.get(found.part.index)
      if (other !== undefined) return yield* refuse(`it is the part ${nameOf(found)}, as ${other} is`)
      seen.set(found.part.index, file)
    }
    const missing = Array.from({ length: of }, (_, index): TaskPart => ({ index, of })).find(
      ({ index }) => !seen.has(index),
    )
    if (missing !== undefined) {
      const reason = `it is missing among the ${readings.length} that were given. Write it with --part ${nameOf({ part: missing })}, and merge all of them`
      return yield* new PartUnusable({ part: nameOf({ part: missing }), reason })
    }
  })

/** A part whose items are being merged: its newest batch, and the next item in it. */
interface Open {
  readonly iterator: AsyncIterator<ReadonlyArray<Item>>
  batch: ReadonlyArray<Item>
  at: number
}

/** The items of all parts in order, in batches: each ends where a part has to be asked for more. */
async function* inOrder(parts: ReadonlyArray<AsyncIterable<ReadonlyArray<Item>>>): AsyncGenerator<ReadonlyArray<Item>> {
  // All parts begin at once.
  const begun = parts.map(async (part): Promise<ReadonlyArray<Open>> => {
    const iterator = part[Symbol.asyncIterator]()
    const { done, value } = await iterator.next()
    return done === true ? [] : [{ iterator, batch: value, at: 0 }]
  })
  const open = (await Promise.all(begun)).flat()
  while (open.length > 0) {
    const { merged, empty } = takeInOrder(open)
    if (merged.length > 0) yield merged
    const { done, value } = await empty.iterator.next()
    if (done === true) open.splice(open.indexOf(empty), 1)
    else {
      empty.batch = value
      empty.at = 0
    }
  }
}

/** Takes items of parts, in order, until the batch of one of them has none left. */
const takeInOrder = (open: ReadonlyArray<Open>): { readonly merged: ReadonlyArray<Item>; readonly empty: Open } => {
  const merged: Array<Item> = []
  for (;;) {
    let least: Open | undefined
    let first: Item | undefined
    for (const one of open) {
      const item = one.batch[one.at]
      if (item === undefined) return { merged, empty: one }
      if (first === undefined || compare(item.key, first.key) < 0) {
        least = one
        first = item
      }
    }
    if (least === undefined || first === undefined) throw new Error("no part is open")
    merged.push(first)
    least.at += 1
  }
}

/** Other exceptions are defects of this program. */
const usable = (cause: unknown): PartUnusable => {
  if (cause instanceof PartUnusable) return cause
  throw cause
}
