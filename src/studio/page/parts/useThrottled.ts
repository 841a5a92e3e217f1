/** Values that change at every event, where what follows from them is a question to the server. */
import { useEffect, useRef, useState } from "preact/hooks"

/** Least time between two questions of one kind, in milliseconds. */
const PAUSE = 500

/** A value that follows another one: at once after a pause, and then at most once in each. The last one always arrives. */
export const useThrottled = <Value>(value: Value): Value => {
  const [shown, show] = useState(value)
  const shownAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (Object.is(value, shown)) return
    const update = () => {
      shownAt.current = performance.now()
      show(() => value)
    }
    const wait = shownAt.current + PAUSE - performance.now()
    if (wait <= 0) return update()
    const timer = setTimeout(update, wait)
    return () => clearTimeout(timer)
  }, [value, shown])
  return shown
}
