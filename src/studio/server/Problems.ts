/** The HTTP status of each failure. */

import { Effect, Option } from "effect"
import { ManifestUnreadable } from "../../kernel/registry/ComponentLookup.ts"
import type { Failure } from "../../platform/loopback/Refusal.ts"

/** Statuses other than 400. */
const STATUS: { readonly [tag: string]: number } = {
  NotAllowed: 403,
  RoleMissing: 403,
  LogNotOpen: 503,
  AccessNotRecorded: 503,
  NoAgentsHere: 403,
  ChunkNotFound: 404,
  EventNotFound: 404,
  PathNeverExisted: 404,
  PredicatePathNeverExisted: 404,
  PositionElsewhere: 404,
  PositionOutOfRange: 404,
  StepNotFound: 404,
  QuestionNotFound: 404,
  TaskNotFound: 404,
  TimelineNotFound: 404,
  AgentNotFound: 404,
  ScoreSetNotFound: 404,
  ScoringNotFound: 404,
  FileNotFound: 404,
  FileNotRecorded: 404,
  NoFilesRecorded: 404,
  ContentNotRecorded: 404,
  StoreUnavailable: 503,
  FileChanged: 409,
  FileNotWritten: 500,
  AlreadyAnswered: 409,
  OtherQuestion: 409,
  LeaseHeld: 409,
  TaskClosed: 409,
  LeaseLost: 409,
  LogUnavailable: 500,
  LogCorrupt: 500,
  ManifestUnreadable: 500,
  SegmentUnavailable: 503,
  LogBusy: 503,
  DiskFull: 507,
}

export const statusOf = (tag: string): number => STATUS[tag] ?? 400

/** Answers the defect of a damaged log as a failure: it is not a bug of this program. */
export const ofDamage = <R>(answered: Effect.Effect<void, Failure, R>): Effect.Effect<void, Failure, R> =>
  Effect.catchSomeDefect(answered, (cause) =>
    cause instanceof ManifestUnreadable ? Option.some(Effect.fail<Failure>(cause)) : Option.none(),
  )
