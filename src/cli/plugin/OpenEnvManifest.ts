/** Writes the plugin of an OpenEnv server's environment, from the schemas that the server gives. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Data, Effect, Schema } from "effect"
import { MAX_LENGTHS } from "../../plugins/manifest/characterChecks.ts"
import { FILE, manifestsIn } from "../../plugins/manifest/Manifest.ts"
import * as GrantedFetch from "../../plugins/mcp/GrantedFetch.ts"
import { LONGEST_TEXT, ofJsonSchema } from "../../plugins/spaces/ofJsonSchema.ts"
import type { Space } from "../../plugins/spaces/Space.ts"
import { type Json, JsonObject } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import { visible, visibleLines } from "../../values/PlainText.ts"
import { describe } from "../../values/schema/Mistakes.ts"
import { BadInput } from "../command/BadInput.ts"
import { inPackage } from "../command/PackageFiles.ts"
import { ManifestExists } from "./PythonManifest.ts"

/** The server does not answer as a server of OpenEnv does. */
export class NotOpenEnv extends Data.TaggedError("NotOpenEnv")<{
  readonly url: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `${this.url}: expected ${this.expected}, found ${this.found}. Nothing was written.`
  }
}

/** The server, and the plugin to make of it. */
export interface OpenEnvPlugin {
  /** An absolute path. Created if missing. */
  readonly directory: string
  readonly name: string
  /** The server's own address, of `http:` or `https:`. */
  readonly url: string
  /** The URL or path of the manifest's JSON Schema. */
  readonly schema: string
}

const WORLD = "world.ts"

/** Time for an answer, in milliseconds. */
const ANSWER_MS = 30_000

/** Maximum size of the schemas, in characters. */
const MAX_CHARACTERS = 1024 * 1024

/**
 * Asks the server for its metadata and schemas, and writes a manifest and the module that talks to it. Returns their
 * names, the host to grant, and what the spaces leave out.
 */
export const write = ({ directory, name, url, schema }: OpenEnvPlugin) =>
  Effect.gen(function* () {
    const stats = fs.statSync(directory, { throwIfNoEntry: false })
    if (stats?.isDirectory() === false) return yield* new ManifestExists({ directory, found: "a file" })
    const files = stats === undefined ? [] : fs.readdirSync(directory)
    const found = manifestsIn(files)[0] ?? files.find((file) => file === WORLD)
    if (found !== undefined) return yield* new ManifestExists({ directory, found })
    const server = yield* addressOf(url)
    const metadata = yield* answerOf(server, "metadata")
    const schemas = yield* answerOf(server, "schema")
    const described = yield* manifestOf({ name, schema, server, metadata, schemas })
    fs.mkdirSync(directory, { recursive: true })
    fs.writeFileSync(path.join(directory, FILE), `${JSON.stringify(described.manifest, null, 2)}\n`, { flag: "wx" })
    fs.copyFileSync(inPackage("template", "openenv", WORLD), path.join(directory, WORLD), fs.constants.COPYFILE_EXCL)
    return { files: [FILE, WORLD], host: server.host, notes: described.notes }
  })

const addressOf = (typed: string): Effect.Effect<URL, BadInput> => {
  if (GrantedFetch.hostOf(typed) === undefined) {
    const expected = "the address of a server of OpenEnv, such as http://127.0.0.1:8000"
    return new BadInput({ input: "--openenv", expected, found: `"${typed}"` })
  }
  const url = new URL(typed)
  url.pathname = url.pathname.replace(/\/*$/, "/")
  url.search = ""
  url.hash = ""
  return Effect.succeed(url)
}

const decodeObject = Schema.decodeUnknown(Schema.parseJson(JsonObject))

const answerOf = (server: URL, name: string): Effect.Effect<JsonObject, NotOpenEnv> => {
  const url = new URL(name, server).href
  const wrong = (expected: string, found: string) =>
    new NotOpenEnv({ url, expected, found: visible(found).slice(0, 500) })
  return Effect.tryPromise({
    try: async () => {
      const response = await GrantedFetch.make([server.host])(url, { signal: AbortSignal.timeout(ANSWER_MS) })
      if (!response.ok) throw new Error(`the status ${response.status}`)
      const parts: Array<Uint8Array> = []
      let bytes = 0
      for await (const part of response.body ?? []) {
        bytes += part.length
        if (bytes > MAX_CHARACTERS) throw new Error(`more than ${MAX_CHARACTERS} bytes`)
        parts.push(part)
      }
      return Buffer.concat(parts).toString("utf8")
    },
    catch: (cause) => wrong("an answer of OpenEnv", cause instanceof Error ? cause.message : String(cause)),
  }).pipe(
    Effect.flatMap((text) => Effect.mapError(decodeObject(text), (error) => wrong("a JSON object", describe(error)))),
  )
}

interface Made {
  readonly space: Space
  /** For the world's module; see `template/openenv/world.ts`. */
  readonly fields: {
    readonly field: string | null
    readonly fields: ReadonlyArray<string>
    readonly json: ReadonlyArray<string>
  }
  readonly notes: ReadonlyArray<string>
}

const JSON_TEXT: Space = { type: "Text", min_length: 0, max_length: LONGEST_TEXT }

/** A space of some fields: of a single field its own, otherwise a Dict. A field without a space is JSON in a text. */
const made = (part: string, root: JsonObject, fields: ReadonlyArray<string>, notes: ReadonlyArray<string>): Made => {
  const properties = asObject(root.properties)
  const spaces = fields.map((field) => [field, ofJsonSchema(properties[field], root)] as const)
  const json = spaces.flatMap(([field, space]) => (space === undefined ? [field] : []))
  const [only, ...others] = spaces
  return {
    space:
      only !== undefined && others.length === 0
        ? (only[1] ?? JSON_TEXT)
        : { type: "Dict", subspaces: Object.fromEntries(spaces.map(([field, space]) => [field, space ?? JSON_TEXT])) },
    fields: { field: only !== undefined && others.length === 0 ? only[0] : null, fields, json },
    notes: [...notes, ...json.map((field) => `${part}/${visible(field)} is JSON in a text: no space has its values`)],
  }
}

const typeOf = (schema: Json | undefined) => asObject(schema).type

/** Fields that a Dict space takes. */
const isField = (name: string): boolean => name !== "__proto__" && name.isWellFormed()

const actionsOf = (root: JsonObject): Made | undefined => {
  const names = Object.keys(asObject(root.properties)).filter((name) => name !== "metadata" && isField(name))
  const required = Array.isArray(root.required) ? root.required : []
  const wanted = names.filter((name) => required.includes(name))
  const used = wanted.length === 0 ? names : wanted
  if (used.length === 0) return undefined
  const left = names.filter((name) => !used.includes(name))
  const note = (name: string) => `action/${visible(name)} is left out: the server has a default for it`
  return made("action", root, used, left.map(note))
}

const observationsOf = (root: JsonObject): Made | undefined => {
  const properties = asObject(root.properties)
  const hasFlags = typeOf(properties.terminated) === "boolean" && typeOf(properties.truncated) === "boolean"
  const isOther = (name: string) =>
    ["done", "reward", "metadata"].includes(name) ||
    (hasFlags && ["terminated", "truncated"].includes(name)) ||
    (name === "info" && typeOf(properties.info) === "object")
  const used = Object.keys(properties).filter((name) => !isOther(name) && isField(name))
  return used.length === 0 ? undefined : made("observation", root, used, [])
}

interface ManifestInput {
  readonly name: string
  readonly schema: string
  readonly server: URL
  readonly metadata: JsonObject
  readonly schemas: JsonObject
}

const manifestOf = ({ name, schema, server, metadata, schemas }: ManifestInput) =>
  Effect.gen(function* () {
    const url = new URL("schema", server).href
    const lacking = (part: string) =>
      new NotOpenEnv({
        url,
        expected: `the schema of an ${part} with fields`,
        found: JSON.stringify(schemas[part] ?? null).slice(0, 200),
      })
    const action = actionsOf(asObject(schemas.action))
    const observation = observationsOf(asObject(schemas.observation))
    if (action === undefined) return yield* lacking("action")
    if (observation === undefined) return yield* lacking("observation")
    const title = proseOf(metadata.name, name).slice(0, 200)
    const description = proseOf(metadata.description, `The environment ${title}.`)
    const status = `state.environment[${JSON.stringify(name)}].episode.agents["agent"].status`
    const socket = new URL("ws", server)
    socket.protocol = server.protocol === "https:" ? "wss:" : "ws:"
    const variables = {
      url: socket.href,
      action: action.fields,
      observation: observation.fields,
      state: true,
      unrecorded: ["episode_id", "task"],
    }
    return {
      notes: [...action.notes, ...observation.notes],
      manifest: {
        $schema: schema,
        name,
        description,
        version:
          typeof metadata.version === "string" && /^[\w.+-]{1,50}$/.test(metadata.version) ? metadata.version : "0",
        entry: WORLD,
        permissions: { read: [], run: [], net: [server.host] },
        variables: Object.entries(variables).map(([key, value]) => ({ key, value })),
        peas: {
          performance: [
            {
              name: "reach-an-end",
              description: "Does the episode reach an end of its own?",
              rewards: [
                { name: "ended", when: "The episode terminated.", weight: 1, rule: `${status} == "terminated"` },
              ],
            },
          ],
          environment: {
            name: title,
            description,
            spaces: { observation: observation.space, action: action.space },
            options: { type: "object" },
            rewind: ["re-execution"],
          },
        },
      },
    }
  })

const proseOf = (given: Json | undefined, otherwise: string): string =>
  visibleLines(typeof given === "string" && given.trim() !== "" ? given.trim() : otherwise)
    .slice(0, MAX_LENGTHS.prose)
    .toWellFormed()
