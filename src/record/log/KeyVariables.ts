/**
 * Environment variables that hold provider keys. Clients refuse to start without one, so a recording keeps the names
 * that were set, and a replay, which calls no provider, sets placeholders.
 */

const NAMES = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "AWS_ACCESS_KEY_ID",
  "AWS_BEARER_TOKEN_BEDROCK",
  "AWS_SECRET_ACCESS_KEY",
  "AZURE_API_KEY",
  "AZURE_OPENAI_API_KEY",
  "COHERE_API_KEY",
  "CO_API_KEY",
  "DEEPSEEK_API_KEY",
  "FIREWORKS_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "GROQ_API_KEY",
  "HF_TOKEN",
  "MISTRAL_API_KEY",
  "OPENAI_API_KEY",
  "OPENROUTER_API_KEY",
  "PERPLEXITY_API_KEY",
  "TOGETHER_API_KEY",
  "XAI_API_KEY",
] as const

type Environment = { readonly [name: string]: string | undefined }

export const setIn = (env: Environment): ReadonlyArray<string> => NAMES.filter((name) => (env[name] ?? "") !== "")

/** A value that no provider accepts and that explains itself. */
export const PLACEHOLDER = "no-key-is-needed-in-a-replay"

/** Placeholders for recorded variables that are not set now. Ignores unknown names. */
export const missing = (recorded: ReadonlyArray<string>, env: Environment): { readonly [name: string]: string } =>
  Object.fromEntries(
    NAMES.filter((name) => recorded.includes(name) && (env[name] ?? "") === "").map((name) => [name, PLACEHOLDER]),
  )
