/** An agent whose decisions a client makes, and the client's tools and sensors, as the kernel takes them. */
import { Cause, Effect, Runtime } from "effect"
import type { ModelCost, ModelFailureKind, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import type { Choice, DecidingAgent, DecisionContext } from "../../kernel/agents/Agent.ts"
import * as Sensor from "../../kernel/program/Sensor.ts"
import * as Tool from "../../kernel/program/Tool.ts"
import { ModelCallFailed, type ModelCallRequest, type ModelCallResponse } from "../../kernel/tasks/ModelCalls.ts"
import type { Risk } from "../../plugins/manifest/Manifest.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { Asks } from "./Asks.ts"

export interface DeclaredTool {
  readonly name: string
  readonly description: string
  /** A JSON Schema of an object. Default: any object. */
  readonly args?: JsonObject
  readonly risk?: Risk
  readonly idempotent?: boolean
  /** Time limit of a call, in milliseconds. */
  readonly timeout?: number
}

export interface DeclaredSensor {
  readonly name: string
  readonly description: string
  /** A JSON Schema of the readings. Default: any JSON. */
  readonly reading?: JsonObject
}

export const toolsOf = (asks: Asks, declared: ReadonlyArray<DeclaredTool>) =>
  Object.fromEntries(
    declared.map(({ name, ...options }) => [
      name,
      Tool.make({
        ...options,
        run: (args: Json, { commandId, taskId }) => asks.ask({ tool: name, args, command: commandId, task: taskId }),
      }),
    ]),
  )

export const sensorsOf = (asks: Asks, declared: ReadonlyArray<DeclaredSensor>) =>
  Object.fromEntries(
    declared.map(({ name, ...options }) => [
      name,
      Sensor.make({ ...options, read: ({ taskId }) => asks.ask({ sensor: name, task: taskId }) }),
    ]),
  )

/** The questions that the client may ask while it decides. */
export interface Deciding {
  /** A number in [0, 1) that follows from the task's seed. */
  readonly random: () => number
  /** The earlier decisions from this one on. */
  readonly history: (from: number) => DecisionContext["history"]
  /** Either a recorded response, or undefined: the client then asks the model, and tells the response by `answered`. */
  readonly consult: (question: ModelCallRequest) => Effect.Effect<Json | undefined, unknown>
  /** Records a model's response, or its failure. Returns the response as the log has it. */
  readonly answered: (answer: ModelAnswer) => Effect.Effect<Json, unknown>
}

export type ModelAnswer =
  | { readonly response: Json; readonly usage: ModelUsage; readonly cost?: ModelCost }
  | { readonly failed: { readonly name: string; readonly message: string; readonly kind?: ModelFailureKind } }

export interface ClientAgent {
  readonly agent: DecidingAgent
  /** The decision at work; undefined between decisions. */
  readonly deciding: () => Deciding | undefined
}

export const make = (asks: Asks, { name, version }: Pick<DecidingAgent, "name" | "version">): ClientAgent => {
  let deciding: (Deciding & { readonly end: () => void }) | undefined
  let told = ""
  /** Descriptions change seldom: they are sent only when they did. */
  const changed = ({ plugins, sensors, actuators, config }: DecisionContext): JsonObject => {
    const capabilities = { plugins, sensors, actuators, ...defined({ config }) }
    const text = JSON.stringify(capabilities)
    if (text === told) return {}
    told = text
    return JSON.parse(text)
  }
  const decide = (context: DecisionContext) =>
    Effect.suspend(() => {
      deciding = decidingOf(context)
      const { taskId, goal, step, readings, inputs, lastOutcome, now } = context
      const view = { taskId, goal, step, readings, inputs, lastOutcome, now, ...changed(context) }
      // The kernel decodes the choice, and says what is wrong with it.
      return asks.ask({ decide: view as unknown as JsonObject }) as Effect.Effect<unknown, Error> as Effect.Effect<
        Choice,
        Error
      >
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          deciding?.end()
          deciding = undefined
        }),
      ),
    )
  return { agent: { name, version, decide }, deciding: () => deciding }
}

interface Consulting {
  readonly question: ModelCallRequest
  readonly answer: (reply: ModelAnswer) => void
  readonly whole: Promise<Json>
}

/** `end` ends a consultation that the client has begun and not answered, which would keep its task open for ever. */
const decidingOf = (context: DecisionContext): Deciding & { readonly end: () => void } => {
  let consulting: Consulting | undefined
  return {
    random: context.random,
    history: (from) => context.history.slice(from),
    consult: (question) =>
      Effect.suspend(() => {
        let asked: () => void = () => {}
        const isAsked = new Promise<undefined>((resolve) => {
          asked = () => resolve(undefined)
        })
        let answer: Consulting["answer"] = () => {}
        const answered = new Promise<ModelCallResponse>((resolve, reject) => {
          answer = (reply) => ("failed" in reply ? reject(failureOf(question, reply.failed)) : resolve(reply))
        })
        // Each may end before anybody waits for it.
        answered.catch(() => {})
        const whole = context.consult(question, () => {
          asked()
          return answered
        })
        whole.catch(() => {})
        consulting = { question, answer, whole }
        return awaited(Promise.race([whole, isAsked]))
      }),
    end: () => {
      const message = "expected the model's answer before the end of the decision, found none"
      consulting?.answer({ failed: { name: "Error", message } })
      consulting = undefined
    },
    answered: (reply) =>
      Effect.suspend(() => {
        if (consulting === undefined) return Effect.fail(new Error("expected a question to a model before its answer"))
        const { answer, whole } = consulting
        consulting = undefined
        answer(reply)
        return awaited(whole)
      }),
  }
}

/** The log records a failure whose kind is known. */
const failureOf = (
  { provider, model }: ModelCallRequest,
  { name, message, kind }: Extract<ModelAnswer, { readonly failed: unknown }>["failed"],
): Error =>
  kind === undefined
    ? Object.assign(new Error(message), { name })
    : new ModelCallFailed({ provider, model, kind, reason: `${name}: ${message}` })

const awaited = <A>(whole: Promise<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({
    try: () => whole,
    catch: (cause) => (Runtime.isFiberFailure(cause) ? Cause.squash(cause[Runtime.FiberFailureCauseId]) : cause),
  })
