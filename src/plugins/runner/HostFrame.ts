/** The host's frames, as the runner reads them (see `Protocol.ts`). Types only. */

import type {
  Json,
  JsonObject,
  JudgedTask,
  ProviderMessage,
  ProviderSettings,
  ProviderTool,
  Spaces,
  WebhookRequest,
} from "../author.ts"

/** The first frame: parameters of the process. */
export interface Init {
  readonly nonce: string
  readonly entry: string
  readonly variables: JsonObject
  readonly metadata: Metadata
  readonly seed: number
  readonly workspace: string
  readonly precomputed: string | null
  readonly frameLimit: number
  readonly readingsInFlight: number
  readonly world?: WorldFacts
}

/** A world's facts, from the manifest. */
export interface WorldFacts {
  readonly spaces: Spaces
  readonly maxSteps: number | null
  readonly maxAgents: number
}

/** Frames from the host. The runner trusts them, because the host is its parent process. */
export type HostFrame =
  | ({ readonly type: "init" } & Init)
  | {
      readonly type: "read"
      readonly id: number
      readonly component: string
      readonly agent?: string
      readonly now: number
    }
  | {
      readonly type: "act"
      readonly id: number
      readonly component: string
      readonly args: JsonObject
      readonly commandId?: string
      readonly agent?: string
      readonly now: number
    }
  | {
      readonly type: "settle"
      readonly id: number
      readonly component: string
      readonly commandId: string
      readonly args: JsonObject
      readonly agent?: string
      readonly now: number
    }
  | {
      readonly type: "round"
      readonly id: number
      readonly actions: { readonly [agent: string]: Json }
      readonly now: number
    }
  | { readonly type: "join" | "leave"; readonly id: number; readonly agent: string; readonly now: number }
  | {
      readonly type: "slots"
      readonly id: number
      readonly calls: ReadonlyArray<SlotCall>
      readonly now: number
      /** Asks for steps as rows of numbers. */
      readonly packed?: true
    }
  | { readonly type: "tick"; readonly id: number; readonly milliseconds: number; readonly now: number }
  | {
      readonly type: "reset"
      readonly id: number
      readonly options: JsonObject
      readonly state?: Json
      readonly agents?: ReadonlyArray<string>
      readonly seed?: number
      readonly now: number
    }
  | {
      readonly type: "judge"
      readonly id: number
      readonly measure: string
      readonly task: Omit<JudgedTask, "events"> & { readonly measure: { readonly metadata?: JsonObject } }
      readonly now: number
    }
  | {
      readonly type: "hear"
      readonly id: number
      readonly listener: string
      readonly request: WebhookRequest
      readonly now: number
    }
  | {
      readonly type: "generate"
      readonly id: number
      readonly model: string
      readonly history: ReadonlyArray<ProviderMessage>
      readonly tools: ReadonlyArray<ProviderTool>
      readonly settings: ProviderSettings
      readonly now: number
    }
  | { readonly type: "part"; readonly id: number; readonly text: string }
  | { readonly type: "cancel" | "ping"; readonly id: number }
  | { readonly type: "answer"; readonly id: number; readonly value?: Json; readonly error?: Failure }
  | { readonly type: "metadata"; readonly metadata: Metadata }
  | { readonly type: "shutdown" }

/** Metadata that people gave to the plugin and its components. */
export interface Metadata {
  readonly plugin: JsonObject
  readonly components: { readonly [name: string]: JsonObject }
}

/** Why a call or request failed. */
export interface Failure {
  readonly code: string
  readonly message: string
}

/** A call for one slot: begin an episode, continue one from a document, step, or try rounds. */
export interface SlotCall {
  readonly slot: number
  readonly reset?: { readonly options: JsonObject; readonly seed: number; readonly continued?: boolean }
  readonly restore?: { readonly options: JsonObject; readonly state: Json }
  readonly action?: Json
  /** After `restore`, if both are present. */
  readonly trial?: Trial
  /** Forgets the slot's episode. */
  readonly drop?: true
}

/** Rounds that a search tries: given ones, or those of agents that act at random. */
export type Trial =
  | { readonly rounds: ReadonlyArray<{ readonly [agent: string]: Json }> }
  | { readonly seed: number; readonly maxRounds: number }
