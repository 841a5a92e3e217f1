/** The current width of an element. */
import type { RefObject } from "preact"
import { useLayoutEffect, useState } from "preact/hooks"

/** In CSS pixels; 0 until it is known. */
export const useWidth = (place: RefObject<HTMLElement>): number => {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = place.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return width
}
