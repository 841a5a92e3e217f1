/** An order to the server that a person gives: under way or not, and what was wrong with it. */
import { useEffect, useMemo, useState } from "preact/hooks"
import { messageOf } from "../source/Source.ts"
import { useStudio } from "./context.ts"

export interface Order {
  readonly isBusy: boolean
  /** What was wrong; empty if nothing is. */
  readonly problem: string
  /**
   * Gives the order. While it is under way, no other is given.
   *
   * @param order its signal says that the person has gone elsewhere meanwhile: they are not to be led away from there
   */
  readonly give: (order: (signal: AbortSignal) => Promise<void>) => void
}

export const useOrder = (): Order => {
  const studio = useStudio()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState("")
  const shown = useMemo(() => new AbortController(), [])
  useEffect(() => () => shown.abort(), [])
  const give = async (order: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    setProblem("")
    try {
      await order(shown.signal)
    } catch (cause) {
      if (shown.signal.aborted) studio.fail(cause)
      else setProblem(messageOf(cause))
    } finally {
      if (!shown.signal.aborted) setBusy(false)
    }
  }
  return { isBusy, problem, give: (order) => void give(order) }
}
