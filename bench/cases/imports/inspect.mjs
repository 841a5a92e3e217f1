/** Logs of Inspect: archives of many samples. */
import * as fs from "node:fs"
import * as path from "node:path"
import * as zlib from "node:zlib"
import { OUTPUT, stamp } from "./lines.mjs"

const LOGS = 10
const SAMPLES = 1_000
const CALLS = 15

export const what = "samples of Inspect"

export const write = (directory) => {
  for (let log = 0; log < LOGS; log++) {
    const samples = Array.from({ length: SAMPLES }, (_, id) => [`samples/${id}_epoch_1.json`, sample(id)])
    const spec = { run_id: `run-${log}`, task_id: `task-${log}`, task: "tests", model: "openai/gpt-5" }
    const header = ["header.json", { version: 2, status: "success", eval: { ...spec, created: stamp(0) } }]
    fs.writeFileSync(path.join(directory, `${log}.eval`), zip([...samples, header]))
  }
}

const sample = (id) => {
  const user = { id: "prompt", role: "user", content: `Make test ${id} pass` }
  const messages = [user]
  const events = [{ event: "sample_init", timestamp: stamp(0), sample: {}, state: {} }]
  const model = (second, message) => ({
    event: "model",
    timestamp: stamp(second),
    completed: stamp(second + 1),
    model: "openai/gpt-5",
    input: [],
    input_refs: [[0, messages.length]],
    output: { choices: [{ message }], usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 } },
  })
  for (let call = 0; call < CALLS; call++) {
    const of = { id: `call-${call}`, function: "bash", arguments: { cmd: `npm test -- ${call}` } }
    const message = { id: `answer-${call}`, role: "assistant", content: "", tool_calls: [of] }
    events.push(model(3 * call, message))
    events.push({
      ...of,
      event: "tool",
      timestamp: stamp(3 * call + 1),
      completed: stamp(3 * call + 2),
      result: OUTPUT,
    })
    messages.push(message, {
      id: `result-${call}`,
      role: "tool",
      tool_call_id: of.id,
      function: "bash",
      content: OUTPUT,
    })
  }
  events.push(model(3 * CALLS, { id: "last", role: "assistant", content: "It passes." }))
  return {
    id,
    epoch: 1,
    input: user.content,
    target: "pass",
    scores: { match: { value: "C" } },
    attachments: {},
    events,
    events_data: { messages, calls: [] },
  }
}

/** A ZIP archive (APPNOTE 6.3.10) with deflated entries. */
const zip = (parts) => {
  const [files, directory] = [[], []]
  let offset = 0
  for (const [name, json] of parts) {
    const content = Buffer.from(JSON.stringify(json))
    const bytes = zlib.deflateRawSync(content)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt32LE(zlib.crc32(content), 10)
    fields.writeUInt32LE(bytes.length, 14)
    fields.writeUInt32LE(content.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    files.push(Buffer.from("PK\u0003\u0004"), fields, Buffer.from(name), bytes)
    directory.push(Buffer.from("PK\u0001\u0002\u0014\u0000"), fields, place, Buffer.from(name))
    offset += 30 + name.length + bytes.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(parts.length, 4)
  end.writeUInt16LE(parts.length, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...files, list, Buffer.from("PK\u0005\u0006"), end])
}
