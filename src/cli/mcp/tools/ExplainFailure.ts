/** The tool `explain_failure`: how a task ended, which events may be the cause, and what to ask next. */
import { Effect, Schema } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as TaskPresent from "../../../kernel/recovery/TaskPresent.ts"
import * as Explanation from "../../../projections/explanation/Explanation.ts"
import * as WhyFailed from "../../../projections/explanation/WhyFailed.ts"
import * as OwnWork from "../../../projections/state/files/OwnWork.ts"
import * as TaskList from "../../../projections/state/TaskList.ts"
import { NothingListed } from "../../command/BadInput.ts"
import * as ExplanationPage from "../../pages/explanation/ExplanationPage.ts"
import * as Style from "../../terminal/Style.ts"
import * as Text from "../../terminal/Text.ts"
import type * as Answer from "../server/Answer.ts"
import { cut } from "../server/Answer.ts"
import * as TaskArgument from "../server/TaskArgument.ts"
import * as Tool from "../server/Tool.ts"

/** Maximum size of the lines from the log, in bytes: with the proposed calls, at most 1,500 tokens. */
const MAX_BYTES = 4_000

export const explainFailure = Tool.make({
  name: "explain_failure",
  title: "Why a task failed",
  description:
    "Start here. Why a task failed in one sentence; what cost points; the events that may be the cause, likeliest first; the chain: the failure, the decision behind it, what the agent had read and had not; and the next calls. Without `task`: the newest task that was not achieved.",
  input: Schema.Struct({ task: Tool.optional(Tool.task) }),
  run: ({ task }) =>
    Effect.gen(function* () {
      const { taskId, log } = task === undefined ? yield* newestFailed : yield* TaskArgument.named(task)
      const explained = yield* Effect.gen(function* () {
        const examined = yield* Explanation.examine(taskId)
        return { examined, why: yield* WhyFailed.of(examined, { activity: yield* TaskPresent.of(taskId) }) }
      }).pipe(Effect.provideService(EventLog, log))
      const lines = cut(ExplanationPage.lines(Style.plain, explained), MAX_BYTES)
      return {
        lines: lines.lines,
        foot: lines.remaining === 0 ? [] : [`${Text.count(lines.remaining, "line")} left out.`],
        next: next(explained),
      }
    }),
})

/**
 * The newest task that was closed without being achieved, else the newest closed one: an open one may be the session
 * that asks. Hindcast's own work comes last.
 */
const newestFailed = Effect.gen(function* () {
  const log = yield* EventLog
  const all = Object.entries(yield* TaskList.standings(log))
  const closed = all.filter(([, task]) => task.outcome !== null && !OwnWork.isOwn(task))
  const found = closed.findLast(([, { outcome }]) => outcome !== "achieved") ?? closed.at(-1) ?? all.at(-1)
  if (found === undefined) return yield* new NothingListed({ expected: "a task", found: "a log without tasks" })
  return { taskId: found[0], log }
})

/** Maximum number of positions of a task whose course is proposed as a whole. */
const SHORT = 150

/** Positions before the first suspect that the proposed course begins with. */
const BEFORE = 20

const next = ({ examined }: ExplanationPage.Explained): NonNullable<Answer.Answer["next"]> => {
  const { audit, examinedFrom } = examined
  const suspects = examined.suspects()
  const task = TaskArgument.written(audit.taskId, audit.range.from)
  const on = audit.timeline === "main" ? "" : audit.timeline
  const [first, second] = suspects
  const calls: Array<readonly [Answer.Call, string]> = []
  for (const [suspect, which] of [
    [first, "the likeliest suspect whole"],
    [second, "the second suspect whole"],
  ] as const) {
    if (suspect !== undefined) calls.push([{ tool: "show", args: { event: `${on}@${suspect.at}` } }, which])
  }
  // A short task is read as a whole: a cause may come before everything that looks wrong.
  const isShort = audit.range.to - audit.range.from <= SHORT
  const firstBad = Math.min(audit.range.to, ...suspects.slice(0, 3).map(({ at }) => at))
  const from = isShort ? {} : { from: `@${Math.max(examinedFrom, firstBad - BEFORE)}` }
  const course = isShort ? "the whole course of the task" : "the course of the task from shortly before them"
  calls.push([{ tool: "skeleton", args: { task, ...from } }, course])
  return calls
}
