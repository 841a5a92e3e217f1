/** Prints a conversation once it is drawn as a whole, as a hook. */
import type { RefObject } from "preact"
import { useEffect } from "preact/hooks"
import { useStudio } from "../context.ts"

/**
 * Opens folded parts, asks the browser to print, and folds them again.
 *
 * @param waits whether there is nothing to print yet
 */
export const usePrinting = (box: RefObject<HTMLElement>, waits: boolean): void => {
  const studio = useStudio()
  useEffect(() => {
    if (waits || box.current === null) return
    const folded = [...box.current.querySelectorAll<HTMLDetailsElement>("details:not([open])")]
    for (const details of folded) details.open = true
    const frame = requestAnimationFrame(() => {
      window.print()
      for (const details of folded) details.open = false
      studio.printing.value = false
    })
    return () => cancelAnimationFrame(frame)
  }, [waits])
}
