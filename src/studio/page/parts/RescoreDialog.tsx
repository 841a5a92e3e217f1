/** Scores the task again by a rubric written here. Shows issues at their lines, and a preview of the result. */

import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { Rescored, RubricIssue } from "../../wire/Asking.ts"
import { type Preview, scoringOf } from "../../wire/Scoring.ts"
import type { TaskPlace } from "../model/Address.ts"
import { messageOf } from "../source/Source.ts"
import { RescorePreview } from "../writing/RescorePreview.tsx"
import { TextEditor } from "../writing/TextEditor.tsx"
import { useChecked } from "../writing/useChecked.ts"
import { useStudio } from "./context.ts"
import { DialogBox } from "./Dialog.tsx"
import { Problem } from "./Problem.tsx"
import { useAnswer } from "./useAnswer.ts"
import { useDraft } from "./useDraft.ts"
import { useOrder } from "./useOrder.ts"

const EXAMPLE = `# Rules about each moment of a task: docs/reference/expressions.md describes them.
name: studio
measures:
  - name: care
    description: How many commands failed?
    punishments:
      - name: failed
        when: A command failed.
        weight: 0.2
        per: occurrence
        rule: event.type == "CommandFailed"
`

interface Judged {
  readonly issues: ReadonlyArray<RubricIssue>
  readonly preview: Preview | null
}

export const RescoreDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const studio = useStudio()
  const { visit } = studio
  const canWrite = studio.log.value.allows.write
  if (visit === null || visit.task === null || !canWrite)
    return (
      <DialogBox title="Score again" onClose={onClose}>
        <p>
          {canWrite
            ? "Only tasks can be scored. Choose one first (t)."
            : "Studio was started without writing. Start it with hindcast studio --write to score tasks again here, or use hindcast rescore in the terminal."}
        </p>
      </DialogBox>
    )
  const { timeline, task } = visit
  return (
    <RubricForm
      key={task}
      tasks={[{ timeline, task }]}
      onClose={onClose}
      onScored={([made]) => {
        const sets = studio.history.value?.head.value?.sets ?? []
        studio.look({ pane: "rewards", ...(made === undefined ? {} : { scores: scoringOf(made, sets) }) })
      }}
    />
  )
}

interface FormProps {
  /** At least one. The preview is of the first. */
  readonly tasks: ReadonlyArray<TaskPlace>
  readonly onClose: () => void
  readonly onScored: (made: Rescored) => void
  readonly children?: ComponentChildren
}

/** Writes a rubric for tasks, and scores them by it. */
export const RubricForm = ({ tasks, onClose, onScored, children }: FormProps) => {
  const studio = useStudio()
  const { timeline, task } = tasks[0] ?? { timeline: "main", task: "" }
  const visited = studio.history.value?.head.value ?? null
  const { answer: first } = useAnswer("task", visited === null ? { timeline, task } : null)
  const head = visited ?? first
  const [begun, setBegun] = useState({ set: "", text: EXAMPLE })
  const {
    text: rubric,
    type,
    discard,
  } = useDraft(`rubric ${timeline}/${task}${tasks.length === 1 ? "" : ` and ${tasks.length - 1}`}`, begun.text)
  const [label, setLabel] = useState("")
  const { answer: schema } = useAnswer("schemas", { of: "rubric" })
  const beginning = useOrder()
  const scoring = useOrder()
  const { answer, problem } = useChecked<Judged>(rubric, async (signal) => {
    const issues = await studio.source.order("rubrics/check", { rubric, tasks }, signal)
    if (issues.length > 0) return { issues, preview: null }
    try {
      return { issues, preview: await studio.source.order("rubrics/preview", { rubric, timeline, task }, signal) }
    } catch (cause) {
      // The rubric names something that this log lacks.
      return { issues: [{ line: null, column: null, message: messageOf(cause) }], preview: null }
    }
  })
  const begin = (set: string) =>
    beginning.give(async () => {
      const text = set === "" ? EXAMPLE : (await studio.source.ask("rubric", { timeline, task, set })).text
      setBegun({ set, text })
      discard()
    })
  const score = () =>
    scoring.give(async (signal) => {
      const called = label.trim()
      const made = await studio.source.order("rescores", {
        rubric,
        tasks,
        ...(called === "" ? {} : { label: called }),
      })
      discard()
      await studio.refresh()
      if (signal.aborted) return
      onClose()
      onScored(made)
    })
  const chosen = head?.sets.find(({ set }) => set === studio.scoreSetOf(head))
  return (
    <DialogBox
      title={tasks.length === 1 ? `Score ${task} again` : `Score ${tasks.length} tasks again`}
      onClose={onClose}
    >
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault()
          score()
        }}
      >
        <label>
          begin with{" "}
          <select
            value={begun.set}
            disabled={beginning.isBusy}
            onChange={({ currentTarget }) => begin(currentTarget.value)}
          >
            <option value="">an example</option>
            {head?.sets.map(({ set, label: called, rubric: name }) => (
              <option key={set} value={set}>
                the rubric of {called === name ? called : `${called} (${name})`}
              </option>
            ))}
          </select>
        </label>
        <TextEditor
          label="rubric"
          text={rubric}
          issues={answer?.issues ?? []}
          rows={16}
          schema={schema}
          onText={type}
        />
        {answer?.preview == null || tasks.length === 1 ? null : <p class="note">A preview of {task}:</p>}
        {answer?.preview == null ? null : <RescorePreview preview={answer.preview} label={chosen?.label ?? null} />}
        <label>
          label{" "}
          <input
            value={label}
            placeholder="the rubric’s name"
            maxLength={60}
            onInput={({ currentTarget }) => setLabel(currentTarget.value)}
          />
        </label>
        <button type="submit" class="main" disabled={scoring.isBusy || answer?.preview == null}>
          {scoring.isBusy ? "scoring …" : "score"}
        </button>
      </form>
      {children}
      <Problem text={problem} />
      <Problem text={beginning.problem} />
      <Problem text={scoring.problem} />
    </DialogBox>
  )
}
