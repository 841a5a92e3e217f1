/** Switches to another task, or to all events. Lists the tasks of the timeline, worst first. */
import { OVERVIEW, visit } from "../model/Address.ts"
import { useStudio } from "./context.ts"
import { DialogBox } from "./Dialog.tsx"
import { count } from "./format.ts"
import { Problem } from "./Problem.tsx"
import { TaskChoices } from "./TaskChoices.tsx"
import { useAnswer } from "./useAnswer.ts"

/** Maximum number of tasks offered. The list of tasks has all. */
const MOST = 30

export const TaskDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const studio = useStudio()
  const { timeline = "main", task = null } = studio.visit ?? {}
  const { answer: tasks, problem } = useAnswer("tasks", {
    timeline,
    order: "worst",
    limit: MOST,
    scores: studio.scores.value,
  })
  const go = (address: Parameters<typeof studio.go>[0]) => {
    onClose()
    studio.go(address)
  }
  return (
    <DialogBox title="Go to a task" onClose={onClose}>
      <ul class="choices">
        <li>
          <button type="button" onClick={() => go({ ...OVERVIEW, timeline })}>
            the list of {tasks === null ? "all tasks" : `all ${count(tasks.total, "task")}`}
          </button>
        </li>
        {task === null ? null : (
          <li>
            <button type="button" onClick={() => go(visit({ timeline, task: null }, studio.position.value))}>
              all events, where this one is
            </button>
          </li>
        )}
        <TaskChoices
          rows={(tasks?.rows ?? []).filter(({ id }) => id !== task)}
          onChoose={(timeline, task) => go(visit({ timeline, task }, null))}
        />
      </ul>
      <Problem text={problem} />
    </DialogBox>
  )
}
