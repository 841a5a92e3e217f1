/** MCP over the standard input and output of a process: a message on each line. */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import { Effect } from "effect"
import type { EventRecorder } from "../channel/EventRecorder.ts"
import { splitLines } from "../channel/lines.ts"
import * as OutputThrottle from "../channel/OutputThrottle.ts"
import { FRAME_LIMIT } from "../channel/Protocol.ts"
import type { Child, ChildExit, ChildHandlers } from "../sandbox/Child.ts"

export interface ChildTransport extends ChildHandlers {
  readonly transport: Transport
  /** The last lines of its error output. */
  readonly stderr: () => ReadonlyArray<string>
}

export interface ChildTransportInput {
  readonly recorder: EventRecorder
  readonly outputBytesPerSecond: number
  readonly onExit: (exit: ChildExit) => void
}

/** Lines of the error output that are kept for the error of a server that fails to start. */
const STDERR_LINES = 20

/** Maximum length of a line of the error output, in bytes. Longer ones are dropped. */
const STDERR_LINE_BYTES = 64 * 1024

/** Maximum number of bytes that the server has not read. A server with more is killed. */
const MAX_UNREAD_BYTES = 2 * FRAME_LIMIT

/**
 * Connects to a process. A line that is no JSON object is printed text, and is logged. A longer line than a frame may
 * be ends the process; above the rate, the process blocks in its writes.
 */
export const attach = (
  { recorder, outputBytesPerSecond, onExit }: ChildTransportInput,
  child: Child,
): ChildTransport => {
  const throttle = OutputThrottle.make(outputBytesPerSecond, child.pauseOutput)
  const stderr: Array<string> = []
  let unread = 0
  let hasEnded = false

  const send = (message: JSONRPCMessage): Promise<void> => {
    if (hasEnded) return Promise.reject(new Error("the server has ended"))
    const line = `${JSON.stringify(message)}\n`
    const bytes = Buffer.byteLength(line)
    unread += bytes
    if (unread > MAX_UNREAD_BYTES) child.kill(`it left more than ${MAX_UNREAD_BYTES} bytes of its input unread`)
    Effect.runCallback(child.deliver(line), {
      onExit: () => {
        unread -= bytes
      },
    })
    // Answers wait for nothing else: a request that the server never reads ends by its time-out.
    return Promise.resolve()
  }

  // By these two fields the SDK knows that an old server may not answer its probe.
  const transport: Transport & { readonly stderr: null; readonly pid: number } = {
    stderr: null,
    pid: child.pid,
    start: () => Promise.resolve(),
    send,
    close: () => {
      // The scope of the process ends it.
      transport.onclose?.()
      return Promise.resolve()
    },
  }

  const outLines = splitLines(FRAME_LIMIT, {
    onLine: (line, bytes) => {
      throttle(bytes)
      const message = messageIn(line)
      if (message !== undefined) transport.onmessage?.(message)
      else if (line.trim() !== "") recorder.log("info", line)
    },
    onOverflow: () => child.kill(`it wrote a line of more than ${FRAME_LIMIT} bytes`),
  })

  const errorLines = splitLines(STDERR_LINE_BYTES, {
    onLine: (line, bytes) => {
      throttle(bytes)
      if (stderr.push(line) > STDERR_LINES) stderr.shift()
      recorder.log("warn", line)
    },
    onOverflow: () => recorder.log("warn", `(a line of more than ${STDERR_LINE_BYTES} bytes was left out)`),
  })

  return {
    transport,
    stderr: () => stderr.slice(),
    onStdout: outLines.push,
    onStderr: errorLines.push,
    onExit: (exit) => {
      hasEnded = true
      killGroup(child.pid)
      outLines.end()
      errorLines.end()
      onExit(exit)
      transport.onclose?.()
    },
  }
}

/** The SDK checks the parts of a message. */
const messageIn = (line: string): JSONRPCMessage | undefined => {
  if (!line.startsWith("{")) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/**
 * Ends the processes that the leader of a group has started and left. The group keeps its id as long as it has members.
 */
const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // The group has ended.
  }
}
