/** OpenAI's legacy completions, which vLLM, llama.cpp and others still serve. The answer continues the prompt. */

import { meaningOf } from "../../agents/models/FinishReason.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import type { Json } from "../../values/Json.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import * as ConversationBuilder from "../ConversationBuilder.ts"
import { providerAt } from "../Providers.ts"
import * as Parts from "../parts.ts"
import type { WireFormat } from "../WireFormat.ts"
import { deploymentIn } from "./OpenAiChat.ts"

export const completions: WireFormat = {
  name: "openai-completions",
  matches: ({ path }, body) => path.endsWith("/completions") && "prompt" in body,
  request: ({ host, path }, body) => {
    const told = ConversationBuilder.make()
    told.user(promptsIn(body.prompt))
    return {
      provider: providerAt(host, "openai-compatible"),
      model: Parts.asText(body.model ?? deploymentIn(path) ?? ""),
      ...told.whole(),
      tools: [],
      settings: Parts.settingsOf(body, ["model", "prompt", "stream", "stream_options"]),
    }
  },
  answer: ({ pieces, isWhole, isDone }) => {
    const counted = ProviderUsage.counting(ProviderUsage.openAi)
    /** By index: a request may have several prompts, and several answers for each. */
    const texts = new Map<unknown, string>()
    let [id, model, finish]: Array<string | undefined> = []
    let error: { readonly error: unknown } | undefined
    let hasBegun = false
    for (const piece of pieces) {
      counted.take(piece)
      const sent = fieldOf(piece, "error")
      if (sent !== undefined && sent !== null) error ??= { error: sent }
      id ??= textOf(fieldOf(piece, "id"))
      model ??= textOf(fieldOf(piece, "model"))
      const choices = fieldOf(piece, "choices")
      hasBegun ||= Array.isArray(choices)
      for (const choice of Parts.listOf(choices)) {
        const index = fieldOf(choice, "index") ?? 0
        texts.set(index, (texts.get(index) ?? "") + (Parts.anyText(fieldOf(choice, "text")) ?? ""))
        finish = textOf(fieldOf(choice, "finish_reason")) ?? finish
      }
    }
    const hasEnded = hasBegun && (finish !== undefined || isWhole || isDone)
    return {
      id,
      model,
      hasBegun,
      error,
      refusal: "",
      parts: [...texts.values()].flatMap(Parts.textParts),
      usage: ProviderUsage.whole(counted.usage()),
      cost: counted.cost(),
      finish: hasEnded ? { unified: meaningOf(finish ?? "stop") ?? "stop", raw: finish } : undefined,
    }
  },
}

const promptsIn = (prompt: Json | undefined) => {
  if (typeof prompt === "string") return [{ type: "text" as const, text: prompt }]
  const list = Parts.listOf(prompt)
  return list.length > 0 && list.every((one) => typeof one === "string")
    ? list.map((text) => ({ type: "text" as const, text: Parts.asText(text) }))
    : [Parts.itemPart("tokens", prompt)]
}
