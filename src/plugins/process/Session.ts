import { Deferred, Effect, Either } from "effect"
import { plainText } from "../../events/Json.ts"
import { PluginFailedToLoad } from "../PluginError.ts"
import {
  type BrokeredFrame,
  decode,
  type Exports,
  FRAME_LIMIT,
  type PluginFrame,
  withinAnswerLimit,
} from "../Protocol.ts"
import * as Calls from "./Calls.ts"
import type { Child, ChildExit, ChildHandlers } from "./Child.ts"
import type { Journal } from "./Journal.ts"
import { splitLines, tellFrames } from "./lines.ts"

/** Lines of standard error that are kept to explain a plugin that does not load. */
const STDERR_LINES = 20

/** Longest line of standard error, in bytes; a longer one is left out. */
const STDERR_LINE_BYTES = 64 * 1024

/** What a conversation needs besides the process. */
export interface Conversation {
  readonly plugin: string
  readonly instance: string
  /** What frames start with: random, and known to the runner alone. */
  readonly nonce: string
  readonly cancelMs: number
  readonly journal: Journal
  /** Carries out what the plugin asks of the host, in a frame of so many bytes, for a call; it may have ended meanwhile. */
  readonly onBrokered: (frame: BrokeredFrame, bytes: number, call: Calls.OpenCall | undefined, child: Child) => void
  /** Completed by the first of: ready, failed, ended. */
  readonly handshake: Deferred.Deferred<Exports, PluginFailedToLoad>
  /** Completed when the process has ended. */
  readonly exited: Deferred.Deferred<ProcessExit>
}

/** How a plugin's process ended. */
export interface ProcessExit extends ChildExit {
  /** Calls that had no answer yet, such as `act text-room/go`. */
  readonly inFlight: ReadonlyArray<string>
}

/** The host's end of the protocol with one process. */
export interface Session extends ChildHandlers {
  readonly calls: Calls.Calls
}

/** Attaches a conversation to a process: every line of its outputs becomes an answer, a request or a log line. */
export const attach = (conversation: Conversation, child: Child): Session => {
  const { plugin, instance, nonce, cancelMs, journal, onBrokered, handshake, exited } = conversation
  const calls = Calls.make({ plugin, send: child.send, kill: child.kill, cancelMs })
  const stderr: Array<string> = []
  const failLoading = (reason: string) =>
    Deferred.unsafeDone(handshake, Effect.fail(new PluginFailedToLoad({ plugin, reason, stderr: stderr.slice() })))

  const onFrame = (frame: PluginFrame, bytes: number) => {
    switch (frame.type) {
      case "ready":
        return Deferred.unsafeDone(handshake, Effect.succeed(frame.exports))
      case "failed":
        return failLoading(plainText(frame.error))
      case "log":
        return journal.log(frame.level, frame.message)
      case "host":
        return onBrokered(frame, bytes, calls.find(frame.call), child)
      default:
        return calls.answer(withinAnswerLimit(frame, bytes))
    }
  }

  const outLines = splitLines(FRAME_LIMIT, {
    onLine: tellFrames(nonce, {
      onFrame: (text) =>
        Either.match(decode(text), {
          onLeft: (wrong) => child.kill(`it sent a broken frame: ${wrong.slice(0, 500)}`),
          onRight: (frame) => onFrame(frame, Buffer.byteLength(text)),
        }),
      onPrinted: (line) => journal.log("info", line),
    }),
    onOverflow: () => child.kill(`it wrote a line of more than ${FRAME_LIMIT} bytes`),
  })

  const errorLines = splitLines(STDERR_LINE_BYTES, {
    onLine: (line) => {
      if (stderr.push(line) > STDERR_LINES) stderr.shift()
      journal.log("warn", line)
    },
    onOverflow: () => journal.log("warn", `(a line of more than ${STDERR_LINE_BYTES} bytes was left out)`),
  })

  return {
    calls,
    onStdout: outLines.push,
    onStderr: errorLines.push,
    onExit: (exit) => {
      outLines.end()
      errorLines.end()
      const how = exit.signal === null ? `with code ${exit.code}` : `by ${exit.signal}`
      failLoading(`its process ended ${how} before it was ready${exit.reason === undefined ? "" : `: ${exit.reason}`}`)
      const inFlight = calls.end(exit)
      journal.write({ type: "PluginExited", payload: { plugin, instance, pid: child.pid, ...exit, inFlight } })
      Deferred.unsafeDone(exited, Effect.succeed({ ...exit, inFlight }))
    },
  }
}
