/** Answers `/api/curricula`. */

import { Effect, Schema } from "effect"
import * as CurriculumRuns from "../../../projections/curricula/CurriculumRuns.ts"
import { Projector } from "../../../projections/projector/Projector.ts"
import type { Curricula, CurriculumAttempt, CurriculumPath } from "../../wire/curricula/Curricula.ts"

export const CurriculaQuery = Schema.Struct({})

const MAX_RUNS = 50
const MAX_ATTEMPTS = 200
const MAX_TASKS = 5
const MAX_VERDICTS = 20

/** Maximum length of a text, in characters. */
const MAX_TEXT = 500

export const curricula = (_: typeof CurriculaQuery.Type) =>
  Effect.gen(function* () {
    const runs = Object.values(yield* (yield* Projector).current(CurriculumRuns.projection))
    return { total: runs.length, runs: runs.slice(-MAX_RUNS).reverse().map(pathOf) } satisfies Curricula
  })

const pathOf = (run: CurriculumRuns.CurriculumRun): CurriculumPath => ({
  id: run.curriculumId,
  at: run.at,
  name: shortened(run.name),
  version: shortened(run.version),
  agent: shortened(run.agent),
  level: run.level === null ? null : shortened(run.level),
  levels: run.levels.slice(-MAX_ATTEMPTS).map(({ at, to }) => ({ at, to: shortened(to) })),
  state: run.ended === null ? "in progress" : run.ended.result,
  reason: shortenedOrNull(run.ended?.reason),
  total: run.attempts.length,
  attempts: run.attempts.slice(-MAX_ATTEMPTS).map(attemptOf),
})

const attemptOf = ({ at, stage, attempt, taskIds, decided, guidance }: CurriculumRuns.Attempt): CurriculumAttempt => ({
  at,
  stage: shortened(stage),
  attempt,
  total: taskIds.length,
  tasks: taskIds.slice(0, MAX_TASKS),
  decided:
    decided === null
      ? null
      : {
          at: decided.at,
          decision: decided.decision,
          to: shortenedOrNull(decided.to),
          reason: shortenedOrNull(decided.reason),
          verdicts: decided.verdicts
            .slice(-MAX_VERDICTS)
            .map(({ rule, result }) => ({ rule: shortened(rule), result })),
        },
  guidance:
    guidance === null
      ? null
      : {
          at: guidance.at,
          tutor: shortened(guidance.tutor),
          gives: guidance.gives,
          content: shortenedOrNull(guidance.content),
          missing: shortenedOrNull(guidance.missing),
        },
})

const shortened = (text: string): string => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`)

const shortenedOrNull = (text: string | undefined): string | null => (text === undefined ? null : shortened(text))
