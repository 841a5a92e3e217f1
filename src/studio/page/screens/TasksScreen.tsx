/** The first screen: how all tasks of a timeline went, and which of them need somebody. */
import { useRef, useState } from "preact/hooks"
import { isFiltered, type Overview } from "../model/Address.ts"
import { useStudio } from "../parts/context.ts"
import { count, zone } from "../parts/format.ts"
import { Problem } from "../parts/Problem.tsx"
import { useAnswer } from "../parts/useAnswer.ts"
import { useThrottled } from "../parts/useThrottled.ts"
import { useTicks } from "../parts/useTicks.ts"
import { SelectedTasks } from "./SelectedTasks.tsx"
import { TaskFilters } from "./TaskFilters.tsx"
import { Groups } from "./TaskGroups.tsx"
import { Heads, TaskLine } from "./TaskLine.tsx"
import { Chips, DayBars, Totals } from "./TaskTotals.tsx"
import { useReasons } from "./useReasons.ts"
import { ROW, type Rows, useRows } from "./useRows.ts"
import { useSelected } from "./useSelected.ts"

export const TasksScreen = ({ address }: { readonly address: Overview }) => {
  const studio = useStudio()
  const { timeline, where, order, by, text, state, agent, model, day, scores } = address
  const box = useRef<HTMLOListElement>(null)
  const filters = { timeline, where, text, state, agent, model, day, scores, zone: zone() }
  const [isOpen, setOpen] = useState(false)
  // Rows of open tasks change with every event; others when tasks open, close or are scored.
  const [isComing, setComing] = useState(false)
  const tick = useTicks(isComing)
  const version = `${useThrottled(`${studio.tasksVersion.value} ${isOpen ? studio.head.value : ""}`)} ${tick}`
  const rows = useRows(box, { ...filters, order }, version)
  // The rows come first: the server reads more of the log for the totals.
  const { answer: overview, problem } = useAnswer("overview", rows.total === null ? null : filters, version)
  const groups = useAnswer("groups", by === "" ? null : { timeline, where, by, scores }, version)
  const selected = useSelected(`${timeline} ${JSON.stringify(filters)}`)
  const { total, range } = rows
  const shown = Array.from(
    { length: Math.max(0, Math.min(range[1], (total ?? 0) - 1) - range[0] + 1) },
    (_, at) => at + range[0],
  )
  const reasonOf = useReasons(
    timeline,
    scores,
    shown.flatMap((index) => rows.row(index) ?? []),
  )
  const hasOpen = shown.some((index) => {
    const task = rows.row(index)
    return task !== undefined && task.outcome === null
  })
  if (hasOpen !== isOpen) setOpen(hasOpen)
  // Asks again until the server has counted everything.
  const lacks = overview?.counted === null || shown.some((index) => rows.row(index)?.models === null)
  if (lacks !== isComing) setComing(lacks)

  const change = (next: Partial<Overview>) => studio.go({ ...address, ...next })
  const given = { address, change }
  return (
    <main class="tasks">
      <div class="sentence">
        <h1>{headingOf(total, overview?.all ?? null)}</h1>
        {overview === null ? null : <Totals overview={overview} />}
        {overview === null ? null : <Chips overview={overview} {...given} />}
        {overview === null ? null : <DayBars overview={overview} {...given} />}
        <TaskFilters overview={overview} {...given} />
        <Problem text={rows.problem || problem || groups.problem} />
        <p class="note" role="status">
          {foundOf(rows.found, total)}
        </p>
        {studio.log.value.notes.map((note) => (
          <p class="note" key={note}>
            {note}
          </p>
        ))}
      </div>
      {groups.answer === null || groups.answer.length === 0 ? null : (
        <Groups groups={groups.answer} address={address} />
      )}
      {total === 0 ? <Nothing {...given} /> : null}
      {total === null || total === 0 ? null : <Heads />}
      <ol ref={box} class="task-list" style={{ height: `${(total ?? 0) * ROW}px` }}>
        {shown.map((index) => {
          const task = rows.row(index)
          return (
            <li key={index} style={{ top: `${index * ROW}px` }}>
              {task === undefined ? (
                <span class="skeleton" />
              ) : (
                <TaskLine
                  task={task}
                  hit={rows.hit(task.id)}
                  reason={reasonOf(task)}
                  isSelected={selected.has(task.id)}
                  select={(isRange) => selected.select(index, isRange, (at) => rows.row(at)?.id)}
                />
              )}
            </li>
          )
        })}
      </ol>
      <SelectedTasks timeline={timeline} tasks={selected.tasks} clear={selected.clear} />
    </main>
  )
}

const headingOf = (total: number | null, all: number | null): string => {
  if (total === null) return "Tasks"
  return all === null || all === total ? count(total, "task") : `${total.toLocaleString("en")} of ${count(all, "task")}`
}

/** How far a search reached. */
const foundOf = (found: Rows["found"], total: number | null): string => {
  if (found === null || total === null) return ""
  const { coverage, cut, widened } = found
  return [
    widened ? "No event has exactly these words. These tasks have words that begin with them." : "",
    cut ? "Only the newest hits were looked at." : "",
    coverage.position < coverage.head
      ? `The search covers ${Math.floor((100 * coverage.position) / coverage.head)} % of the log so far.`
      : "",
  ]
    .filter((part) => part !== "")
    .join(" ")
}

const Nothing = ({
  address,
  change,
}: {
  readonly address: Overview
  readonly change: (next: Partial<Overview>) => void
}) => (
  <p class="empty">
    {isFiltered(address) ? (
      <>
        No task matches.{" "}
        <button type="button" onClick={() => change({ where: "", text: "", state: "", agent: "", model: "", day: "" })}>
          show all tasks
        </button>
      </>
    ) : (
      "No task has been opened in this log. A new one appears here immediately, with live events."
    )}
  </p>
)
