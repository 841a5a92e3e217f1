/** All tasks of a timeline, filtered, ordered and grouped, each with a strip of its course. Handles 10,000 rows. */
import { useEffect, useRef, useState } from "preact/hooks"
import { stateOf } from "../../wire/Activity.ts"
import { decodeKind } from "../../wire/Kind.ts"
import type { TaskRow } from "../../wire/Task.ts"
import { type Overview, visit } from "../model/Address.ts"
import { useStudio } from "../parts/context.ts"
import { count, nameOf, signed, time } from "../parts/format.ts"
import { Link } from "../parts/Link.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useAnswer } from "../parts/useAnswer.ts"
import { useThrottled } from "../parts/useThrottled.ts"
import { messageOf } from "../source/Source.ts"
import { Groups } from "./TaskGroups.tsx"

/** Rows per page, and the height of a row in pixels, as in the style sheet. */
const PAGE = 100
const ROW = 56
const BEYOND = 6

export const TasksScreen = ({ address }: { readonly address: Overview }) => {
  const studio = useStudio()
  const { timeline, where, order, by } = address
  const [pages, setPages] = useState<ReadonlyMap<number, ReadonlyArray<TaskRow>>>(new Map())
  const [total, setTotal] = useState<number | null>(null)
  const [problem, setProblem] = useState("")
  const [range, setRange] = useState<readonly [number, number]>([0, 20])
  const box = useRef<HTMLOListElement>(null)
  const question = JSON.stringify([timeline, where, order])
  const asked = useRef({ question: "", pages: new Set<number>() })
  const version = useThrottled(studio.tasksVersion.value)
  const groups = useAnswer("groups", by === "" ? null : { timeline, where, by }, version)

  const load = (page: number) => {
    const state = asked.current
    if (state.pages.has(page)) return
    state.pages.add(page)
    studio.source.ask("tasks", { timeline, where, order, offset: page * PAGE, limit: PAGE }).then(
      (answer) => {
        if (asked.current !== state) return
        setTotal(answer.total)
        setPages((before) => new Map(before).set(page, answer.rows))
      },
      (cause: unknown) => {
        if (asked.current === state) setProblem(messageOf(cause))
      },
    )
  }
  useEffect(() => {
    const isOther = asked.current.question !== question
    asked.current = { question, pages: new Set() }
    setProblem("")
    if (isOther) {
      setPages(new Map())
      setTotal(null)
    }
    for (let page = Math.floor(range[0] / PAGE); page <= Math.floor(range[1] / PAGE); page++) load(page)
  }, [question, version])
  useEffect(() => {
    for (let page = Math.floor(range[0] / PAGE); page <= Math.floor(range[1] / PAGE); page++) load(page)
  }, [range])
  useEffect(() => {
    const look = () => {
      const top = -(box.current?.getBoundingClientRect().top ?? 0)
      const first = Math.max(0, Math.floor(top / ROW) - BEYOND)
      setRange(([before, after]) => {
        const last = first + Math.ceil(innerHeight / ROW) + 2 * BEYOND
        return before === first && after === last ? [before, after] : [first, last]
      })
    }
    look()
    addEventListener("scroll", look, { passive: true })
    addEventListener("resize", look)
    return () => {
      removeEventListener("scroll", look)
      removeEventListener("resize", look)
    }
  }, [])

  const change = (next: Partial<Overview>) => studio.go({ ...address, ...next })
  const rows = []
  for (let index = range[0]; index <= Math.min(range[1], (total ?? 0) - 1); index++) {
    const row = pages.get(Math.floor(index / PAGE))?.[index % PAGE]
    rows.push(
      <li key={index} style={{ top: `${index * ROW}px` }}>
        {row === undefined ? <span class="skeleton" /> : <TaskLine task={row} />}
      </li>,
    )
  }
  return (
    <main class="tasks">
      <div class="sentence">
        <h1>{total === null ? "Tasks" : count(total, "task")}</h1>
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault()
            change({ where: String(new FormData(event.currentTarget).get("where") ?? "").trim() })
          }}
        >
          <input
            key={where}
            name="where"
            defaultValue={where}
            placeholder={'task.outcome == "failed"'}
            aria-label="Only tasks for which this CEL expression is true"
            spellcheck={false}
            autocomplete="off"
          />
          <select
            aria-label="Order"
            value={order}
            onChange={({ currentTarget }) => change({ order: currentTarget.value as Overview["order"] })}
          >
            <option value="worst">worst first</option>
            <option value="newest">newest first</option>
            <option value="oldest">oldest first</option>
          </select>
          <select
            aria-label="Group by"
            value={by}
            onChange={({ currentTarget }) => change({ by: currentTarget.value as Overview["by"] })}
          >
            <option value="">not grouped</option>
            <option value="agent">by agent</option>
            <option value="outcome">by outcome</option>
            <option value="plugin">by plugin</option>
          </select>
        </form>
        <Problem text={problem || groups.problem} />
        {studio.log.value.notes.map((note) => (
          <p class="note" key={note}>
            {note}
          </p>
        ))}
      </div>
      {groups.answer === null || groups.answer.length === 0 ? null : (
        <Groups groups={groups.answer} address={address} />
      )}
      {total === 0 ? (
        <p class="empty">
          {where === ""
            ? "No task has been opened in this log. A new one appears here immediately, with live events."
            : "No task matches."}
        </p>
      ) : null}
      {total === null || total === 0 ? null : (
        <div class="task-heads" aria-hidden="true">
          <span>outcome</span>
          <span class="what">task</span>
          <span class="strip">course</span>
          <span class="net n">net</span>
        </div>
      )}
      <ol ref={box} class="task-list" style={{ height: `${(total ?? 0) * ROW}px` }}>
        {rows}
      </ol>
    </main>
  )
}

const TaskLine = ({ task }: { readonly task: TaskRow }) => (
  <Link to={visit({ timeline: task.timeline, task: task.id }, null)} class="task-line">
    <span class={`outcome ${task.outcome ?? task.activity ?? "open"}`}>{stateOf(task)}</span>
    <span class="what">
      <bdi class="goal">{task.goal}</bdi>
      <small>
        <bdi>{task.id}</bdi>
        {task.agent === null ? (
          ""
        ) : (
          <>
            {" "}
            · <bdi>{nameOf(task.agent)}</bdi>
          </>
        )}
        {task.reason === null ? null : (
          <>
            {" "}
            · <bdi>{task.reason}</bdi>
          </>
        )}{" "}
        · {count(task.steps, "step")} · {time(task.openedAt)}
      </small>
    </span>
    {task.waits === 0 ? null : <span class="waits">{count(task.waits, "question")}</span>}
    <Strip strip={task.strip} />
    <span
      class={`net n ${task.score === null || task.score.net === 0 ? "" : task.score.net < 0 ? "punishment" : "reward"}`}
    >
      {task.score === null ? "" : signed(task.score.net)}
    </span>
  </Link>
)

/** The course of a task in a few pixels. More telling marks are higher. */
export const Strip = ({ strip }: { readonly strip: string }) => (
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
