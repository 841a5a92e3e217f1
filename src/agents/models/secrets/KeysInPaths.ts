/** Finds keys in the paths of addresses, where some gateways expect them (`https://gateway/KEY/v1`). */

const BEGINNING = /^((sk|pk|rk|key|ghp|gho|hf|gsk|xai|pplx)[-_]|AIza|bot\d+:)/

/** A segment that announces a name: `deployments/NAME`, `projects/NAME`, `model/ARN`. */
const NAMING = /(s|^model)$/i

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Shorter texts are not keys. */
const SHORTEST = 16
/** Shorter runs of upper- and lower-case letters and digits are names: `Meta-Llama-3.1-8B`. */
const SHORTEST_MIXED = 10

/** Whether a path segment looks like a key rather than a name: letters and digits without words or separators. */
export const looksLikeKey = (text: string): boolean => {
  if (text.length < SHORTEST) return false
  if (UUID.test(text) || BEGINNING.test(text)) return true
  return text
    .split(/[^A-Za-z0-9]/)
    .some(
      (run) =>
        /\d/.test(run) &&
        ((run.length >= SHORTEST && /[a-z]/i.test(run)) ||
          (run.length >= SHORTEST_MIXED && /[a-z]/.test(run) && /[A-Z]/.test(run))),
    )
}

export const inAddress = (url: URL): ReadonlyArray<string> => inSegments(url.pathname)

/** The keys in the path of a request, before the provider's own part. */
export const inRequest = ({ pathname }: URL): ReadonlyArray<string> => {
  const at = pathname.search(API)
  return at <= 0 ? [] : inSegments(pathname.slice(0, at))
}

/** The start of a provider's own part of a path. */
const API =
  /\/(chat\/completions|completions|responses|embeddings|messages|interactions|converse|converse-stream|invoke|invoke-with-response-stream|api\/(chat|generate|embed|embeddings|tags|show)|models\/[^/]+:\w+|v\d+[a-z\d]*\/(models|files|batches|images|audio|moderations|conversations|realtime|uploads|chat|embed|rerank))(\/|$)/

const inSegments = (path: string): ReadonlyArray<string> => {
  const segments = path.split("/")
  return segments.flatMap((segment, index) => {
    if (NAMING.test(segments[index - 1] ?? "")) return []
    const text = decoded(segment)
    return looksLikeKey(text) ? [segment, text] : []
  })
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
