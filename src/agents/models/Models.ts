/** Loads models by name: `anthropic/claude-sonnet-4-5`, `ollama/llama3.2`. */

import { Effect, Either, Redacted } from "effect"
import { ModelCallFailed } from "../../kernel/tasks/ModelCalls.ts"
import { isPluginName } from "../../plugins/manifest/fields.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import type { Fetch } from "./Fetch.ts"
import type { Model } from "./Model.ts"
import * as PluginModel from "./plugin/PluginModel.ts"
import * as AiSdkModel from "./providers/AiSdkModel.ts"
import { ending } from "./providers/AnswerEnd.ts"
import { bounded } from "./providers/AnswerLimit.ts"
import * as Provider from "./providers/Provider.ts"
import * as Wishes from "./providers/Wishes.ts"
import * as Secrets from "./secrets/Secrets.ts"
import { KeyMissing, type ProviderMissing, UnknownProvider } from "./UnusableModel.ts"

/** Options of `load`. */
export interface ModelOptions {
  /**
   * The server's URL. Default: the provider's own. `openai-compatible` has none and requires it here or as
   * `OPENAI_COMPATIBLE_BASE_URL`.
   */
  readonly baseURL?: string
  /**
   * The key. Default: the environment variable of the provider: `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`,
   * `GOOGLE_GENERATIVE_AI_API_KEY`, `OPENAI_COMPATIBLE_API_KEY`.
   */
  readonly apiKey?: string | Redacted.Redacted<string>
  /** Further headers of each request. Their values are as secret as the key. */
  readonly headers?: { readonly [name: string]: string }
  /** Makes the requests. Default: the global `fetch`. `Cassette.play` returns one. */
  readonly fetch?: Fetch
  /** Longest silence of the server, in milliseconds: before the answer and within it. Default: `DEFAULT_TIMEOUT_MS`. */
  readonly timeoutMs?: number
}

/** Default of `timeoutMs`: 5 minutes, since a model that reasons may be silent for minutes. */
export const DEFAULT_TIMEOUT_MS = 300_000

/**
 * Loads a model without a request. It reads the key once, from the option or the environment; no error, no event and no
 * printed form of the model contains it. It does not follow a redirect of the server, which would take the key
 * elsewhere.
 *
 * @param name `provider/model`, with the provider's own name of the model, which may contain slashes
 */
export const load = (
  name: string,
  options: ModelOptions = {},
): Effect.Effect<Model, Options.InvalidOptions | ProviderMissing | UnknownProvider | KeyMissing> =>
  Effect.gen(function* () {
    const {
      fetch = globalThis.fetch,
      headers = {},
      timeoutMs = DEFAULT_TIMEOUT_MS,
      ...given
    } = yield* Options.decode(OF, Schema, options)
    const [provider, model] = yield* named(name)
    const apiKey = yield* keyOf(provider, given.apiKey)
    const baseURL = yield* baseURLOf(provider, given.baseURL)
    const { checked = (unchecked: Fetch) => unchecked } = provider
    const settings = { apiKey, baseURL, headers, fetch: checked(bounded(ending(withoutRedirects(fetch)))) }
    const language = yield* Provider.languageModel(provider, model, settings)
    const secrets = Secrets.of([...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers)])
    return AiSdkModel.make({ provider, language, model, secrets, timeoutMs })
  })

/**
 * Loads a model like `load`, at its first request: a replay of its answers needs neither package nor key. If it cannot
 * be loaded, its turns fail.
 */
export const lazy = (name: string): Either.Either<Model, UnknownProvider> => {
  const plugin = ofPlugin(name)
  if (plugin !== undefined) return Either.right(plugin)
  return Either.map(named(name), ([{ name: provider, wishes }, model]) => {
    let loaded: Model | undefined
    const loading = Effect.suspend(() => (loaded === undefined ? load(name) : Effect.succeed(loaded))).pipe(
      Effect.tap((found) =>
        Effect.sync(() => {
          loaded = found
        }),
      ),
      Effect.mapError(({ _tag, message }) => {
        const kind = _tag === "KeyMissing" ? "unauthorized" : "unknown-model"
        return new ModelCallFailed({ provider, model, kind, reason: message })
      }),
    )
    const redact = (text: string) => loaded?.redact?.(text) ?? text
    return {
      provider,
      model,
      redact,
      unfulfilled: (wish) => Wishes.unfulfilled(wishes, provider, model, wish),
      turn: (...asked) => Effect.flatMap(loading, ({ turn }) => turn(...asked)),
    }
  })
}

/**
 * The model of a plugin, if the name may mean one: the task says later whether it does. A name that is almost that of a
 * provider of Hindcast is a typing mistake.
 */
export const ofPlugin = (name: string): Model | undefined => {
  const { prefix, model } = split(name)
  const isOwn = KNOWN.includes(prefix) || DidYouMean.similarNames(prefix, KNOWN).length > 0
  return isOwn || model === "" || !isPluginName(prefix) ? undefined : PluginModel.named(prefix, model, KNOWN)
}

const OF = "Models.load"

/** Neither schema shows the value that it found, which may be a key. */
const Schema = Options.of<ModelOptions>({
  optional: {
    baseURL: Options.Text,
    apiKey: Options.kind("text or a Redacted", (key) => typeof key === "string" || Redacted.isRedacted(key)),
    headers: Options.kind(
      "an object of header names and valid header values",
      (headers) =>
        Options.has()(headers) &&
        Object.entries(headers as object).every(([name, text]) => HEADER_NAME.test(name) && isHeaderText(text)),
    ),
    fetch: Options.callable<Fetch>(),
    timeoutMs: Options.Milliseconds,
  },
})

/** A token (RFC 9110 §5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

const isHeaderText = (text: unknown): text is string => typeof text === "string" && /^[\x20-\x7e]*$/.test(text)

const named = (name: string): Either.Either<readonly [Provider.Provider, string], UnknownProvider> => {
  const { text, prefix, model } = split(name)
  const provider = Provider.providers.find((known) => known.name === prefix)
  if (provider !== undefined && model !== "") return Either.right([provider, model])
  const [nearest] = provider === undefined ? DidYouMean.similarNames(prefix, KNOWN) : []
  return Either.left(new UnknownProvider({ found: text, known: KNOWN, ...defined({ nearest }) }))
}

const KNOWN: ReadonlyArray<string> = Provider.providers.map(({ name }) => name)

const split = (name: string) => {
  const text = String(name)
  const slash = text.indexOf("/")
  const [prefix, model] = slash < 0 ? [text, ""] : [text.slice(0, slash), text.slice(slash + 1).trim()]
  return { text, prefix, model }
}

const invalid = (path: string, expected: string, found: string) =>
  new Options.InvalidOptions({ of: OF, problems: [{ path, expected, found }] })

/** Trims the line break at the end of a key file. */
const keyOf = (
  { name: provider, keyVariable, needsKey }: Provider.Provider,
  given: ModelOptions["apiKey"],
): Effect.Effect<string | undefined, Options.InvalidOptions | KeyMissing> => {
  const option =
    given === undefined ? undefined : String(Redacted.isRedacted(given) ? Redacted.value(given) : given).trim()
  if (option !== undefined) {
    const found = option === "" ? "nothing but spaces" : "characters that are invalid in a header"
    return isKey(option) ? Effect.succeed(option) : Effect.fail(invalid("apiKey", "a key", found))
  }
  if (keyVariable === undefined) return Effect.succeed(undefined)
  const variable = process.env[keyVariable]?.trim() ?? ""
  if (isKey(variable)) return Effect.succeed(variable)
  const found = variable === "" ? "none" : "characters that are invalid in a header"
  return variable === "" && !needsKey
    ? Effect.succeed(undefined)
    : Effect.fail(new KeyMissing({ provider, variable: keyVariable, found }))
}

const isKey = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)

const baseURLOf = (
  { name, needsBaseURL, baseURLVariable }: Provider.Provider,
  given: string | undefined,
): Effect.Effect<string | undefined, Options.InvalidOptions> => {
  const text = given ?? (baseURLVariable === undefined ? undefined : process.env[baseURLVariable])
  if (text === undefined || text === "") {
    const expected = `the server's URL, for ${name} (or the environment variable ${baseURLVariable})`
    return needsBaseURL ? Effect.fail(invalid("baseURL", expected, "nothing")) : Effect.succeed(undefined)
  }
  return Either.mapLeft(plainURL(text), (found) =>
    invalid("baseURL", "an http or https URL without user, password, query and fragment", found),
  )
}

const plainURL = (text: string): Either.Either<string, string> => {
  if (!canParseUrl(text)) return Either.left("text that is not a URL")
  const { protocol, username, password, search, hash } = new URL(text)
  if (protocol !== "http:" && protocol !== "https:") return Either.left(`a URL of ${protocol}`)
  if (username !== "" || password !== "") return Either.left("a URL with a user or a password")
  return search === "" && hash === "" ? Either.right(text) : Either.left("a URL with a query or a fragment")
}

const withoutRedirects =
  (fetch: Fetch): Fetch =>
  (input, init) =>
    fetch(input, { ...init, redirect: "manual" })
