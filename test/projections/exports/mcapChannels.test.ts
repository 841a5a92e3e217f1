import { it } from "@effect/vitest"
import { McapIndexedReader, type McapTypes } from "@mcap/core"
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { DecodedEvent } from "../../../src/events/read/Records.ts"
import * as McapChannels from "../../../src/projections/exports/McapChannels.ts"
import type { JsonObject } from "../../../src/values/Json.ts"
import { encoded, event } from "./given.ts"

const MANIFEST = {
  peas: {
    sensors: [{ name: "view", description: "What is seen", reading: { type: "object", required: ["room"] } }],
    actuators: [{ name: "go", args: { type: "object", properties: { to: { type: "string" } } } }],
  },
}

const STORY = [
  event(1, "TaskOpened", { goal: "", measures: [], agent: "a" }),
  event(2, "SensorRead", { sensor: "room/view", reading: { room: "hall" }, priority: 3, latencyMs: 1.5 }),
  event(3, "ActuatorCommanded", {
    commandId: "c1",
    actuator: "room/go",
    args: { to: "study" },
    argsDigest: "",
    priority: 0,
  }),
  event(4, "CommandAllowed", { commandId: "c1", rule: "r" }),
  event(5, "SensorRead", { sensor: "room/view", reading: { room: "study" }, priority: 3, latencyMs: 1 }),
  event(6, "CommandSucceeded", { commandId: "c1", result: { moved: true }, latencyMs: 2 }),
  event(7, "SensorFailed", { sensor: "other/smell", error: { code: "timeout", message: "none" } }),
  event(8, "CommandSucceeded", { commandId: "of-before", result: {}, latencyMs: 2 }),
]

const imported = (position: number, manifest: JsonObject) => ({ position, plugin: "room", manifest })

const options = (imports: ReadonlyArray<McapChannels.Imported> = [imported(1, MANIFEST)]) => ({
  log: "log.db",
  head: { position: 8, hash: "f".repeat(64) },
  version: "1.2.3",
  imports,
})

const written = (items: ReadonlyArray<DecodedEvent>, given = options()) =>
  Effect.gen(function* () {
    const bytes = yield* encoded(McapChannels.encoder(given), items)
    return yield* Effect.promise(async () => {
      const readable = {
        size: async () => BigInt(bytes.length),
        read: async (offset: bigint, length: bigint) => bytes.subarray(Number(offset), Number(offset + length)),
      }
      const reader = await McapIndexedReader.Initialize({ readable })
      const messages: Array<McapTypes.TypedMcapRecords["Message"]> = []
      for await (const message of reader.readMessages()) messages.push(message)
      const metadata: Array<McapTypes.TypedMcapRecords["Metadata"]> = []
      for await (const record of reader.readMetadata()) metadata.push(record)
      return { reader, messages, metadata }
    })
  })

const contentOf = ({ data }: { readonly data: Uint8Array }) => JSON.parse(Buffer.from(data).toString())

describe("readings and commands as an MCAP file, read by its indexes", () => {
  it.effect("have a channel for each sensor and actuator", () =>
    Effect.gen(function* () {
      const { reader } = yield* written(STORY)
      const channels = [...reader.channelsById.values()]
      expect(
        channels.map(({ topic, messageEncoding, metadata }) => [topic, messageEncoding, metadata.get("kind")]),
      ).toEqual([
        ["/room/view", "json", "sensor"],
        ["/room/go", "json", "actuator"],
        ["/other/smell", "json", "sensor"],
      ])
      expect(channels[0]?.metadata.get("description")).toBe("What is seen")
      const counts = channels.map(({ id }) => Number(reader.statistics?.channelMessageCounts.get(id)))
      expect(counts).toEqual([2, 2, 1])
    }),
  )

  it.effect("hold the events' content, with the log's times in nanoseconds and its positions", () =>
    Effect.gen(function* () {
      const { messages } = yield* written(STORY)
      expect(messages.map(({ sequence, logTime, publishTime }) => [sequence, logTime, publishTime])).toEqual(
        [2, 3, 5, 6, 7].map((position) => {
          const occurred = BigInt(1_700_000_000_000 + position * 10) * 1_000_000n
          return [position, occurred + 1_000_000n, occurred]
        }),
      )
      expect(messages.map(contentOf)).toEqual([
        {
          event: "SensorRead",
          taskId: "t1",
          sensor: "room/view",
          reading: { room: "hall" },
          priority: 3,
          latencyMs: 1.5,
        },
        { event: "ActuatorCommanded", taskId: "t1", ...JSON.parse(STORY[2]?.text ?? "") },
        {
          event: "SensorRead",
          taskId: "t1",
          sensor: "room/view",
          reading: { room: "study" },
          priority: 3,
          latencyMs: 1,
        },
        { event: "CommandSucceeded", taskId: "t1", commandId: "c1", result: { moved: true }, latencyMs: 2 },
        { event: "SensorFailed", taskId: "t1", sensor: "other/smell", error: { code: "timeout", message: "none" } },
      ])
    }),
  )

  it.effect("are of the JSON Schema of their channel, in which stands what the manifest declares", () =>
    Effect.gen(function* () {
      const { reader, messages } = yield* written(STORY)
      const ajv = new Ajv({ allowUnionTypes: true })
      for (const message of messages) {
        const schema = reader.schemasById.get(reader.channelsById.get(message.channelId)?.schemaId ?? 0)
        expect(schema?.encoding).toBe("jsonschema")
        expect(ajv.validate(contentOf(schema ?? { data: new Uint8Array() }), contentOf(message))).toBe(true)
      }
      const view = [...reader.schemasById.values()].find(({ name }) => name === "hindcast.room/view")
      expect(contentOf(view ?? { data: new Uint8Array() }).properties.reading.anyOf[0]).toEqual({
        type: "object",
        required: ["room"],
      })
    }),
  )

  it.effect("are of it also where a command was denied for its arguments, and where a schema refers to itself", () =>
    Effect.gen(function* () {
      const list = { type: "array", items: { $ref: "#/$defs/list" }, $defs: { list: { $ref: "#" } } }
      const manifest = {
        peas: {
          sensors: [{ name: "view", reading: list }],
          actuators: [{ name: "go", args: { type: "object", required: ["to"] }, result: list }],
        },
      }
      const commanded = { commandId: "c2", actuator: "room/go", args: { where: 3 }, argsDigest: "", priority: 0 }
      const { reader, messages } = yield* written(
        [
          event(2, "SensorRead", { sensor: "room/view", reading: [[], [[]]], priority: 0, latencyMs: 1 }),
          event(3, "ActuatorCommanded", commanded),
          event(4, "CommandDenied", { commandId: "c2", rule: "args-schema", reason: "args.to: expected a value" }),
          event(5, "ActuatorCommanded", { ...commanded, commandId: "c3", args: { to: "study" } }),
          event(6, "CommandSucceeded", { commandId: "c3", result: [[]], latencyMs: 2 }),
          event(7, "SensorFailed", { sensor: "room/view", error: { code: "x", message: "y" } }),
          event(9, "SensorRead", { sensor: "room/view", reading: null, priority: 0, latencyMs: 1 }),
          event(8, "SensorSkipped", { sensor: "room/view", reason: "deadline", perception: 1 }),
        ],
        options([imported(1, manifest)]),
      )
      expect(messages).toHaveLength(8)
      for (const message of messages) {
        const schema = reader.schemasById.get(reader.channelsById.get(message.channelId)?.schemaId ?? 0)
        const ajv = new Ajv2020({ allowUnionTypes: true })
        const content = contentOf(message)
        const isValid = ajv.validate(contentOf(schema ?? { data: new Uint8Array() }), content)
        expect({ content, isValid, errors: ajv.errors }).toEqual({ content, isValid: true, errors: null })
      }
    }),
  )

  const CHANGED = { peas: { sensors: [{ name: "view", reading: { type: "string" } }] } }
  const looked = (position: number) =>
    event(position, "SensorRead", { sensor: "room/view", reading: "hall", priority: 0, latencyMs: 1 })

  it.effect("get a channel with another schema where a later version declares another", () =>
    Effect.gen(function* () {
      expect(yield* readingsDeclared([...STORY, looked(10)], [imported(1, MANIFEST), imported(9, CHANGED)])).toEqual([
        { type: "object", required: ["room"] },
        { type: "string" },
      ])
    }),
  )

  it.effect("have the schema of the version that stood then, whichever of the events are exported", () =>
    Effect.gen(function* () {
      const imports = [imported(4, MANIFEST), imported(9, CHANGED)]
      expect(yield* readingsDeclared([looked(10)], imports)).toEqual([{ type: "string" }])
      expect(yield* readingsDeclared([looked(8)], imports)).toEqual([{ type: "object", required: ["room"] }])
      expect(yield* readingsDeclared([looked(2)], imports)).toEqual([{ type: "object", required: ["room"] }])
    }),
  )

  /** The schemas of readings on the channels of `room/view`. */
  const readingsDeclared = (items: ReadonlyArray<DecodedEvent>, imports: ReadonlyArray<McapChannels.Imported>) =>
    Effect.map(written(items, options(imports)), ({ reader }) =>
      [...reader.channelsById.values()]
        .filter(({ topic }) => topic === "/room/view")
        .map(({ schemaId }) => reader.schemasById.get(schemaId))
        .map((schema) => contentOf(schema ?? { data: new Uint8Array() }).properties.reading.anyOf[0]),
    )

  it.effect("hold an outcome that became known after it was not", () =>
    Effect.gen(function* () {
      const { messages } = yield* written([
        ...STORY.slice(0, 3),
        event(4, "CommandOutcomeUnknown", { commandId: "c1" }),
        event(5, "CommandSucceeded", { commandId: "c1", result: {}, latencyMs: 2 }),
      ])
      expect(messages.map((message) => contentOf(message).event)).toEqual([
        ...["SensorRead", "ActuatorCommanded", "CommandOutcomeUnknown", "CommandSucceeded"],
      ])
    }),
  )

  it.effect("say which log they are of, and what wrote them", () =>
    Effect.gen(function* () {
      const { reader, metadata } = yield* written(STORY)
      expect(reader.header.library).toBe("hindcast 1.2.3")
      expect(metadata.map(({ name, metadata }) => [name, Object.fromEntries(metadata)])).toEqual([
        ["hindcast", { log: "log.db", head: "8", head_hash: "f".repeat(64) }],
      ])
    }),
  )

  it.effect("come in chunks that are indexed, so that a reader finds a time without the rest", () =>
    Effect.gen(function* () {
      const reading = { room: "x".repeat(10_000) }
      const many = Array.from({ length: 500 }, (_, index) =>
        event(index + 1, "SensorRead", { sensor: "room/view", reading, priority: 0, latencyMs: 1 }),
      )
      const { reader, messages } = yield* written(many)
      expect(messages).toHaveLength(500)
      expect(reader.chunkIndexes.length).toBeGreaterThanOrEqual(4)
      expect(reader.statistics).toMatchObject({
        messageCount: 500n,
        channelCount: 1,
        chunkCount: reader.chunkIndexes.length,
      })
      const after = BigInt(1_700_000_000_000 + 4_000) * 1_000_000n
      const late = yield* Effect.promise(async () => {
        const found = []
        for await (const message of reader.readMessages({ startTime: after })) found.push(message.sequence)
        return found
      })
      expect(late).toEqual(Array.from({ length: 101 }, (_, index) => 400 + index))
    }),
  )

  it.effect("are a sound file where there are none", () =>
    Effect.gen(function* () {
      const { messages, metadata } = yield* written([])
      expect([messages.length, metadata.length]).toEqual([0, 1])
    }),
  )
})
