/** Throttles values that change at every event but lead to requests. */
import { useEffect, useRef, useState } from "preact/hooks"

/** Minimum time between two requests of one kind, in milliseconds. */
const PAUSE = 500

/** Follows a value: at once after a pause, then at most once per pause. The last value always arrives. */
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
