/** The progress of a tool as people read it. */

/** A fraction as a percentage, and words as they are. */
export const inWords = (progress: number | string): string =>
  typeof progress === "number" ? `${Math.round(progress * 100)} %` : progress
