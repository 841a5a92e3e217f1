/**
 * The host's side of the protocol with one process: turns lines of output into answers, requests and log lines, and
 * completes the handshake and the exit.
 */
import { Deferred, Effect, Either } from "effect"
import { plainText } from "../../values/Json.ts"
import { PluginFailedToLoad } from "../PluginError.ts"
import type { Child, ChildExit, ChildHandlers } from "../sandbox/Child.ts"
import type { Progress } from "./CallProgress.ts"
import * as Calls from "./Calls.ts"
import type { EventRecorder } from "./EventRecorder.ts"
import * as Heartbeat from "./Heartbeat.ts"
import { splitFrames, splitLines } from "./lines.ts"
import { type Misbehaved, watch } from "./Misbehaviour.ts"
import type { OpenCall } from "./OpenCall.ts"
import * as OutputThrottle from "./OutputThrottle.ts"
import {
  decode,
  type EmitFrame,
  type Exports,
  FRAME_LIMIT,
  type HostRequestFrame,
  type PageFrame,
  type PluginFrame,
  withinAnswerLimit,
} from "./Protocol.ts"

/** Lines of standard error kept for the error of a plugin that fails to load. */
const STDERR_LINES = 20

/** Maximum length of a line of standard error, in bytes. Longer ones are dropped. */
const STDERR_LINE_BYTES = 64 * 1024

/** The inputs of a session, apart from its process. */
export interface SessionInput {
  readonly plugin: string
  readonly instance: string
  /** Prefix of every frame from the plugin: random, and known only to the runner. */
  readonly nonce: string
  readonly cancelMs: number
  readonly pingMs: number
  readonly outputBytesPerSecond: number
  readonly recorder: EventRecorder
  /** Executes a host request with a frame of `bytes` bytes. `call` is undefined if the call has ended. */
  readonly onHostRequest: (frame: HostRequestFrame, bytes: number, call: OpenCall | undefined, child: Child) => void
  /** Takes a pushed reading with a frame of `bytes` bytes. */
  readonly onPushedReading: (frame: EmitFrame, bytes: number, child: Child, misbehaved: Misbehaved) => void
  /** Answers a request for events of the judged task. */
  readonly onPage: (frame: PageFrame, call: OpenCall | undefined, child: Child, misbehaved: Misbehaved) => void
  readonly onProgress: (call: OpenCall, progress: Progress) => void
  /** Completed by `ready`, `failed` or the end of the process, whichever comes first. */
  readonly handshake: Deferred.Deferred<Exports, PluginFailedToLoad>
  readonly exited: Deferred.Deferred<ProcessExit>
}

/** How a plugin's process ended. */
export interface ProcessExit extends ChildExit {
  /** Unanswered calls, such as `act text-room/go`. */
  readonly inFlight: ReadonlyArray<string>
}

/** Handles the outputs and the end of one process. */
export interface Session extends ChildHandlers {
  readonly calls: Calls.Calls
}

/** Attaches a session to a process. */
export const attach = (input: SessionInput, child: Child): Session => {
  const { plugin, instance, nonce, cancelMs, pingMs, recorder } = input
  const { onHostRequest, onPushedReading, onPage, onProgress, handshake, exited } = input
  const calls = Calls.make({ plugin, child, cancelMs })
  const throttle = OutputThrottle.make(input.outputBytesPerSecond, child.pauseOutput)
  const { misbehaved, isTrusted } = watch({ plugin, instance, child, recorder })
  let stopHeartbeat: (() => void) | undefined
  const stderr: Array<string> = []
  const failLoading = (reason: string) =>
    Deferred.unsafeDone(handshake, Effect.fail(new PluginFailedToLoad({ plugin, reason, stderr: stderr.slice() })))

  const openCall = (id: number): OpenCall | undefined => {
    if (!calls.wasMade(id)) misbehaved("UnaskedCall", `nobody made the call ${id} that it speaks of`)
    return calls.find(id)
  }

  const onFrame = (frame: PluginFrame, bytes: number) => {
    switch (frame.type) {
      case "ready":
        if (stopHeartbeat !== undefined) return misbehaved("RepeatedHandshake", "it said again that it is ready")
        stopHeartbeat = Heartbeat.start({ pingMs, ping: calls.ping, stuck: calls.stuck })
        return Deferred.unsafeDone(handshake, Effect.succeed(frame.exports))
      case "failed":
        if (stopHeartbeat !== undefined)
          return misbehaved("RepeatedHandshake", "it was ready, and said that it did not load")
        // The log gets the stack trace, which the error's message omits.
        recorder.log("error", plainText(frame.error))
        return failLoading(plainText(frame.error))
      case "log":
        throttle(bytes)
        return recorder.log(frame.level, frame.message)
      case "host": {
        const call = openCall(frame.call)
        // Nothing else limits refused requests, so they count as output.
        if (call === undefined) throttle(bytes)
        return onHostRequest(frame, bytes, call, child)
      }
      case "emit":
        throttle(bytes)
        calls.touch()
        return onPushedReading(frame, bytes, child, misbehaved)
      case "page":
        throttle(bytes)
        return onPage(frame, openCall(frame.call), child, misbehaved)
      case "piece": {
        throttle(bytes)
        const call = openCall(frame.id)
        call?.renewTimeout()
        return call?.onPiece?.(frame)
      }
      case "progress": {
        throttle(bytes)
        const call = openCall(frame.id)
        return call === undefined ? undefined : onProgress(call, frame.value)
      }
      default: {
        const unmatched = calls.answer(withinAnswerLimit(frame, bytes))
        return unmatched === undefined ? undefined : misbehaved(unmatched.code, unmatched.reason)
      }
    }
  }

  const outLines = splitLines(FRAME_LIMIT, {
    onLine: splitFrames(nonce, {
      onFrame: (text, bytes) => {
        if (!isTrusted()) return
        const decoded = decode(text)
        if (Either.isRight(decoded)) onFrame(decoded.right, bytes)
        else misbehaved("BrokenFrame", `it sent a broken frame: ${plainText(decoded.left.slice(0, 500))}`)
      },
      onPrinted: (line) => {
        throttle(line.length)
        recorder.log("info", line)
      },
    }),
    onOverflow: () => misbehaved("FrameTooLong", `it wrote a line of more than ${FRAME_LIMIT} bytes`),
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
    calls,
    onStdout: outLines.push,
    onStderr: errorLines.push,
    onExit: (exit) => {
      stopHeartbeat?.()
      outLines.end()
      errorLines.end()
      const how = exit.signal === null ? `with code ${exit.code}` : `by ${exit.signal}`
      failLoading(`its process ended ${how} before it was ready${exit.reason === undefined ? "" : `: ${exit.reason}`}`)
      const inFlight = calls.end(exit)
      recorder.write({ type: "PluginExited", payload: { plugin, instance, pid: child.pid, ...exit, inFlight } })
      Deferred.unsafeDone(exited, Effect.succeed({ ...exit, inFlight }))
    },
  }
}
