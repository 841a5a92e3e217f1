/** The hits of a search, which arrive in parts, as a hook. */
import { useEffect, useState } from "preact/hooks"
import type { SearchAnswer } from "../../wire/Asking.ts"
import type { SearchHit } from "../../wire/Search.ts"
import { messageOf, type Parameters } from "../source/Source.ts"
import { useStudio } from "./context.ts"

export interface Searched {
  readonly hits: ReadonlyArray<SearchHit>
  readonly widened: boolean
  /** Null until the first part arrives. */
  readonly coverage: SearchAnswer["coverage"] | null
  readonly state: "searching" | "stopped" | "done"
  /** The position before which there may be more hits; null at the end. */
  readonly next: number | null
  readonly problem: string
  readonly stop: () => void
  /** Looks for as many hits again. */
  readonly more: () => void
}

/** Number of hits that are shown at first, and added at each `more`. */
const HITS = 50

/** How often to search again while the index grows, in milliseconds. */
const AGAIN_MS = 2_000

/** @param parameters null to search nothing */
export const useSearch = (parameters: Parameters | null): Searched => {
  const { source } = useStudio()
  const question = JSON.stringify(parameters)
  const [wanted, setWanted] = useState({ question, hits: HITS })
  const [again, setAgain] = useState(0)
  const [abort, setAbort] = useState<AbortController | null>(null)
  const [found, setFound] = useState({ ...NOTHING, question })
  const limit = wanted.question === question ? wanted.hits : HITS
  useEffect(() => {
    if (parameters === null) return setFound({ ...NOTHING, question, state: "done" })
    const controller = new AbortController()
    setAbort(controller)
    setFound((before) => ({ ...(before.question === question ? before : NOTHING), question, state: "searching" }))
    let timer = 0
    const run = async () => {
      let hits: ReadonlyArray<SearchHit> = []
      for (let before: number | null = null; ; ) {
        const answer: SearchAnswer = await source.ask(
          "search",
          { ...parameters, before, limit: limit - hits.length },
          controller.signal,
        )
        if (controller.signal.aborted) return
        hits = [...hits, ...answer.hits]
        const { widened, coverage, next } = answer
        const isDone = next === null || hits.length >= limit
        const state = isDone ? ("done" as const) : ("searching" as const)
        const shown = hits
        setFound({ question, hits: shown, widened, coverage, next, state, problem: "" })
        if (isDone) {
          if (coverage.position < coverage.head)
            timer = window.setTimeout(() => setAgain((count) => count + 1), AGAIN_MS)
          return
        }
        before = next
      }
    }
    run().catch((cause: unknown) => {
      if (!controller.signal.aborted) setFound((one) => ({ ...one, state: "done", problem: messageOf(cause) }))
    })
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [question, limit, again])
  return {
    ...(found.question === question ? found : NOTHING),
    stop: () => {
      abort?.abort()
      setFound((before) => ({ ...before, state: "stopped" }))
    },
    more: () => setWanted({ question, hits: limit + HITS }),
  }
}

const NOTHING: Omit<Searched, "stop" | "more"> = {
  hits: [],
  widened: false,
  coverage: null,
  state: "searching",
  next: null,
  problem: "",
}
