/** Writes the manifest of an environment that is written in Python, from what its class says. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Data, Effect, Either, Schema } from "effect"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import { EITHER_FILE, FILE, manifestsIn } from "../../plugins/manifest/Manifest.ts"
import * as PythonDescription from "../../plugins/process/PythonDescription.ts"
import { JsonObject } from "../../values/Json.ts"
import { BadInput } from "../command/BadInput.ts"

/** The directory has a manifest: edit that one, or remove it. */
export class ManifestExists extends Data.TaggedError("ManifestExists")<{
  readonly directory: string
  readonly found: string
}> {
  override get message() {
    return `${this.directory}: expected a directory without ${EITHER_FILE}, found ${this.found}. Nothing was written.`
  }
}

/** The class, and the plugin to make of it. */
export interface PythonPlugin {
  /** An absolute path. Created if missing. */
  readonly directory: string
  readonly name: string
  /** `module:Class`. */
  readonly entry: string
  /** Arguments of the class: JSON. */
  readonly arguments: string | undefined
  /** The URL or path of the manifest's JSON Schema. */
  readonly schema: string
}

/** The oldest Python that the runner works with. */
const PYTHON = ">=3.9"

/** Writes the manifest, and returns the name of its file. */
export const write = ({ directory, name, entry, arguments: given, schema }: PythonPlugin) =>
  Effect.gen(function* () {
    const stats = fs.statSync(directory, { throwIfNoEntry: false })
    if (stats?.isDirectory() === false) return yield* new ManifestExists({ directory, found: "a file" })
    const made = fs.mkdirSync(directory, { recursive: true })
    const [found] = manifestsIn(fs.readdirSync(directory))
    if (found !== undefined) return yield* new ManifestExists({ directory, found })
    const variables = yield* argumentsIn(given)
    const description = yield* Effect.acquireUseRelease(
      Effect.sync(() => {
        const place = AtomicFile.nameFor(path.join(os.tmpdir(), "hindcast-describe"))
        fs.mkdirSync(place, { mode: OwnerOnly.DIRECTORY_MODE })
        return fs.realpathSync(place)
      }),
      (denoDir) =>
        PythonDescription.describe({
          plugin: name,
          directory: fs.realpathSync(directory),
          entry,
          variables,
          python: PYTHON,
          denoDir,
        }),
      (place) => Effect.sync(() => fs.rmSync(place, { recursive: true, force: true })),
    ).pipe(Effect.tapError(() => Effect.sync(() => made !== undefined && fs.rmSync(made, { recursive: true }))))
    const manifest = manifestOf({ name, entry, variables, schema }, description)
    fs.writeFileSync(path.join(directory, FILE), `${JSON.stringify(manifest, null, 2)}\n`, { flag: "wx" })
    return FILE
  })

const decodeArguments = Schema.decodeUnknownEither(Schema.parseJson(JsonObject))

const argumentsIn = (text: string | undefined): Effect.Effect<JsonObject, BadInput> => {
  if (text === undefined) return Effect.succeed({})
  const decoded = decodeArguments(text)
  return Either.isRight(decoded)
    ? Effect.succeed(decoded.right)
    : new BadInput({
        input: "--arguments",
        expected: 'a JSON object, such as {"id":"CartPole-v1"}',
        found: `"${text}"`,
      })
}

const manifestOf = (
  {
    name,
    entry,
    variables,
    schema,
  }: Pick<PythonPlugin, "name" | "entry" | "schema"> & { readonly variables: JsonObject },
  { class: title, description, spaces, rewind, mask, maxSteps, python }: PythonDescription.Description,
) => {
  const text = description.trim() === "" ? `The environment ${title}.` : description.trim()
  const status = `state.environment[${JSON.stringify(name)}].episode.agents["agent"].status`
  const [, minor] = python.split(".")
  const values = Object.entries(variables).map(([key, value]) => ({ key, value }))
  return {
    $schema: schema,
    name,
    description: text,
    version: "0.1.0",
    runtime: "python",
    python: `>=3.${minor}`,
    entry,
    permissions: { read: [], run: [] },
    peas: {
      performance: [
        {
          name: "reach-an-end",
          description: "Does the episode reach an end of its own?",
          rewards: [{ name: "ended", when: "The episode terminated.", weight: 1, rule: `${status} == "terminated"` }],
        },
      ],
      environment: {
        name: title,
        description: text,
        spaces,
        rewind,
        ...(mask ? { mask } : {}),
        ...(maxSteps === null ? {} : { max_episode_steps: maxSteps }),
      },
    },
    ...(values.length === 0 ? {} : { variables: values }),
  }
}
