/** An error that answers a request of the editor, with its JSON-RPC code. */

import { Data } from "effect"

/** JSON-RPC's codes, and those of ACP. */
export const CODES = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
  notFound: -32_002,
} as const

/** The request changed nothing, unless the reason says otherwise. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly code: number
  readonly reason: string
}> {
  override get message() {
    return this.reason
  }
}

export const refused = (code: keyof typeof CODES, reason: string): Refused => new Refused({ code: CODES[code], reason })

/** An error of the kernel or the log, for the editor. */
export const failed = (cause: unknown): Refused =>
  cause instanceof Refused ? cause : refused("internal", cause instanceof Error ? cause.message : String(cause))
