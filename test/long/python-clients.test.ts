import { createHash, createHmac } from "node:crypto"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { document, start } from "../cli/hindcast.ts"
import { python } from "../python/environment.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
const SAID = "Grüße 北京 😀"
const AWS = {
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE0000001",
  AWS_SECRET_ACCESS_KEY: "secret-of-aws-that-nobody-may-read",
  AWS_SESSION_TOKEN: "session-that-nobody-may-read",
}

const sse = (events: ReadonlyArray<{ readonly type: string }>): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")

const responses = (model: string) => {
  const message = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: SAID, annotations: [] }],
  }
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 2,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 3,
  }
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    error: null,
    incomplete_details: null,
    instructions: null,
    model,
    output: [message],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    usage,
    metadata: {},
  }
  const delta = {
    type: "response.output_text.delta",
    sequence_number: 1,
    item_id: "msg_1",
    output_index: 0,
    content_index: 0,
    delta: SAID,
    logprobs: [],
  }
  return { response, events: [delta, { type: "response.completed", sequence_number: 2, response }] }
}

const messages = (model: string) => {
  const usage = { input_tokens: 1, output_tokens: 2 }
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model,
    content: [{ type: "text", text: SAID }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage,
  }
  const events = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: SAID } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
    { type: "message_stop" },
  ]
  return { message, events }
}

/** What a provider answers at a path. */
const answerTo = (
  path: string,
  { model, stream }: { readonly model: string; readonly stream?: boolean },
): object | string => {
  if (path.endsWith("/responses")) return stream === true ? sse(responses(model).events) : responses(model).response
  if (path.endsWith("/messages")) return stream === true ? sse(messages(model).events) : messages(model).message
  if (path.endsWith("/chat/completions")) {
    const message = { role: "assistant", content: SAID }
    return {
      id: "1",
      object: "chat.completion",
      created: 1,
      model,
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    }
  }
  if (path.includes(":generateContent"))
    return {
      candidates: [{ content: { role: "model", parts: [{ text: SAID }] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
    }
  if (path.endsWith("/converse"))
    return {
      output: { message: { role: "assistant", content: [{ text: SAID }] } },
      stopReason: "end_turn",
      usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
      metrics: { latencyMs: 1 },
    }
  if (path.endsWith("/v2/chat"))
    return {
      id: "1",
      finish_reason: "COMPLETE",
      message: { role: "assistant", content: [{ type: "text", text: SAID }] },
    }
  return {
    model,
    created_at: "2026-01-01T00:00:00Z",
    message: { role: "assistant", content: SAID },
    done: true,
    done_reason: "stop",
  }
}

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest()

/** Whether a request is signed for its host, as AWS computes it (Signature Version 4). */
const isSigned = ({ method, url = "", headers }: http.IncomingMessage, body: Buffer): boolean => {
  const found =
    /Credential=([^/]+)\/(\d+)\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)/.exec(
      headers.authorization ?? "",
    )
  const [, key, date = "", region = "", service = "", names = "", signature] = found ?? []
  const digest = (text: string | Buffer) => createHash("sha256").update(text).digest("hex")
  // The path is encoded once more, for services other than S3.
  const path = url.split("/").map(encodeURIComponent).join("/")
  const lines = names.split(";").map((name) => `${name}:${headers[name]}\n`)
  const canonical = [method, path, "", lines.join(""), names, digest(body)].join("\n")
  const scope = `${date}/${region}/${service}/aws4_request`
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, digest(canonical)].join("\n")
  const signing = [date, region, service, "aws4_request"].reduce<string | Buffer>(
    hmac,
    `AWS4${AWS.AWS_SECRET_ACCESS_KEY}`,
  )
  return key === AWS.AWS_ACCESS_KEY_ID && hmac(signing, text).toString("hex") === signature && names.includes("host")
}

let asked = 0
const provider = http.createServer(async (request, response) => {
  const pieces: Array<Buffer> = []
  for await (const piece of request) pieces.push(piece)
  const body = Buffer.concat(pieces)
  asked++
  const path = String(request.url).split("?")[0] ?? ""
  if (path.endsWith("/converse") && !isSigned(request, body)) {
    response.writeHead(403, { "content-type": "application/json" }).end('{"message": "the signature does not match"}')
    return
  }
  const answer = answerTo(path, JSON.parse(body.toString()))
  response.setHeader("content-type", typeof answer === "string" ? "text/event-stream" : "application/json")
  response.end(typeof answer === "string" ? answer : JSON.stringify(answer))
})
let base = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve))
  base = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
}, 600_000)
afterAll(async () => {
  provider.close()
  await place.remove()
})

const CLIENTS = [
  ...["openai", "anthropic", "google-genai", "ollama", "groq", "cohere", "mistralai", "boto3"],
  ...["litellm openai", "litellm anthropic", "litellm gemini", "langgraph", "openai-agents", "pydantic-ai"],
]

describe("the clients of Python behind the recording proxy", () => {
  it("find it by its variables, are recorded without keys, and replayed without a provider", async () => {
    const log = place.file("clients.db")
    const run = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) =>
      start([...args, "--log", log, "--", python("all"), inRepository("test/python/clients.py")], {
        env: { ...AWS, ...env },
      }).ended
    const addresses = {
      OPENAI_BASE_URL: `${base}/v1`,
      ANTHROPIC_BASE_URL: base,
      GOOGLE_GEMINI_BASE_URL: base,
      OLLAMA_HOST: base,
      GROQ_BASE_URL: base,
      CO_API_URL: base,
      MISTRAL_BASE_URL: base,
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: base,
    }
    const saidBy = (stdout: string) => stdout.split("\n").filter((line) => /^[a-z0-9 -]+: /.test(line))
    const expected = [...CLIENTS.map((name) => `${name}: ${SAID}`), `langchain: ${SAID} ${SAID}`].sort()

    const recorded = await run(["record", "--proxy"], addresses)
    expect(saidBy(recorded.stdout).sort()).toEqual(expected)
    expect(recorded.stderr).toContain(`Recorded ${expected.length + 1} model requests`)
    const written = [log, `${log}-wal`]
      .filter((file) => fs.existsSync(file))
      .map((file) => fs.readFileSync(file, "latin1"))
    expect(written.join("")).not.toContain("that-nobody-may-read")

    asked = 0
    const { tasks } = (await document(["task", "ls", "--log", log])) as {
      tasks: ReadonlyArray<{ readonly id: string }>
    }
    const replayed = await run(["replay", tasks[0]?.id ?? ""], { HTTPS_PROXY: "http://127.0.0.1:9" })
    expect(saidBy(replayed.stdout).sort()).toEqual(expected)
    expect(replayed.code).toBe(0)
    expect(asked).toBe(0)
  }, 600_000)
})
