/** A question to the source with its answer, as a hook. */
import { useEffect, useRef, useState } from "preact/hooks"
import { messageOf, type Parameters, type Questions } from "../source/Source.ts"
import { useStudio } from "./context.ts"

export interface Given<Answer> {
  /** Null until it arrives. After a failed repetition, the previous answer. */
  readonly answer: Answer | null
  /** Why there is no newer answer, or empty. */
  readonly problem: string
}

/** One question: how often it was asked, and which request the newest answer belongs to. */
interface Asking {
  readonly question: string
  readonly abort: AbortController
  asked: number
  answered: number
}

/**
 * Asks on first render, when the parameters change, and when `again` changes because answers age. Never replaces an
 * answer by an older one, and cancels questions that are no longer needed.
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
