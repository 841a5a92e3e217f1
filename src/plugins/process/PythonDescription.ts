/** Asks an environment written in Python what its manifest has to say of it: makes one in the sandbox, and ends it. */
import { execFile } from "node:child_process"
import { Effect, Either, Schema } from "effect"
import * as UserStore from "../../platform/user/UserStore.ts"
import { type JsonObject, plainText } from "../../values/Json.ts"
import { mistakesOf } from "../../values/schema/Mistakes.ts"
import { NO_GRANTS } from "../manifest/Grants.ts"
import { PluginUnavailable } from "../PluginError.ts"
import { limitsOf } from "../sandbox/Limits.ts"
import type { LinkLeaves, TooManyFiles } from "../sandbox/Links.ts"
import { type PreparedPython, preparePython } from "../sandbox/PreparePython.ts"
import * as Tier from "../sandbox/Tier.ts"
import * as Tools from "../sandbox/Tools.ts"
import { SpaceSchema } from "../spaces/SpaceSchema.ts"

const Description = Schema.Struct({
  class: Schema.String,
  /** The first paragraph of the class's documentation; empty without one. */
  description: Schema.String,
  spaces: Schema.Struct({ observation: SpaceSchema, action: SpaceSchema }),
  rewind: Schema.Array(Schema.Literal("snapshot", "re-execution")),
  mask: Schema.Boolean,
  /** The limit of steps of Gymnasium's registry; null without one. */
  maxSteps: Schema.NullOr(Schema.Positive.pipe(Schema.int())),
})

/** The part of a manifest that follows from a class. */
export interface Description extends Schema.Schema.Type<typeof Description> {
  /** The interpreter's version, such as `3.11.7`. */
  readonly python: string
}

/** The class to ask. */
export interface DescriptionInput {
  /** The plugin's name, for messages. */
  readonly plugin: string
  /** An absolute, real path with the module, unless a package has it. */
  readonly directory: string
  /** `module:Class`. */
  readonly entry: string
  /** Arguments of the class, by their names. */
  readonly variables: JsonObject
  /** As in the manifest. */
  readonly python: string
  /** A directory for what its confinement needs. */
  readonly denoDir: string
}

/** In milliseconds: packages of Python take seconds to import. */
const DESCRIBE_MS = 60_000

/** Maximum size of the output, in bytes. */
const MAX_BYTES = 8 * 1024 * 1024

const decode = Schema.decodeUnknownEither(
  Schema.parseJson(Schema.Union(Schema.Struct({ error: Schema.String }), Description)),
)

/** Makes an environment in the strongest sandbox of this machine, without grants, and describes it. */
export const describe = (
  input: DescriptionInput,
): Effect.Effect<
  Description,
  PluginUnavailable | LinkLeaves | TooManyFiles | Tools.DenoMissing | Tier.SandboxUnavailable
> =>
  Effect.gen(function* () {
    const { plugin, directory, entry, variables, python, denoDir } = input
    const tools = yield* Tools.find
    const { layer, libraries } = yield* Tier.choose(tools)
    const store = UserStore.directory()
    const request = {
      plugin,
      directory,
      grants: NO_GRANTS,
      forbidden: store === undefined ? [] : [store],
      denoDir,
      limits: limitsOf(),
      python,
    }
    const prepared = yield* preparePython(
      { tools, layer, libraries },
      {
        ...request,
        args: (found) => {
          const settings = { directory, path: found.interpreter.path, guard: found.guard }
          return ["describe", entry, JSON.stringify(variables), JSON.stringify(settings)]
        },
      },
    )
    const said = yield* run(prepared)
    const answer = decode(said.stdout.trimEnd().split("\n").at(-1) ?? "")
    const unavailable = (reason: string) => new PluginUnavailable({ plugin, reason: plainText(reason) })
    if (Either.isLeft(answer)) {
      const [mistake] = mistakesOf(answer.left)
      const why = said.failure ?? mistake?.message ?? "it says nothing"
      return yield* unavailable(`expected ${entry} to be described, found ${[why, said.lastError].join(" ").trim()}`)
    }
    if ("error" in answer.right) return yield* unavailable(answer.right.error)
    return { ...answer.right, python: prepared.interpreter.version }
  })

interface Said {
  readonly stdout: string
  readonly lastError: string
  readonly failure: string | undefined
}

const run = ({ command: { command, args, cwd, env } }: PreparedPython): Effect.Effect<Said> =>
  Effect.async((resume) => {
    const options = {
      timeout: DESCRIBE_MS,
      killSignal: "SIGKILL",
      maxBuffer: MAX_BYTES,
      cwd,
      env,
      encoding: "utf8",
    } as const
    const child = execFile(command, [...args], options, (error, stdout, stderr) => {
      const lastError = stderr.trim().split("\n").at(-1) ?? ""
      const failure =
        error === null
          ? undefined
          : child.killed
            ? `no answer within ${DESCRIBE_MS} ms, or more than ${MAX_BYTES} bytes`
            : `an end with code ${String(error.code)}:`
      resume(Effect.succeed({ stdout, lastError, failure }))
    })
    child.stdin?.end()
    return Effect.sync(() => child.kill("SIGKILL"))
  })
