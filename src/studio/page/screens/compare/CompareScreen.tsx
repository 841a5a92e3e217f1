/**
 * Two tasks side by side, event by event, with one playhead: where their decisions split, both worlds, and the difference of
 * their rewards.
 */
import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import type { Comparison } from "../../../wire/Asking.ts"
import { CompareLanes } from "../../lanes/CompareLanes.tsx"
import { otherOf, type Visit, visit, vsOf } from "../../model/Address.ts"
import { CourseHistory } from "../../model/CourseHistory.ts"
import { useStudio } from "../../parts/context.ts"
import { count } from "../../parts/format.ts"
import { Hits } from "../../parts/Hits.tsx"
import { Link } from "../../parts/Link.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useAnswer } from "../../parts/useAnswer.ts"
import { useThrottled } from "../../parts/useThrottled.ts"
import { BothTalks } from "./BothTalks.tsx"
import { lastOf, Pairs } from "./Pairs.tsx"
import { Scores } from "./Scores.tsx"
import { Side } from "./Side.tsx"
import { Waterfall } from "./Waterfall.tsx"

/** Each address has a screen instance of its own. */
export const CompareScreen = ({ address }: { readonly address: Visit }) => {
  const studio = useStudio()
  const other = otherOf(address)
  const [isOpen, setOpen] = useState(false)
  const [scorings, setScorings] = useState(0)
  const grown = useThrottled(`${studio.tasksVersion.value} ${scorings} ${isOpen ? studio.head.value : ""}`)
  const asked =
    other === null ? null : { a: `${address.timeline}/${address.task}`, b: address.vs, scores: address.scores }
  const { answer, problem } = useAnswer("compare", asked, grown)
  useEffect(() => {
    if (answer !== null) setOpen([answer.a, answer.b].some(({ outcome }) => outcome === null))
  }, [answer])
  const said =
    problem === "" ? null : <Problem text={`${problem}${answer === null ? "" : " This is the last comparison."}`} />
  return answer === null ? (
    <main class="compare" aria-busy={said === null}>
      {said}
    </main>
  ) : (
    <Compared address={address} comparison={answer} said={said} onScored={() => setScorings((before) => before + 1)} />
  )
}

interface ComparedProps {
  readonly address: Visit
  readonly comparison: Comparison
  readonly said: ComponentChildren
  readonly onScored: () => void
}

const Compared = ({ address, comparison, said, onScored }: ComparedProps) => {
  const studio = useStudio()
  const { a, b, pairs, split, shared, notes, labels, sentence } = comparison
  const courses = useMemo(() => {
    const head = signal(Number.MAX_SAFE_INTEGER)
    return [a, b].map(({ timeline, id }) => new CourseHistory(studio.source, { timeline, task: id }, head))
  }, [a.id, a.timeline, b.id, b.timeline])
  useEffect(() => {
    for (const course of courses) {
      studio.followed.add(course)
      course.open().catch((cause: unknown) => studio.fail(cause))
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
  // Worlds without a conversation have only their events.
  const views = studio.talk.value?.isOfModel
    ? studio.view.value === "conversation"
      ? "conversation"
      : "debugger"
    : null
  const [chosen, choose] = useState<number | null>(null)
  useEffect(() => choose(null), [at])
  const now = chosen ?? row
  // A side without an event yet is at the end of the shared history.
  const [inA, inB] = [lastOf(pairs, now, 1) || shared, lastOf(pairs, now, 2) || shared]
  const select = (index: number) => {
    const position = pairs[index]?.[1] ?? 0
    if (position !== 0) studio.moveTo(position)
    choose(index)
  }
  return (
    <main class="compare">
      {said}
      <div class="compared">
        <div class="sentence">
          <h1>
            <bdi>{labels[0]}</bdi> and <bdi>{labels[1]}</bdi>
            {a.goal === b.goal ? (
              <>
                : <bdi>{a.goal}</bdi>
              </>
            ) : null}
          </h1>
          <p class="split-sentence">
            <bdi>{sentence}</bdi>{" "}
            {split === null ? null : (
              <button type="button" onClick={() => select(split)}>
                go there
              </button>
            )}
          </p>
          <p class="facts-line">
            {shared > 0 ? `They share the history up to @${shared}. ` : ""}
            {count(pairs.filter(([kind]) => kind === "=").length, "event")} the same,{" "}
            {pairs.filter(([kind]) => kind === "~").length} changed, {pairs.filter(([kind]) => kind === "a").length}{" "}
            only in A, {pairs.filter(([kind]) => kind === "b").length} only in B.
          </p>
          {a.forks.length < 2 ? null : (
            <p>
              <Link
                to={visit({ timeline: a.timeline, task: a.id }, null, {
                  scores: address.scores,
                  vs: vsOf(a.forks.map(({ timeline, task }) => ({ timeline, task }))),
                })}
              >
                {labels[0]} and its {a.forks.length} forks in a table
              </Link>
            </p>
          )}
          <Scores comparison={comparison} onScored={onScored} />
          {notes.map((note) => (
            <p class="note" key={note}>
              {note}
            </p>
          ))}
          {address.when === "" ? null : (
            <p class="facts-line">
              In A: <Hits />
            </p>
          )}
        </div>
        {views === null ? null : (
          <div class="views">
            <div class="tabs" role="tablist" aria-label="View">
              {(["conversation", "debugger"] as const).map((name) => (
                <button
                  key={name}
                  type="button"
                  role="tab"
                  aria-selected={views === name}
                  title="key a"
                  onClick={() => studio.look({ view: name })}
                >
                  {name === "conversation" ? "conversations" : "events"}
                </button>
              ))}
            </div>
          </div>
        )}
        {views === "conversation" ? (
          <BothTalks comparison={comparison} courses={courses} />
        ) : (
          <>
            <Pairs comparison={comparison} courses={courses} now={now} onSelect={select} />
            <div class="sides">
              <Side head={a} label={labels[0]} course={courses[0]} position={inA} />
              <Side head={b} label={labels[1]} course={courses[1]} position={inB} />
            </div>
            <CompareLanes comparison={comparison} courses={courses} now={now} onSelect={select} />
          </>
        )}
      </div>
      {comparison.scored?.sets.every((set) => set !== null) ? (
        <Waterfall a={comparison.rewards.a} b={comparison.rewards.b} names={labels} />
      ) : null}
    </main>
  )
}
