/** Tracks file contents through observations of OpenHands' file editor. */

import type { MappedRun } from "../runs/Run.ts"
import { field, textOf } from "../runs/Untrusted.ts"

export const apply = (run: MappedRun, callId: string, observation: unknown, at: number | null): void => {
  const path = textOf(observation, "path")
  const after = field(observation, "new_content")
  if (path === undefined || typeof after !== "string" || field(observation, "is_error") === true) return
  const before = field(observation, "old_content")
  const known = typeof before === "string" ? before : run.environment.files.get(path)
  run.environment.fileChanged(callId, path, field(observation, "prev_exist") === false ? undefined : known, after, at)
}
