/** Measuring: interleaved runs, medians, ratios. */

/** The middle of some numbers. */
export const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Milliseconds that one call took. */
export const timed = async (run) => {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

/**
 * Runs contenders in turn, round after round, so that what else the machine does meets all of them alike; the first
 * round warms up and does not count. Answers the median milliseconds of each.
 */
export const interleave = async (contenders, rounds) => {
  const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) {
      const ms = await timed(run)
      if (round > 0) times[name].push(ms)
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]))
}
