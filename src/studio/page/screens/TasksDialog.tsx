/** The dialogs about the selected tasks: score them again, or export them. */
import type { TaskPlace } from "../model/Address.ts"
import { CopiedCommand } from "../parts/CopiedCommand.tsx"
import { useStudio } from "../parts/context.ts"
import { DialogBox } from "../parts/Dialog.tsx"
import { count } from "../parts/format.ts"
import { RubricForm } from "../parts/RescoreDialog.tsx"
import { type ChosenTasks, exportsOf, rescoreOf } from "./taskCommands.ts"

interface DialogProps {
  readonly what: "score" | "export"
  readonly chosen: ChosenTasks
  readonly onClose: () => void
}

export const TasksDialog = ({ what, chosen, onClose }: DialogProps) =>
  what === "export" ? <Exporting chosen={chosen} onClose={onClose} /> : <Scoring chosen={chosen} onClose={onClose} />

const Exporting = ({ chosen, onClose }: Omit<DialogProps, "what">) => (
  <DialogBox title={`Export ${count(chosen.tasks.length, "task")}`} onClose={onClose}>
    <p>
      Studio writes no files. Run one of these commands where the log is; each refuses to replace a file unless you add{" "}
      <code>--force</code>.
    </p>
    {exportsOf(chosen).map(({ name, command }) => (
      <CopiedCommand key={name} name={name} command={command} />
    ))}
  </DialogBox>
)

const Scoring = ({ chosen, onClose }: Omit<DialogProps, "what">) => {
  const studio = useStudio()
  const { timeline, tasks } = chosen
  const places: ReadonlyArray<TaskPlace> = tasks.map((task) => ({ timeline, task }))
  const inTerminal = <CopiedCommand name="in the terminal, by a rubric in a file" command={rescoreOf(chosen)} />
  if (!studio.log.value.allows.write)
    return (
      <DialogBox title={`Score ${count(tasks.length, "task")} again`} onClose={onClose}>
        <p>
          Studio was started without writing. Start it with hindcast studio --write to score tasks here, or score them
        </p>
        {inTerminal}
      </DialogBox>
    )
  return (
    <RubricForm
      tasks={places}
      onClose={onClose}
      onScored={([made]) => studio.say(`${count(tasks.length, "task")} scored as ${made?.label ?? "a new score set"}.`)}
    >
      {inTerminal}
    </RubricForm>
  )
}
