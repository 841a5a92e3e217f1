/** An order that a person gives to the server, with its progress and problem. */
import { useEffect, useMemo, useState } from "preact/hooks"
import { messageOf } from "../source/Source.ts"
import { useStudio } from "./context.ts"

export interface Order {
  readonly isBusy: boolean
  /** The last failure, or empty. */
  readonly problem: string
  /**
   * Gives the order, unless one is in progress.
   *
   * @param order its signal fires when the person has left for another place, so do not navigate then
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
