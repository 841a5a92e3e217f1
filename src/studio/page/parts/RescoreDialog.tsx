/** Scores the task again by a rubric written here. Shows issues at their lines, and a preview of the result. */
import { useState } from "preact/hooks"
import type { RubricIssue } from "../../wire/Asking.ts"
import { type Preview, scoringOf } from "../../wire/Scoring.ts"
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
  return <RubricForm key={visit.task} timeline={visit.timeline} task={visit.task} onClose={onClose} />
}

interface Props {
  readonly timeline: string
  readonly task: string
  readonly onClose: () => void
}

const RubricForm = ({ timeline, task, onClose }: Props) => {
  const studio = useStudio()
  const head = studio.history.value?.head.value ?? null
  const [begun, setBegun] = useState({ set: "", text: EXAMPLE })
  const { text: rubric, type, discard } = useDraft(`rubric ${timeline}/${task}`, begun.text)
  const [label, setLabel] = useState("")
  const { answer: schema } = useAnswer("schemas", { of: "rubric" })
  const beginning = useOrder()
  const scoring = useOrder()
  const tasks = [{ timeline, task }]
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
      const [made] = await studio.source.order("rescores", {
        rubric,
        tasks,
        ...(called === "" ? {} : { label: called }),
      })
      discard()
      await studio.refresh()
      if (signal.aborted) return
      onClose()
      const sets = studio.history.value?.head.value?.sets ?? []
      studio.look({ pane: "rewards", ...(made === undefined ? {} : { scores: scoringOf(made, sets) }) })
    })
  const chosen = head?.sets.find(({ set }) => set === studio.scoreSetOf(head))
  return (
    <DialogBox title={`Score ${task} again`} onClose={onClose}>
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
      <Problem text={problem} />
      <Problem text={beginning.problem} />
      <Problem text={scoring.problem} />
    </DialogBox>
  )
}
