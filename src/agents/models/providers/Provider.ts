/** The providers of models: their packages and keys, and how to make their models. */

import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider"
import { Effect } from "effect"
import * as OptionalPackage from "../../../platform/packages/OptionalPackage.ts"
import type { BuiltIn } from "../../../plugins/manifest/Manifest.ts"
import { defined } from "../../../values/defined.ts"
import type { JsonObject } from "../../../values/Json.ts"
import type { Fetch } from "../Fetch.ts"
import type { FileSupport } from "../Files.ts"
import type { CacheTime } from "../Model.ts"
import { ProviderMissing } from "../UnusableModel.ts"
import * as Caching from "./Caching.ts"
import * as OllamaLines from "./OllamaLines.ts"
import * as RawReading from "./RawReading.ts"
import * as Wishes from "./Wishes.ts"

export interface Settings {
  readonly apiKey: string | undefined
  readonly baseURL: string | undefined
  readonly headers: { readonly [name: string]: string }
  readonly fetch: Fetch
}

export interface Provider {
  readonly name: BuiltIn
  readonly package: string
  readonly major: string
  readonly factory: string
  readonly keyVariable?: string
  readonly needsKey: boolean
  readonly baseURLVariable?: string
  /** Whether the provider has no server of its own, so that it requires a URL. */
  readonly needsBaseURL: boolean
  /** Options of every request. */
  readonly providerOptions?: { readonly [provider: string]: JsonObject }
  /** Tells the provider what to cache. Default: it caches by itself, or not at all. */
  readonly caching?: (options: LanguageModelV3CallOptions, time: CacheTime) => LanguageModelV3CallOptions
  /** How it takes `reasoning` and `serviceTier`. */
  readonly wishes: Wishes.Wishes
  readonly files: FileSupport
  /** Whether tools declare that their schema must not be made strict. */
  readonly looseTools?: true
  /** Validates the server's answers, if the package skips unreadable parts. */
  readonly checked?: (fetch: Fetch) => Fetch
  /** Reads facts from the raw stream that the package does not pass on. */
  readonly raw: RawReading.RawReading
}

const NAME_OF_COMPATIBLE = "compatible"

const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"]
const DOCUMENTS = [...IMAGES, "application/pdf"]
const GOOGLE_DOCUMENTS = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "application/pdf"]

export const providers: ReadonlyArray<Provider> = [
  {
    name: "anthropic",
    package: "@ai-sdk/anthropic",
    major: "3",
    factory: "createAnthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    needsKey: true,
    needsBaseURL: false,
    files: { inResults: DOCUMENTS, inMessages: DOCUMENTS },
    caching: Caching.ofAnthropic,
    wishes: Wishes.anthropic,
    raw: RawReading.anthropic,
  },
  {
    name: "openai",
    package: "@ai-sdk/openai",
    major: "3",
    factory: "createOpenAI",
    keyVariable: "OPENAI_API_KEY",
    needsKey: true,
    needsBaseURL: false,
    // The log holds the whole conversation. If the provider stored it, requests would refer to answers by ids that
    // another organisation or a later year does not know.
    providerOptions: { openai: { store: false } },
    looseTools: true,
    files: { inResults: DOCUMENTS, inMessages: DOCUMENTS },
    wishes: Wishes.openai,
    raw: RawReading.openai,
  },
  {
    name: "google",
    package: "@ai-sdk/google",
    major: "3",
    factory: "createGoogleGenerativeAI",
    keyVariable: "GOOGLE_GENERATIVE_AI_API_KEY",
    needsKey: true,
    needsBaseURL: false,
    files: { inResults: GOOGLE_DOCUMENTS, inMessages: [...GOOGLE_DOCUMENTS, "audio/*", "video/*"] },
    wishes: Wishes.google,
    raw: RawReading.google,
  },
  {
    name: "ollama",
    package: "ollama-ai-provider-v2",
    major: "3",
    factory: "createOllama",
    needsKey: false,
    needsBaseURL: false,
    files: { inResults: [], inMessages: IMAGES },
    wishes: Wishes.ollama,
    raw: RawReading.ollama,
    checked: OllamaLines.checked,
  },
  {
    name: "openai-compatible",
    package: "@ai-sdk/openai-compatible",
    major: "2",
    factory: "createOpenAICompatible",
    keyVariable: "OPENAI_COMPATIBLE_API_KEY",
    needsKey: false,
    baseURLVariable: "OPENAI_COMPATIBLE_BASE_URL",
    needsBaseURL: true,
    files: { inResults: [], inMessages: IMAGES },
    wishes: Wishes.openaiCompatible(NAME_OF_COMPATIBLE),
    raw: RawReading.openaiCompatible,
  },
]

export const languageModel = (
  provider: Provider,
  model: string,
  { apiKey, baseURL, headers, fetch }: Settings,
  places?: ReadonlyArray<NodeJS.Require>,
): Effect.Effect<LanguageModelV3, ProviderMissing> => {
  const { name, package: of, major } = provider
  const missing = (found: string | undefined) =>
    new ProviderMissing({ provider: name, package: of, major, ...defined({ found }) })
  return OptionalPackage.load(of, major, places).pipe(
    Effect.mapError(({ found }) => missing(found)),
    Effect.flatMap(({ version, exports }) => {
      const create = exports.get(provider.factory)
      if (typeof create !== "function") return Effect.fail(missing(`${version}, which has no ${provider.factory}`))
      const settings = {
        ...defined({ apiKey, baseURL }),
        ...(provider.needsBaseURL ? { name: NAME_OF_COMPATIBLE, includeUsage: true } : {}),
        headers: provider.keyVariable === undefined ? { ...bearer(apiKey), ...headers } : headers,
        fetch,
      }
      const made: unknown = create(settings)(model)
      return isLanguageModel(made) ? Effect.succeed(made) : Effect.fail(missing(`${version}, which is too new`))
    }),
  )
}

/** A key for a provider that needs none, such as a server of Ollama behind a proxy. */
const bearer = (apiKey: string | undefined) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` })

const isLanguageModel = (made: unknown): made is LanguageModelV3 =>
  typeof made === "object" && made !== null && Reflect.get(made, "specificationVersion") === "v3"
