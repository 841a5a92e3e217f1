/** Lets the server check a text while somebody edits it: after a pause in typing, and only the newest text. */
import { useEffect, useState } from "preact/hooks"
import { messageOf } from "../source/Source.ts"

const PAUSE = 300

export interface Checked<Answer> {
  /** For the current text; null until it arrives. */
  readonly answer: Answer | null
  readonly problem: string
}

/**
 * @param key identifies the text: another key discards earlier answers, even late ones
 * @param ask null asks nothing. Its signal cancels outdated requests
 */
export const useChecked = <Answer>(
  key: string,
  ask: ((signal: AbortSignal) => Promise<Answer>) | null,
): Checked<Answer> => {
  const [checked, setChecked] = useState<Checked<Answer> & { readonly key: string }>({ key: "", ...UNKNOWN })
  useEffect(() => {
    if (ask === null) return
    const abort = new AbortController()
    const timer = setTimeout(() => {
      ask(abort.signal).then(
        (answer) => {
          if (!abort.signal.aborted) setChecked({ key, answer, problem: "" })
        },
        (cause: unknown) => {
          if (!abort.signal.aborted) setChecked({ key, answer: null, problem: messageOf(cause) })
        },
      )
    }, PAUSE)
    return () => {
      abort.abort()
      clearTimeout(timer)
    }
  }, [key, ask === null])
  return checked.key === key ? checked : UNKNOWN
}

const UNKNOWN = { answer: null, problem: "" }
