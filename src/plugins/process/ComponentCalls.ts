/** The calls that a plugin's process answers, with their options and answers. */

import type { Effect } from "effect"
import type { ChildUse, TaskBudget } from "../../events/vocabulary/Tasks.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { OnProgress } from "../channel/CallProgress.ts"
import type { Piece, ReadBatch } from "../channel/OpenCall.ts"
import type * as Generated from "../Generated.ts"
import type { CallError } from "../PluginError.ts"
import type * as PluginVerdict from "../PluginVerdict.ts"
import type * as Settled from "../Settled.ts"
import type { RoundOutcome } from "./RoundOutcome.ts"
import type { SlotAnswer, SlotRow } from "./SlotAnswer.ts"

/** Options of one call. */
export interface CallOptions {
  /** The event that caused the call. Events about its host requests carry this id. */
  readonly causationId?: string
  /** The command that the call carries out. */
  readonly commandId?: string
  /** The number of the attempt at the command. Default: 1. Plugins in processes do not see it. */
  readonly attempt?: number
  /** The task that the call serves; events about its host requests belong to it. */
  readonly taskId?: string
  /** Default: `limits.callMs`. */
  readonly timeoutMs?: number
  /** The agent that the call serves, in a task with several agents. */
  readonly agent?: string
  /** Receives `context.progress`. While it runs, only the newest report is kept. */
  readonly onProgress?: OnProgress
  /** Limits of an agent that the call calls. Only tools of the embedding program call agents. */
  readonly budget?: TaskBudget
  /** Receives the task of the agent that the call calls: once it is open, and once it has ended. */
  readonly onChild?: (child: ChildUse) => void
}

/** The answer to a command. */
export interface ActAnswer {
  readonly result: Json
  /** The environment's state afterwards, if the plugin has one. */
  readonly state?: Json
}

/** An actuator's account of how a command ended. */
export interface SettleAnswer {
  readonly settled: Settled.Settled
  /** The environment's state afterwards, if the plugin has one. */
  readonly state?: Json
}

/** The answer to several agents' actions, or to passed time. */
export interface RoundAnswer {
  /** By agent, including agents that did not act. */
  readonly agents: { readonly [agent: string]: RoundOutcome }
  readonly state: Json
}

/** Options of a reset. */
export interface ResetOptions extends CallOptions {
  /** The agents of a world at the start. Default: one. */
  readonly agents?: ReadonlyArray<string>
  /** The seed of a world's episode. Default: the process's. */
  readonly seed?: number
}

/** Options of `judge`. */
export interface JudgeOptions extends CallOptions {
  readonly readPage: ReadBatch
  /** `context.now`, in epoch milliseconds. Default: the time of the call. */
  readonly now?: number
}

/** A request to a plugin's provider. */
export interface GenerateRequest {
  /** The model's name in the manifest. */
  readonly model: string
  readonly history: ReadonlyArray<JsonObject>
  readonly tools: ReadonlyArray<JsonObject>
  readonly settings: JsonObject
}

/** Options of `generate`. Each piece starts the time-out again. */
export interface GenerateOptions extends Omit<CallOptions, "onProgress"> {
  readonly onPiece?: (piece: Piece) => void
}

/** A call for one slot: exactly one of `reset`, `restore`, `action`, `trial` and `drop`; or `restore` and then `trial`. */
export interface SlotCall {
  readonly slot: number
  /** `continued`: the random numbers of the slot's last episode go on, and the seed is not used. */
  readonly reset?: { readonly options: JsonObject; readonly seed: number; readonly continued?: boolean }
  readonly restore?: { readonly options: JsonObject; readonly state: Json }
  readonly action?: Json
  /** Rounds that a search tries. */
  readonly trial?: Trial
  /** Forgets the slot's episode. */
  readonly drop?: true
}

/**
 * Rounds that a search tries: given ones, or at most `maxRounds` in which agents choose among their legal actions at
 * random, by a seed. They end when no agent can act, or after a round in which the world refused an action.
 */
export type Trial =
  | { readonly rounds: ReadonlyArray<{ readonly [agent: string]: Json }> }
  | { readonly seed: number; readonly maxRounds: number }

/** The calls that a plugin's process answers. */
export interface Components {
  /** Reads a sensor, by its name without the plugin's. */
  readonly read: (sensor: string, options?: CallOptions) => Effect.Effect<Json, CallError>
  /** Sends a command to an actuator, by its name without the plugin's. */
  readonly act: (actuator: string, args: JsonObject, options?: CallOptions) => Effect.Effect<ActAnswer, CallError>
  /**
   * Asks an actuator how a dispatched command ended; the options hold the command's id. Undefined without a `settle`.
   */
  readonly settle: (
    actuator: string,
    args: JsonObject,
    options: CallOptions & { readonly commandId: string },
  ) => Effect.Effect<SettleAnswer | undefined, CallError>
  /** Resets the environment and returns its first state. */
  readonly reset: (options: JsonObject, call?: ResetOptions) => Effect.Effect<Json, CallError>
  /** Steps a world with several agents' actions. */
  readonly round: (
    actions: { readonly [agent: string]: Json },
    call?: CallOptions,
  ) => Effect.Effect<RoundAnswer, CallError>
  /** Lets an agent join or leave a world, and returns the world's state. */
  readonly changeAgents: (change: "join" | "leave", agent: string, call?: CallOptions) => Effect.Effect<Json, CallError>
  /** Lets a world's time pass. */
  readonly tick: (milliseconds: number, call?: CallOptions) => Effect.Effect<RoundAnswer, CallError>
  /** Restores an earlier state and returns the environment's state after that. */
  readonly restore: (options: JsonObject, state: Json, call?: CallOptions) => Effect.Effect<Json, CallError>
  /** Calls a measure's function, which can read the task's events. */
  readonly judge: (
    measure: string,
    task: JsonObject,
    call: JudgeOptions,
  ) => Effect.Effect<ReadonlyArray<PluginVerdict.PluginVerdict>, CallError>
  /** Lets a listener read a request. Returns what it heard, unchecked; null for nothing. */
  readonly hear: (listener: string, request: JsonObject, call?: CallOptions) => Effect.Effect<Json, CallError>
  /** Asks the plugin's provider for an answer. Absent: processes of this kind have none. */
  readonly generate?: (
    request: GenerateRequest,
    options?: GenerateOptions,
  ) => Effect.Effect<Generated.Generated, CallError>
  /** Returns the round-trip time in milliseconds. */
  readonly ping: Effect.Effect<number, CallError>
}

/** The calls that a process of Deno answers. */
export interface ProcessCalls extends Components {
  /**
   * Begins, continues and steps several episodes of a world for one agent, one in each slot. A slot's first call begins
   * or continues an episode. Returns an answer for each call; a step that the world refused has an error.
   */
  readonly slots: (
    calls: ReadonlyArray<SlotCall>,
    call?: CallOptions,
  ) => Effect.Effect<ReadonlyArray<SlotAnswer>, CallError>
  /** The same, with steps as rows of numbers where the process sends them. */
  readonly slotRows: (
    calls: ReadonlyArray<SlotCall>,
    call?: CallOptions,
  ) => Effect.Effect<ReadonlyArray<SlotAnswer | SlotRow>, CallError>
}
