/** Delivers a call's progress reports one at a time, so that a slow caller does not accumulate them. */
import { Effect } from "effect"

/** A fraction from 0 to 1, or a few words. */
export type Progress = number | string

/** Receives a progress report. */
export type OnProgress = (progress: Progress) => Effect.Effect<void>

/** Runs one call of `onProgress` at a time, and keeps only the newest report meanwhile. */
export const latestOnly = (onProgress: OnProgress | undefined): OnProgress | undefined => {
  if (onProgress === undefined) return undefined
  let isDelivering = false
  let pending: Progress | undefined
  const deliver: Effect.Effect<void> = Effect.suspend(() => {
    if (pending === undefined) {
      isDelivering = false
      return Effect.void
    }
    const progress = pending
    pending = undefined
    return Effect.zipRight(onProgress(progress), deliver)
  })
  return (progress) => {
    pending = progress
    if (isDelivering) return Effect.void
    isDelivering = true
    return deliver
  }
}
