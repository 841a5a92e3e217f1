/** Counts the attempts at a queued task, so that a task that ends its runners is set aside. */

import { Effect } from "effect"
import { type EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import type { CoreName } from "../../events/vocabulary/Vocabulary.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import type { Candidate } from "../../projections/queue/Claimable.ts"
import * as PendingConfirmations from "../../projections/state/PendingConfirmations.ts"

interface Services {
  readonly log: EventLog.Service
  readonly projector: Projector.Service
}

/** The number of the next attempt since the task's last progress, from 1. A task that only waited is not blamed. */
export const next = (services: Services, candidate: Candidate) =>
  Effect.gen(function* () {
    const { attempts, excused } = candidate.queued
    if (!candidate.hasFailed || (yield* hasProgress(services.log, candidate))) return 1
    return excused === true || (yield* hasOnlyAsked(services, candidate)) ? Math.max(1, attempts) : attempts + 1
  })

/**
 * Whether a task came further: a command has a known outcome, or a model answered and no command was dispatched. A
 * command that ends its runner again and again is no progress, whatever the agent decides in between.
 */
const hasProgress = (log: EventLog.Service, { task, queued }: Candidate): Effect.Effect<boolean, LogError> =>
  Effect.gen(function* () {
    const after = (queued.claim ?? queued.left)?.at
    if (after === undefined) return false
    if (yield* hasAfter(log, task, after, KNOWN_OUTCOMES)) return true
    return !(yield* hasAfter(log, task, after, DISPATCHES)) && (yield* hasAfter(log, task, after, ANSWERS))
  })

const KNOWN_OUTCOMES: ReadonlyArray<CoreName> = ["CommandSucceeded", "CommandFailed"]
const DISPATCHES: ReadonlyArray<CoreName> = ["CommandDispatched"]
const ANSWERS: ReadonlyArray<CoreName> = ["ModelResponded", "MessageSent"]

/** Whether a task waited for a person's answer, and did nothing else: it did not end its runner. */
const hasOnlyAsked = ({ log, projector }: Services, { task, queued: { claim } }: Candidate) =>
  Effect.gen(function* () {
    if (claim === undefined) return false
    const questions = Object.values(yield* projector.current(PendingConfirmations.asked))
    if (!questions.some(({ taskId, timeline = MAIN }) => taskId === task && timeline === log.timeline)) return false
    return !(yield* hasAfter(log, task, claim.at, DISPATCHES))
  })

const hasAfter = (
  log: EventLog.Service,
  taskId: string,
  after: number,
  types: ReadonlyArray<string>,
): Effect.Effect<boolean, LogError> =>
  Effect.map(log.readPage({ timeline: log.timeline, taskId, after, types }, 1), ({ length }) => length > 0)
