/** The panes about the position, of which one is shown at a time. Both views have them. */
import type { ComponentType } from "preact"
import { PANES, type Pane } from "../model/Address.ts"
import type { CourseHistory, CourseMoment } from "../model/CourseHistory.ts"
import { useStudio } from "../parts/context.ts"
import { lazy } from "../parts/lazy.tsx"
import { Waiting } from "../parts/Waiting.tsx"
import { CapturePane } from "./CapturePane.tsx"
import { DiffPane } from "./DiffPane.tsx"
import { EventPane } from "./EventPane.tsx"
import { ValuePane } from "./ValuePane.tsx"
import { WhyPane } from "./WhyPane.tsx"

interface Drawn {
  readonly frame: CourseMoment
}

interface Registered {
  readonly name: string
  readonly key: string
  readonly draw: ComponentType<Drawn>
}

const RewardsPane = lazy<Drawn>(async () => (await import("./RewardsPane.tsx")).RewardsPane)
const SawPane = lazy<Drawn>(async () => (await import("./SawPane.tsx")).SawPane)

/** Every pane: its name on the tab, its key (`model/keys`), and what draws it. */
const REGISTRY: { readonly [pane in Pane]: Registered } = {
  event: { name: "event", key: "e", draw: EventPane },
  why: { name: "why", key: "w", draw: WhyPane },
  rewards: { name: "rewards", key: "s", draw: RewardsPane },
  value: { name: "value", key: "v", draw: ValuePane },
  diff: { name: "diff", key: "d", draw: DiffPane },
  saw: { name: "saw", key: "S", draw: SawPane },
  capture: { name: "capture", key: "i", draw: CapturePane },
}

interface AboutProps {
  readonly course: CourseHistory
  readonly frame: CourseMoment | null
}

export const About = ({ course, frame }: AboutProps) => {
  const studio = useStudio()
  const pane = studio.visit?.pane ?? "event"
  const isCaptured = course.head.value?.isCaptured ?? false
  const { draw: Pane, name } = REGISTRY[pane]
  return (
    <>
      <div class="tabs" role="tablist" aria-label="About the event">
        {PANES.filter((one) => one !== "capture" || isCaptured || pane === one).map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            aria-selected={pane === one}
            title={`key ${REGISTRY[one].key}`}
            onClick={() => studio.look({ pane: one })}
          >
            {REGISTRY[one].name}
            {one === "diff" && frame !== null && (frame.entry?.changes.length ?? 0) > 0 ? (
              <small> {frame.entry?.changes.length}</small>
            ) : null}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
      <div class="pane" role="tabpanel" aria-label={name} tabIndex={0}>
        {frame === null ? <Waiting problem={course.problem.value} /> : <Pane frame={frame} />}
      </div>
    </>
  )
}
