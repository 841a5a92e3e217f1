/** Parses a scenario that somebody edits, and locates its issues. */

import { Effect } from "effect"
import { Projector } from "../../projections/projector/Projector.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import * as Scenarios from "../../worlds/scenario/Scenario.ts"
import * as TextIssues from "../course/TextIssues.ts"
import { MAX_LENGTH, MAX_VALUES } from "../course/TextLimits.ts"
import type { TextIssue } from "../wire/Asking.ts"

const NAME = "the scenario"

/** The scenario of a text in its world. Fails with all of its issues. */
export const inWorld = (text: string) =>
  Effect.gen(function* () {
    const registry = yield* (yield* Projector).current(PluginRegistry.projection)
    if (text.length > MAX_LENGTH) return yield* tooLong(text)
    const loaded = yield* Scenarios.decode(text, NAME, MAX_VALUES)
    return { loaded, played: yield* Scenarios.inWorld(loaded, registry) }
  })

const tooLong = ({ length }: string) =>
  new Scenarios.ScenarioInvalid({
    file: NAME,
    mistakes: [
      {
        path: "",
        expected: `a text of at most ${MAX_LENGTH} characters (\`hindcast run --scenario\` takes larger ones)`,
        found: `${length}`,
        place: { line: 1, column: 1 },
      },
    ],
  })

export const issues = (text: string) =>
  inWorld(text).pipe(
    Effect.as<ReadonlyArray<TextIssue>>([]),
    Effect.catchTag("ScenarioInvalid", (invalid) => Effect.succeed(issuesOf(invalid))),
  )

export const issuesOf = ({ mistakes }: Scenarios.ScenarioInvalid): ReadonlyArray<TextIssue> =>
  TextIssues.told(mistakes, ({ path, expected, found, place }) => ({
    ...place,
    message: `${path === "" ? "" : `${path.slice(path.lastIndexOf("/") + 1)}: `}expected ${expected}, found ${found}`,
  }))
