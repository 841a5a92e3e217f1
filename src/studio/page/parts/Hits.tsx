/** The marked predicate: how often it becomes true, or its problem. */
import { useStudio } from "./context.ts"
import { count } from "./format.ts"

export const Hits = () => {
  const studio = useStudio()
  const hits = studio.marked.hits.value
  return hits === null ? null : (
    <span class="hits">
      <code>{hits.when}</code>:{" "}
      {hits.problem ?? `${hits.done ? "" : "so far "}true ${count(hits.positions.length, "time")}`} <kbd>f</kbd>{" "}
      <button type="button" onClick={() => studio.look({ when: "" })} aria-label="Clear the predicate">
        ✕
      </button>
    </span>
  )
}
