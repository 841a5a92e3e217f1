import type { Link } from "../../../events/integrity/Chain.ts"
import type { JsonObject } from "../../../values/Json.ts"
import * as Span from "./Span.ts"
import { begin, ended, eventOf } from "./TaskTrace.ts"

/** Where a task's trace is: what a span of it needs to know. */
export interface SpanParent {
  readonly traceId: string
  /** Undefined where the task was opened and closed before the first of the events. */
  readonly rootId: string | undefined
}

/** Where a task's trace is, of the timeline that an event is of. */
type PlaceOf = (taskId: string, link: Link) => SpanParent

interface Scoring {
  readonly started: Link
  readonly label: string
  readonly critic: string
  /** The task whose verdicts are coming in. */
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
 * Scorings as spans: one for each task that a scoring covers, in the task's trace, with an event `gen_ai.evaluation.result` for
 * each verdict. A scoring's verdicts come task by task, so that one span a scoring is under way.
 */
export class Scorings {
  readonly #open = new Map<string, Scoring>()
  readonly #placeOf: PlaceOf

  constructor(placeOf: PlaceOf) {
    this.#placeOf = placeOf
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
      return finished(scoring, this.#placeOf)
    }
    const verdict = VERDICTS[link.type]
    if (verdict === undefined || link.taskId === null) return []
    const before = scoring.taskId === link.taskId ? [] : finished(scoring, this.#placeOf)
    if (scoring.span === undefined) {
      scoring.taskId = link.taskId
      scoring.span = begin(
        { ...link, occurredAt: scoring.started.occurredAt },
        {
          ...parentOf(this.#placeOf(link.taskId, scoring.started)),
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

  /** What is still under way. */
  end(): ReadonlyArray<Span.Span> {
    return [...this.#open.values()].flatMap((scoring) => finished(scoring, this.#placeOf))
  }
}

const parentOf = ({ rootId }: SpanParent) => (rootId === undefined ? {} : { parentSpanId: rootId })

const finished = (scoring: Scoring, placeOf: PlaceOf): ReadonlyArray<Span.Span> => {
  const { started, span, taskId, last } = scoring
  scoring.span = undefined
  if (span === undefined || taskId === null) return []
  return [ended(placeOf(taskId, started).traceId, span, last, Span.OK, {})]
}
