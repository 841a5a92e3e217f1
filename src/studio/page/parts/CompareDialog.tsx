/** Chooses the tasks to compare with: forks, or tasks with the same goal. */
import { useState } from "preact/hooks"
import type { TaskHead } from "../../wire/Task.ts"
import { type TaskPlace, vsOf } from "../model/Address.ts"
import type { Parameters } from "../source/Source.ts"
import { useStudio } from "./context.ts"
import { DialogBox } from "./Dialog.tsx"
import { Problem } from "./Problem.tsx"
import { TaskChoices } from "./TaskChoices.tsx"
import { useAnswer } from "./useAnswer.ts"

export const CompareDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const studio = useStudio()
  const head = studio.history.value?.head.value ?? null
  const [chosen, setChosen] = useState<ReadonlyArray<TaskPlace>>([])
  const { answer: others, problem } = useAnswer("tasks", head === null ? null : sameGoal(head))
  if (head === null)
    return (
      <DialogBox title="Compare" onClose={onClose}>
        <p>Only tasks can be compared. Choose one first (t).</p>
      </DialogBox>
    )
  const compare = (others: ReadonlyArray<TaskPlace>) => {
    onClose()
    studio.look({ vs: vsOf(others) })
  }
  const choose = (timeline: string, task: string) => compare([{ timeline, task }])
  const toggle = (timeline: string, task: string) =>
    setChosen((before) => {
      const rest = before.filter((one) => one.timeline !== timeline || one.task !== task)
      return rest.length < before.length ? rest : [...before, { timeline, task }]
    })
  const isChosen = (timeline: string, task: string) =>
    chosen.some((one) => one.timeline === timeline && one.task === task)
  return (
    <DialogBox title={`Compare ${head.id} with`} onClose={onClose}>
      <ul class="choices">
        {head.forks.map(({ timeline, task, position }) => (
          <li key={timeline}>
            <Several
              name={`fork ${timeline}`}
              isChosen={isChosen(timeline, task)}
              onToggle={() => toggle(timeline, task)}
            />
            <button type="button" onClick={() => choose(timeline, task)}>
              its fork {timeline}, which branched off at @{position}
            </button>
          </li>
        ))}
        <TaskChoices
          rows={others?.rows ?? []}
          onChoose={choose}
          before={({ timeline, id }) => (
            <Several name={id} isChosen={isChosen(timeline, id)} onToggle={() => toggle(timeline, id)} />
          )}
        />
      </ul>
      {head.forks.length + (others?.rows.length ?? 0) < 2 ? null : (
        <p>
          <button type="button" class="main" disabled={chosen.length < 2} onClick={() => compare(chosen)}>
            {chosen.length < 2 ? "choose several for a table" : `compare with these ${chosen.length}`}
          </button>
        </p>
      )}
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

interface SeveralProps {
  readonly name: string
  readonly isChosen: boolean
  readonly onToggle: () => void
}

/** Adds a task to a comparison of several. */
const Several = ({ name, isChosen, onToggle }: SeveralProps) => (
  <input type="checkbox" checked={isChosen} onChange={onToggle} aria-label={`Compare with ${name}, too`} />
)

const sameGoal = ({ timeline, goal, id }: TaskHead): Parameters => ({
  timeline,
  where: `task.goal == ${JSON.stringify(goal)} && task.id != ${JSON.stringify(id)}`,
  order: "newest",
  limit: 30,
})
