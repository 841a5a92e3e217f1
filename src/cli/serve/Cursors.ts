/** Answers of many items: a client takes them page by page, so that a slow one never makes the server hold them all. */
import { Chunk, Data, Effect, ExecutionStrategy, Exit, Option, Scope, Stream } from "effect"
import { JsonText } from "./Request.ts"

/** A page ends after this many characters of JSON, with at least one item. */
const PAGE_CHARACTERS = 1024 * 1024

/** Maximum number of open cursors of one connection. */
const MAX_CURSORS = 1000

/** Ask again from the beginning: the cursor has ended, or there was none. */
export class NoSuchCursor extends Data.TaggedError("NoSuchCursor")<{ readonly cursor: number }> {
  override get message() {
    return `Expected an open cursor, found ${this.cursor}, which ended or never was. Ask the question again.`
  }
}

/** Close cursors that nobody reads to their end. */
export class TooManyCursors extends Data.TaggedError("TooManyCursors")<{ readonly open: number }> {
  override get message() {
    return `Expected at most ${MAX_CURSORS} open cursors, found ${this.open}. Read them to their end, or close them (cursor.close).`
  }
}

interface Cursor {
  /** One page at a time, in order. */
  readonly alone: <A, E>(page: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly next: Effect.Effect<Option.Option<ReadonlyArray<string>>, unknown>
  readonly scope: Scope.CloseableScope
  /** Items that were read and not sent. */
  waiting: ReadonlyArray<string>
}

/** The open cursors of a connection. */
export interface Cursors {
  readonly scope: Scope.Scope
  readonly open: Map<number, Cursor>
  /** The number of the next cursor. */
  last: number
}

export const make: Effect.Effect<Cursors, never, Scope.Scope> = Effect.map(Effect.scope, (scope) => ({
  scope,
  open: new Map(),
  last: 0,
}))

/** Opens a cursor, and answers its first page: `{ items, cursor }`, where `cursor` is null after the last item. */
export const open = <A, E, R>(
  cursors: Cursors,
  items: Stream.Stream<A, E, R>,
): Effect.Effect<JsonText, E | TooManyCursors, R> =>
  Effect.gen(function* () {
    if (cursors.open.size >= MAX_CURSORS) return yield* new TooManyCursors({ open: cursors.open.size })
    const context = yield* Effect.context<R>()
    const scope = yield* Scope.fork(cursors.scope, ExecutionStrategy.sequential)
    const pull = yield* Stream.toPull(items).pipe(Scope.extend(scope))
    const next = pull.pipe(
      Effect.map((chunk) => Option.some(Chunk.toReadonlyArray(chunk).map((item) => JSON.stringify(item) ?? "null"))),
      Effect.catchAll(Option.match({ onNone: () => Effect.succeedNone, onSome: Effect.fail })),
      Effect.provide(context),
    )
    const number = ++cursors.last
    const cursor: Cursor = { alone: Effect.unsafeMakeSemaphore(1).withPermits(1), next, scope, waiting: [] }
    cursors.open.set(number, cursor)
    return yield* page(cursors, number, cursor) as Effect.Effect<JsonText, E>
  })

/** The next page of a cursor. */
export const next = (cursors: Cursors, number: number): Effect.Effect<JsonText, unknown> =>
  Effect.suspend((): Effect.Effect<JsonText, unknown> => {
    const cursor = cursors.open.get(number)
    return cursor === undefined ? new NoSuchCursor({ cursor: number }) : page(cursors, number, cursor)
  })

/** Ends a cursor, if it is open. */
export const close = (cursors: Cursors, number: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const cursor = cursors.open.get(number)
    cursors.open.delete(number)
    return cursor === undefined ? Effect.void : Scope.close(cursor.scope, Exit.void)
  })

const page = (cursors: Cursors, number: number, cursor: Cursor): Effect.Effect<JsonText, unknown> =>
  Effect.gen(function* () {
    const taken: Array<string> = []
    let characters = 0
    let isOver = false
    while (characters < PAGE_CHARACTERS && !isOver) {
      if (cursor.waiting.length === 0) {
        // Do not wait for more items while some could be sent.
        if (taken.length > 0) break
        const found = yield* cursor.next
        if (Option.isNone(found)) isOver = true
        else cursor.waiting = found.value
        continue
      }
      let count = 0
      for (const item of cursor.waiting) {
        if (characters >= PAGE_CHARACTERS) break
        taken.push(item)
        characters += item.length
        count += 1
      }
      cursor.waiting = cursor.waiting.slice(count)
    }
    if (isOver) yield* close(cursors, number)
    return new JsonText(`{"items":[${taken.join(",")}],"cursor":${isOver ? "null" : number}}`)
  }).pipe(
    Effect.onError(() => close(cursors, number)),
    cursor.alone,
  )
