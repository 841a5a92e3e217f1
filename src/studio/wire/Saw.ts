/** Requests to models, put together from the log. */
import type { SeenMessage } from "../../projections/request/RequestMessage.ts"
import type { SeenTurn } from "../../projections/request/SeenTurn.ts"
import type { WholeRequest } from "../../projections/request/WholeRequest.ts"

/**
 * `GET /api/saw?timeline=…&position=N&task=…`: the whole request behind an event: its own, that of its causes, or the
 * last one before it in its task. `task` is for events of no task. Null if there is no request to a model before it.
 */
export interface Saw {
  readonly saw: SeenTurn | null
}

/**
 * `GET /api/curl?timeline=…&position=N`: the same request in its provider's format, and as a command; or why there is
 * none.
 */
export type CopiedRequest =
  | {
      readonly command: string
      /** The body as JSON without invisible characters. */
      readonly json: string
      readonly url: string
      /** The name of the environment variable with the key; null if there is no key. */
      readonly variable: string | null
      readonly notes: ReadonlyArray<string>
    }
  | { readonly none: string }

/** All requests of a task in a shared file, each message once. */
export interface SharedRequests {
  /** From these positions on, events belong to the request at the second position; null: to none. */
  readonly of: ReadonlyArray<readonly [from: number, request: number | null]>
  readonly messages: ReadonlyArray<SeenMessage>
  /** Values of system prompts, tools and settings. */
  readonly parts: ReadonlyArray<WholeRequest["system"] | WholeRequest["tools"] | WholeRequest["settings"]>
  readonly turns: ReadonlyArray<SharedTurn>
}

/** A turn whose messages and parts are in the pools of its task. */
export interface SharedTurn {
  readonly turn: Omit<SeenTurn, "request"> & {
    readonly request: Omit<WholeRequest, "messages" | "system" | "tools" | "settings">
  }
  /** The number of first messages that are those of the turn before, and the indexes of the others. */
  readonly same: number
  readonly messages: ReadonlyArray<number>
  /** Indexes of the system prompt, the tools and the settings. */
  readonly parts: readonly [system: number, tools: number, settings: number]
}
