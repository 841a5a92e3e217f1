/** Validates one turn of a model and limits its time. */

import { Effect, Schema } from "effect"
import { ModelUsage } from "../events/vocabulary/Deciding.ts"
import { optional } from "../events/vocabulary/EventType.ts"
import type { Spent } from "../kernel/tasks/calls/ModelCall.ts"
import { ModelCallFailed, warnOfUnknownFields } from "../kernel/tasks/ModelCalls.ts"
import { defined } from "../values/defined.ts"
import type { Json } from "../values/Json.ts"
import { RecordedAnswer } from "./Conversation.ts"
import type { Model, Turn } from "./models/Model.ts"

export interface Limits {
  readonly model: Model
  readonly leftMs: Effect.Effect<number>
}

/** The failure of a request that is not made: it uses nothing, and its cost is unknown. */
export const unasked = ({ provider, model }: Model, reason: string) =>
  new ModelCallFailed({
    provider,
    model,
    kind: "invalid-request",
    reason,
    usage: { inputTokens: 0, outputTokens: 0 },
  })

/** Whether a model was not asked because of its price: no request to it will be possible. */
export const wasUnasked = ({ kind, response, usage, cost }: Spent): boolean =>
  kind === "invalid-request" && response === undefined && usage !== undefined && cost === undefined

/** The model's turn. A program's model may return anything, so an invalid turn fails before it is recorded. */
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
        // It answered, so its usage is unknown, not 0.
        wrong(`expected the answer of its function turn to be a turn: ${message}`, { response: [] }),
      ).pipe(Effect.tap(() => warnOfUnknownFields(`${provider}/${name}`, (answer as Turn).usage))),
    )
  })
}

const Window = Schema.Struct({
  limit: optional(Schema.NonNegative),
  remaining: Schema.NonNegative,
  resetMs: Schema.NonNegative,
})

const Limited = Schema.Struct({
  requests: optional(Window),
  tokens: optional(Window),
  heardAt: optional(Schema.Number),
})

const decodedTurn = Schema.decodeUnknown(
  Schema.Struct({
    ...RecordedAnswer.fields,
    usage: ModelUsage,
    cost: optional(Schema.NonNegative),
    limits: optional(Limited),
  }),
)

/** A timer may fire this many milliseconds before the clock shows its time. */
const CLOCK_SLACK_MS = 5

const OUT_OF_TIME = "its budget of time was used up before the answer was whole"

/** Whether an answer ended because no time was left. A replay is faster and must read this from the record. */
export const isOutOfTime = ({ kind, reason }: Pick<ModelCallFailed, "kind" | "reason">): boolean =>
  kind === "timed-out" && reason === OUT_OF_TIME

/** Ends an answer when its time is up. The failure holds the part that had arrived. */
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
