/** Delivers progress reports of a call one at a time, so that a slow caller does not accumulate them. */
import { Effect } from "effect"

/** The progress of a call: a fraction from 0 to 1, or some words. */
export type Progress = number | string

/** Receives a progress report of a call. */
export type OnProgress = (progress: Progress) => Effect.Effect<void>

/** Serialises calls of `onProgress`. While one is running, only the newest report is kept. */
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
