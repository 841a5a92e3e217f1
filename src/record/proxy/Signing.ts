/**
 * Re-signs requests (AWS Signature Version 4). A client signs for the proxy's host, so the proxy signs again for the
 * provider's, with the credentials in its environment.
 */

/** AWS credentials, by environment variable. */
export interface Credentials {
  readonly AWS_ACCESS_KEY_ID?: string | undefined
  readonly AWS_SECRET_ACCESS_KEY?: string | undefined
  readonly AWS_SESSION_TOKEN?: string | undefined
}

const SIGNATURE = /^AWS4-HMAC-SHA256\s.*?\bCredential=([^/,\s]+)\/\d+\/([^/]+)\/([^/]+)\/aws4_request/s

export const regionOf = (authorization: string | undefined): string | undefined =>
  SIGNATURE.exec(authorization ?? "")?.[2]

interface Unsigned {
  readonly method: string
  readonly body: Uint8Array
  readonly url: URL
  /** Alternating names and values. */
  readonly headers: ReadonlyArray<string>
}

/**
 * Replaces a signature for the proxy by one for the URL's host, or tells why it cannot. Unsigned requests stay the
 * same.
 */
export const signed = async (
  { method, body, url, headers }: Unsigned,
  {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  }: Credentials,
): Promise<{ readonly headers: ReadonlyArray<string> } | { readonly refused: string }> => {
  const at = headers.findIndex((name, index) => index % 2 === 0 && /^authorization$/i.test(name))
  const [, key, region, service] = SIGNATURE.exec(headers[at + 1] ?? "") ?? []
  if (at < 0 || key === undefined || region === undefined || service === undefined) return { headers }
  if (!accessKeyId || !secretAccessKey) return { refused: withoutKey("no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY") }
  if (key !== accessKeyId) return { refused: withoutKey("a signature by another key than AWS_ACCESS_KEY_ID") }
  const {
    default: { sign },
  } = await import("aws4")
  const { host, pathname, search } = url
  const request = sign(
    {
      method,
      service,
      region,
      path: pathname + search,
      body: Buffer.from(body),
      headers: {
        Host: host,
        ...Object.fromEntries(pairs(headers).filter(([name]) => /^(content-type|x-amzn-)/i.test(name))),
      },
    },
    { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) },
  )
  const anew = Object.entries(request.headers ?? {}).filter(([name]) => /^(x-amz-|authorization$)/i.test(name))
  const names = new Set(anew.map(([name]) => name.toLowerCase()))
  const kept = pairs(headers).filter(
    ([name]) => !names.has(name.toLowerCase()) && !/^x-amz-(date|security-token|content-sha256)$/i.test(name),
  )
  return { headers: [...kept, ...anew.map(([name, value]) => [name, String(value)] as const)].flat() }
}

const withoutKey = (found: string): string =>
  `the request is signed for this proxy, which must sign it again for the provider: expected the client's credentials in the environment of \`hindcast\`, found ${found}. \`eval "$(aws configure export-credentials --format env)"\` sets them for a profile; a bearer token (AWS_BEARER_TOKEN_BEDROCK) needs no signature.`

const pairs = (raw: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> =>
  Array.from({ length: raw.length >> 1 }, (_, index) => [raw[2 * index] ?? "", raw[2 * index + 1] ?? ""])
