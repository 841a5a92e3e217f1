/** Formats waits for people. */

/** Milliseconds as `42 s`, `5 min 3 s` or `2 h 10 min`, rounded up to a second. */
export const inWords = (ms: number): string => {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`
}
