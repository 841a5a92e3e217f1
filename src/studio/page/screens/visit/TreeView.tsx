/** A task and the tasks below it, each with the sums of its family, as `hindcast audit --tree` adds them up. */
import { stateOf } from "../../../../projections/summary/Activity.ts"
import * as TreeAmounts from "../../../../projections/tree/TreeAmounts.ts"
import type { TaskTree, TreeRow, TreeSums } from "../../../wire/Task.ts"
import { visit } from "../../model/Address.ts"
import type { CourseHistory } from "../../model/CourseHistory.ts"
import { useStudio } from "../../parts/context.ts"
import { count, nameOf, signed } from "../../parts/format.ts"
import { Link } from "../../parts/Link.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useAnswer } from "../../parts/useAnswer.ts"
import { useThrottled } from "../../parts/useThrottled.ts"
import { Waiting } from "../../parts/Waiting.tsx"

export const TreeView = ({ course }: { readonly course: CourseHistory }) => {
  const head = course.head.value
  const { answer, problem } = useAnswer(
    "tree",
    head === null ? null : { timeline: head.timeline, task: head.id },
    useThrottled(useStudio().tasksVersion.value),
  )
  return (
    <section class="tree-part" aria-label="The tasks below">
      <Problem text={problem} />
      {answer !== null ? <Tree tree={answer} /> : problem === "" ? <Waiting problem={null} /> : null}
    </section>
  )
}

const Tree = ({ tree: { total, tasks, left } }: { readonly tree: TaskTree }) => (
  <>
    <p class="sums">
      {count(total.tasks, "task")}: {TreeAmounts.states(total).join(", ")}. Each line has the sums of a task and the
      tasks below it.
    </p>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
    <section class="scroll" tabIndex={0} aria-label="Tasks and their sums">
      <table>
        <thead>
          <tr>
            <th scope="col">task</th>
            <th scope="col">outcome</th>
            {NUMBERS.map(({ heading }) => (
              <th key={heading} scope="col" class="n">
                {heading}
              </th>
            ))}
            <th scope="col" class="n">
              own cost
            </th>
            <th scope="col">agent</th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((row) => (
            <Line key={row.task} row={row} />
          ))}
        </tbody>
      </table>
    </section>
    {left === 0 ? null : <p class="note">{count(left, "more task")}, which the sums count.</p>}
  </>
)

const Line = ({ row }: { readonly row: TreeRow }) => (
  <tr>
    <th scope="row" style={{ paddingLeft: `${Math.min(row.depth, DEEPEST) * 20 + 8}px` }}>
      {row.depth === 0 ? null : <span class="unseen">{`level ${row.depth}: `}</span>}
      <Link to={visit({ timeline: row.timeline, task: row.task }, null)} title={row.task}>
        <bdi>{row.goal === "" ? row.task : row.goal}</bdi>
      </Link>
    </th>
    <td class={`outcome ${row.outcome ?? row.activity ?? "open"}`} title={row.reason ?? undefined}>
      {stateOf(row)}
    </td>
    {NUMBERS.map(({ heading, of }) => (
      <td key={heading} class="n">
        {of(row.all)}
      </td>
    ))}
    <td class="n">{TreeAmounts.cost(row.own)}</td>
    <td>
      <bdi>{nameOf(row.agent)}</bdi>
    </td>
  </tr>
)

/** Deeper levels are not indented further. */
const DEEPEST = 6

/** Tasks that were not scored have no rewards, which is not a reward of 0. */
const net = ({ rewards }: TreeSums): string => (rewards === null ? "" : signed(rewards.net))

const NUMBERS = [
  { heading: "tasks", of: ({ tasks }: TreeSums) => String(tasks) },
  { heading: "commands", of: ({ commands }: TreeSums) => String(commands) },
  { heading: "requests", of: ({ calls }: TreeSums) => String(calls) },
  { heading: "tokens", of: TreeAmounts.tokens },
  { heading: "cost", of: TreeAmounts.cost },
  { heading: "reward", of: net },
] as const
