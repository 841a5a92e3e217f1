/** Links from a call to the tasks that it started, and from a task to the call that started it. */
import { stateOf } from "../../../../projections/summary/Activity.ts"
import { oneLine } from "../../../../values/PlainText.ts"
import type { Relative } from "../../../wire/Task.ts"
import { visit } from "../../model/Address.ts"
import { useStudio } from "../context.ts"
import { count, nameOf } from "../format.ts"
import { Link } from "../Link.tsx"

/** Maximum number of characters of a goal: the link leads to all of it. */
const LONGEST = 80

/** A task by its goal, with who did it and what became of it. */
const ToTask = ({ relative, at }: { readonly relative: Relative; readonly at: number | null }) => {
  const timeline = useStudio().visit?.timeline ?? "main"
  const { task, goal, agent } = relative
  const words = oneLine(goal)
  return (
    <>
      <Link to={visit({ timeline, task }, at)} title={task}>
        <bdi>{words === "" ? task : words.length > LONGEST ? `${words.slice(0, LONGEST - 1)}…` : words}</bdi>
      </Link>{" "}
      <small>
        {agent === null ? null : <bdi>{nameOf(agent)}, </bdi>}
        {stateOf(relative)}
      </small>
    </>
  )
}

/** The tasks that a call started. */
export const Started = ({ events }: { readonly events: ReadonlyArray<number> }) => {
  const relatives = useStudio().history.value?.relatives.value
  const children = relatives?.children.filter(({ call }) => call !== null && events.includes(call)) ?? []
  return children.length === 0 ? null : (
    <ul class="started">
      {children.map((child) => (
        <li key={child.task} title={child.isInferred ? "Inferred: its goal is the prompt of this call" : undefined}>
          started <ToTask relative={child} at={null} />
        </li>
      ))}
    </ul>
  )
}

/** The task that started this one. `parent`: its id, as long as nothing else is known. */
export const StartedBy = ({ parent }: { readonly parent: string | null }) => {
  const studio = useStudio()
  const by = studio.history.value?.relatives.value?.parent ?? null
  const timeline = studio.visit?.timeline ?? "main"
  if (by !== null)
    return (
      <span title={by.isInferred ? "Inferred: the prompt of that call is the goal of this task" : undefined}>
        started by <ToTask relative={by} at={by.call} />
      </span>
    )
  return parent === null ? null : (
    <span>
      a sub-agent of <Link to={visit({ timeline, task: parent }, null)}>{parent}</Link>
    </span>
  )
}

/** The tasks that this one started by calls that nobody knows. */
export const OtherChildren = () => {
  const relatives = useStudio().history.value?.relatives.value
  const others = relatives?.children.filter(({ call }) => call === null) ?? []
  const left = relatives?.left ?? 0
  if (others.length === 0 && left === 0) return null
  return (
    <ul class="started">
      {others.map((child) => (
        <li key={child.task}>
          sub-agent <ToTask relative={child} at={null} />
        </li>
      ))}
      {left === 0 ? null : <li>and {count(left, "more task")}</li>}
    </ul>
  )
}
