import * as childProcess from "node:child_process"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { it as effect } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Message } from "../../../src/agents/models/Message.ts"
import type { TurnRequest } from "../../../src/agents/models/Model.ts"
import * as Models from "../../../src/agents/models/Models.ts"
import * as Requests from "../../../src/projections/request/Requests.ts"
import type { WholeRequest } from "../../../src/projections/request/WholeRequest.ts"
import type { ModelRequest } from "../../../src/providers/WireFormat.ts"
import { askedBy } from "../../../src/providers/WireFormats.ts"
import * as Curl from "../../../src/providers/writing/Curl.ts"
import * as NormalizedMessage from "../../../src/record/conversations/NormalizedMessage.ts"
import * as RecordedFetch from "../../../src/record/http/RecordedFetch.ts"
import * as LiveRun from "../../../src/record/LiveRun.ts"
import type { Json, JsonObject } from "../../../src/values/Json.ts"
import { type Exchange, exchangesOf, serving } from "../../record/exchanged.ts"
import { eventsOf, temporary } from "../../record/recorded.ts"

const WHOLE: WholeRequest = {
  position: 4,
  id: "id-4",
  provider: "openai",
  model: "gpt-5",
  agentId: null,
  recordedBy: "agent",
  asksFor: "turn",
  system: { value: "You count.", at: 2 },
  tools: {
    value: [
      { name: "add", description: "Adds", schema: { type: "object", properties: { by: { type: "number" } } } },
      { name: "perceive", description: "Looks", schema: { type: "object", properties: {} } },
    ],
    at: 4,
  },
  settings: { value: { temperature: 0.5 }, at: 2 },
  messages: [
    { role: "user", content: [{ type: "text", text: "Count to 2" }], at: 4, sources: [] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I add." },
        { type: "call", callId: "a", tool: "add", args: { by: 1 } },
        { type: "call", callId: "b", tool: "add", args: { by: 1 } },
      ],
      at: 5,
      sources: [],
    },
    {
      role: "tool",
      content: [
        { callId: "a", tool: "add", isError: false, content: { count: 1 } },
        { callId: "b", tool: "add", isError: true, content: "it broke" },
      ],
      at: 6,
      sources: [],
    },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" },
      ],
      at: 6,
      sources: [],
    },
  ],
  earlier: null,
  memory: null,
  isContinuation: false,
  http: null,
  notes: [],
  digest: "",
  previous: null,
  answer: null,
  usage: {},
}

const read = (url: string, body: Json): ModelRequest => {
  const { host, pathname: path } = new URL(url)
  const asked = askedBy("POST", { host, path }, body)
  if (asked === undefined) throw new Error(`expected a request to a model, found ${url}`)
  return asked.request
}

const meaning = ({ provider, model, system, tools, messages }: ModelRequest) => ({
  ...{ provider, model, system },
  // Packages write the schema of a tool without arguments in several ways.
  tools: tools.map(({ name, description, args }) => ({
    ...{ name, description },
    args: JSON.stringify(args.properties ?? {}) === "{}" ? {} : args,
  })),
  messages: messages.map(NormalizedMessage.of),
})

/** The request as the agent's package sends it. */
const sentByPackage = (name: string) =>
  Effect.gen(function* () {
    let sent: { readonly url: string; readonly body: JsonObject } | undefined
    const model = yield* Models.load(name, {
      ...(name.startsWith("ollama") ? {} : { apiKey: "k" }),
      ...(name.startsWith("openai-compatible") ? { baseURL: "http://127.0.0.1:9/v1" } : {}),
      fetch: async (url, init) => {
        sent = { url: String(url), body: JSON.parse(String(init?.body)) }
        throw new Error("nothing is sent")
      },
    })
    const request: TurnRequest = {
      system: "You count.",
      messages: WHOLE.messages.map(({ role, content }) => ({ role, content }) as unknown as Message),
      tools:
        "value" in WHOLE.tools
          ? WHOLE.tools.value.map(({ name, description = "", schema }) => ({
              name,
              description,
              args: schema as JsonObject,
            }))
          : [],
      temperature: 0.5,
    }
    yield* Effect.either(model.turn(request, () => {}))
    if (sent === undefined) throw new Error("expected a request, found none")
    return sent
  })

describe("a request of a model agent, written for its provider", () => {
  for (const name of [
    "openai/gpt-4o",
    "anthropic/claude-sonnet-4-5",
    "google/gemini-2.5-pro",
    "ollama/llama3.2",
    "openai-compatible/m",
  ]) {
    effect.effect(`is the one that the agent's package sends: ${name}`, () =>
      Effect.gen(function* () {
        const [provider = "", model = ""] = name.split("/")
        const sent = yield* sentByPackage(name)
        const written = Curl.write({ ...WHOLE, provider, model })
        if ("none" in written) throw new Error(written.none)
        const url = written.url.replace("$OPENAI_COMPATIBLE_BASE_URL", "http://127.0.0.1:9/v1")
        expect(url).toBe(sent.url.replace(/:streamGenerateContent.*$/, ":generateContent"))
        expect(meaning(read(url, written.body))).toEqual(meaning(read(sent.url, sent.body)))
        const temperature = (body: JsonObject) => [
          body.temperature,
          (body.generationConfig as JsonObject | undefined)?.temperature,
          (body.options as JsonObject | undefined)?.temperature,
        ]
        expect(temperature(written.body)).toEqual(temperature(sent.body))
        expect(written.body.store).toBe(sent.body.store)
      }),
    )
  }
})

const requestsOf = async (exchanges: ReadonlyArray<Exchange>): Promise<ReadonlyArray<WholeRequest>> => {
  const log = temporary("written.db")
  await serving(exchanges, async (_, ask) => {
    const run = await LiveRun.begin({ log, goal: "Ask", agent: "clerk" }, () => {})
    const fetch = RecordedFetch.make({ exchange: run.exchange, fetch: globalThis.fetch, assertOpen: () => {} })
    for (const exchange of exchanges) await ask(fetch, exchange)
    await run.end("achieved")
  })
  const events = await eventsOf(log)
  return Requests.turnsIn(events).flatMap(({ position }) => Requests.wholeRequest(events, position) ?? [])
}

describe("a request of a recorded program, written for its provider", () => {
  it.each([
    "anthropic-tool-runner-thread-lost",
    "claude-agent-sdk-tool-turn",
    "google-genai-auto-function-calling",
    "langgraph-chatopenai-responses-tool-turns",
    "mistral-second-turn",
    "openai-agents-previous-response-id",
    "openai-chat-second-turn",
    "pydantic-ai-anthropic-claude-sonnet-4-5",
    "smolagents-openaiservermodel",
  ])("means what the program sent: %s", async (name) => {
    const exchanges = exchangesOf(name)
    const found = await requestsOf(exchanges)
    for (const [index, { path, request }] of exchanges.entries()) {
      const written = Curl.write(found[index] as WholeRequest)
      if ("none" in written) throw new Error(written.none)
      expect(new URL(written.url).pathname + new URL(written.url).search).toBe(path)
      const [sent, again] = [read(written.url, JSON.parse(request)), read(written.url, written.body)]
      expect(meaning(again)).toEqual(meaning(sent))
      expect(again.settings).toEqual(sent.settings)
    }
  })

  it("is not written where its provider wants a signature", async () => {
    const [first] = await requestsOf(exchangesOf("boto3-retry-pair"))
    expect(Curl.command(first as WholeRequest)).toMatch(/^# There is no command for this request\. [^\n]+\n$/)
  })
})

/** Runs a command in a shell, and returns what the server got. */
const pasted = async (shell: string, command: (url: string) => string, env: Record<string, string> = {}) => {
  const got: Array<{ readonly headers: http.IncomingHttpHeaders; readonly body: string; readonly url: string }> = []
  const server = http.createServer(async (request, response) => {
    let body = ""
    for await (const piece of request) body += piece
    got.push({ headers: request.headers, body, url: request.url ?? "" })
    response.end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ended = await new Promise<{ readonly code: number | null; readonly out: string }>((resolve) => {
    const child = childProcess.spawn(shell, [], { env: { PATH: process.env.PATH ?? "", ...env } })
    let out = ""
    child.stdout.on("data", (piece) => (out += piece))
    child.on("close", (code) => resolve({ code, out }))
    child.stdin.end(command(url))
  })
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return { got, ...ended }
}

describe("the command", () => {
  const hostile = [
    "'; touch /tmp/pwned; '",
    "$(touch /tmp/pwned) `touch /tmp/pwned` $HOME !! \\",
    "END_OF_REQUEST\nEND_OF_REQUEST",
    "\u202e\u2066 right to left \u0000\u0007\u001b[31m",
    "a\u00adb\u200b\ufeff 日本語 é 😀 \ud800",
  ]

  it.each(["sh", "bash"])("sends exactly this body from %s, whatever the messages say", async (shell) => {
    const messages = hostile.map((text) => ({ role: "user", content: [{ type: "text", text }], at: 4, sources: [] }))
    const request: WholeRequest = { ...WHOLE, recordedBy: "recorder", messages, notes: ["a note\n$(touch /tmp/pwned)"] }
    const { got, code } = await pasted(
      shell,
      (url) =>
        Curl.command({
          ...request,
          http: { method: "POST", url: `${url}/v1/chat/completions?a=[1-3]&b={x,y}&c='$(id)'` },
        }),
      { API_KEY: "the-key" },
    )
    expect(code).toBe(0)
    expect(got).toHaveLength(1)
    expect(got[0]?.headers.authorization).toBe("Bearer the-key")
    const written = Curl.write({ ...request, http: { method: "POST", url: "http://x/v1/chat/completions" } })
    if ("none" in written) throw new Error(written.none)
    expect(JSON.parse(got[0]?.body ?? "")).toEqual(JSON.parse(JSON.stringify(written.body)))
    expect(new URL(got[0]?.url ?? "", "http://x").searchParams.get("a")).toBe("[1-3]")
  })

  it("shows every text, and no invisible character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const messages = [{ role: "user", content: text, at: 4, sources: [] }]
        const command = Curl.command({ ...WHOLE, model: text, messages })
        expect(command).not.toMatch(/[^\n\x20-\x7e\p{L}\p{N}\p{P}\p{S}]/u)
        const body = command.slice(
          command.indexOf("\n", command.indexOf("<<'END_OF_REQUEST'")),
          command.lastIndexOf("END_OF_REQUEST"),
        )
        expect(JSON.parse(body).model).toBe(text)
      }),
    )
  })

  it("has the name of the key's variable and no key, also where the address had one", () => {
    const url =
      "https://user:secret@generativelanguage.googleapis.com/v1beta/models/g:generateContent?key=secret&alt=json"
    const command = Curl.command({ ...WHOLE, recordedBy: "recorder", http: { method: "POST", url } })
    expect(command).toContain('--header "x-goog-api-key: $GOOGLE_GENERATIVE_AI_API_KEY"')
    expect(command).not.toContain("secret")
  })

  it("is refused for other addresses, and says what is missing", () => {
    for (const url of ["file:///v1/messages", "javascript:alert(1)", "nonsense", "https://x/v1/embeddings"])
      expect(Curl.command({ ...WHOLE, recordedBy: "recorder", http: { method: "POST", url } })).toMatch(
        /^# There is no/,
      )
    const notRecorded = "An import does not record it."
    const command = Curl.command({ ...WHOLE, recordedBy: "import", system: { notRecorded }, tools: { notRecorded } })
    expect(command.split("\n")[0]).toBe("# Not recorded, so not in this request: system prompt, tools.")
  })
})
