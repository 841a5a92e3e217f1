/** The projection of curricula: each agent's way through the stages, with the decisions and the tutors' help. */

import { Schema } from "effect"
import { Position } from "../../events/vocabulary/Event.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { evolveBy, type Handlers } from "../../events/vocabulary/Vocabulary.ts"
import { CriterionVerdict, CurriculumDecision, GuidanceKind } from "../../events/vocabulary/Worlds.ts"
import { defined } from "../../values/defined.ts"
import { JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Projection } from "../fold/Projection.ts"

/** The decision after an attempt. */
export const Decided = Schema.Struct({
  at: Position,
  decision: CurriculumDecision,
  to: optional(Schema.String.annotations({ description: "The next stage; absent at the end" })),
  rule: optional(Schema.String.annotations({ description: "The path of the criterion that decided" })),
  verdicts: Schema.Array(CriterionVerdict),
  guidance: optional(Schema.Struct({ tutor: Schema.String, gives: GuidanceKind, taskId: optional(Schema.String) })),
  reason: optional(Schema.String),
  evidence: JsonObject,
  scoreSets: Schema.Array(Schema.String),
  because: Schema.Array(Schema.Int),
}).annotations({ identifier: "Decided" })

export type Decided = typeof Decided.Type

/** The help of a tutor after an attempt. */
export const Guidance = Schema.Struct({
  at: Position,
  tutor: Schema.String,
  gives: GuidanceKind,
  content: optional(Schema.String),
  missing: optional(Schema.String.annotations({ description: "Why the tutor gave nothing" })),
  taskId: optional(Schema.String),
}).annotations({ identifier: "Guidance" })

export type Guidance = typeof Guidance.Type

/** An attempt at a stage. */
export const Attempt = Schema.Struct({
  at: Position,
  stage: Schema.String,
  attempt: Schema.Int.annotations({ description: "Its number among the attempts at this stage, from 1" }),
  taskIds: Schema.Array(Schema.String),
  decided: Schema.NullOr(Decided).annotations({ description: "null while the attempt is under way" }),
  guidance: Schema.NullOr(Guidance).annotations({ description: "null if no tutor gave anything" }),
}).annotations({ identifier: "Attempt" })

export type Attempt = typeof Attempt.Type

/** One agent's way through a curriculum. */
export const CurriculumRun = Schema.Struct({
  curriculumId: Schema.String,
  at: Position,
  name: Schema.String,
  version: Schema.String,
  digest: Schema.String,
  agent: Schema.String,
  seed: Schema.Int,
  /** The agent's stage of development; null before it reached one. */
  level: Schema.NullOr(Schema.String),
  levels: Schema.Array(Schema.Struct({ at: Position, to: Schema.String })),
  attempts: Schema.Array(Attempt),
  ended: Schema.NullOr(
    Schema.Struct({ at: Position, result: Schema.Literal("completed", "failed"), reason: optional(Schema.String) }),
  ).annotations({ description: "null while the curriculum is under way" }),
}).annotations({ identifier: "CurriculumRun" })

export type CurriculumRun = typeof CurriculumRun.Type

/** The curricula of a log by id, in the order of their starts. */
export const CurriculumRuns = Schema.Record({ key: Schema.String, value: CurriculumRun })

export type CurriculumRuns = typeof CurriculumRuns.Type

/** Changes the last attempt at a stage. */
const inAttempt = (
  runs: CurriculumRuns,
  { curriculumId, stage, attempt }: { readonly curriculumId: string; readonly stage: string; readonly attempt: number },
  change: (attempt: Attempt) => Attempt,
): CurriculumRuns =>
  SafeRecord.change(runs, curriculumId, (run) => ({
    ...run,
    attempts: run.attempts.map((each) => (each.stage === stage && each.attempt === attempt ? change(each) : each)),
  }))

const handlers: Handlers<CurriculumRuns> = {
  CurriculumStarted: (runs, { curriculumId, name, version, digest, agent, seed }, { position: at }) =>
    SafeRecord.get(runs, curriculumId) === undefined
      ? SafeRecord.set(runs, curriculumId, {
          ...{ curriculumId, at, name, version, digest, agent, seed },
          ...{ level: null, levels: [], attempts: [], ended: null },
        })
      : runs,
  StageAttempted: (runs, { curriculumId, stage, attempt, taskIds }, { position: at }) =>
    SafeRecord.change(runs, curriculumId, (run) => ({
      ...run,
      attempts: [...run.attempts, { at, stage, attempt, taskIds, decided: null, guidance: null }],
    })),
  CurriculumDecided: (runs, payload, { position: at }) =>
    inAttempt(runs, payload, (attempt) => {
      const { decision, to, rule, verdicts, guidance, reason, evidence, scoreSets, because } = payload
      const decided = {
        at,
        decision,
        verdicts,
        evidence,
        scoreSets,
        because,
        ...defined({ to, rule, guidance, reason }),
      }
      return attempt.decided === null ? { ...attempt, decided } : attempt
    }),
  GuidanceGiven: (runs, payload, { position: at }) =>
    inAttempt(runs, payload, (attempt) => {
      const { tutor, gives, content, missing, taskId } = payload
      return { ...attempt, guidance: { at, tutor, gives, ...defined({ content, missing, taskId }) } }
    }),
  AgentDeveloped: (runs, { curriculumId, to }, { position: at }) =>
    SafeRecord.change(runs, curriculumId, (run) => ({ ...run, level: to, levels: [...run.levels, { at, to }] })),
  CurriculumEnded: (runs, { curriculumId, result, reason }, { position: at }) =>
    SafeRecord.change(runs, curriculumId, (run) =>
      run.ended === null ? { ...run, ended: { at, result, ...defined({ reason }) } } : run,
    ),
}

/** The types of events that the projection folds. */
export const TYPES: ReadonlyArray<string> = Object.keys(handlers)

/** The curricula of a log. */
export const projection: Projection<CurriculumRuns> = {
  name: "CurriculumRuns",
  version: 1,
  state: CurriculumRuns,
  initial: {},
  types: TYPES,
  evolve: evolveBy(handlers),
}
