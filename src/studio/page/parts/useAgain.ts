/** Asks again a little later while the server still reads, as a hook. */
import { useEffect } from "preact/hooks"

/** Time between two questions, in milliseconds. */
const AGAIN = 700

/** @param settled changes with each answer and each failure, so that one question at a time is open */
export const useAgain = (ask: () => void, isReading: boolean, settled: unknown): void =>
  useEffect(() => {
    if (!isReading) return
    const timer = setTimeout(ask, AGAIN)
    return () => clearTimeout(timer)
  }, [isReading, settled])
