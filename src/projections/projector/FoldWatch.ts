/** Lets a program show the progress of long folds. */

import { Context, Effect } from "effect"

/** Reports the number of folded events, of all that the fold has to read. */
export type OnFolded = (done: number, of: number) => Effect.Effect<void>

/** Runs a long fold, and gets its progress. */
export type Watch = <A, E, R>(fold: (onFolded: OnFolded) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const unwatched: Watch = (fold) => fold(() => Effect.void)

/** Watches folds of many events. Default: shows nothing. */
export class FoldWatch extends Context.Reference<FoldWatch>()("hindcast/FoldWatch", {
  defaultValue: (): Watch => unwatched,
}) {}

/** Minimum length of a watched fold. A shorter one takes a tenth of a second. */
const LONG_FOLD = 20_000

/** Runs a fold of `of` positions, watched if it is long. */
export const during = <A, E, R>(
  of: number,
  fold: (onFolded: (done: number) => Effect.Effect<void>) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  of < LONG_FOLD
    ? fold(() => Effect.void)
    : Effect.flatMap(FoldWatch, (watch) => watch((onFolded) => fold((done) => onFolded(done, of))))
