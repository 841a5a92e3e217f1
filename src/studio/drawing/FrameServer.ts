/**
 * The server of the frames in which plugins draw. It uses host names of its own on the loopback, so that the browser
 * gives each plugin's code a process of its own, and serves nothing but these documents.
 */

import { randomBytes } from "node:crypto"
import type { IncomingMessage, RequestListener } from "node:http"
import { Effect, type Scope } from "effect"
import * as Listening from "../../platform/loopback/Listening.ts"
import type { PortUnavailable } from "../../platform/loopback/PortUnavailable.ts"
import type { FrameDocument } from "./FrameDocument.ts"
import { HEADERS } from "./FrameHeaders.ts"

export interface FrameServer {
  /** The origin of a label's frames; the label is the first part of a name below `localhost` (RFC 6761). */
  readonly originOf: (label: string) => string
  readonly addressOf: (label: string) => string
}

/** Serves documents by their labels on the loopback, until the scope closes. */
export const serve = (
  documentOf: (label: string) => FrameDocument | undefined,
): Effect.Effect<FrameServer, PortUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    // Not a secret of the log: it keeps other programs on this machine from reading plugins' code.
    const key = randomBytes(16).toString("hex")
    let port = 0
    const listener: RequestListener = (request, response) => {
      for (const [name, value] of HEADERS) response.setHeader(name, value)
      const label = labelOf(request, port)
      const isKnown = request.url === `/${key}` && request.method === "GET"
      const found = label === undefined || !isKnown ? undefined : documentOf(label)
      response.setHeader("content-security-policy", found?.policy ?? NOTHING)
      response.setHeader("content-type", `text/${found === undefined ? "plain" : "html"}; charset=utf-8`)
      response.writeHead(label === undefined ? 403 : found === undefined ? 404 : 200)
      response.end(found?.html ?? "Expected Studio's page to show this.")
    }
    port = yield* Listening.onBoth(listener)
    const originOf = (label: string) => `http://${label}.localhost:${port}`
    return { originOf, addressOf: (label) => `${originOf(label)}/${key}` }
  })

/** The policy of every other answer. */
const NOTHING = "sandbox; default-src 'none'; frame-ancestors 'none'"

/** The label of a request; undefined if it names another host, or is not for a frame of Studio's page. */
const labelOf = ({ headers }: IncomingMessage, port: number): string | undefined => {
  const [, label] = /^([0-9a-f]{1,63})\.localhost:\d+$/.exec(headers.host ?? "") ?? []
  const isOurs = headers.host === `${label}.localhost:${port}` && headers.origin === undefined
  const fetched = ["sec-fetch-dest", "sec-fetch-site", "sec-fetch-mode"].map((name) => headers[name] ?? "")
  const isFrame = fetched.every((found, index) => found === "" || found === FOR_A_FRAME[index])
  return isOurs && isFrame ? label : undefined
}

const FOR_A_FRAME = ["iframe", "cross-site", "navigate"]
