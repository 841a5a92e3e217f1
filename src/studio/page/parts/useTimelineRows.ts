/** Loads the filtered and folded rows of a whole timeline, and again as it grows, as a hook. */
import { useEffect, useState } from "preact/hooks"
import { isFiltering } from "../../wire/Rows.ts"
import type { CourseHistory } from "../model/CourseHistory.ts"
import { TimelineRows } from "../model/listed/TimelineRows.ts"
import { settings } from "../model/settings.ts"
import { messageOf } from "../source/Source.ts"
import { useStudio } from "./context.ts"
import { useAgain } from "./useAgain.ts"
import { useThrottled } from "./useThrottled.ts"

/** Returns why there are none, or an empty text. */
export const useTimelineRows = (course: CourseHistory): string => {
  const studio = useStudio()
  const [problem, setProblem] = useState("")
  const [refreshes, setRefreshes] = useState(0)
  const { kind = "", agent = "", plugin = "" } = studio.visit ?? {}
  const folded = settings.foldCalls.value
  const turned = course.turned.value
  course.version.value
  const last = useThrottled(course.last)
  const isWanted =
    course.course.task === null &&
    studio.source.follow !== null &&
    (folded || turned.size > 0 || isFiltering({ kind, agent, plugin }))
  useEffect(() => {
    if (!isWanted) {
      course.rows.value = null
      return
    }
    const onProblem = (cause: unknown) => setProblem(cause === null ? "" : messageOf(cause))
    course.rows.value ??= new TimelineRows(studio.source, course.course.timeline, onProblem)
    setProblem("")
    course.rows.value.ask({ kind, agent, plugin, folded, turned }, studio.position.value)
  }, [course, isWanted, kind, agent, plugin, folded, turned])
  const rows = course.rows.value
  const refresh = () => rows?.refresh(studio.position.value).then(() => setRefreshes(refreshes + 1))
  useAgain(refresh, rows?.isReading === true, refreshes)
  useEffect(() => {
    if (rows?.isWhole === true) void rows.refresh(studio.position.value)
  }, [last])
  return problem
}
