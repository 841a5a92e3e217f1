/** A server of MCP behind a gateway, over any transport. */

import type { Line } from "../Lines.ts"

export interface Server {
  /** Sends a message of one line. Never waits; `ended` reports a server that takes no more. */
  readonly send: (line: string) => void
  /** Resolves once the server takes more. */
  readonly room: () => Promise<void>
  /** Messages of the server. */
  readonly lines: AsyncIterable<Line>
  /** How it ended, in words. */
  readonly ended: Promise<string>
  /** Ends the server, or the connection to it. */
  readonly stop: () => Promise<void>
  /** Reads no further message. */
  readonly release: () => void
}
