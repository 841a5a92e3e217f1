/** Loads the filtered and folded rows of a whole timeline, and again as it grows, as a hook. */
import { useEffect, useState } from "preact/hooks"
import { isFiltering } from "../../wire/Rows.ts"
import type { CourseHistory } from "../model/CourseHistory.ts"
import { TimelineRows } from "../model/listed/TimelineRows.ts"
import { settings } from "../model/settings.ts"
import { messageOf } from "../source/Source.ts"
import { useStudio } from "./context.ts"
import { useThrottled } from "./useThrottled.ts"

/** Time until the page asks again while the server still reads the timeline, in milliseconds. */
const AGAIN = 700

/** Returns why there are none, or an empty text. */
export const useTimelineRows = (course: CourseHistory): string => {
  const studio = useStudio()
  const [problem, setProblem] = useState("")
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
    const onProblem = (cause: unknown) => setProblem(messageOf(cause))
    course.rows.value ??= new TimelineRows(studio.source, course.course.timeline, onProblem)
    setProblem("")
    course.rows.value.ask({ kind, agent, plugin, folded, turned }, studio.position.value)
  }, [course, isWanted, kind, agent, plugin, folded, turned])
  const rows = course.rows.value
  const until = rows?.until ?? 0
  const isReading = rows !== null && until > 0 && !rows.isWhole
  useEffect(() => {
    if (!isReading) return
    const timer = setTimeout(() => rows.refresh(studio.position.value), AGAIN)
    return () => clearTimeout(timer)
  }, [rows, isReading, until])
  useEffect(() => {
    if (rows?.isWhole === true) rows.refresh(studio.position.value)
  }, [last])
  return problem
}
