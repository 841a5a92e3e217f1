/**
 * Turns calls of a plugin's components into protocol frames, and checks that the entry exports what the manifest
 * declares.
 */
import { Effect, Either, Schema } from "effect"
import { Failure, optional } from "../../events/vocabulary/EventType.ts"
import { defined } from "../../values/defined.ts"
import { Json, JsonObject, plainText } from "../../values/Json.ts"
import * as SchemaPredicate from "../../values/schema/SchemaPredicate.ts"
import type { Calls, OkFrame } from "../channel/Calls.ts"
import type { OpenCall } from "../channel/OpenCall.ts"
import type { Exports, HostFrame } from "../channel/Protocol.ts"
import * as Generated from "../Generated.ts"
import { actuatorsOf, judgedOf, listenersOf, type Manifest, sensorsOf } from "../manifest/Manifest.ts"
import { AnswerInvalid, type CallError, ExportsDisagree } from "../PluginError.ts"
import * as PluginVerdict from "../PluginVerdict.ts"
import * as Settled from "../Settled.ts"
import type { ActAnswer, CallOptions, JudgeOptions, ProcessCalls, RoundAnswer, SettleAnswer } from "./ComponentCalls.ts"
import { unpacker } from "./PackedAnswers.ts"

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
