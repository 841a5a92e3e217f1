/** What the demo's agents are: their models, what they are told, their tools, and the kernel that they work on. */
import { Effect, Schema } from "effect"
import { Agent, Gate, Hindcast, Models, Tool } from "hindcast"
import { inPackage } from "../../PackageFiles.ts"
import type { User } from "../Stage.ts"
import * as Repository from "./Repository.ts"

/** What the agents are to achieve. */
export const GOAL = "Find out why the tests fail, and mend it"

/** The plugins that take part: the tools of this program, and the directory. */
export const PLUGINS = ["program", "workspace"]

/** The file with what the agents are told. */
export const GUIDE = inPackage("examples", "live", "guide.yaml")

/** A model of the story. */
export const Cast = Schema.Struct({
  /** `provider/model` */
  model: Schema.String,
  /** The cassette that is played; null for a provider that is asked. */
  cassette: Schema.NullOr(Schema.String),
})

export type Cast = typeof Cast.Type

/** The scripted model with this name, whose cassette is part of the package. */
export const scripted = (name: "careful" | "hasty"): Cast => ({
  model: `scripted/${name}`,
  cassette: inPackage("examples", "live", `${name}.json`),
})

/** The agent that thinks with a model. */
export const agent = ({ play }: User, { model, cassette }: Cast) =>
  Effect.gen(function* () {
    const loaded = yield* cassette === null ? Models.load(model) : play(cassette, model)
    return Agent.fromModel({
      model: loaded,
      guide: yield* Agent.Guide.load(GUIDE),
      budget: cassette === null ? BUDGET : {},
    })
  })

/** What a provider's model may use up in one task. Nobody counts the tokens of scripted ones. */
const BUDGET = { steps: 20, tokens: 200_000 }

/** Where a kernel works. */
export const Place = Schema.Struct({
  filename: Schema.String,
  directory: Schema.String.annotations({ description: "The repository" }),
  sandbox: Schema.Literal("auto", "namespaces", "flags"),
})

export type Place = typeof Place.Type

/** A kernel whose agents have the tools `run_tests` and `read_file`, and may write in the repository if a person agrees. */
export const kernel = ({ actor, owner }: User, { filename, directory, sandbox }: Place) =>
  Hindcast.layer({
    log: filename,
    workspace: directory,
    actor,
    owner,
    gate: Gate.standard,
    host: { sandbox },
    plugins: [inPackage("plugins", "workspace")],
    // The task of a kernel that was killed waits to be resumed.
    onOpenTasks: "resume",
    tools: {
      run_tests: Tool.make({
        description: "Runs the repository's tests: what each says, and whether all passed",
        risk: "none",
        idempotent: true,
        run: () => Repository.runTests(directory).then((result) => ({ ...result })),
      }),
      read_file: Tool.make({
        description: "Reads a file of the repository: prices.mjs or prices.test.mjs",
        args: Schema.Struct({ path: Schema.String }),
        risk: "none",
        idempotent: true,
        run: ({ path }) => Repository.readFile(directory, path),
      }),
    },
  })
