/** An order to the server that a person gives: under way or not, and what was wrong with it. */
import { useState } from "preact/hooks"
import { messageOf } from "../source/Source.ts"

export interface Order {
  readonly isBusy: boolean
  /** What was wrong; empty if nothing is. */
  readonly problem: string
  /** Gives the order. While it is under way, no other is given. */
  readonly give: (order: () => Promise<void>) => void
}

export const useOrder = (): Order => {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState("")
  const give = async (order: () => Promise<void>): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    setProblem("")
    try {
      await order()
    } catch (cause) {
      setProblem(messageOf(cause))
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, problem, give: (order) => void give(order) }
}
