/**
 * Gemini's Interactions API (https://ai.google.dev/gemini-api/docs/interactions), in both revisions: `outputs` and
 * `steps`.
 */

import type { AnswerPart } from "../../agents/models/Message.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import type { Json } from "../../values/Json.ts"
import { fieldOf, isObject, textOf } from "../../values/JsonObjects.ts"
import * as ConversationBuilder from "../ConversationBuilder.ts"
import { providerAt } from "../Providers.ts"
import * as Parts from "../parts.ts"
import type { Finished, WireFormat } from "../WireFormat.ts"
import * as Steps from "./InteractionSteps.ts"
import { toolsOf } from "./OpenAiChat.ts"

export const interactions: WireFormat = {
  name: "gemini-interactions",
  matches: ({ path }, body) =>
    path.endsWith("/interactions") && "input" in body && ("model" in body || "agent" in body),
  polled: Parts.polledAt("interactions"),
  request: ({ host }, body) => {
    const told = ConversationBuilder.make()
    told.system(Parts.anyText(body.system_instruction) ?? "")
    if (typeof body.input === "string") told.user([{ type: "text", text: body.input }])
    for (const item of Array.isArray(body.input) ? body.input : isObject(body.input) ? [body.input] : [])
      tell(told, item)
    const after = textOf(body.previous_interaction_id)
    return {
      provider: providerAt(host, "google"),
      model: Parts.asText(body.model ?? body.agent ?? ""),
      ...told.whole(),
      tools: toolsOf(body.tools),
      settings: Parts.settingsOf(body, ["model", "agent", "input", "system_instruction", "tools", "stream"]),
      ...(after === undefined ? {} : { thread: { after } }),
    }
  },
  answer: ({ pieces, isWhole }, callId) => {
    const growing = new Steps.GrowingSteps()
    const counted = ProviderUsage.counting(ProviderUsage.interactions)
    let [id, model, status]: Array<string | undefined> = []
    let listed: ReadonlyArray<unknown> = []
    let error: { readonly error: unknown } | undefined
    let hasBegun = false
    const take = (interaction: unknown) => {
      hasBegun = true
      id = textOf(fieldOf(interaction, "id")) ?? id
      model = textOf(fieldOf(interaction, "model")) ?? model
      status = textOf(fieldOf(interaction, "status")) ?? status
      const [steps, outputs] = [
        Parts.listOf(fieldOf(interaction, "steps")),
        Parts.listOf(fieldOf(interaction, "outputs")),
      ]
      listed = steps.length > 0 ? steps : outputs.length > 0 ? outputs : listed
    }
    for (const piece of pieces) {
      counted.take(piece)
      const type = Parts.anyText(fieldOf(piece, "event_type"))
      const sent = fieldOf(piece, "error")
      if (sent !== undefined && sent !== null) error ??= { error: sent }
      if (type === undefined) {
        if (isWhole && fieldOf(piece, "status") !== undefined) take(piece)
      } else if (type.startsWith("interaction."))
        take(fieldOf(piece, "interaction") ?? { status: fieldOf(piece, "status") })
      else growing.take(type, piece)
    }
    let calls = 0
    return {
      id,
      model,
      hasBegun,
      error,
      refusal: "",
      parts: Steps.partsOf(listed.length > 0 ? listed : growing.steps(), () => callId(calls++)),
      usage: ProviderUsage.whole(counted.usage()),
      finish: hasBegun ? finishOf(status, isWhole) : undefined,
    }
  },
}

const finishOf = (status: string | undefined, isWhole: boolean): Finished | undefined => {
  switch (status) {
    case "completed":
    case "requires_action":
      return { unified: "stop", raw: status }
    case "incomplete":
      return { unified: "length", raw: status }
    case "failed":
    case "cancelled":
      return { unified: "error", raw: status }
    default:
      // Runs in the background: the program fetches the rest later.
      return isWhole && status === "in_progress" ? { unified: "paused", raw: status } : undefined
  }
}

/** Takes a turn with a role, a step, or user content. */
const tell = (told: ConversationBuilder.ConversationBuilder, item: Json) => {
  const [role, content] = [fieldOf(item, "role"), fieldOf(item, "content")]
  const steps = Array.isArray(content) ? content : [content]
  if (role === "model")
    return told.assistant(saidIn(typeof content === "string" ? [{ type: "text", text: content }] : steps, told))
  if (role === "user") return tellUser(told, typeof content === "string" ? [content] : steps)
  if (role !== undefined) return told.unknown(Parts.unreadPart(item, role))
  const type = fieldOf(item, "type")
  if (type === "user_input") return tellUser(told, typeof content === "string" ? [content] : steps)
  if (type === "function_result") return tellUser(told, [item])
  if (Steps.isOfModel(item)) return told.assistant(saidIn([item], told))
  return Steps.isContent(item) ? tellUser(told, [item]) : told.unknown(Parts.unreadPart(item))
}

const saidIn = (
  steps: ReadonlyArray<unknown>,
  told: ConversationBuilder.ConversationBuilder,
): ReadonlyArray<AnswerPart> => Steps.partsOf(steps, told.callId)

const tellUser = (told: ConversationBuilder.ConversationBuilder, contents: ReadonlyArray<unknown>) => {
  const isResult = (content: unknown) => fieldOf(content, "type") === "function_result"
  for (const one of contents.filter(isResult)) {
    told.result(fieldOf(one, "call_id"), fieldOf(one, "result"), {
      isError: fieldOf(one, "is_error") === true,
      tool: textOf(fieldOf(one, "name")),
    })
  }
  const others = contents.filter((content) => !isResult(content))
  if (others.length > 0) told.user(others.map(Steps.contentPart))
}
