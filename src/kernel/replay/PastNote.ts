/** Notes how an agent differed from its recording during a replay. The past stays as it was. */

import { Effect } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import type { Recorder } from "../../events/log/Recorder.ts"
import type { RecordedTask } from "./RecordedTask.ts"
import type { Parted } from "./ReplayedDecisions.ts"

interface Leading {
  readonly about: "fork" | "resume"
  readonly causationId: string
}

/** Records notes on the differences, if any. */
export const notePast = (
  recorder: Recorder,
  { about, causationId }: Leading,
  recorded: RecordedTask,
  parted: Parted | null,
): Effect.Effect<void, AppendError> => {
  const when = about === "fork" ? "Up to the fork" : "When the task was resumed"
  const texts = [otherQuestions(when, recorded.askedDifferently()), otherDecisions(when, parted)].filter(
    (text) => text !== undefined,
  )
  return Effect.forEach(
    texts,
    (text) => recorder.record({ type: "NoteAdded", causationId, payload: { about, text } }),
    { discard: true },
  )
}

const otherQuestions = (when: string, positions: ReadonlyArray<number>): string | undefined =>
  positions.length === 0
    ? undefined
    : `${when}, its agent asked another model, or something else, than was recorded ${positions.map((position) => `@${position}`).join(", ")}. It got the recorded answers.`

const otherDecisions = (when: string, parted: Parted | null): string | undefined => {
  if (parted === null) return undefined
  const { first, decisions, of } = parted
  return `${when}, its agent decided otherwise than was recorded in ${decisions} of ${of} decisions, first @${first.position}: ${JSON.stringify(first.expected)} was recorded, and it decided ${JSON.stringify(first.found)}. The recorded decisions stand.`
}
