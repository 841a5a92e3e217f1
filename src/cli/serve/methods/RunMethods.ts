/** Methods that record and replay the client's own runs: its requests to models, by a proxy, and its functions. */
import { Effect, Schema } from "effect"
import { TaskOutcome } from "../../../events/vocabulary/Tasks.ts"
import { GateConfig } from "../../../kernel/gate/GateConfig.ts"
import * as RunCalls from "../../../record/proxy/RunCalls.ts"
import * as ProxiedProgram from "../../record/ProxiedProgram.ts"
import * as Method from "../Method.ts"
import type { OpenedRun } from "../OpenedRuns.ts"

const { optional } = Method

const Environment = Schema.Record({ key: Schema.String, value: Schema.String })

const Recording = Schema.Struct({
  log: optional(Schema.String),
  goal: Schema.String,
  agent: Schema.String,
  id: optional(Schema.String),
  continue: optional(Schema.Boolean),
  subject: optional(Schema.String),
  gate: optional(GateConfig),
  onLogFailure: optional(Schema.Literal("go-on", "stop")),
  secrets: optional(Schema.Array(Schema.String)),
  workspace: optional(Schema.String),
  env: Environment,
})

const begun = ({ number, task, variables }: OpenedRun & { readonly number: number }) => ({
  run: number,
  task,
  variables,
})

const record = Method.make("run.record", Recording, (recording, { runs }) => Effect.map(runs.record(recording), begun))

const replay = Method.make(
  "run.replay",
  Schema.Struct({ log: optional(Schema.String), task: Schema.String, env: Environment }),
  (replaying, { runs }) => Effect.map(runs.replay(replaying), begun),
)

/** Asks the gate, and waits for a person if it has to; or answers from the recording. */
const call = Method.make(
  "run.call",
  Schema.Struct({ run: Schema.Number, ...RunCalls.Call.fields }),
  ({ run, ...call }, { runs }) =>
    Effect.flatMap(runs.find(run), ({ calls }) =>
      ProxiedProgram.attempt((signal) => RunCalls.begin(calls, call, signal)),
    ),
)

/** Records how a call ended. */
const ended = Method.make(
  "run.ended",
  Schema.Struct({ run: Schema.Number, ...RunCalls.Ended.fields }),
  ({ run, ...ended }, { runs }) =>
    Effect.flatMap(runs.find(run), ({ calls }) => ProxiedProgram.attempt(() => RunCalls.end(calls, ended))),
)

const end = Method.make(
  "run.end",
  Schema.Struct({ run: Schema.Number, outcome: TaskOutcome, reason: optional(Schema.String) }),
  ({ run, outcome, reason }, { runs }) => runs.end(run, outcome, reason),
)

export const METHODS: ReadonlyArray<Method.Method> = [record, replay, call, ended, end]
