/** A task in the list. */
import { isBad, stateOf } from "../../../projections/summary/Activity.ts"
import { decodeKind } from "../../wire/Kind.ts"
import type { SearchHit } from "../../wire/Search.ts"
import type { TaskRow } from "../../wire/Task.ts"
import { visit } from "../model/Address.ts"
import { cost, tokens } from "../parts/amounts.ts"
import { Excerpt } from "../parts/Excerpt.tsx"
import { count, duration, nameOf, signed, time } from "../parts/format.ts"
import { Link } from "../parts/Link.tsx"

interface Props {
  readonly task: TaskRow
  /** The newest event that has the words of a search. */
  readonly hit: SearchHit | undefined
  /** Why it ended badly, once the server has explained it. */
  readonly reason: string | undefined
  readonly isSelected: boolean
  readonly select: (range: boolean) => void
}

export const TaskLine = ({ task, hit, reason, isSelected, select }: Props) => (
  <div class={isSelected ? "task-line selected" : "task-line"}>
    <label class="pick">
      <input
        type="checkbox"
        checked={isSelected}
        aria-label={`Select ${task.id}`}
        onClick={(event) => select(event.shiftKey)}
      />
    </label>
    <Link to={visit({ timeline: task.timeline, task: task.id }, hit?.position ?? null)} class="task-link">
      <span class={`outcome ${task.outcome ?? task.activity ?? "open"}`}>{stateOf(task)}</span>
      <span class="what">
        <bdi class="goal">{task.goal}</bdi>
        <small>
          <Second task={task} hit={hit} reason={reason} />
        </small>
      </span>
      {task.waits === 0 ? null : <span class="waits">{count(task.waits, "question")}</span>}
      <span class="agent">
        <bdi>{task.agent === null ? "" : nameOf(task.agent)}</bdi>
      </span>
      <span class="n steps">{task.steps.toLocaleString("en")}</span>
      <span class="n took">{task.durationMs === null ? "" : duration(task.durationMs)}</span>
      <span class="n tokens">{amount(task, tokens)}</span>
      <span class="n cost">{amount(task, cost)}</span>
      <span class={`n net ${toneOf(task)}`}>{task.score === null ? "" : signed(task.score.net)}</span>
      <Strip strip={task.strip} />
    </Link>
    {task.below === 0 ? null : (
      <Link
        to={visit({ timeline: task.timeline, task: task.id }, null, { view: "tree" })}
        class="below"
        title="The tasks that it started, and theirs"
      >
        {task.below} below
      </Link>
    )}
  </div>
)

/** The search's words in the task, or why it ended badly, or its id and time. */
const Second = ({ task, hit, reason }: Pick<Props, "task" | "hit" | "reason">) => {
  if (hit !== undefined) {
    return (
      <>
        {hit.kind === "other" ? hit.type : hit.kind}: <Excerpt excerpt={hit.excerpt} />
      </>
    )
  }
  const why = reason ?? task.reason
  if (isBad(task) && why !== null)
    return (
      <bdi class="reason" title={why}>
        {why}
      </bdi>
    )
  return (
    <>
      <bdi>{task.id}</bdi> · {time(task.openedAt)}
    </>
  )
}

const amount = ({ models }: TaskRow, of: typeof tokens): string =>
  models === null ? "…" : models.use === null ? "" : of(models.use)

const toneOf = ({ score }: TaskRow): string =>
  score === null || score.net === 0 ? "" : score.net < 0 ? "punishment" : "reward"

export const Heads = () => (
  <div class="task-heads" aria-hidden="true">
    <span>outcome</span>
    <span class="what">task</span>
    <span class="agent">agent</span>
    <span class="n steps">steps</span>
    <span class="n took">time</span>
    <span class="n tokens">tokens</span>
    <span class="n cost">cost</span>
    <span class="n net">score</span>
    <span class="strip">events</span>
  </div>
)

/** The events of a task in a few pixels. More telling marks are higher. */
const Strip = ({ strip }: { readonly strip: string }) => (
  <svg class="strip" viewBox={`0 0 ${LONGEST_STRIP * 3} 20`} preserveAspectRatio="none" aria-hidden="true">
    {[...strip].map((code, index) => {
      const mark = decodeKind(code)
      if (mark === null) return null
      const height = HEIGHTS[mark.kind] ?? 6
      const isDown = mark.kind === "punishment" || mark.bad
      return (
        <rect
          key={index}
          class={`k-${mark.bad ? "punishment" : mark.kind}`}
          x={index * 3}
          width="2"
          y={isDown ? 10 : 10 - height}
          height={height}
        />
      )
    })}
    <path class="base" d={`M0 10H${strip.length * 3}`} />
  </svg>
)

const LONGEST_STRIP = 80

const HEIGHTS: { readonly [kind: string]: number } = {
  reading: 3,
  world: 4,
  decision: 6,
  model: 6,
  message: 6,
  command: 8,
  approval: 9,
  reward: 10,
  punishment: 10,
  task: 4,
  plugin: 3,
  other: 2,
}
