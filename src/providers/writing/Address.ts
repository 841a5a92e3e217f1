/** Where a recorded request goes, in which format, and with which key. */

import type { WholeRequest } from "../../projections/request/WholeRequest.ts"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import { providerAt } from "../Providers.ts"

/** The formats that can be written. */
export type Format = "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "ollama"

/** An address with its format, and the header with the key. */
export interface Destination {
  readonly format: Format
  readonly url: string
  /** The header's name, the text before the key, and the name of the environment variable with the key. */
  readonly key: { readonly header: string; readonly before: string; readonly variable: string } | null
}

/**
 * The destination of a request: the recorded address, or that of its provider.
 *
 * Returns why there is none: an unknown provider or format, or one that needs a signature.
 */
export const destinationOf = ({ http, provider, model }: WholeRequest): Destination | { readonly none: string } =>
  http === null ? ofProvider(provider, model) : atUrl(http.url)

const PATHS: ReadonlyArray<readonly [RegExp, Format]> = [
  [/\/(?:chat|agents)\/completions\/?$/, "openai-chat"],
  [/\/responses\/?$/, "openai-responses"],
  [/\/messages\/?$/, "anthropic"],
  [/\/(?:models|tunedModels)\/[^/:]+:(?:streamGenerateContent|generateContent)$/, "gemini"],
  [/\/api\/chat\/?$/, "ollama"],
]

const atUrl = (text: string): Destination | { readonly none: string } => {
  const url = canParseUrl(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return { none: "Its recorded address is no web address." }
  const format = PATHS.find(([pattern]) => pattern.test(url.pathname))?.[1]
  if (format === undefined) return { none: `Hindcast does not write requests of ${url.pathname}.` }
  const provider = providerAt(url.host, "")
  if (provider === "aws" || provider === "google-vertex")
    return { none: "Its provider wants a signed request, which a command line cannot make." }
  // A key in the address is not recorded; the header replaces it.
  url.searchParams.delete("key")
  url.username = ""
  url.password = ""
  return { format, url: url.href, key: keyOf(format, provider) }
}

/** Where the packages of an agent's providers send requests. An imported file names the provider in the same words. */
const ofProvider = (provider: string, model: string): Destination | { readonly none: string } => {
  const at = (format: Format, url: string) => ({ format, url, key: keyOf(format, provider) })
  switch (provider) {
    case "openai":
      return at("openai-responses", "https://api.openai.com/v1/responses")
    case "anthropic":
      return at("anthropic", "https://api.anthropic.com/v1/messages")
    case "google": {
      const path = model.split("/").map(encodeURIComponent).join("/")
      const base = "https://generativelanguage.googleapis.com/v1beta"
      return at("gemini", `${base}/${path.startsWith("models/") ? path : `models/${path}`}:generateContent`)
    }
    case "ollama":
      return { ...at("ollama", "http://127.0.0.1:11434/api/chat"), key: null }
    case "openai-compatible":
      return at("openai-chat", "$OPENAI_COMPATIBLE_BASE_URL/chat/completions")
    default:
      return { none: `Hindcast knows no address of the provider ${JSON.stringify(provider)}.` }
  }
}

/** Names of keys that do not follow from the provider's name. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ["google", "GOOGLE_GENERATIVE_AI_API_KEY"],
  ["azure", "AZURE_OPENAI_API_KEY"],
  ["x-ai", "XAI_API_KEY"],
  ["moonshotai", "MOONSHOT_API_KEY"],
])

const keyOf = (format: Format, provider: string): Destination["key"] => {
  // The names of providers are those of `Providers` and of the packages, never text from the log.
  const variable =
    KEYS.get(provider) ??
    (/^[a-z-]+$/.test(provider) ? `${provider.replaceAll("-", "_").toUpperCase()}_API_KEY` : "API_KEY")
  if (format === "ollama") return provider === "" ? null : { header: "authorization", before: "Bearer ", variable }
  if (format === "anthropic") return { header: "x-api-key", before: "", variable }
  if (format === "gemini") return { header: "x-goog-api-key", before: "", variable }
  if (provider === "azure") return { header: "api-key", before: "", variable }
  return { header: "authorization", before: "Bearer ", variable }
}
