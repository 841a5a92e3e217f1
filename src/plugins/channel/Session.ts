import { Deferred, Effect, Either } from "effect"
import { plainText } from "../../values/Json.ts"
import { PluginFailedToLoad } from "../PluginError.ts"
import type { Child, ChildExit, ChildHandlers } from "../sandbox/Child.ts"
import type { Progress } from "./CallProgress.ts"
import * as Calls from "./Calls.ts"
import type { EventRecorder } from "./EventRecorder.ts"
import * as Heartbeat from "./Heartbeat.ts"
import { splitLines, tellFrames } from "./lines.ts"
import { type Misbehaved, watch } from "./Misbehaviour.ts"
import type { OpenCall } from "./OpenCall.ts"
import * as OutputThrottle from "./OutputThrottle.ts"
import {
  type BrokeredFrame,
  decode,
  type EmitFrame,
  type Exports,
  FRAME_LIMIT,
  type PageFrame,
  type PluginFrame,
  withinAnswerLimit,
} from "./Protocol.ts"

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
  readonly pingMs: number
  readonly outputBytesPerSecond: number
  readonly journal: EventRecorder
  /** Carries out what the plugin asks of the host, in a frame of so many bytes, for a call; it may have ended meanwhile. */
  readonly onBrokered: (frame: BrokeredFrame, bytes: number, call: OpenCall | undefined, child: Child) => void
  /** Takes a reading that the plugin pushes, in a frame of so many bytes. */
  readonly onEmitted: (frame: EmitFrame, bytes: number, child: Child, misbehaved: Misbehaved) => void
  /** Answers a request for events of the task that a call judges. */
  readonly onPage: (frame: PageFrame, call: OpenCall | undefined, child: Child, misbehaved: Misbehaved) => void
  /** Passes on how far a call has come. */
  readonly onProgress: (call: OpenCall, progress: Progress) => void
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
  const { plugin, instance, nonce, cancelMs, pingMs, journal } = conversation
  const { onBrokered, onEmitted, onPage, onProgress, handshake, exited } = conversation
  const calls = Calls.make({ plugin, child, cancelMs })
  const said = OutputThrottle.make(conversation.outputBytesPerSecond, child.rest)
  const { misbehaved, isTrusted } = watch({ plugin, instance, child, journal })
  let stopBeating: (() => void) | undefined
  const stderr: Array<string> = []
  const failLoading = (reason: string) =>
    Deferred.unsafeDone(handshake, Effect.fail(new PluginFailedToLoad({ plugin, reason, stderr: stderr.slice() })))

  const openCall = (id: number): OpenCall | undefined => {
    if (!calls.wasAsked(id)) misbehaved("UnaskedCall", `nobody made the call ${id} that it speaks of`)
    return calls.find(id)
  }

  const onFrame = (frame: PluginFrame, bytes: number) => {
    switch (frame.type) {
      case "ready":
        if (stopBeating !== undefined) return misbehaved("RepeatedHandshake", "it said again that it is ready")
        stopBeating = Heartbeat.start({ pingMs, ping: calls.ping, stuck: calls.stuck })
        return Deferred.unsafeDone(handshake, Effect.succeed(frame.exports))
      case "failed":
        if (stopBeating !== undefined)
          return misbehaved("RepeatedHandshake", "it was ready, and said that it did not load")
        // With its trace, which the failure's message leaves out.
        journal.log("error", plainText(frame.error))
        return failLoading(plainText(frame.error))
      case "log":
        said(bytes)
        return journal.log(frame.level, frame.message)
      case "host": {
        const call = openCall(frame.call)
        // What is refused costs it nothing else.
        if (call === undefined) said(bytes)
        return onBrokered(frame, bytes, call, child)
      }
      case "emit":
        said(bytes)
        calls.touch()
        return onEmitted(frame, bytes, child, misbehaved)
      case "page":
        said(bytes)
        return onPage(frame, openCall(frame.call), child, misbehaved)
      case "progress": {
        said(bytes)
        const call = openCall(frame.id)
        return call === undefined ? undefined : onProgress(call, frame.value)
      }
      default: {
        const stray = calls.answer(withinAnswerLimit(frame, bytes))
        return stray === undefined ? undefined : misbehaved(stray.code, stray.reason)
      }
    }
  }

  const outLines = splitLines(FRAME_LIMIT, {
    onLine: tellFrames(nonce, {
      onFrame: (text, bytes) => {
        if (!isTrusted()) return
        const decoded = decode(text)
        if (Either.isRight(decoded)) onFrame(decoded.right, bytes)
        else misbehaved("BrokenFrame", `it sent a broken frame: ${plainText(decoded.left.slice(0, 500))}`)
      },
      onPrinted: (line) => {
        said(line.length)
        journal.log("info", line)
      },
    }),
    onOverflow: () => misbehaved("FrameTooLong", `it wrote a line of more than ${FRAME_LIMIT} bytes`),
  })

  const errorLines = splitLines(STDERR_LINE_BYTES, {
    onLine: (line, bytes) => {
      said(bytes)
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
      stopBeating?.()
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
