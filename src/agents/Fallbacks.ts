/** The models of an agent, in the order in which they take over when one before them fails. */

import { Effect, Schema } from "effect"
import type { LogError } from "../events/log/EventLog.ts"
import { ModelFailureKind } from "../events/vocabulary/Deciding.ts"
import type { AgentTask } from "../kernel/agents/Agent.ts"
import { isTransient, type ModelCallFailed } from "../kernel/tasks/ModelCalls.ts"
import * as Options from "../values/Options.ts"
import type { Model } from "./models/Model.ts"
import type { UnknownProvider } from "./models/UnusableModel.ts"

/** A model that takes over, and the failures of models before it after which it does. */
export interface Fallback {
  /** A model, or its name as `provider/model`. */
  readonly model: string | Model
  /** Default: the failures that may pass, such as `rate-limited`, `overloaded` and `unreachable`. */
  readonly on?: ReadonlyArray<ModelFailureKind>
}

/** Failures that an agent chose itself, or that no model answers for. */
const NEVER: ReadonlySet<ModelFailureKind> = new Set(["cancelled", "interrupted"])

/** Schema of `Fallback.on`. */
export const On = Schema.Array(
  ModelFailureKind.pipe(
    Schema.filter((kind) => !NEVER.has(kind)),
    Schema.annotations({ description: "a kind of failure, such as overloaded, but neither cancelled nor interrupted" }),
  ),
).pipe(Schema.minItems(1), Schema.annotations({ description: "kinds of failures, at least one" }))

/** Schema of an option of fallbacks: models, their names, or objects with `model` and `on`. */
export const schemaOf = (model: Schema.Schema<string> | Schema.Schema<Model> | Schema.Schema<string | Model>) =>
  Schema.Array(
    Schema.Union(
      model as Schema.Schema<string | Model>,
      Options.of<Fallback>({ required: { model: model as Schema.Schema<string | Model> }, optional: { on: On } }),
    ),
  )

/** A loaded fallback. */
export interface Candidate {
  readonly model: Model
  readonly takesOver: (kind: ModelFailureKind) => boolean
}

export const candidate = (model: Model, on: Fallback["on"]): Candidate => ({
  model,
  takesOver: on === undefined ? isTransient : (kind) => on.includes(kind),
})

/** The models of one task at work. A task stays with a model that took over. */
export interface ModelsInTurn {
  readonly current: () => Model
  /** The next model that takes over after a failure of the current one; undefined if none does. */
  readonly next: (failure: ModelCallFailed) => Model | undefined
  /** The model after the current one; undefined after the last. */
  readonly following: () => Model | undefined
  readonly use: (model: Model) => void
}

/** The models of an agent within its task, where those of plugins are found. */
export const inTask = (
  task: AgentTask,
  { model, candidates }: { readonly model: Model; readonly candidates: ReadonlyArray<Candidate> },
): Effect.Effect<ModelsInTurn, UnknownProvider | LogError> => {
  const found = (one: Model) => one.inTask?.(task) ?? Effect.succeed(one)
  return Effect.gen(function* () {
    const first = yield* found(model)
    const others = yield* Effect.forEach(candidates, (one) =>
      Effect.map(found(one.model), (model) => ({ ...one, model })),
    )
    return inTurn(first, others)
  })
}

const inTurn = (first: Model, candidates: ReadonlyArray<Candidate>): ModelsInTurn => {
  let current = first
  let rest = candidates
  return {
    current: () => current,
    next: ({ kind }) => rest.find(({ takesOver }) => takesOver(kind))?.model,
    following: () => rest[0]?.model,
    use: (model) => {
      const index = rest.findIndex((one) => one.model === model)
      current = model
      rest = rest.slice(index + 1)
    },
  }
}

export const nameOf = ({ provider, model }: Model): string => `${provider}/${model}`
