/** The event's changes of the state, or all differences from another position. */
import { type Json, pointerKeys, valueAt } from "../../../values/Json.ts"
import { oneLine } from "../../../values/PlainText.ts"
import { positionOf } from "../model/Address.ts"
import type { CourseMoment } from "../model/CourseHistory.ts"
import { differences } from "../model/differences.ts"
import { useStudio } from "../parts/context.ts"
import { inline } from "../parts/format.ts"
import { At } from "../parts/Link.tsx"

const ROWS = 500

export const DiffPane = ({ frame }: { readonly frame: CourseMoment }) => {
  const studio = useStudio()
  const other = positionOf(studio.visit?.vs ?? "")
  const otherFrame = other === undefined ? null : (studio.history.value?.frameAt(other) ?? null)
  const from = other === undefined ? frame.before : otherFrame?.after
  if (from === undefined) {
    if (other !== undefined) void studio.history.value?.load(other)
    return <p class="empty"> </p>
  }
  const [earlier, later] = other !== undefined && other > frame.position ? [frame.after, from] : [from, frame.after]
  const all = differences(earlier, later)
  const task = studio.visit?.task
  const prefix = task == null ? "" : `/tasks/${task}`
  return (
    <>
      <h2>
        {other === undefined
          ? "What this event changed"
          : `What differs between @${Math.min(other, frame.position)} and @${Math.max(other, frame.position)}`}
      </h2>
      {all.length === 0 ? (
        <p class="empty">It changed nothing in the state. Press c to go to the next event that changes something.</p>
      ) : null}
      <ul class="diff">
        {all.slice(0, ROWS).map(({ path, before, after }) => (
          <li key={path}>
            <button type="button" class="key" onClick={() => studio.look({ path, pane: "value" })} title={path}>
              <bdi>
                {oneLine(path.startsWith(prefix) && prefix !== "" ? path.slice(prefix.length + 1) : path.slice(1))}
              </bdi>
            </button>
            <span class="change">
              {before === undefined ? null : <del>{inline(before)}</del>}{" "}
              {after === undefined ? <em>removed</em> : <ins>{inline(after)}</ins>}{" "}
              {other === undefined ? null : (
                <Writer frame={other > frame.position && otherFrame !== null ? otherFrame : frame} path={path} />
              )}
            </span>
          </li>
        ))}
      </ul>
      {all.length > ROWS ? <p class="note">… {all.length - ROWS} more</p> : null}
      {other === undefined ? (
        <button type="button" onClick={() => studio.look({ vs: `@${frame.position}`, pane: "diff" })}>
          compare with another position
        </button>
      ) : (
        <p>
          Compared with <At position={other} />.{" "}
          <button type="button" onClick={() => studio.look({ vs: "", pane: "diff" })}>
            stop comparing
          </button>
        </p>
      )}
    </>
  )
}

const Writer = ({ frame, path }: { readonly frame: CourseMoment; readonly path: string }) => {
  const writer = frame.chunk.writerOf(path, frame.index)
  return writer === undefined || valueAt(frame.after, pointerKeys(path)) === (undefined as Json | undefined) ? null : (
    <At position={writer} />
  )
}
