/** Delivers progress reports of a call one at a time, so that a slow caller does not accumulate them. */
import { Effect } from "effect"

/** The progress of a call: a fraction from 0 to 1, or some words. */
export type Progress = number | string

export type OnProgress = (progress: Progress) => Effect.Effect<void>

/** Serialises calls of `onProgress`. While one is running, only the newest report is kept. */
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
