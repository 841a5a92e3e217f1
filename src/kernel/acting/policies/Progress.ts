/**
 * Progress that a call reports (`context.progress`): a listener sees each report at once, and the command's outcome
 * records them all together.
 */

import type { Progress as RecordedProgress } from "../../../events/vocabulary/Acting.ts"
import * as MonotonicClock from "../../../platform/MonotonicClock.ts"
import { plainText } from "../../../values/Json.ts"

/** A fraction from 0 to 1, or a few words. */
export type Report = number | string

/** A report of a command in progress, for a listener. */
export interface ProgressReport {
  readonly taskId: string
  readonly commandId: string
  /** `plugin/actuator` */
  readonly actuator: string
  readonly report: Report
}

/** Maximum number of reports that one outcome records. Further ones replace the last. */
const MOST_REPORTS = 100

/** Longest recorded report, in characters. */
const LONGEST_REPORT = 500

export interface Reports {
  /** Takes a report. Returns it as it is recorded; undefined if it is neither a finite number nor text. */
  readonly take: (report: unknown) => Report | undefined
  /** The reports so far; undefined without any. */
  readonly recorded: () => RecordedProgress | undefined
}

/** No reports yet. Times count from here. */
export const none = (): Reports => {
  const startedAt = performance.now()
  const reports: Array<RecordedProgress["reports"][number]> = []
  let omitted = 0
  return {
    take: (given) => {
      const report = reportOf(given)
      if (report === undefined) return undefined
      if (reports.length >= MOST_REPORTS) {
        reports.pop()
        omitted += 1
      }
      reports.push({ afterMs: MonotonicClock.elapsedSince(startedAt), report })
      return report
    },
    recorded: () =>
      reports.length === 0 ? undefined : { reports: [...reports], ...(omitted === 0 ? {} : { omitted }) },
  }
}

const reportOf = (given: unknown): Report | undefined => {
  if (typeof given === "string") return plainText(given.slice(0, LONGEST_REPORT))
  return typeof given === "number" && Number.isFinite(given) ? given : undefined
}
