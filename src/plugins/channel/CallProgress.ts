import { Effect } from "effect"

/** How far a call has come: a fraction from 0 to 1, or some words. */
export type Progress = number | string

export type OnProgress = (progress: Progress) => Effect.Effect<void>

/** Tells one at a time; of what comes while the caller is being told, only the newest is kept. */
export const newest = (onProgress: OnProgress | undefined): OnProgress | undefined => {
  if (onProgress === undefined) return undefined
  let telling = false
  let untold: Progress | undefined
  const tell: Effect.Effect<void> = Effect.suspend(() => {
    if (untold === undefined) {
      telling = false
      return Effect.void
    }
    const progress = untold
    untold = undefined
    return Effect.zipRight(onProgress(progress), tell)
  })
  return (progress) => {
    untold = progress
    if (telling) return Effect.void
    telling = true
    return tell
  }
}
