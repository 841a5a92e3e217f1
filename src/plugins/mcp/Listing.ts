/** The tools and resources that a server offers, and the plugin's files that follow from them. */
import { Effect } from "effect"
import { digest } from "../../values/Digest.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject, isObject } from "../../values/JsonObjects.ts"
import { visibleLines } from "../../values/PlainText.ts"
import { MAX_LENGTHS } from "../manifest/characterChecks.ts"
import type { Actuator, Manifest, Sensor } from "../manifest/schema.ts"
import { checkSchema } from "../schemas/checkSchema.ts"
import * as GrantedFetch from "./GrantedFetch.ts"
import * as ServerEntry from "./ServerEntry.ts"
import type { ServerSession } from "./ServerSession.ts"
import * as ToolPins from "./ToolPins.ts"

/** The tools and resources that a server lists. */
export interface Listing {
  /** The server's own name and version. */
  readonly about: string
  /** The version alone, as far as a manifest takes it. */
  readonly version: string
  readonly protocol: string
  readonly tools: ReadonlyArray<Json>
  readonly resources: ReadonlyArray<Json>
}

export const NOTHING: Listing = { about: "", version: "0", protocol: "", tools: [], resources: [] }

/** Lists tools and resources. Fails with the server's error. */
export const of = (session: ServerSession): Effect.Effect<Listing, string> =>
  Effect.tryPromise({
    try: async () => ({
      about: session.about,
      version: /^[\w.+-]{1,50}$/.test(session.version) ? session.version : "0",
      protocol: session.protocol,
      tools: await session.listTools(),
      resources: await session.listResources(),
    }),
    catch: (cause) => (cause instanceof Error ? cause.message : String(cause)),
  })

export interface PluginFiles {
  readonly manifest: Manifest
  readonly entry: ServerEntry.ServerEntry
  /** The tools and resources without a component, and why: a line each. */
  readonly leftOut: ReadonlyArray<string>
}

export interface FilesInput {
  readonly name: string
  readonly server: ServerEntry.Server
  readonly env: ReadonlyArray<string>
  /** Time-out of a call, in milliseconds. */
  readonly callMs: number
}

/** Maximum number of tools that become actuators. */
const MAX_TOOLS = 500

/** Maximum number of resources that become sensors: an agent reads all of them at each step. */
export const MAX_RESOURCES = 32

/**
 * The manifest and the entry. Tools are actuators with their schemas, resources sensors. A tool with an unusable schema
 * is left out. Pure.
 */
export const filesOf = (
  { name, server, env, callMs }: FilesInput,
  { about, version, tools, resources }: Listing,
): PluginFiles => {
  const names = new Set<string>()
  const leftOut: Array<string> = []
  const actuators: Array<Actuator> = []
  const entryTools: Array<ServerEntry.ServerEntry["tools"][number]> = []
  for (const definition of tools) {
    const tool = ToolPins.nameOf(definition)
    if (tool === undefined || !isObject(definition)) continue
    const mistake = actuators.length >= MAX_TOOLS ? `only ${MAX_TOOLS} tools are used` : mistakeIn(definition)
    if (mistake !== undefined) {
      leftOut.push(`tool ${tool}: ${mistake}`)
      continue
    }
    const actuator = uniqueName(tool, names)
    actuators.push(actuatorOf(actuator, definition, callMs))
    entryTools.push({ actuator, definition })
  }
  const sensors: Array<Sensor> = []
  const entryResources: Array<ServerEntry.ServerEntry["resources"][number]> = []
  for (const resource of resources) {
    const { uri, name: title, description } = asObject(resource)
    if (typeof uri !== "string" || uri === "") continue
    if (sensors.length >= MAX_RESOURCES) {
      leftOut.push(`resource ${uri}: only ${MAX_RESOURCES} resources are used`)
      continue
    }
    const sensor = uniqueName(typeof title === "string" && title !== "" ? title : uri, names)
    sensors.push({ name: sensor, description: prose(description, `The resource ${uri}`), timeout: callMs })
    entryResources.push({ sensor, uri })
  }
  const variables = [...new Set([...env, ...ServerEntry.variablesOf(server)])]
  const host = ServerEntry.isLocal(server) ? undefined : GrantedFetch.hostOf(server.url)
  const manifest: Manifest = {
    name,
    description: prose(undefined, `The MCP server ${about === "" ? ServerEntry.named(server) : about}`),
    version: `${version}+${digest([...tools, ...resources]).slice(0, 8)}`,
    entry: ServerEntry.FILE,
    runtime: "mcp",
    permissions: {
      read: [],
      run: ServerEntry.isLocal(server) ? [server.command] : [],
      ...(host === undefined || ServerEntry.isLocal(server) ? {} : { net: [host, ...(server.addresses ?? [])] }),
      ...(variables.length === 0 ? {} : { env: variables }),
    },
    peas: { performance: [], actuators, sensors },
  }
  return { manifest, entry: { server, tools: entryTools, resources: entryResources }, leftOut }
}

const actuatorOf = (name: string, definition: JsonObject, timeout: number): Actuator => {
  const risk = ToolPins.riskOf(definition)
  const result = resultOf(definition.outputSchema)
  return {
    name,
    description: prose(definition.description, `The tool ${String(definition.name)}`),
    timeout,
    ...(isObject(definition.inputSchema) ? { args: definition.inputSchema } : {}),
    ...(result === undefined ? {} : { result }),
    ...(risk === undefined ? {} : { risk }),
  }
}

const mistakeIn = ({ inputSchema }: JsonObject): string | undefined => {
  if (!isObject(inputSchema)) return "it has no schema of its arguments"
  const [mistake] = checkSchema(inputSchema)
  return mistake && `its schema${mistake.path}: expected ${mistake.expected}, found ${mistake.found.slice(0, 200)}`
}

/** References start at the root of a schema, which is no longer the output's own. */
const resultOf = (outputSchema: Json | undefined): JsonObject | undefined => {
  if (!isObject(outputSchema) || JSON.stringify(outputSchema).includes('"$')) return undefined
  const schema = { type: "object", required: ["structuredContent"], properties: { structuredContent: outputSchema } }
  return checkSchema(schema).length === 0 ? schema : undefined
}

/** A component's name: its own if it is free, otherwise with a number. */
const uniqueName = (wanted: string, names: Set<string>): string => {
  const base = ToolPins.slug(wanted)
    .slice(0, MAX_LENGTHS.name - 4)
    .toWellFormed()
  let name = base
  for (let number = 2; names.has(name); number++) name = `${base}-${number}`
  names.add(name)
  return name
}

const prose = (text: Json | undefined, otherwise: string): string => {
  const found = typeof text === "string" && text.trim() !== "" ? text : otherwise
  return visibleLines(found).slice(0, MAX_LENGTHS.prose).toWellFormed()
}
