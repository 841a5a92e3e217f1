/**
 * Evaluations in telemetry: OpenTelemetry's event `gen_ai.evaluation.result`
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-events), and OpenInference's annotations and evaluations
 * (https://arize-ai.github.io/openinference/spec/feedback/annotations.html).
 */

import { numberOf, textOf } from "../runs/Untrusted.ts"
import type { SourceScore } from "../scores/SourceScores.ts"
import type { LogRecord } from "./LogRecord.ts"
import type { Span } from "./Span.ts"

export type Evaluation = Omit<SourceScore, "taskId">

export const EVALUATION_EVENT = "gen_ai.evaluation.result"

export const evaluationsOf = ({ traceId, spanId, attributes, events }: Span): ReadonlyArray<Evaluation> => [
  ...events.flatMap(({ name, attributes: own }, index) =>
    name === EVALUATION_EVENT ? evaluationOf(own, `${traceId}/${spanId}/${index}`) : [],
  ),
  ...annotationsIn(attributes, `${traceId}/${spanId}`),
]

/** The evaluation in a log record; none if it has no name. */
export const evaluationIn = ({ traceId, spanId, at, attributes }: LogRecord): ReadonlyArray<Evaluation> =>
  evaluationOf(attributes, `${traceId ?? ""}/${spanId ?? ""}/${at ?? ""}`)

const evaluationOf = (attributes: unknown, of: string): ReadonlyArray<Evaluation> =>
  judged(
    {
      name: textOf(attributes, "gen_ai.evaluation.name"),
      score: numberOf(attributes, "gen_ai.evaluation.score.value"),
      label: textOf(attributes, "gen_ai.evaluation.score.label"),
      explanation: textOf(attributes, "gen_ai.evaluation.explanation"),
      kind: undefined,
    },
    of,
  )

/** Such as `trace.evaluations.0.evaluation.score`. */
const ANNOTATION =
  /^((?:(?:trace|session)\.)?(?:annotations|evaluations)\.\d{1,6}\.(?:annotation|evaluation))\.(?:name|score|label|explanation)$/

const annotationsIn = (attributes: Readonly<Record<string, unknown>>, of: string): ReadonlyArray<Evaluation> => {
  const prefixes = new Set(Object.keys(attributes).flatMap((name) => ANNOTATION.exec(name)?.[1] ?? []))
  return [...prefixes].flatMap((prefix) =>
    judged(
      {
        name: textOf(attributes, `${prefix}.name`),
        score: numberOf(attributes, `${prefix}.score`),
        label: textOf(attributes, `${prefix}.label`),
        explanation: textOf(attributes, `${prefix}.explanation`),
        kind: textOf(attributes, `${prefix}.annotator_kind`),
      },
      `${of}/${prefix}`,
    ),
  )
}

interface Judgement {
  readonly name: string | undefined
  readonly score: number | undefined
  readonly label: string | undefined
  readonly explanation: string | undefined
  /** Who judged, such as `HUMAN` or `LLM`. */
  readonly kind: string | undefined
}

const judged = ({ name, score, label, explanation, kind }: Judgement, of: string): ReadonlyArray<Evaluation> => {
  if (name === undefined) return []
  const said = [label, explanation].filter((text) => text !== undefined).join(": ")
  return [
    {
      scorer: kind === undefined ? name : `${name} by ${kind.toLowerCase()}`,
      name,
      value: score ?? null,
      rationale: said === "" ? null : said,
      of,
    },
  ]
}
