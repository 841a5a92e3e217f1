import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { python } from "../python/environment.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, listed, start } from "./hindcast.ts"

const place = workplace()
const log = place.file("proxied.db")
const AGENT = inRepository("test/python/agent.py")

/** What the provider was asked: paths and models. */
const asked: Array<string> = []

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

/** OpenAI and Anthropic: calls the tool, says by which model it was asked, and repeats what it is told. */
const provider = http.createServer(async (request, response) => {
  let body = ""
  for await (const piece of request) body += piece
  const { model, messages, stream } = JSON.parse(body)
  asked.push(`${request.url} ${model}`)
  const last = messages.at(-1)
  if (request.url === "/v1/messages") {
    response.setHeader("content-type", "application/json")
    const content = [{ type: "text", text: `checked: ${last.content}` }]
    response.end(
      JSON.stringify({
        id: "m",
        type: "message",
        role: "assistant",
        model,
        content,
        stop_reason: "end_turn",
        usage: { input_tokens: 3, output_tokens: 4 },
      }),
    )
  } else if (stream === true) {
    response.setHeader("content-type", "text/event-stream")
    for (const word of [`${model} heard `, last.content]) response.write(chunk({ content: word }))
    response.end(`${chunk({}, "stop")}data: [DONE]\n\n`)
  } else {
    response.setHeader("content-type", "application/json")
    const call = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } }
    const message = { role: "assistant", content: null, tool_calls: [call] }
    response.end(
      JSON.stringify({
        id: "1",
        object: "chat.completion",
        created: 1,
        model,
        choices: [{ index: 0, message, finish_reason: "tool_calls" }],
        usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      }),
    )
  }
})
let BASE = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve))
  BASE = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
})
afterAll(async () => {
  provider.close()
  await place.remove()
})

const online = () => ({ OPENAI_BASE_URL: `${BASE}/v1`, ANTHROPIC_BASE_URL: BASE })
/** Where no address is named, the proxy would ask the providers themselves: a proxy that nobody is at keeps that in. */
const OFFLINE = { OPENAI_BASE_URL: undefined, ANTHROPIC_BASE_URL: undefined, HTTPS_PROXY: "http://127.0.0.1:9" }

const run = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv, ...words: ReadonlyArray<string>) =>
  start([...args, "--log", log, "--", python("light"), AGENT, ...words], { env }).ended

const SAID = "gpt-5 heard sunny, grüß Gott | checked: gpt-5 heard sunny, grüß Gott\n"

describe("hindcast record --proxy -- python agent.py", () => {
  it("is recorded, replayed without a provider and forked, in three commands", async () => {
    const recorded = await run(["record", "--proxy"], online())
    expect(recorded).toMatchObject({ code: 0, stdout: SAID })
    expect(recorded.stderr).toContain("Recorded 3 model requests and 0 other requests")
    expect(recorded.stderr).toContain("The tokens of 1 streamed answer are unknown: the program did not ask for them")
    expect(asked.splice(0)).toEqual([
      "/v1/chat/completions gpt-5",
      "/v1/chat/completions gpt-5",
      "/v1/messages claude-x",
    ])
    const { tasks } = (await document(["task", "ls", "--log", log])) as {
      tasks: ReadonlyArray<{ readonly id: string; readonly outcome: string; readonly agent: string }>
    }
    expect(tasks).toMatchObject([{ outcome: "achieved", agent: "agent" }])
    const id = tasks[0]?.id ?? ""
    const written = [log, `${log}-wal`]
      .filter((file) => fs.existsSync(file))
      .map((file) => fs.readFileSync(file, "latin1"))
    expect(written.join("")).not.toContain("that-nobody-may-read")

    const replayed = await run(["replay", id], OFFLINE)
    expect(replayed).toMatchObject({ code: 0, stdout: SAID })
    expect(replayed.stderr).toContain(`The program repeated task ${id}.`)
    expect(asked).toEqual([])

    const events = (await listed(["--log", log, "--task", id])) as ReadonlyArray<{
      readonly type: string
      readonly position: number
    }>
    const second = events.filter(({ type }) => type === "ModelCalled")[1]?.position ?? 0
    const forked = await run(["fork", `@${second - 1}`, "--set", "model=gpt-9"], online())
    expect(forked).toMatchObject({ code: 0, stdout: SAID.replaceAll("gpt-5", "gpt-9") })
    expect(forked.stderr).toContain("on timeline fork-1")
    expect(asked.splice(0)).toEqual(["/v1/chat/completions gpt-9", "/v1/messages gpt-9"])

    const otherwise = await run(["replay", id], OFFLINE, "Rain?")
    expect(otherwise.code).toBe(2)
    expect(otherwise.stderr).toContain("in message 1 (user), expected [Weather?], found [Rain?]")
    expect(asked).toEqual([])
    // Python starts four times, with large packages.
  }, 300_000)

  it("says what it expects where there is no program, and what a program of another language needs", async () => {
    const nothing = await hindcast(["record", "--proxy", "--log", log, "--"])
    expect(nothing.code).toBe(1)
    expect(nothing.stderr).toContain("expected a program after it, such as -- python agent.py, found nothing")
    const missing = await hindcast(["record", "--proxy", "--log", log, "--", "no-such-program"])
    expect(missing.stderr).toContain("no-such-program: expected a program that starts")
    const address = await hindcast(["record", "--proxy", "--log", log, "--", "true"], {
      env: { OPENAI_BASE_URL: "api.example.com" },
    })
    expect(address.stderr).toContain(
      'OPENAI_BASE_URL: expected an address such as https://api.example.com/v1, found "api.example.com"',
    )
    const asking = "fetch(process.env.OPENAI_BASE_URL + '/models').catch(() => {})"
    const away = await hindcast(["record", "--proxy", "--log", log, "--", process.execPath, "-e", asking], {
      env: { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" },
    })
    expect(away.stderr).toContain("127.0.0.1:9 did not answer: ")
    const other = await hindcast(["record", "--log", log, "--", "python", "agent.py"])
    expect(other.stderr).toContain("record --proxy")
  })
})
