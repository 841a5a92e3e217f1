/** What can be done with the selected tasks. */
import { useState } from "preact/hooks"
import { oneLine } from "../../../values/PlainText.ts"
import { quoteWord } from "../../../values/ShellWord.ts"
import { visit } from "../model/Address.ts"
import { useStudio } from "../parts/context.ts"
import { count } from "../parts/format.ts"

interface Props {
  readonly timeline: string
  /** In the order in which they were selected. */
  readonly tasks: ReadonlyArray<string>
  readonly clear: () => void
}

export const SelectedTasks = ({ timeline, tasks, clear }: Props) => {
  const studio = useStudio()
  const [copied, setCopied] = useState("")
  const [a, b] = tasks
  if (a === undefined) return null
  const named = tasks.map((task) => quoteWord(oneLine(task))).join(" ")
  const log = `--log ${quoteWord(studio.log.value.name)}`
  const copy = (what: string, command: string) =>
    navigator.clipboard.writeText(command).then(
      () => setCopied(`Copied: ${command}`),
      () => setCopied(`${what}: ${command}`),
    )
  const command = (what: string, text: string) => (
    <button type="button" onClick={() => copy(what, text)}>
      {what}
    </button>
  )
  return (
    <section class="selected-tasks" aria-label="Selected tasks">
      <strong>{count(tasks.length, "task")} selected</strong>
      <button
        type="button"
        disabled={b === undefined || tasks.length > 2}
        title={tasks.length === 2 ? "" : "Select two tasks to compare them"}
        onClick={() => b !== undefined && studio.go(visit({ timeline, task: a }, null, { vs: `${timeline}/${b}` }))}
      >
        compare
      </button>
      <span class="quiet">copy a command:</span>
      {timeline === "main" ? command("audit", auditOf(tasks, log)) : null}
      {timeline === "main"
        ? command("share as a file", `npx hindcast export studio ${named} --out tasks.html ${log}`)
        : null}
      {command(
        "score again",
        `npx hindcast rescore --rubric rubric.yaml ${tasks.map((task) => `--task ${quoteWord(oneLine(task))}`).join(" ")} ${log}`,
      )}
      <button type="button" class="quiet" onClick={clear}>
        clear
      </button>
      <span role="status" class="copied">
        <bdi>{copied}</bdi>
      </span>
    </section>
  )
}

const auditOf = (tasks: ReadonlyArray<string>, log: string): string =>
  tasks.map((task) => `npx hindcast audit ${quoteWord(oneLine(task))} ${log}`).join(" && ")
