/** What can be done with the selected tasks. */
import { useState } from "preact/hooks"
import { visit, vsOf } from "../model/Address.ts"
import { useStudio } from "../parts/context.ts"
import { count } from "../parts/format.ts"
import { lazy } from "../parts/lazy.tsx"
import { auditOf } from "./taskCommands.ts"

const TasksDialog = lazy(async () => (await import("./TasksDialog.tsx")).TasksDialog)

/** Maximum number of tasks in a table. */
const MOST = 50

interface Props {
  readonly timeline: string
  /** In the order in which they were selected. */
  readonly tasks: ReadonlyArray<string>
  readonly clear: () => void
}

export const SelectedTasks = ({ timeline, tasks, clear }: Props) => {
  const studio = useStudio()
  const [copied, setCopied] = useState("")
  const [dialog, open] = useState<"score" | "export" | null>(null)
  const [first, ...others] = tasks
  if (first === undefined) return null
  const chosen = { timeline, tasks, log: studio.log.value.name }
  const copy = (command: string) =>
    navigator.clipboard.writeText(command).then(
      () => setCopied(`Copied: ${command}`),
      () => setCopied(command),
    )
  const compare = () =>
    studio.go(visit({ timeline, task: first }, null, { vs: vsOf(others.map((task) => ({ timeline, task }))) }))
  return (
    <section class="selected-tasks" aria-label="Selected tasks">
      <strong>{count(tasks.length, "task")} selected</strong>
      <button
        type="button"
        disabled={others.length === 0 || tasks.length > MOST}
        title={others.length === 0 ? "Select two tasks to compare them" : `Two side by side, up to ${MOST} in a table`}
        onClick={compare}
      >
        compare
      </button>
      <button type="button" onClick={() => open("score")}>
        score again …
      </button>
      <button type="button" onClick={() => open("export")}>
        export …
      </button>
      <button type="button" title="Copies the command that prints their audits" onClick={() => copy(auditOf(chosen))}>
        copy audit command
      </button>
      <button type="button" class="quiet" onClick={clear}>
        clear
      </button>
      <span role="status" class="copied">
        <bdi>{copied}</bdi>
      </span>
      {dialog === null ? null : <TasksDialog what={dialog} chosen={chosen} onClose={() => open(null)} />}
    </section>
  )
}
