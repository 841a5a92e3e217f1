/** The demo's agents: their models, guide, tools and sensor, and their kernel. */
import { Effect, Option, Schema } from "effect"
import { Agent, EventLog, Gate, Hindcast, type Json, Models, Sensor, Tool } from "hindcast"
import { inPackage } from "../../PackageFiles.ts"
import type { User } from "../Stage.ts"
import * as Repository from "./Repository.ts"

export const GOAL = "Fix the failing test"

/** The only plugin: this program's tools and sensor. */
export const PLUGINS = ["program"]

/** The actuator that needs a person's approval. */
export const WRITE_FILE = "program/write_file"

export const GUIDE = inPackage("examples", "coding-agent", "guide.yaml")

export const Cast = Schema.Struct({
  /** `provider/model` */
  model: Schema.String,
  /** The cassette to play; null to ask a provider. */
  cassette: Schema.NullOr(Schema.String),
})

export type Cast = typeof Cast.Type

/** A scripted model, with its cassette in the package. */
export const scripted = (name: "careful" | "hasty"): Cast => ({
  model: `scripted/${name}`,
  cassette: inPackage("examples", "coding-agent", `${name}.json`),
})

export const agent = ({ play }: Pick<User, "play">, { model, cassette }: Cast) =>
  Effect.gen(function* () {
    const loaded = yield* cassette === null ? Models.load(model) : play(cassette, model)
    return Agent.fromModel({
      model: loaded,
      guide: yield* Agent.Guide.load(GUIDE),
      budget: cassette === null ? BUDGET : {},
    })
  })

/** Scripted models need none. */
const BUDGET = { steps: 20, tokens: 200_000 }

/** The first free task id of `fix-1`, `fix-2` …, which is short enough to type. */
export const freeId = Effect.gen(function* () {
  const log = yield* EventLog.EventLog
  const opened = yield* log.readPage({ types: ["TaskOpened"] }, MAX_TASKS)
  const taken = new Set(opened.map(({ taskId }) => taskId))
  let number = 1
  while (taken.has(`fix-${number}`)) number += 1
  return `fix-${number}`
})

const MAX_TASKS = 10_000

export const Place = Schema.Struct({
  filename: Schema.String,
  directory: Schema.String.annotations({ description: "The repository" }),
})

export type Place = typeof Place.Type

const File = Schema.Literal(...Repository.FILES)

/** A kernel whose agents see the test results, read files, and write files after a person's approval. */
export const kernel = (
  { actor, owner }: Pick<User, "actor" | "owner">,
  { filename, directory }: Place,
  gate = Gate.standard,
) =>
  Hindcast.layer({
    log: filename,
    workspace: directory,
    actor,
    owner,
    // The standard gate asks a person about high risks.
    gate,
    // The killed kernel's task waits for a resume.
    onOpenTasks: "resume",
    sensors: {
      tests: Sensor.make({
        description: "Runs the repository's tests: how many pass, and what the others say",
        read: () => Repository.runTests(directory).then((result) => ({ ...result })),
      }),
    },
    tools: {
      read_file: Tool.make({
        description: "Reads a file of the repository",
        args: Schema.Struct({ path: File }),
        risk: "none",
        idempotent: true,
        run: ({ path }) => Repository.readFile(directory, path),
      }),
      write_file: Tool.make({
        description: "Replaces a file of the repository",
        args: Schema.Struct({ path: File, content: Schema.String }),
        risk: "high",
        idempotent: true,
        run: ({ path, content }) => Repository.writeFile(directory, path, content),
      }),
    },
  })

const Named = Schema.Struct({ path: Schema.String })

export const pathIn = (args: Json): string =>
  Option.match(Schema.decodeUnknownOption(Named)(args), { onNone: () => "a file", onSome: ({ path }) => path })
