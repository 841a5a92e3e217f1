/** The exact confidence interval of a probability (Clopper & Pearson, Biometrika 26, 1934). */

/**
 * The 95 % interval of the probability of a success, of which so many were seen in so many trials. It covers the
 * probability in at least 95 % of all cases, whatever the probability and the number of trials are.
 */
export const clopperPearson = (successes: number, trials: number): { readonly low: number; readonly high: number } => ({
  low: lowerBound(successes, trials),
  high: 1 - lowerBound(trials - successes, trials),
})

/** The probability that is left out at either end. */
const TAIL = 0.025

/** Halvings in the search for a bound; after so many, doubles no longer distinguish probabilities. */
const STEPS = 60

/** The probability at which so many successes or more have a chance of 2.5 %. */
const lowerBound = (successes: number, trials: number): number => {
  if (successes === 0) return 0
  const binomials = logBinomials(trials)
  const atLeast = (p: number): number => {
    let sum = 0
    for (let count = successes; count <= trials; count++) {
      sum += Math.exp((binomials[count] ?? 0) + count * Math.log(p) + (trials - count) * Math.log1p(-p))
    }
    return sum
  }
  let [low, high] = [0, 1]
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2
    if (atLeast(middle) < TAIL) low = middle
    else high = middle
  }
  return low
}

/** The logarithms of the binomial coefficients of n over 0 … n. */
const logBinomials = (n: number): Float64Array => {
  const logs = new Float64Array(n + 1)
  for (let count = 1; count <= n; count++) {
    logs[count] = (logs[count - 1] ?? 0) + Math.log(n - count + 1) - Math.log(count)
  }
  return logs
}
