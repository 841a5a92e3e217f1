/** A call as one row of the list of events: tool, arguments, approval, outcome, duration and rewards. */
import type { Brief } from "../../wire/CourseSlice.ts"
import type { Span } from "../../wire/Spans.ts"
import { tookOf } from "../lanes/Bars.ts"
import { amountLabel } from "../model/rewards.ts"
import { useStudio } from "./context.ts"
import { clock } from "./format.ts"
import { Mark } from "./Mark.tsx"

interface CallRowProps {
  readonly call: Span
  readonly entry: Brief
  /** The position of the playhead, if it is at one of the call's events. */
  readonly here: number | null
  readonly isOpen: boolean
  readonly onTurn: () => void
}

export const CallRow = ({ call, entry, here, isOpen, onTurn }: CallRowProps) => {
  const studio = useStudio()
  const moments = isOpen ? [] : call.events.flatMap((position) => studio.momentsAt.value.get(position) ?? [])
  const isHit = call.events.some((position) => studio.marked.places.value.has(position))
  const at = here ?? entry.position
  const inside = here === null || here === entry.position ? null : studio.frame.value?.entry
  return (
    <>
      {/* For the mouse: z does the same at the position. A row of a list box has no buttons. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: see above. */}
      <span
        class="twist"
        title={`${isOpen ? "Close" : "Open"}: ${call.events.length} events (z)`}
        onClick={(event) => {
          event.stopPropagation()
          onTurn()
        }}
      >
        {isOpen ? "▾" : "▸"}
      </span>
      <span class="at">@{at}</span>
      <Mark kind="command" bad={call.isBad} />
      <span class="line" title={`${call.name} ${entry.line}, ${clock(entry.occurredAt)}`}>
        <span class="type">
          <bdi>{toolOf(call.name)}</bdi>
        </span>{" "}
        {inside == null ? <bdi>{argumentsOf(entry)}</bdi> : <bdi>{inside.type}</bdi>}
      </span>
      {isHit ? (
        <span class="hit" title="The predicate becomes true here">
          ●
        </span>
      ) : null}
      <span class={`how s-${call.state}`} title={call.by === null ? undefined : `decided by ${call.by}`}>
        {wordsOf(call)}
      </span>
      <span class="took">{tookOf(call)}</span>
      {moments.map(({ amount, reward, at }) => (
        <span key={`${reward.position} ${at}`} class={reward.kind} title={reward.name}>
          {amountLabel(amount)}
        </span>
      ))}
    </>
  )
}

/** The tool without its plugin: the title has both. */
const toolOf = (name: string): string => name.replace(/^[^/]*\//s, "") || name

/** The summary of a command begins with its tool. */
const argumentsOf = ({ line }: Brief): string => line.replace(/^\S+\s*/, "")

const wordsOf = ({ state, by, isBad }: Span): string => {
  if (state === "succeeded") return by === null ? "" : "approved"
  if (state === "unknown") return "outcome unknown"
  return state === "running" || state === "waiting" ? `${state} …` : isBad ? state : ""
}
