/** Two tasks beside each other, event by event, with one playhead: where they part, both worlds, and what the difference was worth. */
import { signal } from "@preact/signals"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { Comparison } from "../../wire/Asking.ts"
import type { RewardRow, TaskHead } from "../../wire/Task.ts"
import { CompareLanes } from "../lanes/CompareLanes.tsx"
import { type Visit, visit } from "../model/Address.ts"
import { CourseHistory } from "../model/CourseHistory.ts"
import { useStudio } from "../parts/context.ts"
import { count, nameOf, number, signed } from "../parts/format.ts"
import { Link } from "../parts/Link.tsx"
import { Mark } from "../parts/Mark.tsx"
import { StateTree } from "../parts/StateTree.tsx"
import { World, worldsOf } from "../parts/World.tsx"

const ROW = 26
const BEYOND = 10

/** Least time between two comparisons of runs that go on, in milliseconds. */
const PAUSE = 500

/** What a visit is compared with; null if with no other task. */
export const otherOf = ({ vs }: Visit): { readonly timeline: string; readonly task: string } | null => {
  const at = vs.indexOf("/")
  return at <= 0 ? null : { timeline: vs.slice(0, at), task: vs.slice(at + 1) }
}

/** Of one address: another one has a screen of its own. */
export const CompareScreen = ({ address }: { readonly address: Visit }) => {
  const studio = useStudio()
  const other = otherOf(address)
  const [comparison, setComparison] = useState<Comparison | null>(null)
  const [problem, setProblem] = useState("")
  const asked = useRef({ at: 0, times: 0, shown: 0 })
  const isOpen = comparison !== null && [comparison.a, comparison.b].some(({ outcome }) => outcome === null)
  useEffect(() => {
    if (other === null) return
    const ask = () => {
      const { current } = asked
      current.at = Date.now()
      current.times += 1
      const { times } = current
      const isNewer = (): boolean => times > current.shown
      studio.source
        .ask("compare", { a: `${address.timeline}/${address.task}`, b: address.vs, scoresA: address.scores })
        .then(
          (answer) => {
            if (!isNewer()) return
            current.shown = times
            setProblem("")
            setComparison(answer)
          },
          (cause: unknown) => {
            if (isNewer()) setProblem(cause instanceof Error ? cause.message : String(cause))
          },
        )
    }
    const timer = setTimeout(ask, Math.max(0, asked.current.at + PAUSE - Date.now()))
    return () => clearTimeout(timer)
    // What goes on is compared again as it grows.
  }, [studio.tasksVersion.value, isOpen ? studio.head.value : 0])
  if (problem !== "")
    return (
      <main class="compare">
        <p class="problem" role="alert">
          {problem}
        </p>
      </main>
    )
  return comparison === null ? <main class="compare" aria-busy="true" /> : <Compared comparison={comparison} />
}

const Compared = ({ comparison }: { readonly comparison: Comparison }) => {
  const studio = useStudio()
  const { a, b, pairs, divergence, shared, notes } = comparison
  const courses = useMemo(() => {
    const head = signal(Number.MAX_SAFE_INTEGER)
    return [a, b].map(({ timeline, id }) => new CourseHistory(studio.source, { timeline, task: id }, head))
  }, [a.id, a.timeline, b.id, b.timeline])
  useEffect(() => {
    for (const course of courses) {
      studio.followed.add(course)
      course.open().then(
        () => (course.version.value += 1),
        (cause: unknown) => studio.fail(cause),
      )
    }
    return () => {
      for (const course of courses) studio.followed.delete(course)
    }
  }, [courses])
  const at = studio.position.value
  const row = Math.max(
    0,
    pairs.findLastIndex(([, inA]) => inA !== 0 && inA <= at),
  )
  const [chosen, choose] = useState<number | null>(null)
  useEffect(() => choose(null), [at])
  const now = chosen ?? row
  const positionsAt = (index: number): readonly [number, number] => [lastOf(pairs, index, 1), lastOf(pairs, index, 2)]
  const [inA, inB] = positionsAt(now)
  const select = (index: number) => {
    const position = pairs[index]?.[1] ?? 0
    if (position !== 0) studio.moveTo(position)
    choose(index)
  }
  return (
    <main class="compare">
      <div class="sentence">
        <h1>
          {a.id} and {b.timeline === a.timeline ? b.id : `${b.id} on ${b.timeline}`}
        </h1>
        <p>
          {divergence === null ? "They went the same way." : <>They part at {partOf(pairs[divergence])}. </>}
          {shared > 0 ? `They share the history up to @${shared}. ` : ""}
          {count(pairs.filter(([kind]) => kind === "=").length, "event")} the same,{" "}
          {pairs.filter(([kind]) => kind === "~").length} changed, {pairs.filter(([kind]) => kind === "a").length} only
          in the first, {pairs.filter(([kind]) => kind === "b").length} only in the second.
          {divergence === null ? null : (
            <button type="button" onClick={() => select(divergence)}>
              go there
            </button>
          )}
        </p>
        {notes.map((note) => (
          <p class="note" key={note}>
            {note}
          </p>
        ))}
      </div>
      <Pairs comparison={comparison} courses={courses} now={now} onSelect={select} />
      <div class="sides">
        <Side head={a} course={courses[0]} position={inA} />
        <Side head={b} course={courses[1]} position={inB} />
      </div>
      <CompareLanes comparison={comparison} courses={courses} now={now} onSelect={select} />
      <Waterfall a={comparison.rewards.a} b={comparison.rewards.b} />
    </main>
  )
}

/** The position that a run had reached at a row. */
const lastOf = (pairs: Comparison["pairs"], index: number, column: 1 | 2): number => {
  for (let at = index; at >= 0; at--) {
    const position = pairs[at]?.[column] ?? 0
    if (position !== 0) return position
  }
  return 0
}

const partOf = (pair: Comparison["pairs"][number] | undefined): string => {
  if (pair === undefined) return ""
  const [, a, b] = pair
  return [a === 0 ? "nothing" : `@${a}`, b === 0 ? "nothing" : `@${b}`].join(" and ")
}

interface PairsProps {
  readonly comparison: Comparison
  readonly courses: ReadonlyArray<CourseHistory>
  readonly now: number
  readonly onSelect: (index: number) => void
}

const Pairs = ({ comparison: { pairs, divergence }, courses, now, onSelect }: PairsProps) => {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const height = box.current?.clientHeight ?? 300
  for (const course of courses) course.version.value
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const place = now * ROW
    if (place < element.scrollTop || place > element.scrollTop + element.clientHeight - ROW)
      element.scrollTop = place - element.clientHeight / 2
  }, [now, pairs])
  const first = Math.max(0, Math.floor(top / ROW) - BEYOND)
  const last = Math.min(pairs.length - 1, first + Math.ceil(height / ROW) + 2 * BEYOND)
  useEffect(() => {
    for (const index of [first, last])
      for (const [side, course] of courses.entries()) {
        const position = lastOf(pairs, index, side === 0 ? 1 : 2)
        if (position !== 0 && course.marks.value !== null && course.frameAt(position) === null)
          void course.load(position)
      }
  }, [first, last, courses[0]?.version.value, courses[1]?.version.value])
  const rows = []
  for (let index = first; index <= last; index++) {
    const pair = pairs[index]
    if (pair === undefined) continue
    const [kind, a, b] = pair
    rows.push(
      // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the page move the position wherever the focus is.
      <div
        key={index}
        tabIndex={-1}
        role="option"
        aria-selected={index === now}
        class={`pair p-${kind === "=" ? "same" : kind === "~" ? "changed" : "only"}${index === now ? " here" : ""}${index === divergence ? " parts" : ""}`}
        style={{ top: `${index * ROW}px` }}
        onClick={() => onSelect(index)}
      >
        <Half course={courses[0]} position={a} />
        <span class="sign">{kind === "=" ? "" : kind === "~" ? "≠" : kind === "a" ? "◂" : "▸"}</span>
        <Half course={courses[1]} position={b} />
      </div>,
    )
  }
  return (
    <div
      class="pairs"
      ref={box}
      role="listbox"
      aria-label="Both runs, event by event"
      tabIndex={0}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <div style={{ height: `${pairs.length * ROW}px` }}>{rows}</div>
    </div>
  )
}

const Half = ({ course, position }: { readonly course: CourseHistory | undefined; readonly position: number }) => {
  const entry = position === 0 ? null : (course?.frameAt(position)?.entry ?? null)
  if (position === 0) return <span class="half none" />
  return (
    <span class="half">
      <span class="at">@{position}</span>
      {entry === null ? (
        <span class="skeleton" />
      ) : (
        <>
          <Mark kind={entry.kind} bad={entry.bad} />
          <span class="line">
            <span class="type">{entry.type}</span> <bdi>{entry.line}</bdi>
          </span>
        </>
      )}
    </span>
  )
}

const Side = ({
  head,
  course,
  position,
}: {
  readonly head: TaskHead
  readonly course: CourseHistory | undefined
  readonly position: number
}) => {
  const frame = position === 0 || course === undefined || course.marks.value === null ? null : course.frameAt(position)
  useEffect(() => {
    if (frame === null && position !== 0 && course !== undefined && course.marks.value !== null)
      void course.load(position)
  })
  return (
    <section class="side-of">
      <h2>
        <Link to={visit({ timeline: head.timeline, task: head.id }, position === 0 ? null : position)}>
          {head.id}
          {head.timeline === "main" ? "" : ` on ${head.timeline}`}
        </Link>{" "}
        {head.agent === null ? "" : nameOf(head.agent)}
      </h2>
      <p class={head.outcome === null || head.outcome === "achieved" ? undefined : "bad"}>
        <bdi>{head.sentence}</bdi>
      </p>
      {frame === null ? null : (
        <>
          {worldsOf(frame, head.id).map((world) => (
            <World key={world.plugin} world={world} />
          ))}
          <StateTree frame={frame} task={head.id} />
        </>
      )}
    </section>
  )
}

/** How the net of the first becomes that of the second, measure by measure. */
const Waterfall = ({ a, b }: { readonly a: ReadonlyArray<RewardRow>; readonly b: ReadonlyArray<RewardRow> }) => {
  const sums = new Map<string, number>()
  const add = (rewards: ReadonlyArray<RewardRow>, sign: 1 | -1) => {
    for (const { measure, name, amount } of rewards)
      sums.set(`${measure} ${name}`, (sums.get(`${measure} ${name}`) ?? 0) + sign * amount)
  }
  add(a, -1)
  add(b, 1)
  const [netA, netB] = [a, b].map((rewards) => rewards.reduce((sum, { amount }) => sum + amount, 0))
  const steps = [...sums]
    .filter(([, amount]) => Math.abs(amount) > 1e-9)
    .sort((x, y) => Math.abs(y[1]) - Math.abs(x[1]))
  let sum = netA ?? 0
  const bars = [
    { name: "first", from: 0, to: netA ?? 0 },
    ...steps.map(([name, amount]) => {
      const from = sum
      sum += amount
      return { name, from, to: sum }
    }),
    { name: "second", from: 0, to: netB ?? 0 },
  ]
  const ends = bars.flatMap(({ from, to }) => [from, to, 0])
  const [low, high] = [Math.min(...ends), Math.max(...ends)]
  const x = (value: number) => ((value - low) / (high - low || 1)) * 100
  return (
    <section class="waterfall" aria-label="The difference of rewards">
      <h2>What the difference was worth</h2>
      {steps.length === 0 ? <p class="empty">Both were worth {number(netA ?? 0)}.</p> : null}
      <table>
        <tbody>
          {bars.map(({ name, from, to }, index) => (
            <tr key={index}>
              <th scope="row">
                <bdi>{name}</bdi>
              </th>
              <td class="n">{index === 0 || index === bars.length - 1 ? number(to) : signed(to - from)}</td>
              <td class="bar-cell">
                <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                  <rect
                    class={index === 0 || index === bars.length - 1 ? "total" : to < from ? "k-punishment" : "k-reward"}
                    x={Math.min(x(from), x(to))}
                    width={Math.max(0.4, Math.abs(x(to) - x(from)))}
                    y="0"
                    height="8"
                  />
                </svg>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
