/** Answers `/api/scenarios` and its subpaths, `/api/scenario` and `/api/schemas`: scenarios and rubrics in files. */

import * as path from "node:path"
import { Effect, Either, JSONSchema, Schema } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import * as Rubric from "../../kernel/rules/Rubric.ts"
import { defined } from "../../values/defined.ts"
import { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { jsonSchema } from "../../worlds/scenario/Scenario.ts"
import { Allowed, NotAllowed, untilBegun } from "../Allowed.ts"
import * as RubricText from "../course/RubricText.ts"
import { MAX_LENGTH } from "../course/TextLimits.ts"
import * as ScenarioFiles from "../scenarios/ScenarioFiles.ts"
import * as ScenarioText from "../scenarios/ScenarioText.ts"
import type { TextIssue } from "../wire/Asking.ts"
import type { ScenarioRun, TextToCheck, TextToSave } from "../wire/Scenarios.ts"
import { AgentNotFound } from "./Forks.ts"
import * as Rubrics from "./Rubrics.ts"

const allowed = Effect.flatMap(Allowed, ({ write, scenarios }) =>
  !write
    ? new NotAllowed({ what: "edit scenarios", option: "write" })
    : scenarios === null
      ? new NotAllowed({ what: "edit scenarios", option: "scenarios" })
      : Effect.succeed(scenarios),
)

export const ListQuery = Schema.Struct({})

export const list = (_: typeof ListQuery.Type) =>
  Effect.gen(function* () {
    const { directories, agents } = yield* allowed
    return {
      files: yield* ScenarioFiles.list(directories),
      directories: directories.map((directory) => path.basename(directory)),
      agents: [...agents.keys()],
    }
  })

export const ReadQuery = Schema.Struct({ file: Schema.NonEmptyString })

export const read = ({ file }: typeof ReadQuery.Type) =>
  Effect.flatMap(allowed, ({ directories }) => ScenarioFiles.read(directories, file))

const Kind = Schema.Literal("scenario", "rubric")

/** Longer texts cannot be checked here, so they cannot be saved. */
const Text = Schema.String.pipe(
  Schema.maxLength(MAX_LENGTH, { message: () => `expected a text of at most ${MAX_LENGTH} characters` }),
)

export const CheckBody: Schema.Schema<TextToCheck> = Schema.Struct({ kind: Kind, text: Schema.String })

export const check = ({ kind, text }: TextToCheck) =>
  Effect.gen(function* () {
    yield* allowed
    if (kind === "scenario") return yield* ScenarioText.issues(text)
    return Either.match(yield* RubricText.parse(text), {
      onLeft: (issues): ReadonlyArray<TextIssue> => issues,
      onRight: () => [],
    })
  })

export const SaveBody: Schema.Schema<TextToSave> = Schema.Struct({
  file: Schema.NonEmptyString,
  text: Text,
  digest: Schema.NullOr(Schema.String),
})

/**
 * Writes a file unless it changed since it was read. Saves one at a time, so that two pages cannot both find it
 * unchanged.
 */
export const save = (order: TextToSave) =>
  Effect.flatMap(allowed, ({ directories }) => saving.withPermits(1)(ScenarioFiles.save(directories, order)))

const saving = Effect.unsafeMakeSemaphore(1)

export const LookBody = Schema.Struct({ text: Text })

const SEED = 0

export const look = ({ text }: typeof LookBody.Type) =>
  Effect.gen(function* () {
    const { look } = yield* allowed
    const { played } = yield* ScenarioText.inWorld(text)
    return yield* look(played, SEED)
  })

export const RunBody: Schema.Schema<ScenarioRun> = Schema.Struct({
  file: Schema.NonEmptyString,
  digest: Schema.String,
  agent: Schema.NonEmptyString,
  seed: Schema.optionalWith(Options.Seed, { exact: true }),
})

/** Lets an agent play a file. Returns once its task is open; the agent keeps running. */
export const run = ({ file, digest, agent: name, seed }: ScenarioRun) =>
  Effect.gen(function* () {
    const { directories, agents, begin } = yield* allowed
    const agent = agents.get(name)
    if (agent === undefined) return yield* new AgentNotFound({ agent: name, known: [...agents.keys()] })
    const found = yield* ScenarioFiles.read(directories, file)
    if (found.digest !== digest) return yield* new ScenarioFiles.FileChanged({ file, found: "was changed" })
    const { loaded } = yield* ScenarioText.inWorld(found.text)
    const log = yield* EventLog
    const { position: after } = yield* log.head
    const task = newId()
    const working = yield* begin(agent, loaded, { id: task, ...defined({ seed }) })
    yield* untilBegun(working, log.follow({ after, taskId: task, types: ["TaskOpened"] }))
    return { timeline: log.timeline, task }
  })

export const SchemaQuery = Schema.Struct({ of: Kind })

/** The JSON Schema of such a document, for the editor's help. Rubrics can be written without scenarios, too. */
export const schema = ({ of }: typeof SchemaQuery.Type) =>
  Effect.map(of === "rubric" ? Rubrics.allowed : Effect.asVoid(allowed), () =>
    of === "scenario" ? jsonSchema() : Schema.decodeUnknownSync(JsonObject)(plain(JSONSchema.make(Rubric.Rubric))),
  )

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
