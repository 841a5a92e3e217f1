/**
 * Has tasks judged in threads, if rules alone decide. Each thread reads tasks that follow one another in the plan; their judgements are the same
 * as in one thread, and come in the same order.
 */

import { Context, Effect, type Scope } from "effect"
import { type AppendError, EventLog, LogUnavailable, type Span } from "../../events/log/EventLog.ts"
import type { LogFile } from "../../events/log/LogFile.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { openFile } from "../../events/sqlite/openFile.ts"
import * as Threads from "../../platform/threads/Threads.ts"
import type { ByRules } from "../critics/Critic.ts"
import * as RuleCritic from "../critics/rules/RuleCritic.ts"
import type { TaskJudgements } from "./ScoreSetWriter.ts"
import * as ScoringPlan from "./ScoringPlan.ts"
import * as ScoringScan from "./ScoringScan.ts"

/** A part of a scan, with what a thread needs for it. */
export interface JudgedPart {
  readonly file: LogFile
  readonly timeline: string
  readonly spans: ReadonlyArray<Span>
  readonly byRules: ByRules
  readonly parts: ReadonlyArray<ScoringPlan.ScanPart>
}

/** The work of a thread: judges the tasks of a part, in their order. */
export const judgePart = ({
  file,
  timeline,
  spans,
  byRules,
  parts,
}: JudgedPart): Effect.Effect<ReadonlyArray<TaskJudgements>, AppendError, Scope.Scope> =>
  Effect.gen(function* () {
    const main = Context.get(yield* openFile(file), EventLog)
    const log = Timelines.view(main, { name: timeline, spans, parent: null, forked: null })
    return yield* judge(log, byRules, parts)
  })

const judge = (log: EventLog.Service, { rubric, undecided }: ByRules, parts: ReadonlyArray<ScoringPlan.ScanPart>) => {
  const judged: Array<TaskJudgements> = []
  const scan = ScoringScan.run({
    log,
    critic: RuleCritic.of(rubric),
    parts,
    onCompleted: (completed) =>
      Effect.forEach(completed, ({ taskId, judging }) =>
        Effect.map(judging.decide, (judgements) => judged.push({ taskId, judgements: [...judgements, ...undecided] })),
      ),
    onPositions: () => Effect.void,
  })
  return Effect.as(scan, judged)
}

/** What is done with the judgements, and with progress. */
export interface Taking {
  readonly onJudged: (tasks: ReadonlyArray<TaskJudgements>) => Effect.Effect<void, AppendError>
  /** Called with the number of positions that have been read. */
  readonly onPositions: (positions: number) => Effect.Effect<void>
}

/**
 * Judges tasks in threads. False if there is nothing to gain, or if no threads can be started: then nothing was judged.
 *
 * @param jobs how many threads
 */
export const run = (
  {
    log,
    byRules,
    parts,
    jobs,
  }: Pick<JudgedPart, "byRules" | "parts"> & { readonly log: EventLog.Service; readonly jobs: number },
  { onJudged, onPositions }: Taking,
): Effect.Effect<boolean, AppendError> =>
  Effect.gen(function* () {
    const { file, timeline, spans } = log
    const divisions = jobs === 1 || file === undefined ? undefined : ScoringPlan.divided(parts, jobs)
    if (divisions === undefined || file === undefined) return false
    const threads = yield* Threads.start(jobs)
    if (threads === undefined) return false
    const [all, read] = [ScoringPlan.length(parts), ScoringPlan.length(divisions.flat())]
    let passed = 0
    const pieces = divisions.map((parts) => ({
      asked: { file, timeline, spans: [...spans], byRules, parts } satisfies JudgedPart,
      again: judge(log, byRules, parts),
      take: (judged: ReadonlyArray<TaskJudgements>) => {
        passed += ScoringPlan.length(parts)
        return onJudged(judged).pipe(Effect.zipRight(onPositions(Math.round((passed / read) * all))), Effect.as(true))
      },
    }))
    yield* threads.inOrder("judge", pieces)
    return true
  }).pipe(
    Effect.scoped,
    Effect.catchTag("ThreadDied", ({ message }) => new LogUnavailable({ log: log.name, reason: message })),
  )
