/**
 * The capture of the task: the parts that a recorder or an import saw; which of them are inferred, cut or set by a
 * person; and its blind spots.
 */
import type { TaskCapture } from "../../wire/Task.ts"
import { useStudio } from "../parts/context.ts"
import { Problem } from "../parts/Problem.tsx"
import { useAnswer } from "../parts/useAnswer.ts"

type Row = TaskCapture[number]

const HEADINGS: { readonly [name in Row["name"]]: string } = {
  seen: "Seen",
  inferred: "Inferred",
  stubbed: "Set by a person",
  cut: "Cut",
  "not visible": "Not visible",
  "cannot show": "Not shown by the source",
}

export const CapturePane = () => {
  const studio = useStudio()
  const head = studio.history.value?.head.value ?? null
  const asked = head?.isCaptured === true ? { timeline: head.timeline, task: head.id } : null
  const { answer, problem } = useAnswer("capture", asked, head?.to)
  if (head === null) return <p class="empty">Captures belong to tasks. Choose one: its events have their own list.</p>
  if (asked === null) return <p class="empty">A kernel ran this task. Nothing was captured from outside.</p>
  if (answer === null) return problem === "" ? <span class="skeleton" /> : <Problem text={problem} />
  return (
    <>
      <h2>What was captured?</h2>
      <Problem text={problem} />
      <dl class="capture">
        {answer.map((row) => (
          <div key={row.name}>
            <dt>{HEADINGS[row.name]}</dt>
            {row.items.map((item, index) => (
              <dd key={index}>
                {item.count === null ? null : <b>{item.count.toLocaleString("en")}</b>} <bdi>{item.what}</bdi>
                {item.why === "" ? null : (
                  <small>
                    <bdi>{item.why}</bdi>
                  </small>
                )}
              </dd>
            ))}
          </div>
        ))}
      </dl>
      {answer.some(({ name }) => name === "inferred") ? (
        <p class="note">All other causes, tasks and attempts were recorded.</p>
      ) : (
        <p class="note">None of its causes was inferred.</p>
      )}
    </>
  )
}
