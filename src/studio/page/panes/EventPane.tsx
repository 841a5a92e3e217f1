/** The complete event at the position. */
import type { Entry } from "../../wire/CourseSlice.ts"
import type { CourseMoment } from "../model/CourseHistory.ts"
import { Annotations } from "../parts/Annotations.tsx"
import { useStudio } from "../parts/context.ts"
import { clock, count, time } from "../parts/format.ts"
import { At } from "../parts/Link.tsx"
import { Mark } from "../parts/Mark.tsx"
import { Tags } from "../parts/Tags.tsx"
import { useWhole } from "../parts/useWhole.ts"
import { Value } from "../parts/Value.tsx"

export const EventPane = ({ frame }: { readonly frame: CourseMoment }) => {
  const { entry } = frame
  const timeline = useStudio().visit?.timeline ?? "main"
  if (entry === null) return <p class="empty">Before the first event. Press n to go to it.</p>
  return (
    <>
      <h2>
        <Mark kind={entry.kind} bad={entry.bad} /> {entry.type}
      </h2>
      <p class={entry.bad ? "lead bad" : "lead"}>
        <bdi>{entry.line}</bdi>
      </p>
      <dl class="facts">
        <dt>position</dt>
        <dd>
          <At position={entry.position} />
          {entry.timeline === "main" ? null : <> on {entry.timeline}</>}
        </dd>
        <dt>by</dt>
        <dd>
          <bdi>{entry.actor}</bdi>
        </dd>
        <dt>at</dt>
        <dd title={`recorded ${time(entry.recordedAt)}`}>{clock(entry.occurredAt)}</dd>
        {entry.cause === null ? null : (
          <>
            <dt>because of</dt>
            <dd>
              <At position={entry.cause.position} /> {entry.cause.type}
            </dd>
          </>
        )}
        {entry.unreadable.length === 0 ? null : (
          <>
            <dt>not readable</dt>
            <dd>{entry.unreadable.join(", ")}: its key was destroyed, or is missing</dd>
          </>
        )}
      </dl>
      <Annotations about={{ timeline: entry.timeline, task: entry.task, moment: entry.position }} />
      {entry.task === null ? null : (
        <>
          <Tags timeline={timeline} task={entry.task} />
          <Annotations about={{ timeline, task: entry.task, moment: null }} />
        </>
      )}
      <h3>payload</h3>
      <Payload entry={entry} />
    </>
  )
}

/** Loads a payload that is too long for its chunk on demand. */
const Payload = ({ entry }: { readonly entry: Entry }) => {
  const { whole, show } = useWhole()
  const payload = entry.payload ?? whole.get(entry.position)
  return payload === undefined ? (
    <button type="button" class="more" onClick={() => show(entry.position)}>
      show it: {count(entry.length, "character")}
    </button>
  ) : (
    <Value value={payload} />
  )
}
