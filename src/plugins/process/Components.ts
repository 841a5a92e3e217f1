import { Effect, Either } from "effect"
import { type Json, type JsonObject, plainText } from "../../values/Json.ts"
import type { OnProgress } from "../channel/CallProgress.ts"
import type { Calls, OkFrame } from "../channel/Calls.ts"
import type { ReadPage } from "../channel/OpenCall.ts"
import type { Exports, HostFrame } from "../channel/Protocol.ts"
import { actuatorsOf, judgedOf, type Manifest, sensorsOf } from "../manifest/Manifest.ts"
import { AnswerInvalid, type CallError, ExportsDisagree } from "../PluginError.ts"
import * as Verdict from "../Verdict.ts"

/** Options of one call. */
export interface CallOptions {
  /** The event that made this call happen: brokered events carry it. */
  readonly causationId?: string
  /** The task that it serves: brokered events belong to it. */
  readonly taskId?: string
  /** Default: `limits.callMs`. */
  readonly timeoutMs?: number
  /** Is told how far the call has come, where the plugin says (`context.progress`); while it runs, only the newest is kept. */
  readonly onProgress?: OnProgress
}

/** What a command answered. */
export interface ActAnswer {
  readonly result: Json
  /** The environment's state afterwards, where the plugin has an environment. */
  readonly state?: Json
}

/** How a task is judged. */
export interface JudgeOptions extends CallOptions {
  readonly readPage: ReadPage
  /** What `context.now` says, in epoch milliseconds. Default: the time of the call. */
  readonly now?: number
}

/** What a plugin's process can be asked for. */
export interface Components {
  /** One reading of a sensor, by its name without the plugin's. */
  readonly read: (sensor: string, options?: CallOptions) => Effect.Effect<Json, CallError>
  /** One command to an actuator, by its name without the plugin's. */
  readonly act: (actuator: string, args: JsonObject, options?: CallOptions) => Effect.Effect<ActAnswer, CallError>
  /** Puts the environment in its first state and answers with that state. */
  readonly reset: (options: JsonObject, call?: CallOptions) => Effect.Effect<Json, CallError>
  /** Puts the environment in a state that it had and answers with the state that it then has. */
  readonly restore: (options: JsonObject, state: Json, call?: CallOptions) => Effect.Effect<Json, CallError>
  /** Has a measure's function judge a task, whose events it may read. */
  readonly judge: (
    measure: string,
    task: JsonObject,
    call: JudgeOptions,
  ) => Effect.Effect<ReadonlyArray<Verdict.Verdict>, CallError>
  /** Asks whether the process answers at all; succeeds with the milliseconds it took. */
  readonly ping: Effect.Effect<number, CallError>
}

/**
 * Asks by calls of the protocol.
 *
 * @param callMs how long a call may take that does not say, in milliseconds
 */
export const make = (plugin: string, { call }: Calls, callMs: number): Components => {
  const calling = <A>(
    name: string,
    frame: (id: number, now: number) => HostFrame,
    take: (frame: OkFrame) => Effect.Effect<A, CallError>,
    { timeoutMs = callMs, causationId, taskId, onProgress, readPage }: CallOptions & Partial<JudgeOptions> = {},
  ) => call({ name, frame, take, timeoutMs, causationId, taskId, onProgress, readPage })
  return {
    read: (sensor, options) =>
      calling(
        `read ${plugin}/${sensor}`,
        (id, now) => ({ type: "read", id, component: sensor, now }),
        valueIn,
        options,
      ),
    act: (actuator, args, options) =>
      calling(
        `act ${plugin}/${actuator}`,
        (id, now) => ({ type: "act", id, component: actuator, args, now }),
        actAnswerIn,
        options,
      ),
    reset: (options, callOptions) =>
      calling(
        `reset ${plugin}`,
        (id, now) => ({ type: "reset", id, options, now }),
        stateIn(plugin, `reset ${plugin}`),
        callOptions,
      ),
    restore: (options, state, callOptions) =>
      calling(
        `restore ${plugin}`,
        (id, now) => ({ type: "reset", id, options, state, now }),
        stateIn(plugin, `restore ${plugin}`),
        callOptions,
      ),
    judge: (measure, task, options) => {
      const name = `judge ${plugin}/${measure}`
      return calling(
        name,
        (id, now) => ({ type: "judge", id, measure, task, now: options.now ?? now }),
        ({ value }) =>
          Either.match(Verdict.decode(value), {
            onLeft: (wrong) => new AnswerInvalid({ plugin, call: name, reason: `expected ${plainText(wrong)}` }),
            onRight: (verdicts) => Effect.succeed(verdicts),
          }),
        options,
      )
    },
    ping: Effect.suspend(() => {
      const startedAt = performance.now()
      return calling(
        `ping ${plugin}`,
        (id) => ({ type: "ping", id }),
        () => Effect.sync(() => performance.now() - startedAt),
      )
    }),
  }
}

const valueIn = ({ value }: OkFrame) => Effect.succeed(value)

const actAnswerIn = ({ value, state }: OkFrame): Effect.Effect<ActAnswer> =>
  Effect.succeed(state === undefined ? { result: value } : { result: value, state })

const stateIn =
  (plugin: string, call: string) =>
  ({ state }: OkFrame): Effect.Effect<Json, AnswerInvalid> =>
    state === undefined
      ? new AnswerInvalid({ plugin, call, reason: "expected the environment's state, found none" })
      : Effect.succeed(state)

/** What the manifest declares and the entry exports must be the same. */
export const agree = (manifest: Manifest, exports: Exports): Effect.Effect<void, ExportsDisagree> => {
  const declared = names({
    sensors: sensorsOf(manifest).map(({ name }) => name),
    actuators: actuatorsOf(manifest).map(({ name }) => name),
    environment: manifest.peas.environment !== undefined,
    restores: manifest.peas.environment?.rewind?.includes("snapshot") === true,
    measures: judgedOf(manifest).map(({ name }) => name),
  })
  const exported = names(exports)
  const undeclared = exported.filter((name) => !declared.includes(name))
  const missing = declared.filter((name) => !exported.includes(name))
  return undeclared.length === 0 && missing.length === 0
    ? Effect.void
    : new ExportsDisagree({ plugin: manifest.name, undeclared, missing })
}

const names = ({ sensors, actuators, environment, restores, measures }: Exports): ReadonlyArray<string> => [
  ...sensors.map((name) => `sensor ${name}`),
  ...actuators.map((name) => `actuator ${name}`),
  ...(environment ? ["environment"] : []),
  ...(restores === true ? ["environment.restore"] : []),
  ...measures.map((name) => `measure ${name}`),
]
