/** Tells failures of the log itself from those of the work on it. */

import { DiskFull, LogBusy, LogUnavailable } from "./LogErrors.ts"

/** Whether the log could not be read or written for now. A later try may succeed. */
export const isOne = (failure: unknown): boolean =>
  failure instanceof LogUnavailable || failure instanceof LogBusy || failure instanceof DiskFull
