/** The selected tasks of a list, as a hook. */
import { useRef, useState } from "preact/hooks"

export interface Selected {
  /** In the order in which they were selected. */
  readonly tasks: ReadonlyArray<string>
  readonly has: (task: string) => boolean
  /**
   * Selects a row or takes it out again; with `range`, all rows from the last one.
   *
   * @param idAt the task of a row; undefined for one that is not loaded
   */
  readonly select: (index: number, range: boolean, idAt: (index: number) => string | undefined) => void
  readonly clear: () => void
}

/** @param list another list begins with no selection */
export const useSelected = (list: string): Selected => {
  const [{ of, tasks: chosen }, choose] = useState<{ readonly of: string; readonly tasks: ReadonlyArray<string> }>({
    of: list,
    tasks: [],
  })
  const last = useRef(0)
  const tasks = of === list ? chosen : []
  return {
    tasks,
    has: (task) => tasks.includes(task),
    select: (index, range, idAt) => {
      const id = idAt(index)
      if (id === undefined) return
      const [from, to] = [Math.min(index, last.current), Math.max(index, last.current)]
      last.current = index
      if (range) {
        const between = Array.from({ length: to - from + 1 }, (_, at) => idAt(from + at) ?? [])
        return choose({ of: list, tasks: [...new Set([...tasks, ...between.flat()])] })
      }
      choose({ of: list, tasks: tasks.includes(id) ? tasks.filter((one) => one !== id) : [...tasks, id] })
    },
    clear: () => choose({ of: list, tasks: [] }),
  }
}
