/** Merges the items of all parts of some work into one sequence, in the order of their keys. */
import { Effect, Stream } from "effect"
import type { TaskPart } from "../../events/log/TaskPart.ts"
import { compare, type Item, nameOf, type PartOf, type PartReading, PartUnusable, readFile } from "./PartLines.ts"

/** The work whose parts are merged. */
export type Work = Pick<PartOf, "kind" | "about">

/** The items of parts, which have been checked to be all parts of one work. Fails if one of them is not whole. */
export const ofAll = (parts: ReadonlyArray<AsyncIterable<Item>>): Stream.Stream<Item, PartUnusable> =>
  Stream.fromAsyncIterable(inOrder(parts), usable)

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

async function* inOrder(parts: ReadonlyArray<AsyncIterable<Item>>): AsyncGenerator<Item> {
  // All parts begin at once.
  const begun = parts.map((part) => {
    const iterator = part[Symbol.asyncIterator]()
    return iterator.next().then((first) => ({ iterator, first }))
  })
  const open = (await Promise.all(begun)).flatMap(({ iterator, first }) =>
    first.done === true ? [] : [{ iterator, item: first.value }],
  )
  for (;;) {
    let least = open[0]
    if (least === undefined) return
    for (const one of open) if (compare(one.item.key, least.item.key) < 0) least = one
    yield least.item
    const { done, value } = await least.iterator.next()
    if (done === true) open.splice(open.indexOf(least), 1)
    else least.item = value
  }
}

/** Other exceptions are defects of this program. */
const usable = (cause: unknown): PartUnusable => {
  if (cause instanceof PartUnusable) return cause
  throw cause
}
