/** Commands about several tasks, which can be pasted into a shell. */
import { word } from "../../../providers/writing/ShellWord.ts"

export interface ChosenTasks {
  readonly timeline: string
  /** At least one. */
  readonly tasks: ReadonlyArray<string>
  /** The log's file. */
  readonly log: string
}

export interface TaskCommand {
  readonly name: string
  readonly command: string
}

/** Scores the tasks by a rubric in a file. */
export const rescoreOf = (chosen: ChosenTasks): string =>
  of(chosen, "rescore", "--rubric rubric.yaml", ...namedBy(chosen))

/** Prints the audits of the tasks as a table. */
export const auditOf = (chosen: ChosenTasks): string => of(chosen, "audit --all", ...namedBy(chosen))

/** Writes the tasks to files. */
export const exportsOf = (chosen: ChosenTasks): ReadonlyArray<TaskCommand> => [
  {
    name: "one page with the debugger, to share",
    command: of(chosen, "export studio", ...chosen.tasks.map(word), "--output tasks.html"),
  },
  { name: "their audits as JSON", command: `${of(chosen, "audit --all", ...namedBy(chosen), "--json")} > audits.json` },
  {
    name: "their events as JSON Lines, a file each",
    command: chosen.tasks
      .map((task, index) => of(chosen, "export events", `--task ${word(task)} --output events-${index + 1}.jsonl`))
      .join(" && "),
  },
]

const of = ({ timeline, log }: ChosenTasks, ...parts: ReadonlyArray<string>): string =>
  [
    "npx hindcast",
    ...parts,
    ...(timeline === "main" ? [] : [`--timeline ${word(timeline)}`]),
    `--log ${word(log)}`,
  ].join(" ")

const namedBy = ({ tasks }: ChosenTasks): ReadonlyArray<string> => tasks.map((task) => `--task ${word(task)}`)
