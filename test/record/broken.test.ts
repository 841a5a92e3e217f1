/** Answers that broke off without a word of the client's: what the log says of them, and what a replay gives. */

import * as zlib from "node:zlib"
import { describe, expect, it } from "vitest"
import { type Run, record, replayed } from "../../src/record/index.ts"
import * as ProviderProxy from "../../src/record/proxy/ProviderProxy.ts"
import { ask, pieces, provider, type Scripted } from "./proxy/scripted.ts"
import { eventsOf, temporary } from "./recorded.ts"

const answer = JSON.stringify({
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: `tea ${"costs 3 francs, ".repeat(40)}` },
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 11, completion_tokens: 7 },
})
const request = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "The price?" }] }),
}
const JSON_HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json"

/** What a program got by `fetch`, and what a replay without a server gave it; and what is in the log. */
const recorded = async (scripted: Scripted) => {
  const log = temporary("broken.db")
  const { url } = await provider(() => scripted)
  const program = async ({ fetch }: Run, address: string) =>
    (await fetch(`${address}/v1/chat/completions`, request)).text()
  const saying = (asked: Promise<string>) => asked.catch((error: Error) => `failed: ${error.message}`)
  const run = await record({ log, goal: "Ask", agent: "clerk" })
  const got = await saying(program(run, url))
  await run.end("achieved")
  const events = await eventsOf(log)
  let again = ""
  await replayed({ log, taskId: run.taskId }, async (run) => {
    again = await saying(program(run, "http://127.0.0.1:1"))
    await run.end("achieved")
  })
  const told = events.find(({ type }) => type === "ModelResponded" || type === "ModelFailed")
  const response = events.find(({ type }) => type === "IoAnswered")?.payload.result as Record<string, unknown>
  return { got, again, told: { type: told?.type, ...told?.payload }, response }
}

/** What a client makes of a body that takes its encoding seriously, and what is in it. */
const readAs = (headers: NodeJS.Dict<string | string[]>, body: Buffer) => {
  if (headers["content-encoding"] === undefined) return { text: body.toString() }
  const text = zlib.gunzipSync(body, { finishFlush: zlib.constants.Z_SYNC_FLUSH }).toString()
  try {
    return { text, whole: zlib.gunzipSync(body).toString() }
  } catch (error) {
    return { text, failed: (error as Error).message }
  }
}

const ENCODED = {
  gzip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
}

describe("an answer that broke off", () => {
  it.each(Object.entries(ENCODED))(
    "within %s is recorded as cut off, with what came of it, and given again so",
    async (name, encode) => {
      const whole = encode(answer)
      const half = whole.subarray(0, Math.floor(whole.byteLength * 0.8))
      const head = `${JSON_HEAD}\r\ncontent-encoding: ${name}\r\ncontent-length: ${half.byteLength}`
      const { got, again, told, response } = await recorded({ head, pieces: pieces(half, 20) })
      expect(answer.startsWith(got)).toBe(true)
      expect(got.length).toBeLessThan(answer.length)
      expect(again).toBe(got)
      expect(told).toMatchObject({ type: "ModelFailed", kind: "cut-off" })
      expect(response).toMatchObject({ end: "clean", cutWithin: name })
    },
  )

  it("is a whole one where all of it came and only the end of its encoding is missing", async () => {
    const whole = zlib.gzipSync(answer)
    const without = whole.subarray(0, whole.byteLength - 8)
    const head = `${JSON_HEAD}\r\ncontent-encoding: gzip\r\ncontent-length: ${without.byteLength}`
    const { got, again, told, response } = await recorded({ head, pieces: [without] })
    expect([got, again]).toEqual([answer, answer])
    expect(told).toMatchObject({ type: "ModelResponded" })
    expect(response).toMatchObject({ cutWithin: "gzip" })
  })

  it("before the length that its head says is cut off, also where what came is whole JSON", async () => {
    const head = `${JSON_HEAD}\r\ncontent-length: ${answer.length + 100}`
    const { got, again, told, response } = await recorded({ head, pieces: [Buffer.from(answer)] })
    expect([got, again]).toEqual(["failed: terminated", "failed: terminated"])
    expect(told).toMatchObject({ type: "ModelFailed", kind: "cut-off", usage: { inputTokens: 11, outputTokens: 7 } })
    expect(told).toMatchObject({ response: [{ type: "text" }] })
    expect(response).toMatchObject({ end: "cut" })
  })

  it("is no whole answer to a client of a proxy, and is given again as it came", async () => {
    const whole = zlib.gzipSync(answer)
    const half = whole.subarray(0, whole.byteLength >> 1)
    const responses: ReadonlyArray<[string, Uint8Array]> = [
      [`${JSON_HEAD}\r\ncontent-encoding: gzip\r\ncontent-length: ${half.byteLength}`, half],
      [`${JSON_HEAD}\r\ncontent-length: ${answer.length + 100}`, Buffer.from(answer)],
    ]
    const log = temporary("proxied.db")
    const upstream = await provider((_, index) => ({
      head: responses[index]?.[0] ?? "",
      pieces: [responses[index]?.[1] ?? half],
    }))
    const env = { OPENAI_BASE_URL: `${upstream.url}/v1` }
    const [LiveRun, OutgoingRequests] = await Promise.all([
      import("../../src/record/LiveRun.ts"),
      import("../../src/record/proxy/OutgoingRequests.ts"),
    ])
    const run = await LiveRun.begin({ log, goal: "Ask", agent: "clerk" }, () => {}, { means: "proxy" })
    const forwarding = OutgoingRequests.make()
    const routes = ProviderProxy.routes(env)
    const asking = async (proxy: ProviderProxy.ProviderProxy) => {
      const url = `${proxy.variables.OPENAI_BASE_URL}/chat/completions`
      const got = [await ask(url, { body: request.body }), await ask(url, { body: request.body })]
      await proxy.close()
      return got.map(({ end, headers, body }) => ({
        end,
        encoding: headers["content-encoding"],
        ...readAs(headers, body),
      }))
    }
    const got = await asking(await ProviderProxy.recording({ routes, forwarding, env, exchange: run.exchange }))
    await run.end("achieved")
    forwarding.close()
    const failures = (await eventsOf(log)).filter(({ type }) => type === "ModelFailed")
    expect(failures.map(({ payload }) => payload.kind)).toEqual(["cut-off", "cut-off"])
    expect(got).toMatchObject([
      { end: "clean", encoding: "gzip", failed: "unexpected end of file" },
      { end: "cut", text: answer },
    ])
    let again: typeof got = []
    await replayed({ log, taskId: run.taskId }, async ({ fetch, end }) => {
      again = await asking(await ProviderProxy.answering({ routes, env, fetch }))
      await end("achieved")
    })
    expect(again).toEqual(got)
  })
})
