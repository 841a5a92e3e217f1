/** The calls of a session that passed the gate and have no result yet. */

import type { Event } from "../events/vocabulary/Event.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import * as CommandState from "../kernel/acting/CommandState.ts"
import { digest } from "../values/Digest.ts"
import type { Json } from "../values/Json.ts"
import type { ToolCall } from "./HookEvent.ts"

/** A call that runs, as far as the log knows. */
export interface OpenCall {
  readonly commandId: string
  /** The event that causes its outcome. */
  readonly last: string
  /** When it passed, by this process's monotonic clock; undefined for an earlier process's call. */
  readonly since: number | undefined
  /** Pairs it with its result if the client sends no id. */
  readonly key: string
  readonly agentId: string | undefined
}

export interface OpenCalls {
  readonly add: (call: OpenCall) => void
  /** Takes the call of a result: by its command, otherwise the oldest with the same tool and input. */
  readonly take: (commandId: string | undefined, call: ToolCall) => OpenCall | undefined
  readonly left: () => ReadonlyArray<OpenCall>
}

/** @param past the session's events from earlier processes */
export const make = (past: ReadonlyArray<Event>): OpenCalls => {
  const open = new Map<string, OpenCall>()
  const states = CommandState.fold(past)
  for (const event of past) {
    if (!is(event, "ActuatorCommanded")) continue
    const { commandId, actuator, args, agentId } = event.payload
    const state = states.get(commandId)
    if (state?.at !== "dispatched") continue
    const key = keyOf({ tool: actuator.slice(actuator.indexOf("/") + 1), input: args })
    open.set(commandId, { commandId, last: state.last, since: undefined, key, agentId })
  }
  return {
    add: (call) => open.set(call.commandId, call),
    take: (commandId, call) => {
      const key = keyOf(call)
      const found = commandId === undefined ? [...open.values()].find((one) => one.key === key) : open.get(commandId)
      if (found !== undefined) open.delete(found.commandId)
      return found
    },
    left: () => [...open.values()],
  }
}

/** Identifies a call without an id. */
export const keyOf = ({ tool, input }: { readonly tool: string; readonly input: Json }): string =>
  `${tool} ${digest(input)}`
