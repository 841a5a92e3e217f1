/** Scorings as spans in the traces of their tasks. */

import type { Link } from "../../../events/integrity/Chain.ts"
import type { JsonObject } from "../../../values/Json.ts"
import * as Span from "./Span.ts"
import { begin, ended, eventOf } from "./TaskTrace.ts"

/** The trace and root span of a task. */
export interface SpanParent {
  readonly traceId: string
  /** Undefined if the task was opened and closed before the first exported event. */
  readonly rootId: string | undefined
}

type TraceOf = (taskId: string, link: Link) => SpanParent

interface Scoring {
  readonly started: Link
  readonly label: string
  readonly critic: string
  /** The task whose verdicts are being read. */
  taskId: string | null
  span: ReturnType<typeof begin> | undefined
  last: number
}

const VERDICTS: Readonly<Record<string, (payload: JsonObject) => Record<string, string | number | undefined>>> = {
  RewardGiven: ({ amount }) => ({
    "gen_ai.evaluation.score.value": Number(amount),
    "gen_ai.evaluation.score.label": "reward",
  }),
  PunishmentGiven: ({ amount }) => ({
    "gen_ai.evaluation.score.value": amount === 0 ? 0 : -Number(amount),
    "gen_ai.evaluation.score.label": "punishment",
  }),
  MeasureUnscored: ({ reason }) => ({
    "gen_ai.evaluation.score.label": "unscored",
    "gen_ai.evaluation.explanation": String(reason),
  }),
}

/**
 * Scorings as spans: one for each task that a scoring covers, in the task's trace, with a span event
 * `gen_ai.evaluation.result` for each verdict. Verdicts come task by task, so each scoring has at most one open span.
 */
export class Scorings {
  readonly #open = new Map<string, Scoring>()
  readonly #traceOf: TraceOf

  constructor(traceOf: TraceOf) {
    this.#traceOf = traceOf
  }

  take(link: Link, payload: JsonObject): ReadonlyArray<Span.Span> {
    const id = String(payload.scoreSetId)
    if (link.type === "ScoringStarted") {
      const { label, critic } = payload
      const started = { started: link, label: String(label), critic: String(critic) }
      this.#open.set(id, { ...started, taskId: null, span: undefined, last: link.occurredAt })
      return []
    }
    const scoring = this.#open.get(id)
    if (scoring === undefined) return []
    if (link.type === "ScoringFinished") {
      this.#open.delete(id)
      return endSpan(scoring, this.#traceOf)
    }
    const verdict = VERDICTS[link.type]
    if (verdict === undefined || link.taskId === null) return []
    const before = scoring.taskId === link.taskId ? [] : endSpan(scoring, this.#traceOf)
    if (scoring.span === undefined) {
      scoring.taskId = link.taskId
      scoring.span = begin(
        { ...link, occurredAt: scoring.started.occurredAt },
        {
          ...parentOf(this.#traceOf(link.taskId, scoring.started)),
          name: `score ${scoring.label}`,
          attributes: { "hindcast.score_set": id, "hindcast.critic": scoring.critic },
        },
      )
    }
    scoring.last = link.occurredAt
    const { measure, name, rationale } = payload
    scoring.span.events.push(
      eventOf(link, "gen_ai.evaluation.result", {
        "gen_ai.evaluation.name": `${measure}: ${name}`,
        ...(typeof rationale === "string" ? { "gen_ai.evaluation.explanation": rationale } : {}),
        ...verdict(payload),
      }),
    )
    return before
  }

  end(): ReadonlyArray<Span.Span> {
    return [...this.#open.values()].flatMap((scoring) => endSpan(scoring, this.#traceOf))
  }
}

const parentOf = ({ rootId }: SpanParent) => (rootId === undefined ? {} : { parentSpanId: rootId })

const endSpan = (scoring: Scoring, traceOf: TraceOf): ReadonlyArray<Span.Span> => {
  const { started, span, taskId, last } = scoring
  scoring.span = undefined
  if (span === undefined || taskId === null) return []
  return [ended(traceOf(taskId, started).traceId, span, last, Span.OK, {})]
}
