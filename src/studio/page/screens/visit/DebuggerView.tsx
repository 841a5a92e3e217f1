/** The debugger: events, world and state, panes about the event, and lanes, all at one position. */
import { useEffect, useState } from "preact/hooks"
import { Lanes } from "../../lanes/Lanes.tsx"
import type { CourseHistory, CourseMoment } from "../../model/CourseHistory.ts"
import { About } from "../../panes/About.tsx"
import { useStudio } from "../../parts/context.ts"
import { EventList } from "../../parts/EventList.tsx"
import { lazy } from "../../parts/lazy.tsx"
import { StateTree } from "../../parts/StateTree.tsx"
import { Waiting } from "../../parts/Waiting.tsx"
import { World, worldsOf } from "../../parts/World.tsx"
import { Edge } from "./Edge.tsx"
import { NarrowTabs } from "./NarrowTabs.tsx"
import { Scrubber } from "./Scrubber.tsx"

const EventFilters = lazy(async () => (await import("../../parts/EventFilters.tsx")).EventFilters)

const TABS = ["events", "world", "about"] as const

type Tab = (typeof TABS)[number]

export const DebuggerView = ({ course }: { readonly course: CourseHistory }) => {
  const studio = useStudio()
  const pane = studio.visit?.pane ?? "event"
  const [tab, setTab] = useState<Tab>(pane === "event" ? "world" : "about")
  // Show a pane that a link or a key asks for.
  useEffect(() => {
    if (pane !== "event") setTab("about")
  }, [pane])
  const frame = studio.frame.value
  return (
    <>
      <NarrowTabs tabs={TABS} shown={tab} onTab={setTab} />
      <section class={partClass("events-part", tab === "events")} aria-label="Events">
        <EventFilters course={course} />
        <EventList course={course} />
      </section>
      <Edge view="debugger" side="left" label="the events" />
      <section class={partClass("world-part", tab === "world")} aria-label="World and state">
        {frame === null ? (
          <Waiting problem={course.problem.value} />
        ) : (
          <WorldAndState frame={frame} task={course.course.task} />
        )}
      </section>
      <Edge view="debugger" side="right" label="the panes" />
      <section class={partClass("about-part", tab === "about")} aria-label="About the event">
        <About course={course} frame={frame} />
      </section>
      <Scrubber />
      <Lanes key={`${course.course.timeline}/${course.course.task}`} course={course} />
    </>
  )
}

/** On narrow screens, only the part of the open tab shows. */
export const partClass = (name: string, isOpen: boolean): string => `part ${name}${isOpen ? " open" : ""}`

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
