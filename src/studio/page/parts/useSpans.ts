/** Loads the spans of a task, and again as it grows, as a hook. */
import { useEffect } from "preact/hooks"
import type { CourseHistory } from "../model/CourseHistory.ts"
import { SpansOfTask } from "../model/listed/SpansOfTask.ts"
import { useAnswer } from "./useAnswer.ts"
import { useThrottled } from "./useThrottled.ts"

/** Returns why there are none, or an empty text. */
export const useSpans = (course: CourseHistory): string => {
  const { timeline, task } = course.course
  course.version.value
  const { answer, problem } = useAnswer("spans", task === null ? null : { timeline, task }, useThrottled(course.last))
  useEffect(() => {
    if (answer !== null) course.spans.value = new SpansOfTask(answer)
  }, [answer, course])
  return problem
}
