/** One value of the state: its writer, its previous value, and its history. */
import { type Json, pointerKeys } from "../../../values/Json.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { CourseMoment } from "../model/CourseHistory.ts"
import { useStudio } from "../parts/context.ts"
import { count, inline } from "../parts/format.ts"
import { At } from "../parts/Link.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Sparkline } from "../parts/Sparkline.tsx"
import { useAnswer } from "../parts/useAnswer.ts"
import { useThrottled } from "../parts/useThrottled.ts"
import { Value } from "../parts/Value.tsx"

const ROWS = 200

export const ValuePane = ({ frame }: { readonly frame: CourseMoment }) => {
  const studio = useStudio()
  const { path, timeline, task } = studio.visit ?? { path: "", timeline: "main", task: null }
  const last = useThrottled(studio.history.value?.last ?? 0)
  const { answer: history, problem } = useAnswer("history", path === "" ? null : { timeline, task, path }, last)
  if (path === "")
    return (
      <p class="empty">
        Click a value in the state to see who wrote it, and what it was before. Or press / and type a path.
      </p>
    )
  const [before, now] = frame.chunk.valuesAround(path, frame.index)
  const writer = frame.chunk.writerOf(path, frame.index)
  const values = history?.values ?? []
  const points = values.flatMap(({ position, value }) => (typeof value === "number" ? [{ position, value }] : []))
  const current = values.findLastIndex(({ position }) => position <= frame.position)
  const from = Math.max(0, Math.min(current - ROWS / 2, values.length - ROWS))
  return (
    <>
      <h2 class="path">
        <bdi>{oneLine(pointerKeys(path).at(-1) ?? "all")}</bdi>
      </h2>
      <p class="note">
        <code>{oneLine(path)}</code>
      </p>
      <div class="lead">
        {now === undefined ? <span class="v-null">not there at @{frame.position}</span> : <Value value={now} />}
      </div>
      {now === undefined && before === undefined && values.length === 0 ? null : (
        <p>
          {writer === undefined ? (
            "Written before the loaded events."
          ) : writer === frame.position && before !== now ? (
            <>Written by this event. Before: {inline(before)}.</>
          ) : (
            <>
              {now === undefined ? "Taken away" : "Written"} by <At position={writer} />.
            </>
          )}
        </p>
      )}
      <Sparkline points={points} at={frame.position} label={`${path}: ${count(points.length, "value")}`} />
      <Problem text={problem} />
      {values.length === 0 ? null : (
        <table class="history">
          <thead>
            <tr>
              <th scope="col">at</th>
              <th scope="col">value</th>
              <th scope="col">by</th>
            </tr>
          </thead>
          <tbody>
            {values.slice(from, from + ROWS).map((each, index) => (
              <tr
                key={each.position}
                class={from + index === current ? "here" : each.position > frame.position ? "later" : undefined}
              >
                <td>
                  <At position={each.position} />
                </td>
                <td>
                  <bdi>{inline(each.value as Json | undefined)}</bdi>
                </td>
                <td>
                  <bdi>{each.type}</bdi>{" "}
                  <small>
                    <bdi>{each.actor}</bdi>
                  </small>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {history?.cut === true ? <p class="note">Only the newest values are shown.</p> : null}
    </>
  )
}
