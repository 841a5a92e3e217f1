/** Maps a host to its provider. A server that speaks a provider's format on another host is not that provider. */

/** The provider's name in the price table, or `otherwise` for an unknown host. */
export const providerAt = (host: string, otherwise: string): string =>
  BY_HOST.find(([pattern]) => pattern.test(host))?.[1] ?? otherwise

const BY_HOST: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(\w+\.)?api\.openai\.com$/, "openai"],
  [/^api\.anthropic\.com$/, "anthropic"],
  [/^generativelanguage\.googleapis\.com$/, "google"],
  [/-aiplatform\.googleapis\.com$|^aiplatform\.googleapis\.com$/, "google-vertex"],
  [/\.(openai\.azure\.com|services\.ai\.azure\.com|cognitiveservices\.azure\.com)$/, "azure"],
  [/^bedrock(-runtime)?[.-].*\.amazonaws\.com(\.cn)?$/, "aws"],
  [/^(api\.)?mistral\.ai$|^(api|codestral)\.mistral\.ai$/, "mistral"],
  [/^openrouter\.ai$/, "openrouter"],
  [/^api\.groq\.com$/, "groq"],
  [/^api\.deepseek\.com$/, "deepseek"],
  [/^([\w-]+\.)?api\.x\.ai$/, "x-ai"],
  [/^api\.together\.(xyz|ai)$/, "together"],
  [/^api\.fireworks\.ai$/, "fireworks"],
  [/^api\.cohere\.(com|ai)$/, "cohere"],
  [/^api\.perplexity\.ai$/, "perplexity"],
  [/^api\.cerebras\.ai$/, "cerebras"],
  [/^api\.moonshot\.(ai|cn)$/, "moonshotai"],
]
