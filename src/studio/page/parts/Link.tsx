/** Links within the page. They can be opened in another tab and copied, and work with the browser's history. */
import type { ComponentChildren } from "preact"
import type { Address } from "../model/Address.ts"
import { useStudio } from "./context.ts"

interface Props {
  readonly to: Address
  readonly class?: string
  readonly title?: string
  readonly current?: boolean
  readonly children: ComponentChildren
}

export const Link = ({ to, class: name, title, current = false, children }: Props) => {
  const studio = useStudio()
  return (
    <a
      href={studio.href(to)}
      class={name}
      title={title}
      aria-current={current ? "page" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return
        event.preventDefault()
        studio.go(to)
      }}
    >
      {children}
    </a>
  )
}

/** A position as a link within the visited course. */
export const At = ({ position, title }: { readonly position: number; readonly title?: string }) => {
  const studio = useStudio()
  const visit = studio.visit
  if (visit === null) return <span class="at">@{position}</span>
  return (
    <a
      class={position === studio.position.value ? "at here" : "at"}
      href={studio.links.href({ ...visit, at: position })}
      title={title}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        const course = studio.history.value
        // A cause may be outside the task: then visit the whole timeline.
        const isOutside =
          course !== null && (position < course.first || position > course.last || !isOf(course, position))
        if (isOutside) studio.go({ ...visit, task: null, at: position })
        else studio.moveTo(position)
      }}
    >
      @{position}
    </a>
  )
}

const isOf = (
  course: {
    readonly marks: {
      readonly value: { indexAt(position: number): number; readonly positions: ReadonlyArray<number> } | null
    }
  },
  position: number,
): boolean => {
  const marks = course.marks.value
  return marks === null || marks.positions[marks.indexAt(position)] === position
}
