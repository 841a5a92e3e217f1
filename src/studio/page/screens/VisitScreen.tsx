/** The debugger: events, world and state, panes about the event, and lanes, all at one position. */
import { useEffect, useState } from "preact/hooks"
import * as Money from "../../../values/Money.ts"
import { isBad } from "../../wire/Activity.ts"
import type { ModelTotals, TaskHead } from "../../wire/Task.ts"
import { Lanes } from "../lanes/Lanes.tsx"
import { PANES, type Pane } from "../model/Address.ts"
import type { CourseHistory, CourseMoment } from "../model/CourseHistory.ts"
import { netAt } from "../model/rewards.ts"
import { CapturePane } from "../panes/CapturePane.tsx"
import { DiffPane } from "../panes/DiffPane.tsx"
import { EventPane } from "../panes/EventPane.tsx"
import { RewardsPane } from "../panes/RewardsPane.tsx"
import { TalkPane } from "../panes/TalkPane.tsx"
import { ValuePane } from "../panes/ValuePane.tsx"
import { WhyPane } from "../panes/WhyPane.tsx"
import { useStudio } from "../parts/context.ts"
import { EventList } from "../parts/EventList.tsx"
import { count, duration, nameOf, signed, zone } from "../parts/format.ts"
import { Hits } from "../parts/Hits.tsx"
import { At } from "../parts/Link.tsx"
import { Problem } from "../parts/Problem.tsx"
import { StateTree } from "../parts/StateTree.tsx"
import { World, worldsOf } from "../parts/World.tsx"
import type { SourceFailed } from "../source/Source.ts"

/** Narrow screens show one of these at a time. */
const TABS = ["events", "world", "about"] as const

type Tab = (typeof TABS)[number]

export const VisitScreen = ({ course }: { readonly course: CourseHistory }) => {
  const studio = useStudio()
  const pane = studio.visit?.pane ?? "event"
  const [tab, setTab] = useState<Tab>(pane === "event" ? "world" : "about")
  // Show a pane that a link or a key asks for.
  useEffect(() => {
    if (pane !== "event") setTab("about")
  }, [pane])
  const frame = studio.frame.value
  return (
    <main class={`visit tab-${tab}`}>
      <Sentence course={course} />
      <div class="tabs narrow" role="tablist" aria-label="Part of the page">
        {TABS.map((name) => (
          <button key={name} type="button" role="tab" aria-selected={tab === name} onClick={() => setTab(name)}>
            {name}
          </button>
        ))}
      </div>
      <section class="part events-part" aria-label="Events">
        <EventList course={course} />
      </section>
      <section class="part world-part" aria-label="World and state">
        {frame === null ? (
          <Waiting problem={course.problem.value} />
        ) : (
          <WorldAndState frame={frame} task={course.course.task} />
        )}
      </section>
      <section class="part about-part" aria-label="About the event">
        <AboutEvent course={course} frame={frame} />
      </section>
      <Scrubber />
      <Lanes key={`${course.course.timeline}/${course.course.task}`} course={course} />
    </main>
  )
}

const Waiting = ({ problem }: { readonly problem: SourceFailed | null }) =>
  problem === null ? (
    <div class="waiting" aria-busy="true">
      <span class="skeleton" />
      <span class="skeleton" />
      <span class="skeleton" />
    </div>
  ) : (
    <Problem text={problem.message} />
  )

const Sentence = ({ course }: { readonly course: CourseHistory }) => {
  const studio = useStudio()
  const head = course.head.value
  if (head === null)
    return (
      <div class="sentence">
        <h1>All events of {course.course.timeline}</h1>
        <p>
          {count(course.last, "position")}. <kbd>t</kbd> shows only the task of an event.
        </p>
      </div>
    )
  const net = netAt(studio.moments.value, Number.MAX_SAFE_INTEGER)
  return (
    <div class="sentence">
      <h1 title={head.goal}>
        <bdi>{head.goal}</bdi>
      </h1>
      <p class={isBad(head) ? "bad" : undefined} title={head.sentence}>
        {head.agent === null ? null : <bdi>{nameOf(head.agent)}</bdi>} <bdi>{head.sentence}</bdi>
      </p>
      <p class="facts-line">
        <Totals head={head} />
        {studio.rewards.value.length === 0 ? null : (
          <button
            type="button"
            class={net < 0 ? "punishment" : "reward"}
            onClick={() => studio.look({ pane: "rewards" })}
          >
            net {signed(net)}
          </button>
        )}
        {head.worst === null ? null : (
          <span>
            worst moment <At position={head.worst} /> <kbd>m</kbd>
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
    </div>
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
        {tokensOf(use)} · {Money.cost(use.cost)}
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

const WorldAndState = ({ frame, task }: { readonly frame: CourseMoment; readonly task: string | null }) => {
  const scope = task ?? frame.entry?.task ?? null
  const worlds = worldsOf(frame, scope)
  return (
    <div class="beside">
      {worlds.length === 0 ? null : (
        <div class="worlds">
          {worlds.map((world) => (
            <World key={`${world.scope}/${world.plugin}`} world={world} />
          ))}
        </div>
      )}
      <StateTree frame={frame} task={scope} />
    </div>
  )
}

const NAMES: { readonly [pane in Pane]: readonly [name: string, key: string] } = {
  event: ["event", "e"],
  why: ["why", "w"],
  rewards: ["rewards", "s"],
  value: ["value", "v"],
  diff: ["diff", "d"],
  talk: ["talk", "a"],
  capture: ["capture", "i"],
}

interface AboutProps {
  readonly course: CourseHistory
  readonly frame: CourseMoment | null
}

const AboutEvent = ({ course, frame }: AboutProps) => {
  const studio = useStudio()
  const pane = studio.visit?.pane ?? "event"
  const isCaptured = course.head.value?.isCaptured ?? false
  return (
    <>
      <div class="tabs" role="tablist" aria-label="About the event">
        {PANES.filter((name) => name !== "capture" || isCaptured || pane === name).map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={pane === name}
            title={`key ${NAMES[name][1]}`}
            onClick={() => studio.look({ pane: name })}
          >
            {NAMES[name][0]}
            {name === "diff" && frame !== null && (frame.entry?.changes.length ?? 0) > 0 ? (
              <small> {frame.entry?.changes.length}</small>
            ) : null}
          </button>
        ))}
      </div>
      <div class="pane" role="tabpanel" aria-label={NAMES[pane][0]}>
        {frame === null ? <Waiting problem={course.problem.value} /> : <PaneOf pane={pane} frame={frame} />}
      </div>
    </>
  )
}

const PaneOf = ({ pane, frame }: { readonly pane: Pane; readonly frame: CourseMoment }) => {
  switch (pane) {
    case "event":
      return <EventPane frame={frame} />
    case "why":
      return <WhyPane frame={frame} />
    case "rewards":
      return <RewardsPane />
    case "value":
      return <ValuePane frame={frame} />
    case "diff":
      return <DiffPane frame={frame} />
    case "talk":
      return <TalkPane frame={frame} />
    case "capture":
      return <CapturePane />
  }
}

/** Buttons as an alternative to dragging and keys (WCAG 2.2, 2.5.7). */
const Scrubber = () => {
  const studio = useStudio()
  const { value: course } = studio.history
  return (
    <div class="scrubber">
      <button type="button" onClick={() => studio.moveTo(course?.first ?? 1)} aria-label="First event">
        |◀
      </button>
      <button type="button" onClick={() => studio.step(-1)} aria-label="Event before">
        ◀
      </button>
      <span class="at">@{studio.position.value}</span>
      <button type="button" onClick={() => studio.step(1)} aria-label="Next event">
        ▶
      </button>
      <button type="button" onClick={() => studio.moveTo(course?.last ?? 1)} aria-label="Last event">
        ▶|
      </button>
    </div>
  )
}
