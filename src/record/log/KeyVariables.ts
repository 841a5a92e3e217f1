/**
 * The variables by which clients of providers get their keys. A recording keeps the names of those that were set, so that its replay, which asks no
 * provider, needs none of the keys: clients refuse to start without one.
 */

/** The names that clients of the known providers read. */
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

/** The names of those that are set. */
export const setIn = (env: Environment): ReadonlyArray<string> => NAMES.filter((name) => (env[name] ?? "") !== "")

/** What stands for a key: a text that no provider takes, and that says why. */
export const PLACEHOLDER = "no-key-is-needed-in-a-replay"

/** The recorded variables that are not set now, each with a placeholder. Names that are no variable of a key are left out. */
export const missing = (recorded: ReadonlyArray<string>, env: Environment): { readonly [name: string]: string } =>
  Object.fromEntries(
    NAMES.filter((name) => recorded.includes(name) && (env[name] ?? "") === "").map((name) => [name, PLACEHOLDER]),
  )
