/** The visible rows of a list of tasks, loaded page by page, as a hook. Handles 10,000 rows. */
import type { RefObject } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { SearchHit } from "../../wire/Search.ts"
import type { TaskList, TaskRow } from "../../wire/Task.ts"
import { useStudio } from "../parts/context.ts"
import { messageOf, type Parameters } from "../source/Source.ts"

/** Rows per page, and the height of a row in pixels, as in the style sheet. */
const PAGE = 100
export const ROW = 56
const BEYOND = 6

export interface Rows {
  /** Number of all rows; null until the first answer. */
  readonly total: number | null
  readonly problem: string
  /** The first and last visible row. */
  readonly range: readonly [first: number, last: number]
  readonly row: (index: number) => TaskRow | undefined
  readonly hit: (taskId: string) => SearchHit | undefined
  /** The hits of the search, if the question has words. */
  readonly found: TaskList["found"]
}

interface Loaded {
  readonly pages: ReadonlyMap<number, ReadonlyArray<TaskRow>>
  readonly hits: ReadonlyMap<string, SearchHit>
  readonly found: TaskList["found"]
  readonly total: number | null
}

const NOTHING: Loaded = { pages: new Map(), hits: new Map(), found: null, total: null }

/**
 * @param box the list
 * @param version loads the visible pages again when it changes
 */
export const useRows = (box: RefObject<HTMLElement>, parameters: Parameters, version: unknown): Rows => {
  const studio = useStudio()
  const [loaded, setLoaded] = useState(NOTHING)
  const [problem, setProblem] = useState("")
  const [range, setRange] = useState<readonly [number, number]>([0, 20])
  const question = JSON.stringify(parameters)
  const asked = useRef({ question: "", pages: new Set<number>() })

  const load = (page: number) => {
    const state = asked.current
    if (state.pages.has(page)) return
    state.pages.add(page)
    studio.source.ask("tasks", { ...parameters, offset: page * PAGE, limit: PAGE }).then(
      ({ total, rows, found }) => {
        if (asked.current !== state) return
        setLoaded((before) => ({
          total,
          found,
          pages: new Map(before.pages).set(page, rows),
          hits: new Map([...before.hits, ...(found?.hits ?? []).map((hit) => [hit.task ?? "", hit] as const)]),
        }))
      },
      (cause: unknown) => {
        if (asked.current === state) setProblem(messageOf(cause))
      },
    )
  }
  const loadVisible = () => {
    for (let page = Math.floor(range[0] / PAGE); page <= Math.floor(range[1] / PAGE); page++) load(page)
  }
  useEffect(() => {
    const isOther = asked.current.question !== question
    asked.current = { question, pages: new Set() }
    setProblem("")
    if (isOther) setLoaded(NOTHING)
    loadVisible()
  }, [question, version])
  useEffect(loadVisible, [range])
  useEffect(() => {
    const look = () => {
      const top = -(box.current?.getBoundingClientRect().top ?? 0)
      const first = Math.max(0, Math.floor(top / ROW) - BEYOND)
      setRange(([before, after]) => {
        const last = first + Math.ceil(innerHeight / ROW) + 2 * BEYOND
        return before === first && after === last ? [before, after] : [first, last]
      })
    }
    look()
    addEventListener("scroll", look, { passive: true })
    addEventListener("resize", look)
    return () => {
      removeEventListener("scroll", look)
      removeEventListener("resize", look)
    }
  }, [])
  return {
    ...loaded,
    problem,
    range,
    row: (index) => loaded.pages.get(Math.floor(index / PAGE))?.[index % PAGE],
    hit: (taskId) => loaded.hits.get(taskId),
  }
}
