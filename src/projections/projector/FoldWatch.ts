/** Lets a program show the progress of long folds. */

import { Context, Effect } from "effect"

/** Reports progress: events folded, of those that the fold has before it. */
export type OnFolded = (done: number, of: number) => Effect.Effect<void>

/** Runs a long fold, and is told of its progress. */
export type Watch = <A, E, R>(fold: (onFolded: OnFolded) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Shows nothing. */
export const unwatched: Watch = (fold) => fold(() => Effect.void)

/** Runs the folds that have many events before them. Default: nothing is shown. */
export class FoldWatch extends Context.Reference<FoldWatch>()("hindcast/FoldWatch", {
  defaultValue: (): Watch => unwatched,
}) {}

/** A shorter fold takes a tenth of a second, and is not watched. */
const LONG_FOLD = 20_000

/** Runs a fold of `of` positions, watched if that takes long. */
export const during = <A, E, R>(
  of: number,
  fold: (onFolded: (done: number) => Effect.Effect<void>) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  of < LONG_FOLD
    ? fold(() => Effect.void)
    : Effect.flatMap(FoldWatch, (watch) => watch((onFolded) => fold((done) => onFolded(done, of))))
