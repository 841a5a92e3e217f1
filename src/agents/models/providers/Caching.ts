/**
 * Marks how far a provider may cache a request, in the notation of the AI SDK's packages. Anthropic caches only what is
 * marked: the tools, the system prompt and the conversation up to a mark, at most four marks in a request.
 */

import type { LanguageModelV3CallOptions, LanguageModelV3Message } from "@ai-sdk/provider"
import type { CacheTime } from "../Model.ts"

/** Marks of the conversation: its end, and the end of the request before, which the provider then finds again. */
const MARKED_MESSAGES = 2

/**
 * Marks the last tool, the system prompt, and the last two messages of the user or of tools. All that stands before a
 * mark is equal in the next request of the same conversation, so that the provider reads it from its cache.
 */
export const ofAnthropic = (options: LanguageModelV3CallOptions, time: CacheTime): LanguageModelV3CallOptions => {
  const mark = { cacheControl: { type: "ephemeral", ...(time === "5m" ? {} : { ttl: time }) } }
  const marked = <Part extends { readonly providerOptions?: LanguageModelV3CallOptions["providerOptions"] }>(
    part: Part,
  ) => ({
    ...part,
    providerOptions: { ...part.providerOptions, anthropic: { ...part.providerOptions?.anthropic, ...mark } },
  })
  const ends = new Set(
    options.prompt.flatMap((message, index) => (isFromOutside(message) ? [index] : [])).slice(-MARKED_MESSAGES),
  )
  return {
    ...options,
    prompt: options.prompt.map((message, index) =>
      ends.has(index) || (index === 0 && message.role === "system") ? marked(message) : message,
    ),
    ...(options.tools === undefined
      ? {}
      : {
          tools: options.tools.map((tool, index, { length }) =>
            index === length - 1 && tool.type === "function" ? marked(tool) : tool,
          ),
        }),
  }
}

/** Requests end with such a message, and reasoning within an assistant's message cannot be marked. */
const isFromOutside = ({ role }: LanguageModelV3Message): boolean => role === "user" || role === "tool"
