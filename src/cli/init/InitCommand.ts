/** The command `hindcast init`: asks three questions, and writes a small project: an agent, its gate, a rubric and a test. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import * as Models from "../../agents/models/Models.ts"
import * as Provider from "../../agents/models/providers/Provider.ts"
import { isPluginName } from "../../plugins/manifest/Manifest.ts"
import { BadInput } from "../command/BadInput.ts"
import { shortest } from "../command/CommandHints.ts"
import { argument, json, oneOf, optionalText } from "../command/CommonOptions.ts"
import * as Output from "../command/Output.ts"
import { inPackage } from "../command/PackageFiles.ts"
import * as Question from "../terminal/Question.ts"
import { checkEmpty, installed } from "./NewDirectory.ts"
import * as Project from "./Project.ts"

const options = {
  json,
  directory: argument("dir", "A directory that is new or empty"),
  name: optionalText("name", "The project's name. Default: the directory's"),
  model: optionalText(
    "model",
    "The model of `npm start`, as provider/model. Default: recorded answers, which need no key",
  ),
  gate: oneOf("gate", Project.DECISIONS).pipe(
    Options.withDescription(
      "What the gate does before the agent pays money back: ask a person, or allow it. Default: ask",
    ),
    Options.optional,
  ),
}

export const init = Command.make("init", options, ({ json, directory, ...given }) =>
  Effect.gen(function* () {
    const target = path.resolve(directory)
    yield* checkEmpty(target)
    const ask = (text: string) => (json ? Effect.succeed("") : Question.ask(text))
    const name = yield* nameOf(given.name, path.basename(target), ask)
    const model = yield* modelOf(given.model, ask)
    const gate = yield* gateOf(given.gate, ask)
    const source = fs.realpathSync(installed(target) ?? inPackage())
    fs.mkdirSync(target, { recursive: true })
    const hindcast = `file:${path.relative(fs.realpathSync(target), source).split(path.sep).join("/")}`
    const files = Project.files({ name, model, gate, hindcast })
    for (const [file, text] of files) {
      const place = path.join(target, file)
      fs.mkdirSync(path.dirname(place), { recursive: true })
      fs.writeFileSync(place, text, { flag: "wx" })
    }
    const written = { name, directory: target, model: model?.name ?? null, gate, files: [...files.keys()] }
    yield* Output.show(json, written, (style) => [
      `${style.name(name)} in ${shortest(target)}: ${[...files.keys()].join(", ")}`,
      style.dim("Then:"),
      `  cd ${shortest(target)} && npm install`,
      "  npm test",
      `  npm start${keyOf(model)}`,
    ])
  }),
).pipe(
  Command.withDescription("Create a small project: an agent in TypeScript with a tool, a gate, a rubric and a test"),
)

type Ask = (text: string) => Effect.Effect<string>

const nameOf = (given: Option.Option<string>, usual: string, ask: Ask) =>
  Effect.gen(function* () {
    const name = Option.isSome(given) ? given.value : (yield* ask(`Name of the project [${usual}]: `)).trim() || usual
    if (isPluginName(name)) return name
    const expected =
      "a name of a-z, 0-9, '.', '_' and '-' that starts with a letter or digit, of at most 64 characters; give one with --name"
    return yield* new BadInput({ input: Option.isSome(given) ? "--name" : "dir", expected, found: `"${name}"` })
  })

const modelOf = (given: Option.Option<string>, ask: Ask) =>
  Effect.gen(function* () {
    const examples = "anthropic/claude-sonnet-4-5, openai/gpt-5"
    const name = Option.isSome(given)
      ? given.value
      : (yield* ask(`Model, such as ${examples} [none: recorded answers, without a key]: `)).trim()
    if (name === "" && Option.isNone(given)) return undefined
    const known = yield* Models.lazy(name)
    const provider = Provider.providers.find((one) => one.name === known.provider)
    return provider === undefined ? undefined : { name, provider }
  })

const gateOf = (given: Option.Option<(typeof Project.DECISIONS)[number]>, ask: Ask) =>
  Effect.gen(function* () {
    if (Option.isSome(given)) return given.value
    const answer = (yield* ask("Ask a person before the agent pays money back? [Y/n] ")).trim()
    return /^no?$/i.test(answer) ? "allow" : "ask"
  })

/** Reminds of the provider's key, where it needs one that is not set. */
const keyOf = (model: Project.Choice["model"]): string => {
  const variable = model?.provider.keyVariable
  return variable === undefined || process.env[variable] ? "" : `  # needs ${variable}`
}
