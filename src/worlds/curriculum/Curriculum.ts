/** Reads curricula, runs them, and decides recorded runs again. */

import * as path from "node:path"
import { Effect } from "effect"
import * as Rubric from "../../kernel/rules/Rubric.ts"
import * as SmallFile from "../../platform/SmallFile.ts"
import * as Scenario from "../scenario/Scenario.ts"
import { MAX_LENGTH } from "../scenario/source.ts"
import { decode, type Files } from "./document/decode.ts"

export { Curriculum } from "./document/Document.ts"
export { CurriculumInvalid, decode, type Files, type Loaded } from "./document/decode.ts"
export { jsonSchema } from "./document/jsonSchema.ts"
export { type CurriculumReplay, type ReplayedAttempt, type ReplayedDecision, replay } from "./Replay.ts"
export type { Left, Players } from "./running/Players.ts"
export { RunChanged, type RunOptions, run, unfinished, type Work } from "./running/Run.ts"
export { all as runs } from "./running/RunLog.ts"
export { of as inWorlds, type StageWorld, type StageWorlds } from "./running/StageWorlds.ts"

/** Maximum number of bytes that are read: the longest text in 4-byte characters, plus one to detect a longer file. */
const MAX_BYTES = 4 * MAX_LENGTH + 1

/** Reads a curriculum from a YAML or JSON file, with the scenarios and rubrics that it names; see `decode`. */
export const load = (file: string) =>
  Effect.flatMap(
    Effect.try({
      try: () => SmallFile.readUpTo(file, MAX_BYTES).toString("utf8"),
      catch: (cause) =>
        new Rubric.FileUnreadable({
          file,
          reason: `expected a readable file, found ${cause instanceof Error ? cause.message : String(cause)}`,
          missing: SmallFile.isMissing(cause),
        }),
    }),
    (text) => decode(text, file, filesBeside(file)),
  )

/** The files that a curriculum names, relative to its own directory. */
const filesBeside = (file: string): Files => {
  const beside = (named: string) => path.resolve(path.dirname(file), named)
  return {
    scenario: (named) => Effect.mapError(Scenario.load(beside(named)), ({ message }) => message),
    rubric: (named) => Effect.mapError(Rubric.load(beside(named)), ({ message }) => message),
  }
}
