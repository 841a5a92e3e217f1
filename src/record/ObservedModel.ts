/**
 * Records a model call that only the telemetry of the program's framework shows, because no request over HTTP was seen
 * for it.
 */

import { classify } from "../agents/models/Failure.ts"
import type { AnswerPart } from "../agents/models/Message.ts"
import type { ModelUsage } from "../events/vocabulary/Deciding.ts"
import { newId } from "../events/vocabulary/Event.ts"
import * as ProviderUsage from "../kernel/pricing/ProviderUsage.ts"
import type { ModelRequest } from "../providers/WireFormat.ts"
import { digest } from "../values/Digest.ts"
import type { Json, JsonObject } from "../values/Json.ts"
import type { RunConversations } from "./conversations/Conversations.ts"
import type { ReportedCall } from "./http/ObservedCalls.ts"
import type { Prompts } from "./http/Prompts.ts"
import { recordable, recordableRequest } from "./Recordable.ts"
import type { RunFiles } from "./RunFiles.ts"
import * as RunningTool from "./RunningTool.ts"

export interface ObservedAnswer {
  readonly parts: ReadonlyArray<AnswerPart>
  readonly finish: "stop" | "calls" | "length"
  readonly usage: ModelUsage | undefined
  readonly latencyMs: number
}

export interface ObservedModel {
  readonly answered: (answer: ObservedAnswer) => void
  readonly failed: (error: unknown, latencyMs: number) => void
  readonly runsTool: (call: ReportedCall) => RunningTool.RunningTool | undefined
}

export interface ModelParts extends RunningTool.ToolParts {
  readonly conversations: RunConversations
  readonly prompts: Prompts
  readonly files?: RunFiles | undefined
}

/** Records the call. Its answer may never come: then the log has none. */
export const begin = (parts: ModelParts, asked: ModelRequest, occurredAt: number): ObservedModel => {
  const { log, redaction, conversations, prompts, calls, files } = parts
  const id = newId()
  const { provider, model, system, tools, settings } = asked
  // Tools and messages are JSON, so the casts are safe.
  const prompt = prompts(id, { system, tools: tools as unknown as Json, settings })
  const { by, ...news } = conversations.asked(id, asked)
  const request = redaction.json(recordableRequest({ ...news, ...prompt } as unknown as JsonObject))
  const results = calls.told(news, occurredAt)
  const cause = results.at(-1)?.id ?? calls.causeOf(news)
  const called = {
    type: "ModelCalled",
    id,
    occurredAt,
    ...(cause === undefined ? {} : { causationId: cause }),
    payload: {
      provider,
      model,
      requestDigest: digest(request),
      request,
      observed: true,
      ...(by === undefined ? {} : { inferred: { after: by } }),
    },
  } as const
  const [first = called, ...others] = [...results, called]
  log.inBackground(log.tellSoon(first, ...others))
  if (files !== undefined) log.inBackground(files.told(results))

  return {
    runsTool: (call) => RunningTool.begin(parts, id, call),
    answered: ({ parts: given, finish, usage = ProviderUsage.UNKNOWN, latencyMs }) => {
      const now = Date.now()
      // Parts are JSON, so the casts are safe.
      const json = redaction.json(recordable(given as unknown as Json, () => TOO_LARGE))
      const said = json as unknown as ReadonlyArray<AnswerPart>
      const responded = {
        type: "ModelResponded",
        id: newId(),
        causationId: id,
        occurredAt: now,
        payload: { response: { parts: json, finish }, usage, latencyMs },
      } as const
      conversations.answered({ id: responded.id, request: id, parts: said })
      log.inBackground(log.tellSoon(responded, ...calls.called({ id: responded.id, request: id, parts: said }, now)))
    },
    failed: (error, latencyMs) => {
      conversations.failed(id)
      const payload = { ...classify(error, redaction.text, Date.now()), latencyMs }
      log.inBackground(log.tellSoon({ type: "ModelFailed", causationId: id, payload }))
    },
  }
}

const TOO_LARGE: Json = [{ type: "text", text: "[the answer is too large to be recorded]" }]
