/** The tags of a task, and, if the server allows it, a field to add one. Can be placed anywhere. */
import { useState } from "preact/hooks"
import { useStudio } from "./context.ts"

export const Tags = ({ timeline, task }: { readonly timeline: string; readonly task: string }) => {
  const studio = useStudio()
  const [text, type] = useState("")
  const tags = (studio.annotated.rows.value ?? []).filter((row) => row.kind === "tag" && row.task === task)
  const canAnnotate = studio.log.value.allows.annotate
  if (tags.length === 0 && !canAnnotate) return null
  const order = (tag: string, remove: boolean) =>
    studio.annotated
      .order({ what: "tag", timeline, task, tag, remove })
      .then(() => {
        if (!remove) type("")
      })
      .catch((cause: unknown) => studio.fail(cause))
  return (
    <section class="tags" aria-label="Tags of the task">
      {tags.map((row) => (
        <span key={row.at} class="tag">
          #<bdi>{row.text}</bdi>
          {canAnnotate ? (
            <button
              type="button"
              class="quiet"
              aria-label={`Remove the tag ${row.text}`}
              onClick={() => void order(row.text, true)}
            >
              ✕
            </button>
          ) : null}
        </span>
      ))}
      {canAnnotate ? (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (text.trim() !== "") void order(text.trim(), false)
          }}
        >
          <input
            aria-label="A tag for the task"
            placeholder="tag"
            maxLength={100}
            value={text}
            onInput={({ currentTarget }) => type(currentTarget.value)}
          />
        </form>
      ) : null}
    </section>
  )
}
