/** Loads the spans of a task, and again as it grows, as a hook. */
import { useEffect } from "preact/hooks"
import type { CourseHistory } from "../model/CourseHistory.ts"
import { SpansOfTask } from "../model/listed/SpansOfTask.ts"
import { useAnswer } from "./useAnswer.ts"
import { useThrottled } from "./useThrottled.ts"

const NOWHERE = { timeline: "", task: null }

/** Returns why there are none, or an empty text. */
export const useSpans = (course: CourseHistory | null): string => {
  const { timeline, task } = course?.course ?? NOWHERE
  course?.version.value
  const asked = task === null ? null : { timeline, task }
  const { answer, problem } = useAnswer("spans", asked, useThrottled(course?.last ?? 0))
  useEffect(() => {
    if (answer !== null && course !== null) course.spans.value = new SpansOfTask(answer)
  }, [answer, course])
  return problem
}
