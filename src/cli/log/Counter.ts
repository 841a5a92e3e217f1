/** A counter of progress on the terminal, for operations whose total is known. */
import { Effect } from "effect"

/**
 * Runs an effect and shows its progress on the last line of the standard error: `verified 12000 of 100000 (12 %)`. The
 * line is updated when the percentage changes and erased at the end. Nothing is written if the standard error is not a
 * terminal.
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

/** Returns to the start of the line and erases it. */
const WIPE = "\r\u001b[2K"
