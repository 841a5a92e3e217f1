/** Answers the host's frames of calls by calls of an MCP server. */
import { Either } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { type Json, type JsonObject, plainText } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import { ANSWER_LIMIT, type AnswerFrame, decode, type HostFrame } from "../channel/Protocol.ts"
import type { ServerEntry } from "./ServerEntry.ts"
import type { ServerSession } from "./ServerSession.ts"
import * as ToolPins from "./ToolPins.ts"

export interface BridgeInput {
  readonly session: ServerSession
  readonly entry: ServerEntry
  /** Why a tool must not be called, if it must not. */
  readonly withheld: (tool: string) => Promise<string | undefined>
  readonly answer: (frame: AnswerFrame) => void
  readonly onProgress: (id: number, progress: number | string) => void
}

export interface Bridge {
  /** Takes encoded frames of the host. */
  readonly take: (frames: string) => void
  /** The calls that the server has not answered, by their ids. */
  readonly open: () => ReadonlyArray<number>
}

export const make = ({ session, entry, withheld, answer, onProgress }: BridgeInput): Bridge => {
  const open = new Map<number, AbortController>()
  const tools = new Map(entry.tools.map(({ actuator, definition }) => [actuator, ToolPins.nameOf(definition)]))
  const resources = new Map(entry.resources.map(({ sensor, uri }) => [sensor, uri]))

  const call = (id: number, work: (signal: AbortSignal) => Promise<Json>) => {
    const controller = new AbortController()
    open.set(id, controller)
    const end = (frame: AnswerFrame) => {
      if (open.delete(id)) answer(frame)
    }
    work(controller.signal).then(
      (value) => end(fitting(id, value)),
      (cause: unknown) => end({ type: "error", id, error: failureOf(cause) }),
    )
  }

  const act = (id: number, component: string, args: JsonObject) => {
    const tool = tools.get(component)
    call(id, async (signal) => {
      if (tool === undefined) throw new Withheld(`the server has no tool for ${component}`)
      const why = await withheld(tool)
      if (why !== undefined) throw new Withheld(why)
      signal.throwIfAborted()
      const result = await session.callTool(tool, args, {
        signal,
        onProgress: (fraction, message) => {
          if (open.has(id)) onProgress(id, message ?? Math.min(1, Math.max(0, fraction ?? 0)))
        },
      })
      if (result.isError === true) throw new ToolFailed(textOf(result))
      const { _meta, isError, resultType, ...value } = result
      return value
    })
  }

  const take = (frame: HostFrame) => {
    switch (frame.type) {
      case "act":
        return act(frame.id, frame.component, frame.args)
      case "read": {
        const uri = resources.get(frame.component)
        return call(frame.id, async (signal) => {
          if (uri === undefined) throw new Error(`the server has no resource for ${frame.component}`)
          const { contents } = await session.readResource(uri, { signal })
          return { contents: contents ?? [] }
        })
      }
      case "ping":
        return answer({ type: "ok", id: frame.id, value: null })
      case "cancel": {
        const { id } = frame
        const controller = open.get(id)
        open.delete(id)
        controller?.abort()
        // The server receives the cancellation, and its answer no longer counts.
        return answer({ type: "error", id, error: { code: "Cancelled", message: "the call was cancelled" } })
      }
      default:
        return "id" in frame
          ? answer({ type: "error", id: frame.id, error: { code: "Unsupported", message: NO_WORLD } })
          : undefined
    }
  }

  return {
    open: () => [...open.keys()],
    take: (frames) => {
      // The host encoded them itself.
      for (const line of frames.split("\n")) if (line !== "") take(JSON.parse(line) as HostFrame)
    },
  }
}

const NO_WORLD = "an MCP server has tools and resources alone"

/** The tool ran, and says that it failed. */
class ToolFailed extends Error {}

/** The tool was not called. */
class Withheld extends Error {}

const failureOf = (cause: unknown): Failure => {
  const message = plainText(cause instanceof Error ? cause.message : String(cause)).slice(0, MESSAGE_LENGTH)
  const code = cause instanceof ToolFailed ? "ToolFailed" : cause instanceof Withheld ? "ToolWithheld" : "ServerFailed"
  return { code, message }
}

/** Maximum length of a failure's message, in characters. */
const MESSAGE_LENGTH = 16_384

const textOf = ({ content }: JsonObject): string => {
  const texts = (Array.isArray(content) ? content : []).flatMap((part) => {
    const { text } = asObject(part)
    return typeof text === "string" ? [text] : []
  })
  return texts.join("\n") || "it gave no reason"
}

/** The same limits as for the answer of any plugin. */
const fitting = (id: number, value: Json): AnswerFrame => {
  const text = JSON.stringify({ type: "ok", id, value })
  const bytes = Buffer.byteLength(text)
  if (bytes > ANSWER_LIMIT) {
    return { type: "invalid", id, reason: `expected an answer of at most ${ANSWER_LIMIT} bytes, found ${bytes}` }
  }
  return Either.match(decode(text), {
    onLeft: (reason) => ({ type: "invalid", id, reason }),
    onRight: (frame) => (frame.type === "ok" ? frame : { type: "invalid", id, reason: "expected JSON" }),
  })
}
