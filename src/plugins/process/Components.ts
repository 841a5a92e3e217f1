/**
 * Turns calls of a plugin's components into protocol frames, and checks that the entry exports what the manifest
 * declares.
 */
import { Effect, Either, Schema } from "effect"
import { Failure, optional } from "../../events/vocabulary/EventType.ts"
import type { ChildUse, TaskBudget } from "../../events/vocabulary/Tasks.ts"
import { defined } from "../../values/defined.ts"
import { Json, JsonObject, plainText } from "../../values/Json.ts"
import * as SchemaPredicate from "../../values/schema/SchemaPredicate.ts"
import type { OnProgress } from "../channel/CallProgress.ts"
import type { Calls, OkFrame } from "../channel/Calls.ts"
import type { OpenCall, Piece, ReadBatch } from "../channel/OpenCall.ts"
import type { Exports, HostFrame } from "../channel/Protocol.ts"
import * as Generated from "../Generated.ts"
import { actuatorsOf, judgedOf, listenersOf, type Manifest, sensorsOf } from "../manifest/Manifest.ts"
import { AnswerInvalid, type CallError, ExportsDisagree } from "../PluginError.ts"
import * as PluginVerdict from "../PluginVerdict.ts"
import * as Settled from "../Settled.ts"
import { type SlotRow, unpacker } from "./PackedAnswers.ts"

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

/** The result of an agent's action in a round: its step's answer, or the refusal. */
export type RoundOutcome =
  | {
      readonly ok: JsonObject
      /** The agent's index in the world's answer. Absent if the answer did not mention it. */
      readonly named?: number | undefined
    }
  | {
      readonly error: Failure
      /** A step that the world returned for the agent despite the refusal. */
      readonly got?: JsonObject | undefined
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

/** A slot after a call. */
export interface SlotAnswer {
  readonly state: Json
  /** By the sensor's own name. */
  readonly readings: JsonObject
  /** The result of a step. */
  readonly step?: JsonObject
  /** Why the world refused a step. */
  readonly error?: Failure
  /** After a trial, instead of `readings`: those of each agent. */
  readonly agents?: { readonly [agent: string]: JsonObject }
  /** The actions of a trial's rounds, in order. */
  readonly actions?: ReadonlyArray<{ readonly [agent: string]: Json }>
  /** The results of a trial's rounds, in order. */
  readonly rounds?: ReadonlyArray<{ readonly [agent: string]: RoundOutcome }>
}

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

/**
 * Makes components that send protocol frames.
 *
 * @param callMs default time-out of a call, in milliseconds
 * @param settles the actuators with a `settle`
 */
export const make = (
  plugin: string,
  { call }: Calls,
  callMs: number,
  settles: ReadonlyArray<string> = [],
): ProcessCalls => {
  const unpack = unpacker()
  const callOf = <A>(
    name: string,
    frame: (id: number, now: number) => HostFrame,
    decode: (frame: OkFrame) => Effect.Effect<A, CallError>,
    {
      timeoutMs = callMs,
      causationId,
      taskId,
      onProgress,
      readPage,
      onPiece,
      fetchMs,
    }: CallOptions & Partial<JudgeOptions> & Pick<OpenCall, "onPiece" | "fetchMs"> = {},
  ) => call({ name, frame, decode, timeoutMs, causationId, taskId, onProgress, readPage, onPiece, fetchMs })
  return {
    read: (sensor, options) =>
      callOf(
        `read ${plugin}/${sensor}`,
        (id, now) => ({ type: "read", id, component: sensor, now, ...forAgent(options) }),
        valueIn,
        options,
      ),
    act: (actuator, args, options) =>
      callOf(
        `act ${plugin}/${actuator}`,
        (id, now) => ({
          type: "act",
          id,
          component: actuator,
          args,
          now,
          ...forCommand(options),
          ...forAgent(options),
        }),
        actAnswerIn,
        options,
      ),
    settle: (actuator, args, options) => {
      if (!settles.includes(actuator)) return Effect.succeed(undefined)
      const { commandId } = options
      const name = `settle ${plugin}/${actuator}`
      return callOf(
        name,
        (id, now) => ({ type: "settle", id, component: actuator, commandId, args, now, ...forAgent(options) }),
        ({ value, state }) => settleAnswerOf(plugin, name, value, state),
        options,
      )
    },
    reset: (options, { agents, seed, ...callOptions } = {}) =>
      callOf(
        `reset ${plugin}`,
        (id, now) => ({
          type: "reset",
          id,
          options,
          now,
          ...defined({ agents, seed }),
        }),
        stateIn(plugin, `reset ${plugin}`),
        callOptions,
      ),
    round: (actions, options) =>
      callOf(
        `round ${plugin}`,
        (id, now) => ({ type: "round", id, actions, now }),
        roundIn(plugin, `round ${plugin}`),
        options,
      ),
    changeAgents: (change, agent, options) =>
      callOf(
        `${change} ${plugin}`,
        (id, now) => ({ type: change, id, agent, now }),
        stateIn(plugin, `${change} ${plugin}`),
        options,
      ),
    tick: (milliseconds, options) =>
      callOf(
        `tick ${plugin}`,
        (id, now) => ({ type: "tick", id, milliseconds, now }),
        roundIn(plugin, `tick ${plugin}`),
        options,
      ),
    restore: (options, state, callOptions) =>
      callOf(
        `restore ${plugin}`,
        (id, now) => ({ type: "reset", id, options, state, now }),
        stateIn(plugin, `restore ${plugin}`),
        callOptions,
      ),
    judge: (measure, task, options) => {
      const name = `judge ${plugin}/${measure}`
      return callOf(
        name,
        (id, now) => ({ type: "judge", id, measure, task, now: options.now ?? now }),
        ({ value }) =>
          Either.match(PluginVerdict.decode(value), {
            onLeft: (wrong) => new AnswerInvalid({ plugin, call: name, reason: `expected ${plainText(wrong)}` }),
            onRight: (verdicts) => Effect.succeed(verdicts),
          }),
        options,
      )
    },
    hear: (listener, request, options) =>
      callOf(
        `hear ${plugin}/${listener}`,
        (id, now) => ({ type: "hear", id, listener, request, now }),
        valueIn,
        options,
      ),
    generate: ({ model, history, tools, settings }, options = {}) => {
      const name = `generate ${plugin}/${model}`
      return callOf(
        name,
        (id, now) => ({ type: "generate", id, model, history, tools, settings, now }),
        ({ value }) =>
          Either.match(Generated.decode(value), {
            onLeft: (wrong) => new AnswerInvalid({ plugin, call: name, reason: `expected ${plainText(wrong)}` }),
            onRight: (generated) => Effect.succeed(generated),
          }),
        { ...options, ...defined({ fetchMs: options.timeoutMs }) },
      )
    },
    slots: (calls, options) => {
      const name = `slots ${plugin}`
      return callOf(
        name,
        (id, now) => ({ type: "slots", id, calls, now }),
        ({ value }) =>
          isAnswers(value) && value.length === calls.length
            ? Effect.succeed(value)
            : new AnswerInvalid({ plugin, call: name, reason: "expected a state and readings for each call" }),
        options,
      )
    },
    slotRows: (calls, options) => {
      const name = `slots ${plugin}`
      return callOf(
        name,
        (id, now) => ({ type: "slots", id, calls, now, packed: true }),
        ({ value }) => {
          const answers = unpack(value, calls.length, isAnswers)
          return answers === undefined
            ? new AnswerInvalid({ plugin, call: name, reason: "expected a state and readings for each call" })
            : Effect.succeed(answers)
        },
        options,
      )
    },
    ping: Effect.suspend(() => {
      const startedAt = performance.now()
      return callOf(
        `ping ${plugin}`,
        (id) => ({ type: "ping", id }),
        () => Effect.sync(() => performance.now() - startedAt),
      )
    }),
  }
}

/** Validates the answer of a `settle`. */
export const settleAnswerOf = (
  plugin: string,
  call: string,
  value: unknown,
  state?: Json,
): Effect.Effect<SettleAnswer, AnswerInvalid> =>
  Either.match(Settled.decode(value), {
    onLeft: (wrong) => new AnswerInvalid({ plugin, call, reason: `expected ${plainText(wrong)}` }),
    onRight: (settled) => Effect.succeed({ settled, ...defined({ state }) }),
  })

const forCommand = ({ commandId }: CallOptions = {}) => (commandId === undefined ? {} : { commandId })

const forAgent = ({ agent }: CallOptions = {}) => (agent === undefined ? {} : { agent })

const valueIn = ({ value }: OkFrame) => Effect.succeed(value)

const actAnswerIn = ({ value, state }: OkFrame): Effect.Effect<ActAnswer> =>
  Effect.succeed(state === undefined ? { result: value } : { result: value, state })

const stateIn =
  (plugin: string, call: string) =>
  ({ state }: OkFrame): Effect.Effect<Json, AnswerInvalid> =>
    state === undefined
      ? new AnswerInvalid({ plugin, call, reason: "expected the environment's state, found none" })
      : Effect.succeed(state)

const RoundOutcomes = Schema.Record({
  key: Schema.String,
  value: Schema.Union(
    Schema.Struct({ ok: JsonObject, named: Schema.optional(Schema.Number) }),
    Schema.Struct({ error: Failure, got: Schema.optional(JsonObject) }),
  ),
})

const isAnswers = SchemaPredicate.is(
  Schema.Array(
    Schema.Struct({
      state: Json,
      readings: JsonObject,
      step: optional(JsonObject),
      error: optional(Failure),
      agents: optional(Schema.Record({ key: Schema.String, value: JsonObject })),
      actions: optional(Schema.Array(JsonObject)),
      rounds: optional(Schema.Array(RoundOutcomes)),
    }),
  ),
)

const decodeRound = Schema.decodeUnknownEither(RoundOutcomes)

const roundIn =
  (plugin: string, call: string) =>
  ({ value, state }: OkFrame): Effect.Effect<RoundAnswer, AnswerInvalid> => {
    const agents = decodeRound(value)
    if (state === undefined || Either.isLeft(agents)) {
      const reason = "expected the result of each agent's action and the world's state"
      return new AnswerInvalid({ plugin, call, reason, ...defined({ state }) })
    }
    return Effect.succeed({ agents: agents.right, state })
  }

/** Fails unless the entry exports exactly the components that the manifest declares. */
export const assertExports = (manifest: Manifest, exports: Exports): Effect.Effect<void, ExportsDisagree> => {
  const declared = names({
    sensors: sensorsOf(manifest).map(({ name }) => name),
    actuators: actuatorsOf(manifest).map(({ name }) => name),
    environment: manifest.peas.environment !== undefined,
    restores: manifest.peas.environment?.rewind?.includes("snapshot") === true,
    measures: judgedOf(manifest).map(({ name }) => name),
    listeners: listenersOf(manifest).map(({ name }) => name),
    provider: manifest.provider !== undefined,
  })
  const exported = names(exports)
  const actuators = actuatorsOf(manifest).map(({ name }) => name)
  const undeclared = [
    ...exported.filter((name) => !declared.includes(name)),
    // A manifest does not declare `settle`, because it adds nothing to what agents can do.
    ...(exports.settles ?? []).flatMap((name) => (actuators.includes(name) ? [] : [`settle of actuator ${name}`])),
  ]
  const missing = declared.filter((name) => !exported.includes(name))
  return undeclared.length === 0 && missing.length === 0
    ? Effect.void
    : new ExportsDisagree({ plugin: manifest.name, undeclared, missing })
}

const names = ({
  sensors,
  actuators,
  environment,
  restores,
  measures,
  listeners = [],
  provider,
}: Exports): ReadonlyArray<string> => [
  ...sensors.map((name) => `sensor ${name}`),
  ...actuators.map((name) => `actuator ${name}`),
  ...(environment ? ["environment"] : []),
  ...(restores === true ? ["environment.restore"] : []),
  ...measures.map((name) => `measure ${name}`),
  ...listeners.map((name) => `listener ${name}`),
  ...(provider === true ? ["provider"] : []),
]
