/** One turn of a model, held to the form of a turn and to the time that is left for it. */

import { Effect, Schema } from "effect"
import { ModelUsage } from "../events/vocabulary/Deciding.ts"
import { optional } from "../events/vocabulary/EventType.ts"
import { ModelCallFailed, warnOfUnknownFields } from "../kernel/tasks/ModelCalls.ts"
import { defined } from "../values/defined.ts"
import type { Json } from "../values/Json.ts"
import { RecordedAnswer } from "./Conversation.ts"
import type { Model, Turn } from "./models/Model.ts"

/** A model, and what its turn is held to. */
export interface Limits {
  readonly model: Model
  /** How long an answer may take, in milliseconds. */
  readonly leftMs: Effect.Effect<number>
}

/** A request that is not made: it uses nothing, and its cost is unknown. */
export const unasked = ({ provider, model }: Model, reason: string) =>
  new ModelCallFailed({
    provider,
    model,
    kind: "invalid-request",
    reason,
    usage: { inputTokens: 0, outputTokens: 0 },
  })

/** The model's turn. One of a program may be anything: what is no turn fails, before it is recorded. */
export const answeredBy = (model: Model, ...asked: Parameters<Model["turn"]>): Effect.Effect<Turn, ModelCallFailed> => {
  const { provider, model: name } = model
  const wrong = (reason: string, came: { readonly response?: Json } = {}) =>
    new ModelCallFailed({ provider, model: name, kind: "invalid-request", reason, ...came })
  return Effect.suspend(() => {
    const turn: unknown = model.turn(...asked)
    if (!Effect.isEffect(turn))
      return wrong("expected its function turn to answer with an Effect, found something else")
    return Effect.flatMap(turn as Effect.Effect<unknown, ModelCallFailed>, (answer) =>
      Effect.mapError(decodedTurn(answer), ({ message }) =>
        // It answered: what that used is unknown, and not nothing.
        wrong(`expected the answer of its function turn to be a turn: ${message}`, { response: [] }),
      ).pipe(Effect.tap(() => warnOfUnknownFields(`${provider}/${name}`, (answer as Turn).usage))),
    )
  })
}

const decodedTurn = Schema.decodeUnknown(
  Schema.Struct({ ...RecordedAnswer.fields, usage: ModelUsage, cost: optional(Schema.NonNegative) }),
)

/** Longest time that a timer fires before the clock shows its time, in milliseconds. */
const CLOCK_SLACK_MS = 5

const OUT_OF_TIME = "its budget of time was used up before the answer was whole"

/** Whether an answer ended because no time was left. A replay takes less time: it has only the record to know it by. */
export const isOutOfTime = ({ kind, reason }: Pick<ModelCallFailed, "kind" | "reason">): boolean =>
  kind === "timed-out" && reason === OUT_OF_TIME

/** Ends an answer for which there is no time left. What had come of it is in the failure. */
export const inTime = (
  { model: { provider, model }, leftMs }: Limits,
  turn: Effect.Effect<Turn, ModelCallFailed>,
  come: () => { readonly parts: Json; readonly usage: Turn["usage"] | undefined },
) =>
  Effect.flatMap(leftMs, (left) => {
    const onTimeout = () => {
      const { parts, usage } = come()
      return new ModelCallFailed({
        provider,
        model,
        kind: "timed-out",
        reason: OUT_OF_TIME,
        response: { parts },
        ...defined({ usage }),
      })
    }
    return Number.isFinite(left) ? Effect.timeoutFail(turn, { duration: left + CLOCK_SLACK_MS, onTimeout }) : turn
  })
