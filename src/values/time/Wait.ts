/** Waits as people say them. */

/** A wait in milliseconds: `42 s`, `5 min 3 s`, `2 h 10 min`. What is begun of a second counts as one. */
export const inWords = (ms: number): string => {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`
}
