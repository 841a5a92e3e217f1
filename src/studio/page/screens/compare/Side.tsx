/** One of two runs at its position: its end, its world and its state there. */
import { useEffect } from "preact/hooks"
import { isBad } from "../../../../projections/summary/Activity.ts"
import type { TaskHead } from "../../../wire/Task.ts"
import { visit } from "../../model/Address.ts"
import type { CourseHistory } from "../../model/CourseHistory.ts"
import { Link } from "../../parts/Link.tsx"
import { StateTree } from "../../parts/StateTree.tsx"
import { World, worldsOf } from "../../parts/World.tsx"

export const Side = ({
  head,
  label,
  course,
  position,
}: {
  readonly head: TaskHead
  readonly label: string
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
          <bdi>{label}</bdi>
        </Link>
      </h2>
      <p class="facts-line">
        <bdi>{head.id}</bdi>
        {head.timeline === "main" ? "" : ` on ${head.timeline}`}
      </p>
      <p class={isBad(head) ? "bad" : undefined}>
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
