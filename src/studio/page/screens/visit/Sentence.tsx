/** What became of a task, in a sentence, with its totals and its worst moment. */
import type { ComponentChildren } from "preact"
import { isBad } from "../../../../projections/summary/Activity.ts"
import * as Money from "../../../../values/Money.ts"
import type { ModelTotals, TaskHead } from "../../../wire/Task.ts"
import type { CourseHistory } from "../../model/CourseHistory.ts"
import { useStudio } from "../../parts/context.ts"
import { StartedBy } from "../../parts/conversation/Relatives.tsx"
import { count, duration, nameOf, signed, zone } from "../../parts/format.ts"
import { Hits } from "../../parts/Hits.tsx"
import { At } from "../../parts/Link.tsx"
import { useRelatives } from "../../parts/useRelatives.ts"

interface SentenceProps {
  readonly course: CourseHistory
  /** Below the sentence: the choice of a view. */
  readonly children: ComponentChildren
}

export const Sentence = ({ course, children }: SentenceProps) => {
  const studio = useStudio()
  const head = course.head.value
  useRelatives(course)
  if (head === null)
    return (
      <div class="sentence">
        <h1>All events of {course.course.timeline}</h1>
        <p>
          {count(course.last, "position")}. <kbd>t</kbd> shows only the task of an event.
        </p>
      </div>
    )
  return (
    <div class="sentence">
      <h1 title={head.goal}>
        <bdi>{head.goal}</bdi>
      </h1>
      <p class={isBad(head) ? "bad" : undefined} title={head.sentence}>
        {head.agent === null ? null : <bdi>{nameOf(head.agent)}: </bdi>}
        <bdi>{head.sentence}</bdi>
      </p>
      <p class="facts-line">
        <StartedBy parent={null} />
        <Totals head={head} />
        <ScoreOf head={head} scores={studio.scores.value} look={() => studio.look({ pane: "rewards" })} />
        {head.worst === null ? null : (
          <span>
            worst moment <At position={head.worst} /> <kbd>m</kbd>{" "}
            <button type="button" onClick={() => studio.look({ pane: "why" })}>
              why
            </button>
          </span>
        )}
        {head.isCaptured ? (
          <button type="button" onClick={() => studio.look({ pane: "capture" })}>
            what was captured
          </button>
        ) : null}
        {head.forks.length === 0 ? null : (
          <span>
            {count(head.forks.length, "fork")} <kbd>x</kbd>
          </span>
        )}
        <Hits />
      </p>
      {children}
    </div>
  )
}

/** The task's score by the chosen scoring, which it names. */
const ScoreOf = ({
  head: { score, sets },
  scores,
  look,
}: {
  readonly head: TaskHead
  readonly scores: string
  readonly look: () => void
}) => {
  if (score === null && sets.length === 0 && scores === "") return null
  return (
    <button
      type="button"
      class={score === null || score.net === 0 ? undefined : score.net < 0 ? "punishment" : "reward"}
      onClick={look}
    >
      {score === null ? "not scored" : `score ${signed(score.net)}`}
      {score === null && scores === "" ? null : (
        <>
          {" "}
          by <bdi>{score?.label ?? scores}</bdi>
        </>
      )}
    </button>
  )
}

/** The totals of the task's audit, and the clock that the page shows. */
const Totals = ({ head: { durationMs, use } }: { readonly head: TaskHead }) => (
  <>
    {durationMs === null ? null : (
      <span title="From opening to close, by the task's own time">{duration(durationMs)}</span>
    )}
    {use === null ? null : (
      <span
        title={`${count(use.calls, "model call")}: ${use.inputTokens.toLocaleString("en")} tokens in, ${use.outputTokens.toLocaleString("en")} out`}
      >
        {tokensOf(use)} · {use.cost.usd === null && use.cost.atLeast === 0 ? "cost unknown" : Money.cost(use.cost)}
      </span>
    )}
    <span title="Every time on this page is when something happened, in this zone">times in {zone()}</span>
  </>
)

/** The tokens of all calls; a lower bound if those of some are unknown. */
const tokensOf = ({ inputTokens, outputTokens, unmetered }: ModelTotals): string => {
  const tokens = inputTokens + outputTokens
  if (tokens === 0 && unmetered > 0) return "tokens unknown"
  return `${unmetered > 0 ? "at least " : ""}${count(tokens, "token")}`
}
