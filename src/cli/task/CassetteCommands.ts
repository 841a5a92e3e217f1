/** The command `hindcast cassette record`: saves a provider's answers to an agent, for playing them offline. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Command } from "@effect/cli"
import { Effect, Option } from "effect"
import * as CassetteRecorder from "../../agents/models/CassetteRecorder.ts"
import * as Models from "../../agents/models/Models.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, text } from "../command/CommonOptions.ts"
import * as Output from "../command/Output.ts"
import * as OutputFormat from "../export/OutputFormat.ts"
import * as AgentOption from "./AgentOption.ts"
import * as RunCommand from "./RunCommand.ts"

const { guide, maxTokens, maxUsd } = AgentOption.modelOptions

export const record = Command.make(
  "record",
  {
    ...common,
    file: argument("file", "The cassette to write, a file that must not exist"),
    model: text("model", "The model to record, as provider/model"),
    guide,
    maxTokens,
    maxUsd,
    ...RunCommand.workOptions,
  },
  ({ file, model, ...typed }) =>
    Effect.gen(function* () {
      yield* OutputFormat.check("cassette record", file, "json")
      const cassette = yield* newFile(file)
      const recorder = CassetteRecorder.make(cassette)
      const loading = Models.load(model, { fetch: recorder.fetch })
      const agents = Effect.map(
        Effect.flatMap(loading, (loaded) => AgentOption.fromModel(typed, loaded)),
        (other) => ({ named: {}, other }),
      )
      yield* RunCommand.work("cassette record", typed, agents, {
        ...typed,
        cassette: Option.none(),
        hedgeMs: Option.none(),
      })
      yield* newFile(file)
      yield* recorder.save
      yield* Output.note(`Recorded in ${file}. Anyone who can read the file can read the whole conversation.`)
    }),
).pipe(
  Command.withDescription(
    "Let a language model work on a goal, and save its provider's answers in a file, which --cassette plays. If an answer contains a key, or the model fails, the command writes no file",
  ),
)

const newFile = (file: string): Effect.Effect<string, BadInput> =>
  Effect.suspend(() => {
    const [absolute, input] = [path.resolve(file), `cassette record ${file}`]
    const directory = path.dirname(absolute)
    if (fs.existsSync(absolute)) {
      const advice = "Name another, or remove it."
      return new BadInput({ input, expected: "a file that does not exist", found: "one that does", advice })
    }
    return fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true
      ? Effect.succeed(absolute)
      : new BadInput({ input, expected: "a file in a directory that exists", found: `none at ${directory}` })
  })
