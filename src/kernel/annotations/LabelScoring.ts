/**
 * Turns a person's label into a score set, with the events that critics use, so that `compare`, `score show` and audits
 * treat a person like any other critic. Every label is a set of one task; the sets of one person and measure share a
 * label, such as `human:ada`.
 */

import { Effect } from "effect"
import type { AppendPart } from "../../events/log/AppendRequest.ts"
import { type CoreNewEvent, type EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { Annotation, Subject } from "../../projections/annotations/Annotations.ts"
import * as Labels from "../../projections/annotations/Labels.ts"
import { digest } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import { type JsonObject, plainText } from "../../values/Json.ts"
import * as ScoreSetWriter from "../scoring/ScoreSetWriter.ts"
import { NotAnnotated } from "./AnnotationOptions.ts"

interface Judgement {
  readonly by: string
  readonly measure: string
  readonly value: Labels.LabelValue
  readonly comment?: string | undefined
}

/**
 * The score set of a label. Undefined for a moment and for a category, which are no scores of a task. Fails if the task
 * is open: nobody can judge its future.
 *
 * @param view the log on a timeline that has the task
 * @param replaces the score set of the person's earlier label
 */
export const of = (
  view: EventLog.Service,
  { task, timeline, moment }: Subject,
  { by, measure, value, comment }: Judgement,
  replaces: string | undefined,
): Effect.Effect<{ readonly scoreSetId: string; readonly part: AppendPart } | undefined, NotAnnotated | LogError> =>
  Effect.gen(function* () {
    if (task === null || moment !== null || typeof value === "string") return undefined
    const types = ["TaskOpened", "TaskClosed", "TimelineForked"]
    const events = yield* view.readPage({ timeline: view.timeline, taskId: task, types }, MAX_STANDING)
    const last = events.at(-1)
    if (last?.type !== "TaskClosed") {
      return yield* new NotAnnotated({
        about: task,
        expected: "a closed task, since a pass, a fail or a score judges all of it",
        found: "an open one",
      })
    }
    const scoreSetId = newId()
    const critic = `human:${by}`
    const amount = typeof value === "boolean" ? Number(value) : value
    const name = typeof value === "boolean" ? "pass" : "score"
    const rubric: JsonObject = {
      name: measure,
      measures: [{ name: measure, rewards: [{ name, weight: 1 }], punishments: [] }],
    }
    const started: CoreNewEvent = {
      type: "ScoringStarted",
      payload: {
        scoreSetId,
        taskIds: [task],
        rubric,
        rubricDigest: digest(rubric),
        critic,
        criticDigest: digest({ critic }),
        label: Labels.scoringName(critic, measure),
        range: { from: events[0]?.position ?? last.position, to: last.position },
        ...defined({ replaces }),
      },
    }
    const verdict = {
      ...{ scoreSetId, measure, name, weight: 1, amount: Math.abs(amount), because: [] },
      ...defined({ rationale: comment === undefined ? undefined : plainText(comment) }),
    }
    const given: ReadonlyArray<CoreNewEvent> =
      amount === 0 ? [] : [{ type: amount < 0 ? "PunishmentGiven" : "RewardGiven", payload: verdict }]
    const totals = {
      [task]: { earned: Math.max(0, amount), lost: Math.max(0, -amount), net: amount, unscored: 0 },
    }
    const finished: CoreNewEvent = { type: "ScoringFinished", payload: { scoreSetId, totals } }
    const part = partOf(timeline, scoreSetId, task, critic, [started, ...given, finished])
    return { scoreSetId, part }
  })

const MAX_STANDING = 100

/** Withdraws a label from its scoring: a score set of no task replaces the label's, which stays in the log. */
export const withdrawal = ({ by, measure = "", scoreSetId, subject }: Annotation): AppendPart => {
  const id = newId()
  const rubric: JsonObject = { name: measure, measures: [] }
  return partOf(subject.timeline, id, null, by, [
    {
      type: "ScoringStarted",
      payload: {
        scoreSetId: id,
        taskIds: [],
        rubric,
        rubricDigest: digest(rubric),
        critic: by,
        criticDigest: digest({ critic: by }),
        label: Labels.scoringName(by, measure),
        range: { from: 0, to: 0 },
        ...defined({ replaces: scoreSetId }),
      },
    },
    { type: "ScoringFinished", payload: { scoreSetId: id, totals: {} } },
  ])
}

const partOf = (
  timeline: string,
  scoreSetId: string,
  taskId: string | null,
  actor: string,
  events: ReadonlyArray<CoreNewEvent>,
): AppendPart => ({
  stream: ScoreSetWriter.streamOf(scoreSetId),
  taskId,
  actor,
  events,
  ...(timeline === MAIN ? {} : { timeline }),
})
