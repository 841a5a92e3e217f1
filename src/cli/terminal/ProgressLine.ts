import { Clock, Effect } from "effect"

/** How far a long work is: so much done, of so much in all where that is known. */
export type OnProgress = (done: number, of?: number) => Effect.Effect<void>

/** What a progress line is about. */
export interface About {
  /** What is being done, as it is said of what is done: `scored`, `exported`. */
  readonly verb: string
  /** What is counted, in the plural: `events`. */
  readonly unit: string
  /** Answers for programs: nothing is shown. */
  readonly json: boolean
}

/** Where the line is shown: a terminal, or something that is none, where nothing is. */
export interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly write: (text: string) => unknown
}

/**
 * Shows on the last line of a person's terminal, on the standard error, how far a long work is: a bar, what is done, how
 * fast, and how long it will still take. It is wiped away when the work ends, in whatever way, and is never written where
 * nobody looks or with `--json`.
 *
 * @example
 * ProgressLine.during({ verb: "scored", unit: "events", json }, (onProgress) => rescore({ rubric, onProgress }))
 */
export const during = <A, E, R>(
  { verb, unit, json }: About,
  run: (onProgress: OnProgress) => Effect.Effect<A, E, R>,
  terminal: Terminal = process.stderr,
): Effect.Effect<A, E, R> => {
  if (json || terminal.isTTY !== true) return run(() => Effect.void)
  let first: { readonly ms: number; readonly done: number } | undefined
  let shownAt = Number.NEGATIVE_INFINITY
  const onProgress: OnProgress = (done, of) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      first ??= { ms: now, done }
      if (now - shownAt < EVERY_MS && done !== of) return
      shownAt = now
      const seen = { verb, unit, done, of, since: first.done, elapsedMs: now - first.ms }
      terminal.write(`${WIPE}${line(seen, terminal.columns ?? DEFAULT_COLUMNS)}`)
    })
  return Effect.ensuring(
    run(onProgress),
    Effect.sync(() => void terminal.write(WIPE)),
  )
}

/** Back to the line's beginning, and the line emptied. */
const WIPE = "\r\u001b[2K"

/** The line is written again after so many milliseconds at the earliest. */
const EVERY_MS = 100

/** A terminal that does not say how wide it is. */
const DEFAULT_COLUMNS = 80

/** What was seen of a work under way. */
export interface ProgressState {
  readonly verb: string
  readonly unit: string
  readonly done: number
  readonly of: number | undefined
  /** What had been done when it began to be watched: a resumed work begins in the middle. */
  readonly since: number
  readonly elapsedMs: number
}

/** The line for what was seen, at most one character shorter than the terminal is wide. */
export const line = ({ verb, unit, done, of, since, elapsedMs }: ProgressState, columns: number): string => {
  const share = of === undefined ? undefined : of === 0 ? 1 : Math.min(1, done / of)
  const perSecond = elapsedMs < MIN_ELAPSED_MS ? 0 : ((done - since) / elapsedMs) * 1_000
  const words = [
    ...(share === undefined ? [] : [bar(share)]),
    verb,
    of === undefined ? `${grouped(done)} ${unit}` : `${grouped(done)} of ${grouped(of)} ${unit}`,
    ...(share === undefined ? [] : [`(${Math.floor(share * 100)} %)`]),
    ...(perSecond > 0 ? [`· ${rate(perSecond)}/s`] : []),
    ...(perSecond > 0 && of !== undefined && of > done ? [`· ${duration((of - done) / perSecond)} left`] : []),
  ]
  return words.join(" ").slice(0, columns - 1)
}

/** A rate that was measured over less time says nothing yet. */
const MIN_ELAPSED_MS = 200

const BAR_LENGTH = 20

const bar = (share: number): string => {
  const full = Math.floor(share * BAR_LENGTH)
  return "█".repeat(full) + "░".repeat(BAR_LENGTH - full)
}

/** `1,234,567` */
const grouped = (count: number): string => Math.round(count).toLocaleString("en")

/** Slow work has a rate below 1 as well. */
const rate = (perSecond: number): string => (perSecond < 10 ? perSecond.toFixed(1) : grouped(perSecond))

/** `42 s`, `3 min 5 s`, `2 h 10 min` */
const duration = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`
}
