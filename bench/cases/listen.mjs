/**
 * `hindcast listen` under load: spans that it acknowledges each second, next to a server that only decodes and stores
 * them, and what the log has of them in the end.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import * as readline from "node:readline"
import { fileURLToPath } from "node:url"
import Database from "better-sqlite3"
import protobuf from "protobufjs"
import { MESSAGES } from "../../dist/importing/protobuf/Messages.js"

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))
const DECODING = fileURLToPath(new URL("../programs/decoding.mjs", import.meta.url))

/** Spans of a request, as exporters send at most by default, and of a trace. */
const BATCH = 512
const TRACE = 8

/** Requests under way, as of four exporters. */
const AT_ONCE = 4

/** Spans to send: a minute's of 10,000 each second, unless `HINDCAST_BENCH_SPANS` says otherwise. */
const SPANS = Math.ceil(Number(process.env.HINDCAST_BENCH_SPANS ?? 600_000) / BATCH) * BATCH

const type = protobuf.Root.fromJSON({ nested: MESSAGES }).lookupType("TraceRequest")

const attribute = (key, value) => ({
  key,
  value: typeof value === "number" ? { intValue: value } : { stringValue: value },
})

const hex = (number, length) => Buffer.from(number.toString(16).padStart(length, "0"), "hex")

/** A span of a trace: the root, which ends last, models and tools by turns. */
const spanOf = (index, start) => {
  const [trace, inTrace] = [Math.floor(index / TRACE), index % TRACE]
  const isRoot = inTrace === TRACE - 1
  const isModel = inTrace % 2 === 0
  const said = (role, content) => JSON.stringify([{ role, parts: [{ type: "text", content }] }])
  const of = isRoot
    ? { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "bench" }
    : isModel
      ? {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "openai",
          "gen_ai.request.model": "gpt-5",
          "gen_ai.usage.input_tokens": 100,
          "gen_ai.usage.output_tokens": 20,
          "gen_ai.input.messages": said("user", `What is the weather in ${trace}? ${"Please. ".repeat(20)}`),
          "gen_ai.output.messages": said("assistant", `It snows in ${trace}.`),
        }
      : { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather", "gen_ai.tool.call.id": `c${index}` }
  return {
    traceId: Buffer.concat([MARK, hex(trace + 1, 24)]),
    spanId: hex(index + 1, 16),
    ...(isRoot ? {} : { parentSpanId: hex(trace * TRACE + TRACE, 16) }),
    name: isRoot ? "invoke_agent bench" : isModel ? "chat gpt-5" : "execute_tool weather",
    kind: 1,
    startTimeUnixNano: (start + inTrace) * 1e6,
    endTimeUnixNano: (start + inTrace + (isRoot ? 10 : 1)) * 1e6,
    attributes: Object.entries(of).map(([key, value]) => attribute(key, value)),
  }
}

/** The beginning of each trace's id, in whose place a request's number comes. */
const MARK = Buffer.from("f0f1f2f3", "hex")

/** Makes requests: one is encoded, and others differ in the ids of their traces. */
const bodies = (start) => {
  const spans = Array.from({ length: BATCH }, (_, index) => spanOf(index, start))
  const resource = { attributes: [attribute("service.name", "bench")] }
  const request = type.fromObject({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] })
  const template = Buffer.from(type.encode(request).finish())
  const places = []
  for (let at = template.indexOf(MARK); at >= 0; at = template.indexOf(MARK, at + 1)) places.push(at)
  return (number) => {
    const body = Buffer.from(template)
    for (const at of places) body.writeUInt32BE(number + 1, at)
    return body
  }
}

export const run = async (directory, _rounds, say) => {
  const start = Date.now()
  const floor = await measured(
    "a server that decodes and stores",
    [DECODING, path.join(directory, "plain.db")],
    start,
    say,
  )
  const log = path.join(directory, "listened.db")
  const listen = [MAIN, "listen", "--log", log, "--port", "0", "--json"]
  const ours = await measured("hindcast listen", listen, start, say, log)
  const floorIs = "a server that decodes the same and inserts each span's JSON, a request in a commit"
  return [
    {
      what: "listen: spans acknowledged",
      unit: "k/s",
      ours: ours.rate,
      floor: floor.rate,
      ratio: ours.rate / floor.rate,
      bound: { at: "least", value: 10, of: "ours" },
      floorIs,
    },
    {
      what: "spans that its log lacks in the end",
      unit: "",
      ours: ours.lost,
      bound: { at: "most", value: 0, of: "ours" },
    },
    {
      what: "from the last span to the whole log",
      unit: "s",
      ours: ours.behindS,
      bound: { at: "most", value: 300, of: "ours" },
    },
    {
      what: "listen: processor time a span, until the log has it",
      unit: "µs",
      ours: ours.cpuUs,
      floor: floor.cpuUs,
      ratio: ours.cpuUs / floor.cpuUs,
      bound: { at: "most", value: 10 },
      floorIs,
    },
    { what: "most memory meanwhile", unit: "MiB", ours: ours.peakMiB, bound: { at: "most", value: 600, of: "ours" } },
  ]
}

/** Sends all spans to a program; with `log`, waits until it says that this log has all of their traces, and counts them. */
const measured = async (what, command, start, say, log) => {
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "inherit"] })
  const lines = readline.createInterface({ input: child.stdout })
  let totals
  let told = ""
  const url = await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${what} ended with ${code}`)))
    lines.on("line", (line) => {
      told += line
      const found = /"url": ?"([^"]+)"/.exec(told)?.[1]
      if (found !== undefined) resolve(found)
      if (line.startsWith('{"totals"')) totals = JSON.parse(line).totals
    })
  })
  const agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE })
  say(`sending ${SPANS.toLocaleString("en")} spans to ${what}`)
  const bodyOf = bodies(start)
  const before = performance.now()
  let next = 0
  let again = 0
  const send = async () => {
    while (next < SPANS) {
      const body = bodyOf(next / BATCH)
      next += BATCH
      while (true) {
        const status = await post(`${url}/v1/traces`, body, agent)
        if (status === 200) break
        if (status !== 429 && status !== 503) throw new Error(`${what} answered with ${status}`)
        again += 1
        await new Promise((resolve) => setTimeout(resolve, 2_000))
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, send))
  const sentMs = performance.now() - before
  const rate = SPANS / sentMs
  say(`${rate.toFixed(1)} k/s, ${again} requests sent again`)
  let behindS = 0
  if (log !== undefined) {
    const from = performance.now()
    const traces = Math.ceil(SPANS / TRACE)
    const isDone = () => totals !== undefined && totals.tasks >= traces && totals.backlog.groups === 0
    while (!isDone() && performance.now() - from < 600_000) await new Promise((resolve) => setTimeout(resolve, 500))
    behindS = (performance.now() - from) / 1000
    say(`its log was whole ${behindS.toFixed(0)} s later`)
  }
  const peakMiB = peakOf(child.pid)
  const cpuUs = processorMs(child.pid) / (SPANS / 1000)
  child.removeAllListeners("exit")
  child.kill("SIGINT")
  await new Promise((resolve) => child.once("exit", resolve))
  agent.destroy()
  const lost = log === undefined ? 0 : lostIn(log)
  return { rate, lost, behindS, peakMiB, cpuUs }
}

/** Spans of which the log has no event. A model's and a tool's span make one of these types each, an agent's a task. */
const lostIn = (log) => {
  const database = new Database(log, { readonly: true })
  const count = database
    .prepare("SELECT count(*) FROM events WHERE type = (SELECT id FROM names WHERE text = ?)")
    .pluck()
  const recorded = ["ModelResponded", "ActuatorCommanded", "TaskOpened"].map((type) => count.get(type))
  database.close()
  return SPANS - recorded.reduce((sum, one) => sum + one, 0)
}

/** The processor time that a process has used, in milliseconds, on Linux: fields 14 and 15 are ticks of 10 ms. */
const processorMs = (pid) => {
  try {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Number.NaN
  }
}

/** The most memory that a process has had, on Linux. */
const peakOf = (pid) => {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}

const post = (url, body, agent) =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/x-protobuf", "content-length": body.length }
    const request = http.request(url, { method: "POST", headers, agent }, (response) => {
      response.resume()
      response.once("end", () => resolve(response.statusCode))
    })
    request.on("error", reject)
    request.end(body)
  })
