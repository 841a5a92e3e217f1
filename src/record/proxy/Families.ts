/**
 * The providers that a proxy serves: the variables that set their address, the paths that each client appends to it,
 * and their real addresses. Verified with each client.
 */

/** Environment variables. */
export type Environment = { readonly [name: string]: string | undefined }

export interface Place {
  readonly env: Environment
  readonly path: string
  readonly region: string | undefined
}

export interface Variable {
  readonly name: string
  /** The end of the address that the client expects. */
  readonly suffix?: string
}

/** A provider, or one of its APIs. */
export interface Family {
  /** Its path prefix on the proxy. */
  readonly name: string
  readonly variables: ReadonlyArray<Variable>
  /** Version prefixes of its API; the first is the default. */
  readonly versions: ReadonlyArray<string>
  /** Whether the version is part of the address, so that clients do not add it. */
  readonly isVersioned?: true
  /** Its real address without the version. Without this, the provider exists only if a variable names it. */
  readonly own?: (place: Place) => string
  /** Its API paths, after the version. */
  readonly paths: RegExp
  /** Whether a request without a prefix is routed here by its path. */
  readonly isFoundByPath?: true
  /** Its requests are signed for its host. */
  readonly isSigned?: true
}

const regionOf = ({ env, region }: Place): string => region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? "us-east-1"

const bedrockOf = (place: Place): string => `https://bedrock-runtime.${regionOf(place)}.amazonaws.com`

/** The path has the location; `global` and express mode have none in the host. */
const vertexOf = ({ path }: Place): string => {
  const location = /\/locations\/([a-z0-9-]+)\//.exec(path)?.[1] ?? "global"
  return `https://${location === "global" ? "" : `${location}-`}aiplatform.googleapis.com`
}

const at = (address: string) => () => address

const OPENAI_PATHS =
  /^\/(chat\/completions|completions|responses|embeddings|conversations|realtime|models|moderations|files|batches|audio|images)(\/|$)/

/** In order of precedence for shared paths. */
export const FAMILIES: ReadonlyArray<Family> = [
  {
    name: "anthropic",
    variables: [{ name: "ANTHROPIC_BASE_URL" }, { name: "ANTHROPIC_API_BASE" }, { name: "ANTHROPIC_API_URL" }],
    versions: ["/v1"],
    own: at("https://api.anthropic.com"),
    paths: /^\/(messages|complete)(\/|$)/,
    isFoundByPath: true,
  },
  {
    name: "gemini",
    variables: [{ name: "GOOGLE_GEMINI_BASE_URL" }, { name: "GEMINI_API_BASE", suffix: "/v1beta" }],
    versions: ["/v1beta", "/v1", "/v1alpha"],
    own: at("https://generativelanguage.googleapis.com"),
    paths: /^\/(models\/[^/]+:\w+$|(interactions|cachedContents)(\/|$))/,
    isFoundByPath: true,
  },
  {
    name: "vertex",
    variables: [{ name: "GOOGLE_VERTEX_BASE_URL" }, { name: "ANTHROPIC_VERTEX_BASE_URL", suffix: "/v1" }],
    versions: ["/v1", "/v1beta1"],
    own: vertexOf,
    paths: /^\/(projects|publishers)\//,
    isFoundByPath: true,
  },
  {
    name: "bedrock",
    variables: [
      { name: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME" },
      { name: "AWS_BEDROCK_RUNTIME_ENDPOINT" },
      { name: "ANTHROPIC_BEDROCK_BASE_URL" },
    ],
    versions: [],
    own: bedrockOf,
    paths: /^\/(model|guardrail|async-invoke)\//,
    isSigned: true,
  },
  {
    name: "ollama",
    variables: [{ name: "OLLAMA_HOST" }, { name: "OLLAMA_API_BASE" }],
    versions: [],
    own: at("http://127.0.0.1:11434"),
    paths: /^\/api\/(chat|generate|embed|embeddings|show|tags|version|ps|pull)$/,
    isFoundByPath: true,
  },
  {
    name: "cohere",
    variables: [{ name: "CO_API_URL" }],
    versions: ["/v2", "/v1"],
    own: at("https://api.cohere.com"),
    paths: /^\/(chat|embed|rerank)$/,
    isFoundByPath: true,
  },
  {
    name: "groq",
    variables: [{ name: "GROQ_BASE_URL" }, { name: "GROQ_API_BASE", suffix: "/openai/v1" }],
    versions: ["/openai/v1", "/v1"],
    own: at("https://api.groq.com"),
    paths: OPENAI_PATHS,
  },
  {
    name: "mistral",
    variables: [{ name: "MISTRAL_BASE_URL" }, { name: "MISTRAL_API_BASE", suffix: "/v1" }],
    versions: ["/v1"],
    own: at("https://api.mistral.ai"),
    paths: OPENAI_PATHS,
  },
  {
    name: "deepseek",
    variables: [{ name: "DEEPSEEK_API_BASE" }],
    versions: [],
    own: at("https://api.deepseek.com"),
    paths: OPENAI_PATHS,
  },
  {
    name: "openrouter",
    variables: [
      { name: "OPENROUTER_API_BASE", suffix: "/v1" },
      { name: "OPENROUTER_BASE_URL", suffix: "/v1" },
    ],
    versions: ["/v1"],
    own: at("https://openrouter.ai/api"),
    paths: OPENAI_PATHS,
  },
  {
    name: "azure",
    variables: [{ name: "AZURE_OPENAI_ENDPOINT" }, { name: "AZURE_API_BASE" }],
    versions: [],
    paths: /^\/openai\/deployments\//,
  },
  {
    name: "openai",
    variables: [
      { name: "OPENAI_BASE_URL", suffix: "/v1" },
      { name: "OPENAI_API_BASE", suffix: "/v1" },
    ],
    versions: ["/v1"],
    isVersioned: true,
    own: at("https://api.openai.com/v1"),
    paths: OPENAI_PATHS,
    isFoundByPath: true,
  },
]
