/** `fetch` for a server at a URL: to its granted host alone, with bounded responses. */

/** Maximum size of one response, also of a stream of events, in bytes. */
export const RESPONSE_BYTES = 64 * 1024 * 1024

/** A server's host, with its port unless it is the scheme's default. Undefined for any other than HTTP. */
export const hostOf = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined
  const { protocol, host, username, password } = new URL(url)
  return /^https?:$/.test(protocol) && username === "" && password === "" ? host : undefined
}

/** Follows no redirect: another host has no grant. */
export const make =
  (granted: ReadonlyArray<string>) =>
  async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const host = hostOf(String(url))
    if (host === undefined || !granted.includes(host)) {
      throw new Error(
        `expected one of the hosts that it may reach (${granted.join(", ") || "none"}), found ${host ?? url}`,
      )
    }
    const response = await fetch(url, { ...init, redirect: "manual" })
    if (response.status >= 300 && response.status < 400 && response.headers.has("location")) {
      await response.body?.cancel()
      throw new Error(`expected an answer of ${host}, found a redirect to ${response.headers.get("location")}`)
    }
    if (response.body === null) return response
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(limited(host)), { status, statusText, headers })
  }

const limited = (host: string): TransformStream<Uint8Array, Uint8Array> => {
  let bytes = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.length
      if (bytes > RESPONSE_BYTES)
        controller.error(new Error(`${host} sent more than ${RESPONSE_BYTES} bytes in one response`))
      else controller.enqueue(chunk)
    },
  })
}
