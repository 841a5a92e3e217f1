import { Effect } from "effect"

/**
 * A count on the last line of a person's terminal, on the standard error: `verified 12000 of 100000 (12 %)`. It is written
 * when the percentage changes, wiped away at the end, and not written at all where nobody looks.
 */
export const counting = <A, E, R>(
  verb: string,
  run: (onProgress: (done: number, of: number) => Effect.Effect<void>) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => {
  const { stderr } = process
  if (stderr.isTTY !== true) return run(() => Effect.void)
  let shown = -1
  const onProgress = (done: number, of: number) =>
    Effect.sync(() => {
      const percent = of === 0 ? 100 : Math.floor((done / of) * 100)
      if (percent === shown) return
      shown = percent
      stderr.write(`${WIPE}${verb} ${done} of ${of} (${percent} %)`)
    })
  return Effect.ensuring(
    run(onProgress),
    Effect.sync(() => void stderr.write(WIPE)),
  )
}

/** Back to the line's beginning, and the line emptied. */
const WIPE = "\r\u001b[2K"
