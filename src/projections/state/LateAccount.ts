/**
 * Events that another account adds to a task after its close. Hooks close a session's task at once; its session file,
 * which has the model calls, is imported later. Its events count as if they had been recorded before the close: calls,
 * tokens, costs, the capture. They change neither the outcome nor the range.
 */

import type { Event } from "../../events/vocabulary/Event.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"

/** Whether an event of a closed task belongs to such an account. Imports and telemetry write them. */
export const tells = ({ actor }: Pick<Event, "actor">): boolean => actor.startsWith("import:")

/** Whether such an account may follow the close of a task that was opened so. */
export const mayFollow = ({ recorder }: PayloadOf<"TaskOpened">): boolean =>
  recorder?.means === "hooks" || recorder?.means === "acp"
