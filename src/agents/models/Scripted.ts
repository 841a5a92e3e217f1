/** A model with prewritten answers, for tests, examples and demonstrations. It uses no network. */

import { Effect } from "effect"
import type { ModelFailureKind, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { ModelCallFailed } from "../../kernel/tasks/ModelCalls.ts"
import type { JsonObject } from "../../values/Json.ts"
import { callIdOf } from "./CallId.ts"
import type { AnswerPart } from "./Message.ts"
import type { Delta, Model, Turn, TurnRequest } from "./Model.ts"

/** A failure of the model. */
export interface ScriptedFailure {
  readonly kind: ModelFailureKind
  readonly reason: string
  /** The parts that arrive before the failure. */
  readonly response?: ReadonlyArray<AnswerPart>
  readonly usage?: ModelUsage
  readonly retryAfterMs?: number
}

/** The answer to one request. */
export type Answer = Turn | ScriptedFailure

/** An answer, or a function that makes it from the request; an effect may wait for something, or fail. */
export type ScriptedTurn = Answer | ((request: TurnRequest) => Answer | Effect.Effect<Answer, ModelCallFailed>)

/** Options of `scripted`. */
export interface ScriptedOptions {
  /** Default: `scripted`. */
  readonly provider?: string
  /** Default: `scripted`. */
  readonly model?: string
  /** The answers in the order of all requests. */
  readonly turns: ReadonlyArray<ScriptedTurn>
}

/** Plays a script, with text in small pieces. A request beyond its end fails as `not-recorded`. */
export const scripted = ({ provider = "scripted", model = "scripted", turns }: ScriptedOptions): Model => {
  let asked = 0
  const failed = (failure: ScriptedFailure) => new ModelCallFailed({ provider, model, ...failure })
  return {
    provider,
    model,
    turn: (request, onDelta, onUsage) =>
      Effect.gen(function* () {
        const number = ++asked
        const next = turns[number - 1]
        if (next === undefined) {
          const reason = `The script has ${turns.length} answers, and this is request ${number}`
          return yield* Effect.fail(failed({ kind: "not-recorded", reason }))
        }
        const made = typeof next === "function" ? next(request) : next
        const answer = Effect.isEffect(made) ? yield* made : made
        if (answer.usage !== undefined) onUsage?.(answer.usage)
        const parts = "kind" in answer ? (answer.response ?? []) : answer.parts
        for (const delta of parts.flatMap(piecesOf)) {
          onDelta(delta)
          yield* Effect.yieldNow()
        }
        return "kind" in answer ? yield* Effect.fail(failed(answer)) : answer
      }),
  }
}

const USAGE: ModelUsage = { inputTokens: 10, outputTokens: 5 }

/** An answer of text alone. */
export const says = (text: string, usage: ModelUsage = USAGE): Turn => ({
  parts: [{ type: "text", text }],
  finish: "stop",
  usage,
})

/** An answer of tool calls, after `text`. A call without an id gets one that is unique in the conversation. */
export const calls =
  (
    called: ReadonlyArray<{ readonly tool: string; readonly args: JsonObject; readonly callId?: string }>,
    { text, usage = USAGE }: { readonly text?: string; readonly usage?: ModelUsage } = {},
  ) =>
  (request: TurnRequest): Turn => ({
    parts: [
      ...(text === undefined ? [] : [{ type: "text" as const, text }]),
      ...called.map(({ tool, args, callId }, index) => ({
        type: "call" as const,
        tool,
        args,
        callId: callId ?? callIdOf(request, index),
      })),
    ],
    finish: "calls",
    usage,
  })

const PIECE = 12

/** The streamed text of a part; undefined for a part that arrives as a whole. */
export const toldOf = (part: AnswerPart): Pick<Delta, "kind" | "text"> | undefined => {
  if (part.type === "call") return { kind: "call", text: part.text ?? JSON.stringify(part.args) }
  return part.type === "text" || part.type === "reasoning" ? { kind: part.type, text: part.text } : undefined
}

const piecesOf = (part: AnswerPart, index: number): ReadonlyArray<Delta> => {
  const told = toldOf(part)
  const characters = [...(told?.text ?? "")]
  return Array.from({ length: Math.ceil(characters.length / PIECE) }, (_, number) => ({
    index,
    kind: told?.kind ?? "text",
    text: characters.slice(number * PIECE, (number + 1) * PIECE).join(""),
  }))
}
