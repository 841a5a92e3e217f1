/** Loads the tasks that a task started, and the one that started it, as a hook. */
import { useEffect } from "preact/hooks"
import type { CourseHistory } from "../model/CourseHistory.ts"
import { useStudio } from "./context.ts"
import { useAnswer } from "./useAnswer.ts"
import { useThrottled } from "./useThrottled.ts"

export const useRelatives = (course: CourseHistory): void => {
  const studio = useStudio()
  const { timeline, task } = course.course
  const asked = task === null ? null : { timeline, task }
  const { answer, problem } = useAnswer("relatives", asked, useThrottled(studio.tasksVersion.value))
  useEffect(() => {
    if (answer !== null) course.relatives.value = answer
  }, [answer, course])
  useEffect(() => {
    if (problem !== "") studio.say(`Nobody can tell which tasks this one started: ${problem}`, true)
  }, [problem])
}
