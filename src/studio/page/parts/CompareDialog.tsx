/** Chooses the task to compare with: a fork, or a task with the same goal. */
import type { TaskHead } from "../../wire/Task.ts"
import type { Parameters } from "../source/Source.ts"
import { useStudio } from "./context.ts"
import { DialogBox } from "./Dialog.tsx"
import { Problem } from "./Problem.tsx"
import { TaskChoices } from "./TaskChoices.tsx"
import { useAnswer } from "./useAnswer.ts"

export const CompareDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const studio = useStudio()
  const head = studio.history.value?.head.value ?? null
  const { answer: others, problem } = useAnswer("tasks", head === null ? null : sameGoal(head))
  if (head === null)
    return (
      <DialogBox title="Compare" onClose={onClose}>
        <p>Only tasks can be compared. Choose one first (t).</p>
      </DialogBox>
    )
  const choose = (timeline: string, task: string) => {
    onClose()
    studio.look({ vs: `${timeline}/${task}` })
  }
  return (
    <DialogBox title={`Compare ${head.id} with`} onClose={onClose}>
      <ul class="choices">
        {head.forks.map(({ timeline, task, position }) => (
          <li key={timeline}>
            <button type="button" onClick={() => choose(timeline, task)}>
              its fork {timeline}, which branched off at @{position}
            </button>
          </li>
        ))}
        <TaskChoices rows={others?.rows ?? []} onChoose={choose} />
      </ul>
      <Problem text={problem} />
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          const named = String(new FormData(event.currentTarget).get("task") ?? "").trim()
          const timeline = studio.log.value.timelines.find(({ name }) => named.startsWith(`${name}/`))?.name
          if (named === "") return
          if (timeline === undefined) choose(head.timeline, named)
          else choose(timeline, named.slice(timeline.length + 1))
        }}
      >
        <input
          name="task"
          placeholder="another task, or TIMELINE/TASK"
          aria-label="Another task, or a timeline and its task"
          spellcheck={false}
          autocomplete="off"
        />
        <button type="submit">compare</button>
      </form>
      {others !== null && others.rows.length + head.forks.length === 0 ? (
        <p class="empty">It has no forks, and no other task has the same goal.</p>
      ) : null}
    </DialogBox>
  )
}

const sameGoal = ({ timeline, goal, id }: TaskHead): Parameters => ({
  timeline,
  where: `task.goal == ${JSON.stringify(goal)} && task.id != ${JSON.stringify(id)}`,
  order: "newest",
  limit: 30,
})
