/**
 * The progress line of a long operation: a bar, a count, a rate and the remaining time, on the terminal's last line.
 */
import { Effect } from "effect"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { inWords } from "../../values/time/Wait.ts"

export type OnProgress = (done: number, of?: number) => Effect.Effect<void>

/** Names a part before its check, which may block the process for long. */
export type OnCheck = (what: string) => Effect.Effect<void>

export interface About {
  /** A past participle: `scored`, `exported`. */
  readonly verb: string
  /** The items, in the plural: `events`. */
  readonly unit: string
  readonly json: boolean
}

/** The output stream. Only a terminal shows the line. */
export interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly write: (text: string) => unknown
}

/**
 * Runs an effect and shows its progress on the standard error. Erases the line when the effect ends, fails or is
 * interrupted. Writes nothing with `--json` or if the stream is not a terminal.
 *
 * @example
 * ProgressLine.during({ verb: "scored", unit: "events", json }, (onProgress) => rescore({ rubric, onProgress }))
 */
export const during = <A, E, R>(
  { verb, unit, json }: About,
  run: (onProgress: OnProgress, onCheck: OnCheck) => Effect.Effect<A, E, R>,
  terminal: Terminal = process.stderr,
): Effect.Effect<A, E, R> => {
  const silent = () => Effect.void
  if (json || terminal.isTTY !== true) return run(silent, silent)
  const show = (text: (columns: number) => string) =>
    void terminal.write(WIPE + text(terminal.columns ?? DEFAULT_COLUMNS))
  let first: { readonly ms: number; readonly done: number } | undefined
  let shownAt = Number.NEGATIVE_INFINITY
  const onProgress: OnProgress = (done, of) =>
    Effect.map(MonotonicClock.now, (now) => {
      first ??= { ms: now, done }
      if (now - shownAt < MIN_INTERVAL_MS && done !== of) return
      shownAt = now
      const state = { verb, unit, done, of, since: first.done, elapsedMs: now - first.ms }
      show((columns) => line(state, columns))
    })
  const onCheck: OnCheck = (what) => Effect.sync(() => show((columns) => `checking ${what}`.slice(0, columns - 1)))
  return Effect.ensuring(
    run(onProgress, onCheck),
    Effect.sync(() => void terminal.write(WIPE)),
  )
}

const WIPE = "\r\u001b[2K"

/** Minimum time between two updates, in milliseconds. */
const MIN_INTERVAL_MS = 100

/** Width of a terminal that does not report its width. */
const DEFAULT_COLUMNS = 80

export interface ProgressState {
  readonly verb: string
  readonly unit: string
  readonly done: number
  readonly of: number | undefined
  /** Items done before the line started. A resumed operation does not start at 0. */
  readonly since: number
  readonly elapsedMs: number
}

/** The progress line, at most `columns - 1` characters long. */
export const line = ({ verb, unit, done, of, since, elapsedMs }: ProgressState, columns: number): string => {
  const share = of === undefined ? undefined : of === 0 ? 1 : Math.min(1, done / of)
  const perSecond = elapsedMs < MIN_ELAPSED_MS ? 0 : ((done - since) / elapsedMs) * 1_000
  const words = [
    ...(share === undefined ? [] : [bar(share)]),
    verb,
    of === undefined ? `${grouped(done)} ${unit}` : `${grouped(done)} of ${grouped(of)} ${unit}`,
    ...(share === undefined ? [] : [`(${Math.floor(share * 100)} %)`]),
    ...(perSecond > 0 ? [`· ${rate(perSecond)}/s`] : []),
    ...(perSecond > 0 && of !== undefined && of > done ? [`· ${inWords(((of - done) / perSecond) * 1_000)} left`] : []),
  ]
  return words.join(" ").slice(0, columns - 1)
}

/** Minimum time in milliseconds before a rate appears. A shorter measurement is too inaccurate. */
const MIN_ELAPSED_MS = 200

const BAR_LENGTH = 20

const bar = (share: number): string => {
  const full = Math.floor(share * BAR_LENGTH)
  return "█".repeat(full) + "░".repeat(BAR_LENGTH - full)
}

const grouped = (count: number): string => Math.round(count).toLocaleString("en")

const rate = (perSecond: number): string => (perSecond < 10 ? perSecond.toFixed(1) : grouped(perSecond))
