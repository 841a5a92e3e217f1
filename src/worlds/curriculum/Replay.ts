/** Decides a recorded run of a curriculum again, by the criteria of another curriculum, without running anything. */

import { Effect } from "effect"
import type { CriterionVerdict, CurriculumDecision } from "../../events/vocabulary/Worlds.ts"
import * as TaskAudit from "../../projections/audit/TaskAudit.ts"
import type * as CurriculumRuns from "../../projections/curricula/CurriculumRuns.ts"
import { defined } from "../../values/defined.ts"
import * as Decision from "./deciding/Decision.ts"
import * as Evidence from "./deciding/Evidence.ts"
import { stageOf } from "./document/Document.ts"
import type { Content } from "./document/decode.ts"
import * as RunState from "./running/RunState.ts"

/** A decision, as a replay compares it. */
export interface ReplayedDecision {
  readonly decision: CurriculumDecision
  readonly to?: string
  readonly rule?: string
  readonly reason?: string
  readonly verdicts: ReadonlyArray<CriterionVerdict>
}

/** One attempt in a replay. */
export interface ReplayedAttempt {
  readonly stage: string
  readonly attempt: number
  /** The position of the recorded decision; null if nothing was decided, because the attempt is under way. */
  readonly at: number | null
  readonly recorded: ReplayedDecision | null
  /** The decision by the other criteria; null if the other curriculum has no such stage. */
  readonly replayed: ReplayedDecision | null
  /** Whether both lead to the same: `unknown` if one of them is missing. */
  readonly comparison: "same" | "differs" | "unknown"
}

/** The result of a replay. */
export interface CurriculumReplay {
  readonly curriculumId: string
  readonly digests: { readonly recorded: string; readonly replayed: string }
  readonly attempts: ReadonlyArray<ReplayedAttempt>
  /** The number of decisions that were compared. 0 means that the replay says nothing. */
  readonly compared: number
  /** The decisions that differ. The agent would not have continued as recorded after the first. */
  readonly differing: number
}

/**
 * Decides each attempt of a run again, by the criteria of another curriculum, from the scores that the log has now. The
 * recorded way stays: each decision is compared in its place, with the attempts and budgets used up there.
 */
export const replay = (run: CurriculumRuns.CurriculumRun, content: Content & { readonly digest: string }) =>
  Effect.gen(function* () {
    const results = new Map<string, Evidence.AttemptResult>()
    const attempts: Array<ReplayedAttempt> = []
    const key = (stage: string, attempt: number) => JSON.stringify([stage, attempt])
    for (const [index, each] of run.attempts.entries()) {
      const { stage, attempt, decided } = each
      const recorded = decided === null ? null : recordedOf(decided)
      const known = stageOf(content.curriculum, stage)
      if (decided === null || known === undefined) {
        attempts.push({ stage, attempt, at: decided?.at ?? null, recorded, replayed: null, comparison: "unknown" })
        continue
      }
      const audits = yield* Effect.forEach(each.taskIds, (taskId) => TaskAudit.load(taskId))
      const before = results.get(key(stage, attempt - 1))
      const evidence = Evidence.of(RunState.placeOf(run, each), audits, before)
      results.set(key(stage, attempt), Evidence.resultOf(audits))
      const past = { attempts: run.attempts.slice(0, index) }
      const used = {
        ...RunState.usedBy(past, yield* RunState.spentOf(past, content.curriculum)),
        // The rules are the other curriculum's, so their own decisions count.
        rule: (path: string) => attempts.filter(({ replayed }) => replayed?.rule === path).length,
      }
      const { decision, to, rule, reason, verdicts } = Decision.decide(
        content.curriculum,
        known,
        evidence.context,
        used,
      )
      const replayed = { decision, verdicts, ...defined({ to, rule, reason }) }
      const isSame = decision === decided.decision && to === decided.to
      attempts.push({
        ...{ stage, attempt, at: decided.at, recorded, replayed },
        comparison: isSame ? "same" : "differs",
      })
    }
    const found: CurriculumReplay = {
      curriculumId: run.curriculumId,
      digests: { recorded: run.digest, replayed: content.digest },
      attempts,
      compared: attempts.filter(({ comparison }) => comparison !== "unknown").length,
      differing: attempts.filter(({ comparison }) => comparison === "differs").length,
    }
    return found
  })

const recordedOf = ({ decision, to, rule, reason, verdicts }: CurriculumRuns.Decided): ReplayedDecision => ({
  decision,
  verdicts,
  ...defined({ to, rule, reason }),
})
