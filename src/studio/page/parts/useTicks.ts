/** A number that grows while something is awaited, for answers that the server cannot announce. */
import { useEffect, useState } from "preact/hooks"

const TICK_MS = 1_000

export const useTicks = (isRunning: boolean): number => {
  const [ticks, setTicks] = useState(0)
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setTicks((before) => before + 1), TICK_MS)
    return () => clearInterval(timer)
  }, [isRunning])
  return ticks
}
