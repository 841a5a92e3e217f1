/** An answer of a plugin's provider: its pieces, its parts, its tokens and its errors. */

import type { ModelFailureKind, ModelUsage } from "../../../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../../../kernel/pricing/ProviderUsage.ts"
import type { Piece } from "../../../plugins/channel/OpenCall.ts"
import type { GeneratedAnswer, GenerateThrown } from "../../../plugins/Generated.ts"
import { defined } from "../../../values/defined.ts"
import * as Arguments from "../Arguments.ts"
import { callIdOf } from "../CallId.ts"
import { classify, type Failure, LONGEST_RETRY_AFTER_MS, reasonOf } from "../Failure.ts"
import type { AnswerPart } from "../Message.ts"
import type { Delta, TurnRequest } from "../Model.ts"
import type { Secrets, StreamedText } from "../secrets/Secrets.ts"

/** An answer in progress. Its members are those that `outcome` reads. */
export interface PluginAnswer {
  readonly take: (piece: Piece) => void
  /** Takes the whole answer, after its pieces. */
  readonly whole: (answer: GeneratedAnswer) => void
  /** Passes on the text that was held back as the possible start of a key. */
  readonly end: () => void
  readonly parts: () => ReadonlyArray<AnswerPart>
  readonly usage: () => ModelUsage | undefined
  readonly cost: () => number | undefined
  readonly refusal: () => string
  readonly hasBegun: () => boolean
  readonly finish: () => { readonly unified: "stop" | "tool-calls" | "length"; readonly raw: undefined } | undefined
}

interface Growing {
  readonly kind: Piece["kind"]
  readonly index: number
  readonly told: StreamedText
  text: string
}

export const empty = (request: TurnRequest, secrets: Secrets, onDelta: (delta: Delta) => void): PluginAnswer => {
  const growing: Array<Growing> = []
  let calls: ReadonlyArray<AnswerPart> = []
  let answer: GeneratedAnswer | undefined

  const tell = (index: number, kind: Delta["kind"], text: string) => {
    if (text !== "") onDelta({ index, kind, text })
  }
  const take = ({ kind, text }: Piece) => {
    let part = growing.find((one) => one.kind === kind)
    if (part === undefined) {
      part = { kind, index: growing.length, told: secrets.streamed(), text: "" }
      growing.push(part)
    }
    part.text += text
    tell(part.index, kind, part.told.take(text))
  }
  const end = () => {
    for (const { index, kind, told } of growing) tell(index, kind, told.end())
  }
  /** The text that did not come in pieces. */
  const takeRest = (kind: Piece["kind"], text = "") => {
    if (text !== "" && !growing.some((one) => one.kind === kind)) take({ kind, text })
  }

  return {
    take,
    end,
    whole: (given) => {
      answer = given
      takeRest("reasoning", given.reasoning_content)
      takeRest("text", given.text_content)
      end()
      calls = (given.tool_calls ?? []).map((call, index) => {
        const read = typeof call.args === "string" ? Arguments.read(call.args) : { args: call.args }
        return { type: "call", callId: call.id ?? callIdOf(request, growing.length + index), tool: call.name, ...read }
      })
      calls.forEach((call, index) => {
        if (call.type !== "call") return
        const text = call.text ?? (call.invalid === true ? String(call.args) : JSON.stringify(call.args))
        tell(growing.length + index, "call", secrets.redact(text))
      })
    },
    parts: () => [
      ...growing.filter(({ text }) => text !== "").map(({ kind, text }) => ({ type: kind, text: text.toWellFormed() })),
      ...calls,
    ],
    usage: () => (answer?.usage === undefined ? undefined : usageOf(answer.usage)),
    cost: () => answer?.cost_usd,
    refusal: () => "",
    hasBegun: () => answer !== undefined || growing.length > 0,
    finish: () => {
      if (answer === undefined) return undefined
      return { unified: answer.finish ?? (answer.is_final ? "stop" : "tool-calls"), raw: undefined }
    },
  }
}

const usageOf = (usage: NonNullable<GeneratedAnswer["usage"]>): ModelUsage => ({
  inputTokens: Math.min(usage.input_tokens, ProviderUsage.MOST_TOKENS),
  outputTokens: Math.min(usage.output_tokens, ProviderUsage.MOST_TOKENS),
  ...defined({ cachedTokens: usage.cached_tokens, reasoningTokens: usage.reasoning_tokens }),
})

/** The kinds that a provider can name by the `code` of an error. The others are the agent's own. */
const KINDS: ReadonlySet<string> = new Set<ModelFailureKind>([
  ...(["unauthorized", "unknown-model", "invalid-request", "context-too-long", "refused", "rate-limited"] as const),
  ...(["overloaded", "unreachable", "timed-out", "cut-off", "unreadable", "empty"] as const),
])

const isKind = (code: string): code is ModelFailureKind => KINDS.has(code)

/** Errors of `context.fetch`. */
const FETCH_KINDS: ReadonlyMap<string, ModelFailureKind> = new Map([
  ["HostUnavailable", "unreachable"],
  ["AnswerBrokeOff", "cut-off"],
  ["FetchTimedOut", "timed-out"],
])

/**
 * The failure that an error of `generate` means: by the service's response, if the error has it, in the same way as for
 * the providers of Hindcast, else by its code. An error of another kind is a mistake of the plugin.
 */
export const failureOf = (
  { code, message, retryAfterMs, response }: GenerateThrown,
  redact: (text: string) => string,
  now: number,
): Failure => {
  const wait =
    retryAfterMs === undefined ? {} : { retryAfterMs: Math.min(Math.max(0, retryAfterMs), LONGEST_RETRY_AFTER_MS) }
  if (response !== undefined && response.status >= 300) {
    const { status, url, headers, body } = response
    const call = { name: "AI_APICallError", message, url, statusCode: status, responseHeaders: headers }
    return { ...classify({ ...call, responseBody: body, data: null }, redact, now), ...wait }
  }
  const fetched = FETCH_KINDS.get(code)
  if (fetched !== undefined) return { kind: fetched, reason: reasonOf(message, redact), ...wait }
  if (isKind(code)) return { kind: code, reason: reasonOf(message, redact), ...wait }
  return { kind: "invalid-request", reason: reasonOf(`its plugin threw ${code}: ${message}`, redact) }
}
