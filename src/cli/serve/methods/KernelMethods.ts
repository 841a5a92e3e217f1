/** Methods for the client's own agents: kernels, on which they work on tasks, and the questions that a kernel asks them. */
import { Effect, Schema } from "effect"
import * as Deciding from "../../../events/vocabulary/Deciding.ts"
import type { DecidingAgent } from "../../../kernel/agents/Agent.ts"
import { ForkOptions } from "../../../kernel/fork/ForkOptions.ts"
import { Kernel } from "../../../kernel/Kernel.ts"
import { Risk } from "../../../plugins/manifest/fields.ts"
import { defined } from "../../../values/defined.ts"
import { Json, JsonObject } from "../../../values/Json.ts"
import * as Scenarios from "../../../worlds/scenario/Scenario.ts"
import * as Ids from "../../command/Ids.ts"
import * as Method from "../Method.ts"
import type { Services } from "../OpenedKernels.ts"
import type { Session } from "../Session.ts"

const { optional } = Method

const Tool = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  args: optional(JsonObject),
  risk: optional(Risk),
  idempotent: optional(Schema.Boolean),
  timeout: optional(Schema.Number),
})

const Sensor = Schema.Struct({ name: Schema.String, description: Schema.String, reading: optional(JsonObject) })

const Opening = Schema.Struct({
  log: optional(Schema.String),
  worlds: optional(Schema.Array(Schema.String)),
  plugins: optional(Schema.Array(Schema.String)),
  tools: optional(Schema.Array(Tool)),
  sensors: optional(Schema.Array(Sensor)),
  gate: optional(Schema.Literal("ask", "allow", "deny")),
  sandbox: optional(Schema.Literal("auto", "namespaces", "flags")),
  trust: optional(Schema.Boolean),
  seed: optional(Schema.Number),
  workspace: optional(Schema.String),
  confirmWithinMs: optional(Schema.Number),
})

const DEFAULTS = {
  ...({ worlds: [], plugins: [], tools: [], sensors: [] } as const),
  ...({ gate: "ask", sandbox: "auto", trust: false } as const),
}

const open = Method.make("kernel.open", Opening, (given, { kernels }) =>
  Effect.map(kernels.open({ ...DEFAULTS, ...given }), ({ number, filename, plugins }) => ({
    kernel: number,
    log: filename,
    plugins,
  })),
)

const OF_KERNEL = { kernel: Schema.Number }

/** A method that begins work. `kernel.next` returns its questions and its end. */
const beginning = <Fields extends Schema.Struct.Fields>(
  name: string,
  fields: Fields,
  work: (agent: DecidingAgent, params: Schema.Struct.Type<Fields>) => Effect.Effect<unknown, unknown, Services>,
): Method.Method => {
  const params = Schema.Struct({
    ...OF_KERNEL,
    agent: Schema.Struct({ name: Schema.String, version: Schema.String }),
    ...fields,
  }) as unknown as Schema.Schema<
    { readonly kernel: number; readonly agent: Pick<DecidingAgent, "name" | "version"> } & Schema.Struct.Type<Fields>
  >
  return Method.make(name, params, ({ kernel, agent, ...given }, { kernels }) =>
    kernels.begin(kernel, agent, (deciding) => work(deciding, given as unknown as Schema.Struct.Type<Fields>)),
  )
}

const LIMITS = { maxSteps: optional(Schema.Number), deadlineMs: optional(Schema.Number) }

const run = beginning(
  "kernel.run",
  {
    goal: Schema.String,
    plugins: optional(Schema.Array(Schema.String)),
    options: optional(Schema.Record({ key: Schema.String, value: JsonObject })),
    seed: optional(Schema.Number),
    subject: optional(Schema.String),
    ...LIMITS,
  },
  (agent, { plugins, options, ...given }) =>
    Effect.gen(function* () {
      const { plugins: registry, tasks } = yield* Kernel
      const taking = Scenarios.pluginsFor(yield* registry.state, 1, plugins)
      return yield* tasks.run(agent, { ...given, ...defined({ plugins: taking, environment: options }) })
    }),
)

const ofTask = (task: string) => Ids.task(task)

const replay = beginning(
  "kernel.replay",
  { task: Schema.String, timeline: optional(Schema.String), deadlineMs: optional(Schema.Number) },
  (agent, { task, ...options }) =>
    Effect.gen(function* () {
      return yield* (yield* Kernel).replay(yield* ofTask(task), agent, options)
    }),
)

const Forking = Schema.Struct({
  at: Schema.Union(Schema.Number, Schema.String),
  task: optional(Schema.String),
  timeline: optional(Schema.String),
  overrides: optional(JsonObject),
  io: optional(Schema.Literal("live", "recorded")),
  fresh: optional(Schema.Boolean),
  acceptUnrewound: optional(Schema.Boolean),
  ...LIMITS,
})

const isForking = Schema.is(ForkOptions)

const fork = beginning("kernel.fork", Forking.fields, (agent, { task, ...options }) =>
  Effect.gen(function* () {
    const named = task === undefined ? {} : { task: yield* ofTask(task) }
    const given = { ...options, ...named }
    // The kernel names each mistake in what is not.
    return yield* (yield* Kernel).fork(agent, isForking(given) ? given : (given as { readonly at: string }))
  }),
)

const resume = beginning(
  "kernel.resume",
  { task: Schema.String, acceptUnrewound: optional(Schema.Boolean), ...LIMITS },
  (agent, { task, ...options }) =>
    Effect.gen(function* () {
      return yield* (yield* Kernel).tasks.resume(yield* ofTask(task), agent, options)
    }),
)

const Failed = Schema.Struct({ name: Schema.String, message: Schema.String })

/** Answers the last question, if there was one, and waits for the next or for the end. */
const next = Method.make(
  "kernel.next",
  Schema.Struct({
    ...OF_KERNEL,
    answer: optional(
      Schema.Union(
        Schema.Struct({ ask: Schema.Number, result: Json }),
        Schema.Struct({ ask: Schema.Number, failed: Failed }),
      ),
    ),
  }),
  ({ kernel, answer }, { kernels }) =>
    Effect.gen(function* () {
      if (answer !== undefined) {
        const { ask, ...reply } = answer
        yield* kernels.answer(kernel, ask, reply)
      }
      return yield* kernels.next(kernel)
    }),
)

/** A method of the decision at work. */
const ofDecision = <A, I>(
  name: string,
  params: Schema.Schema<A & { readonly kernel: number }, I>,
  run: (deciding: DecidingOf, params: A) => Effect.Effect<unknown, unknown>,
) =>
  Method.make(name, params, (given, { kernels }) =>
    Effect.flatMap(kernels.deciding(given.kernel), (deciding) => run(deciding, given)),
  )

type DecidingOf = Effect.Effect.Success<ReturnType<Session["kernels"]["deciding"]>>

const random = ofDecision("kernel.random", Schema.Struct(OF_KERNEL), ({ random }) => Effect.sync(random))

const history = ofDecision(
  "kernel.history",
  Schema.Struct({ ...OF_KERNEL, from: Schema.NonNegativeInt }),
  ({ history }, { from }) => Effect.sync(() => history(from)),
)

/** Answers `{ recorded }` from the log, or null: the client then asks the model, and sends `kernel.consulted`. */
const consult = ofDecision(
  "kernel.consult",
  Schema.Struct({
    ...OF_KERNEL,
    question: Schema.Struct({ provider: Schema.String, model: Schema.String, request: Json }),
  }),
  ({ consult }, { question }) =>
    Effect.map(consult(question), (recorded) => (recorded === undefined ? null : { recorded })),
)

const consulted = ofDecision(
  "kernel.consulted",
  Schema.Struct({
    ...OF_KERNEL,
    answer: Schema.Union(
      Schema.Struct({ response: Json, usage: Deciding.ModelUsage, cost: optional(Deciding.ModelCost) }),
      Schema.Struct({ failed: Schema.Struct({ ...Failed.fields, kind: optional(Deciding.ModelFailureKind) }) }),
    ),
  }),
  ({ answered }, { answer }) => Effect.map(answered(answer), (response) => ({ response })),
)

const stop = Method.make("kernel.stop", Schema.Struct(OF_KERNEL), ({ kernel }, { kernels }) => kernels.stop(kernel))

const close = Method.make("kernel.close", Schema.Struct(OF_KERNEL), ({ kernel }, { kernels }) => kernels.close(kernel))

/** The open tasks that this kernel does not work on. */
const unfinished = Method.make("kernel.unfinished", Schema.Struct(OF_KERNEL), ({ kernel }, { kernels }) =>
  kernels.unfinished(kernel),
)

export const METHODS: ReadonlyArray<Method.Method> = [
  ...[open, run, replay, fork, resume, next],
  ...[random, history, consult, consulted, unfinished, stop, close],
]
