/** Answers `/api/rubrics/check`, `/api/rubrics/preview` and `/api/rubric`. */

import { Data, Effect, Either, Schema } from "effect"
import { EventLog, MAIN } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import * as Rubric from "../../kernel/rules/Rubric.ts"
import * as RescorePreview from "../../kernel/scoring/RescorePreview.ts"
import { totalsOf } from "../../kernel/scoring/ScoreSetWriter.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as Sum from "../../values/Sum.ts"
import { Allowed, NotAllowed } from "../Allowed.ts"
import { momentsOf } from "../course/RewardRows.ts"
import * as RubricText from "../course/RubricText.ts"
import * as TaskRows from "../course/TaskRows.ts"
import * as VerdictRows from "../course/VerdictRows.ts"
import { StudioLog } from "../StudioLog.ts"
import type { RescoreOrder, RubricIssue } from "../wire/Asking.ts"
import type { Preview, PreviewOrder, RubricOfSet } from "../wire/Scoring.ts"
import * as Query from "./Query.ts"

/** The rubric is invalid. `/api/rubrics/check` says where. */
export class RubricInvalid extends Data.TaggedError("RubricInvalid")<{ readonly issues: ReadonlyArray<RubricIssue> }> {
  override get message() {
    return `The rubric cannot be used: ${this.issues.map(({ line, message }) => `${line === null ? "" : `line ${line}: `}${message}`).join("; ")}`
  }
}

export const allowed = Effect.flatMap(Allowed, ({ write }) =>
  write ? Effect.void : new NotAllowed({ what: "score tasks", option: "write" }),
)

export const ofText = (text: string) =>
  Effect.flatMap(RubricText.parse(text), (parsed) =>
    Either.isLeft(parsed) ? new RubricInvalid({ issues: parsed.left }) : Effect.succeed(parsed.right),
  )

export const check = ({ rubric }: RescoreOrder) =>
  Effect.gen(function* () {
    yield* allowed
    return Either.match(yield* RubricText.parse(rubric), { onLeft: (issues) => issues, onRight: () => [] })
  })

export const on = (timeline: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const projector = yield* Projector
    if (timeline === MAIN) return { log, projector }
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    return { log: view, projector: yield* projector.on(timeline) }
  })

export const PreviewBody: Schema.Schema<PreviewOrder> = Schema.Struct({
  rubric: Schema.String,
  timeline: Schema.NonEmptyString,
  task: Schema.NonEmptyString,
})

const MAX_POINTS = 2_000

const PREVIEW = "preview"

/** The verdicts of a rubric's rules about a task. Writes nothing. */
export const preview = ({ rubric: text, timeline, task }: PreviewOrder) =>
  Effect.gen(function* () {
    yield* allowed
    const rubric = yield* ofText(text)
    const { log, projector } = yield* on(timeline)
    const verdicts = yield* RescorePreview.verdicts(log, projector, rubric, task)
    const collected = new VerdictRows.VerdictRows(new Map([[PREVIEW, Rubric.asJson(rubric)]]))
    for (const verdict of verdicts) collected.add(PREVIEW, verdict)
    const { position } = yield* log.head
    const moments = verdicts
      .flatMap((judged) =>
        judged.kind === "unscored"
          ? []
          : momentsOf(judged, judged.kind === "reward" ? judged.amount : 0 - judged.amount, position),
      )
      .sort((a, b) => a.at - b.at)
    const { earned, lost, net } = totalsOf(verdicts)
    return {
      earned,
      lost,
      net,
      line: lineOf(moments),
      verdicts: collected
        .rows()
        .flatMap(({ verdicts: [verdict], ...named }) => (verdict ? [{ ...named, verdict }] : [])),
    } satisfies Preview
  })

/** The net after each moment, thinned out evenly to `MAX_POINTS` and the last. */
const lineOf = (moments: ReturnType<typeof momentsOf>): Preview["line"] => {
  let sum = Sum.zero
  const line = moments.map(({ at, amount }) => {
    sum = Sum.add(sum, amount)
    return { at, net: Sum.value(sum) }
  })
  const step = Math.ceil(line.length / MAX_POINTS)
  return step <= 1 ? line : line.filter((_, index) => index % step === 0 || index === line.length - 1)
}

export const RubricQuery = Schema.Struct({
  timeline: Query.Timeline,
  task: Schema.NonEmptyString,
  set: Schema.NonEmptyString,
})

/** No such score set judged the task. `/api/task` lists those that did. */
export class ScoreSetNotFound extends Data.TaggedError("ScoreSetNotFound")<{
  readonly set: string
  readonly task: string
}> {
  override get message() {
    return `Expected a score set of the task ${this.task}, found ${JSON.stringify(this.set)}.`
  }
}

/** The rubric of a score set, as the start of a new one. */
export const ofSet = ({ timeline, task, set }: typeof RubricQuery.Type) =>
  Effect.gen(function* () {
    const past = yield* (yield* StudioLog).past(timeline)
    const { standings } = yield* TaskRows.of(past)
    const found = standings.setsOf(task).find((row) => row.set === set)
    if (found === undefined) return yield* new ScoreSetNotFound({ set, task })
    const { default: yaml } = yield* Effect.promise(() => import("yaml"))
    return { text: yaml.stringify(standings.rubricOf(found.rubricDigest) ?? {}) } satisfies RubricOfSet
  })
