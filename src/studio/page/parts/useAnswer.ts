/** A question to the source with its answer, for parts of the page that show it. */
import { useEffect, useRef, useState } from "preact/hooks"
import { messageOf, type Parameters, type Questions } from "../source/Source.ts"
import { useStudio } from "./context.ts"

export interface Given<Answer> {
  /** Null until it is there. Where it was asked again in vain, the one before. */
  readonly answer: Answer | null
  /** Why there is no newer one; empty if there is nothing wrong. */
  readonly problem: string
}

/** One question: how often it was asked, and to which of these times the newest answer is. */
interface Asking {
  readonly question: string
  readonly abort: AbortController
  asked: number
  answered: number
}

/**
 * Asks when it is first shown, when the parameters change, and when `again` does, by which answers grow old. Nothing is ever replaced
 * by what was asked earlier; a question that is no longer wanted is cancelled.
 *
 * @param parameters null to ask nothing
 */
export const useAnswer = <Path extends keyof Questions>(
  path: Path,
  parameters: Parameters | null,
  again: unknown = null,
): Given<Questions[Path]> => {
  const { source } = useStudio()
  const question = JSON.stringify(parameters)
  const [given, give] = useState<Given<Questions[Path]> & { readonly to: string }>({ to: "", ...NOTHING })
  const asking = useRef<Asking | null>(null)
  useEffect(() => {
    if (asking.current?.question !== question) {
      asking.current?.abort.abort()
      asking.current = { question, abort: new AbortController(), asked: 0, answered: 0 }
    }
    if (parameters === null) return
    const { current } = asking
    const time = ++current.asked
    const take = (taken: Partial<Given<Questions[Path]>>) => {
      if (asking.current !== current || time < current.answered) return
      current.answered = time
      give((before) => ({ ...(before.to === question ? before : NOTHING), to: question, ...taken }))
    }
    source.ask(path, parameters, current.abort.signal).then(
      (answer) => take({ answer, problem: "" }),
      (cause: unknown) => take({ problem: messageOf(cause) }),
    )
  }, [path, question, again])
  useEffect(
    () => () => {
      asking.current?.abort.abort()
      asking.current = null
    },
    [],
  )
  return given.to === question ? given : NOTHING
}

const NOTHING = { answer: null, problem: "" }
