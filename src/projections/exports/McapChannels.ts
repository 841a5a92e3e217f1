/** Readings and commands as an MCAP file, for robotics tools such as Foxglove. */

import { McapWriter } from "@mcap/core"
import type { DecodedEvent } from "../../events/read/Records.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import { nanoseconds } from "../../values/Time.ts"
import type { Encoder } from "./Encoder.ts"
import type { EventSource } from "./EventTable.ts"

/** The origin of the events, and the plugin manifests. */
export interface McapOptions extends EventSource {
  readonly version: string
  /** Every import of a plugin in the log, in order, whichever events are exported. */
  readonly imports: ReadonlyArray<Imported>
}

/** A plugin's manifest, and the position from which it applies. */
export interface Imported {
  readonly position: number
  readonly plugin: string
  readonly manifest: JsonObject
}

/** Approximate size of a chunk in bytes. MCAP indexes whole chunks. */
const CHUNK_BYTES = 1024 * 1024

/**
 * Encodes readings and commands as an MCAP file (https://mcap.dev/spec). Each sensor and actuator has a channel, whose
 * topic is its name (`/text-room/look`), with JSON messages and a JSON Schema that includes the manifest's. A message's
 * log time is the event's `recordedAt`, its publish time `occurredAt`, its sequence number the position.
 *
 * A sensor's message is a reading, a failure or a skipped turn; an actuator's is a command's request or outcome (see
 * `event`). Chunks are uncompressed, with indexes and statistics; the metadata record `hindcast` names the log.
 */
export const encoder = (options: McapOptions): Encoder<DecodedEvent> => {
  let chunks: Array<Uint8Array> = []
  let position = 0n
  const writer = new McapWriter({
    writable: {
      write: async (bytes) => {
        // The writer reuses its buffer.
        chunks.push(bytes.slice())
        position += BigInt(bytes.length)
      },
      position: () => position,
    },
    chunkSize: CHUNK_BYTES,
  })
  const takeBytes = () => {
    const bytes = Buffer.concat(chunks)
    chunks = []
    return bytes
  }
  const { imports } = options
  // Before its first import, a plugin is assumed to declare that import's components.
  const channels = channelsOf(writer, new Map(imports.toReversed().map(({ plugin, manifest }) => [plugin, manifest])))
  let declared = 0
  /** The actuators of pending commands: an outcome names only its command. */
  const actuatorOfCommand = new Map<string, string>()
  let started = false

  const start = async () => {
    if (started) return
    started = true
    await writer.start({ profile: "", library: `hindcast ${options.version}` })
    await writer.addMetadata({
      name: "hindcast",
      metadata: new Map([
        ["log", options.log],
        ["head", String(options.head.position)],
        ["head_hash", options.head.hash],
      ]),
    })
  }

  const addEvent = async ({ link, text }: DecodedEvent) => {
    if (!TYPES.has(link.type)) return
    for (let next = imports[declared]; next !== undefined && next.position < link.position; next = imports[declared]) {
      channels.declare(next.plugin, next.manifest)
      declared += 1
    }
    const payload = JSON.parse(text) as JsonObject
    const commandId = typeof payload.commandId === "string" ? payload.commandId : undefined
    if (commandId !== undefined && typeof payload.actuator === "string")
      actuatorOfCommand.set(commandId, payload.actuator)
    const component = commandId === undefined ? payload.sensor : actuatorOfCommand.get(commandId)
    // The command was requested before the first exported event.
    if (typeof component !== "string") return
    if (ENDS_COMMAND.has(link.type) && commandId !== undefined) actuatorOfCommand.delete(commandId)
    const channelId = await channels.of(component, commandId === undefined ? "sensors" : "actuators")
    const message = { event: link.type, taskId: link.taskId, ...payload }
    await writer.addMessage({
      channelId,
      sequence: link.position >>> 0,
      logTime: nanoseconds(link.recordedAt),
      publishTime: nanoseconds(link.occurredAt),
      data: Buffer.from(JSON.stringify(message)),
    })
  }

  return {
    add: async (page) => {
      await start()
      for (const event of page) await addEvent(event)
      return takeBytes()
    },
    end: async () => {
      await start()
      await writer.end()
      return takeBytes()
    },
  }
}

/** Without `CommandOutcomeUnknown`: the outcome can still become known. */
const ENDS_COMMAND: ReadonlySet<string> = new Set(["CommandDenied", "CommandSucceeded", "CommandFailed"])

const TYPES: ReadonlySet<string> = new Set([
  ...["SensorRead", "SensorFailed", "SensorSkipped", "ActuatorCommanded", "CommandOutcomeUnknown"],
  ...ENDS_COMMAND,
])

type Kind = "sensors" | "actuators"

/** Registers the channel of a component at its first message, and again when the plugin's declaration changes. */
const channelsOf = (writer: McapWriter, manifests: Map<string, JsonObject>) => {
  /** The channel of each component by its plugin's current declaration. */
  const current = new Map<string, number>()
  const channelIds = new Map<string, number>()
  const make = async (component: string, kind: Kind): Promise<number> => {
    const declared = declaredIn(manifests.get(pluginOf(component)) ?? {}, kind, component)
    const description = typeof declared.description === "string" ? declared.description : ""
    const schema = JSON.stringify(SCHEMAS[kind](component, declared))
    const key = JSON.stringify([component, schema, description])
    const known = channelIds.get(key)
    if (known !== undefined) return known
    const name = `hindcast.${component}`
    const schemaId = await writer.registerSchema({ name, encoding: "jsonschema", data: Buffer.from(schema) })
    const channelId = await writer.registerChannel({
      topic: `/${component}`,
      schemaId,
      messageEncoding: "json",
      metadata: new Map([
        ["kind", kind === "sensors" ? "sensor" : "actuator"],
        ["description", description],
      ]),
    })
    channelIds.set(key, channelId)
    return channelId
  }
  return {
    declare: (plugin: string, manifest: JsonObject) => {
      manifests.set(plugin, manifest)
      for (const component of current.keys()) if (pluginOf(component) === plugin) current.delete(component)
    },
    of: async (component: string, kind: Kind): Promise<number> => {
      const channelId = current.get(component) ?? (await make(component, kind))
      current.set(component, channelId)
      return channelId
    },
  }
}

const pluginOf = (component: string): string => component.slice(0, component.indexOf("/"))

const declaredIn = (manifest: JsonObject, kind: Kind, component: string): JsonObject => {
  const listed = asObject(manifest.peas)[kind]
  const name = component.slice(component.indexOf("/") + 1)
  const found = Array.isArray(listed) ? listed.map(asObject).find((one) => one.name === name) : undefined
  return found ?? {}
}

const text = { type: "string" }
const number = { type: "number" }
const failure = { type: "object", properties: { code: text, message: text } }
const common = { event: text, taskId: { type: ["string", "null"] } }

/** Embeds a plugin's schema in another one, under its own id, so that its references stay within it. */
const embedded = (component: string, part: string, declared: Json): Json =>
  JSON.stringify(declared).includes('"$ref"') && !("$id" in asObject(declared))
    ? { $id: `hindcast:${component}/${part}`, ...asObject(declared) }
    : declared

/** The plugin's schema, or one of these types. */
const declaredOr = (component: string, part: string, declared: Json, ...types: ReadonlyArray<string>): Json => ({
  anyOf: [embedded(component, part, declared), ...types.map((type) => ({ type }))],
})

/**
 * The JSON Schemas of messages, which include the plugin's. Arguments are recorded before they are validated, so those
 * of a denied command may have any form. Unreadable personal fields are null.
 */
const SCHEMAS: Readonly<Record<Kind, (component: string, declared: JsonObject) => Json>> = {
  sensors: (component, { reading = {} }) => ({
    type: "object",
    properties: {
      ...common,
      sensor: text,
      reading: declaredOr(component, "reading", reading, "null"),
      priority: number,
      latencyMs: number,
      error: failure,
      reason: text,
    },
    required: ["event", "taskId", "sensor"],
  }),
  actuators: (component, { args = {}, result = {} }) => ({
    type: "object",
    properties: {
      ...common,
      commandId: text,
      actuator: text,
      args: declaredOr(component, "args", args, "object", "null"),
      result: declaredOr(component, "result", result, "null"),
      latencyMs: number,
      error: failure,
      reason: text,
    },
    required: ["event", "taskId", "commandId"],
  }),
}
