import * as zlib from "node:zlib"

/** A log of Inspect, in its forms. */
export const spec = {
  run_id: "run1",
  task_id: "task1",
  task: "sums",
  model: "openai/gpt-5",
  created: "2026-01-01T00:00:00+00:00",
}
export const header = (status = "success") => ({ version: 2, status, eval: spec })

const stamp = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

const system = { id: "s", role: "system", content: "You add." }
const user = { id: "u", role: "user", content: "What is 2 + 2?" }
const asked = {
  id: "a",
  role: "assistant",
  content: "",
  tool_calls: [{ id: "c1", function: "add", arguments: { a: 2, b: 2 } }],
}
const told = { id: "t", role: "tool", tool_call_id: "c1", function: "add", content: "4" }
const said = { id: "b", role: "assistant", content: "attachment://h1" }

const output = (message: object) => ({
  choices: [{ message, stop_reason: "stop" }],
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 22, input_tokens_cache_read: 7 },
})

export type Pooling = "inline" | "message_pool" | "events_data"

/** The sample of the log, its messages inline or in a pool. */
export const sample = (id: string | number, epoch: number, pooling: Pooling = "inline", more: object = {}) => {
  const pool = [system, user, asked, told]
  const input = (until: number) =>
    pooling === "inline"
      ? { input: pool.slice(0, until) }
      : {
          input: [],
          input_refs: [
            [0, 1],
            [1, until],
          ],
        }
  return {
    id,
    epoch,
    input: "What is 2 + 2?",
    target: "4",
    scores: {
      match: { value: "C", answer: "4", explanation: "It is." },
      detail: { value: { speed: 0.25, style: "I", tone: "odd" } },
    },
    attachments: { h1: "It is 4." },
    events: [
      { event: "sample_init", timestamp: stamp(0), sample: {}, state: { store: { n: 0 } } },
      { event: "span_begin", timestamp: stamp(0) },
      {
        event: "model",
        timestamp: stamp(1),
        completed: stamp(3),
        model: "openai/gpt-5",
        ...input(2),
        output: output(asked),
      },
      {
        event: "approval",
        timestamp: stamp(4),
        message: "",
        call: { id: "c1" },
        approver: "human",
        decision: "approve",
        explanation: "Fine.",
      },
      {
        event: "tool",
        timestamp: stamp(4),
        completed: stamp(5),
        id: "c1",
        function: "add",
        arguments: { a: 2, b: 2 },
        result: "4",
      },
      { event: "store", timestamp: stamp(5), changes: [{ op: "replace", path: "/n", value: 4, replaced: 0 }] },
      {
        event: "model",
        timestamp: stamp(6),
        completed: stamp(7),
        model: "openai/gpt-5",
        ...input(4),
        output: output(said),
      },
      { event: "from-the-future", timestamp: stamp(8) },
    ],
    ...(pooling === "message_pool" ? { message_pool: pool } : {}),
    ...(pooling === "events_data" ? { events_data: { messages: pool, calls: [] } } : {}),
    ...more,
  }
}

/** The parts of a sample in the chunked layout: what events refer to is named by its place. */
export const chunks = (id: string, epoch: number): ReadonlyArray<Part> => {
  const { events, message_pool: pool = [], attachments: _, ...shell } = sample(id, epoch, "message_pool")
  const prefix = `samples/${id}_epoch_${epoch}`
  const text = JSON.stringify(events).replace("attachment://h1", "attachment://0")
  const all: ReadonlyArray<unknown> = JSON.parse(text)
  return [
    ...[10, 2, 0].map((start, index) => ({
      name: `${prefix}/events/${start}.json`,
      json: [all.slice(5), all.slice(2, 5), all.slice(0, 2)][index],
    })),
    { name: `${prefix}/events/stats.json`, json: {} },
    { name: `${prefix}/messages/0.json`, json: pool },
    { name: `${prefix}/attachments/0.json`, json: ["It is 4."] },
    { name: `${prefix}/sample.json`, json: shell },
  ]
}

export interface Part {
  readonly name: string
  readonly json: unknown
  /** Stored, deflated, or Zstandard. Default: deflated. */
  readonly method?: 0 | 8 | 93
  /** The size that the archive states. Default: that of the part. */
  readonly stated?: number
  /** The checksum that the archive states. Default: that of the part. */
  readonly crc?: number
  /** Where the archive says that the part is. Default: where it is. */
  readonly at?: number
}

/** A ZIP archive (APPNOTE 6.3.10). */
export const zip = (parts: ReadonlyArray<Part>): Buffer => {
  const files: Array<Buffer> = []
  const directory: Array<Buffer> = []
  let offset = 0
  for (const { name, json, method = 8, stated, crc, at } of parts) {
    const content = Buffer.from(typeof json === "string" ? json : JSON.stringify(json))
    const bytes = method === 0 ? content : method === 8 ? zlib.deflateRawSync(content) : zstd(content)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(method, 4)
    fields.writeUInt32LE(crc ?? crc32(content), 10)
    fields.writeUInt32LE(bytes.length, 14)
    fields.writeUInt32LE(stated ?? content.length, 18)
    fields.writeUInt16LE(Buffer.byteLength(name), 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at ?? offset, 10)
    const file = Buffer.concat([Buffer.from("PK\u0003\u0004"), fields, Buffer.from(name), bytes])
    directory.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0000"), fields, place, Buffer.from(name)]))
    files.push(file)
    offset += file.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(parts.length, 4)
  end.writeUInt16LE(parts.length, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...files, list, Buffer.from("PK\u0005\u0006"), end])
}

/** CRC-32 as in ISO 3309, bit by bit. */
const crc32 = (content: Buffer): number => {
  let crc = 0xffffffff
  for (const byte of content) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

/** A Zstandard frame (RFC 8878) of raw blocks. */
const zstd = (content: Buffer): Buffer => {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0])
  head.writeUInt32LE(content.length, 5)
  const blocks: Array<Buffer> = []
  const size = 1024
  for (let from = 0; from === 0 || from < content.length; from += size) {
    const block = content.subarray(from, from + size)
    const last = from + size >= content.length ? 1 : 0
    const of = (block.length << 3) | last
    blocks.push(Buffer.from([of & 255, (of >> 8) & 255, of >> 16]), block)
  }
  return Buffer.concat([head, ...blocks])
}
