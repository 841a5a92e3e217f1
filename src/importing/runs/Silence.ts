/** Decides whether a live session has ended, which its format does not say. */

/** Milliseconds of silence after which a session counts as ended. */
export const SETTLED_MS = 60 * 60 * 1000

interface Written {
  /** Time of the import, in epoch milliseconds. */
  readonly now: number
  /** Last modification of the file, in epoch milliseconds. */
  readonly modifiedAt: number
}

/**
 * Whether a session has been silent for an hour, by its last record's time (null if it has none). If that time is in
 * the future, the file's time counts; if that is too, the session has ended.
 */
export const isSilent = ({ now, modifiedAt }: Written, last: number | null): boolean => {
  if (last === null) return true
  const known = [last, modifiedAt].find((at) => at <= now + SETTLED_MS)
  return known === undefined || now - known > SETTLED_MS
}
