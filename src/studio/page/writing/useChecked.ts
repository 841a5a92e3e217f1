/** What the server says of a text while it is edited: asked when nobody types for a moment, and only of the newest text. */
import { useEffect, useState } from "preact/hooks"
import { messageOf } from "../source/Source.ts"

/** How long nobody types before a text is checked, in milliseconds. */
const PAUSE = 300

export interface Checked<Answer> {
  /** Of the text as it is now; null until it is known. */
  readonly answer: Answer | null
  readonly problem: string
}

/**
 * @param key what the answer is about: another key makes an earlier answer void, also one that comes late
 * @param ask null where nothing is to be asked. Its signal ends what is no longer wanted
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
