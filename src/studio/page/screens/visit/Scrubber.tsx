/** The way through a course on narrow screens. */
import { useStudio } from "../../parts/context.ts"

/** Buttons as an alternative to dragging and keys (WCAG 2.2, 2.5.7). */
export const Scrubber = () => {
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
