/** The live state and answer of an agent at work, from outside the log, while the page is visible. */
import { useEffect, useMemo, useState } from "preact/hooks"
import { LiveAnswer } from "../../model/conversation/LiveAnswer.ts"
import { useStudio } from "../context.ts"

/** The live state of an open task's agent; null for other tasks and sources without live data. */
export const useLiveAnswer = (): LiveAnswer | null => {
  const studio = useStudio()
  const course = studio.history.value
  const head = course?.head.value ?? null
  const { timeline = "", task = null } = course?.course ?? {}
  const isVisible = useVisibility()
  const isOpen = task !== null && head !== null && head.outcome === null && studio.source.follow !== null
  const isTold = isOpen && isVisible
  const live = useMemo(() => (isTold ? new LiveAnswer() : null), [isTold, timeline, task])
  useEffect(() => {
    if (live === null) return
    const abort = new AbortController()
    void live.listen(studio.source, { timeline, task }, abort.signal)
    return () => abort.abort()
  }, [live])
  return live
}

/**
 * Whether the tab is visible. A browser has six connections to a server for all tabs, so a hidden tab takes none for
 * this.
 */
const useVisibility = (): boolean => {
  const [isVisible, setVisible] = useState(!document.hidden)
  useEffect(() => {
    const onChange = () => setVisible(!document.hidden)
    document.addEventListener("visibilitychange", onChange)
    return () => document.removeEventListener("visibilitychange", onChange)
  }, [])
  return isVisible
}
