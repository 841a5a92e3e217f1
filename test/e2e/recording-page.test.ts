import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { document, listed, start } from "../cli/hindcast.ts"
import { python } from "../python/environment.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { blocksOf } from "./page.ts"

const place = workplace()
const blocks = blocksOf(fs.readFileSync(inRepository("docs", "recording.md"), "utf8"))

/** The models that were asked. */
const asked: Array<string> = []

/** A model that asks for the weather, and then says what it heard of it. */
const provider = http.createServer(async (request, response) => {
  let body = ""
  for await (const piece of request) body += piece
  const { model, messages } = JSON.parse(body)
  asked.push(model)
  const { role, content } = messages.at(-1)
  const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city": "Zurich"}' } }
  const message =
    role === "tool"
      ? { role: "assistant", content: `${model}: Yes. ${content}` }
      : { role: "assistant", content: null, tool_calls: [call] }
  response.setHeader("content-type", "application/json")
  const choices = [{ index: 0, message, finish_reason: role === "tool" ? "stop" : "tool_calls" }]
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
  response.end(JSON.stringify({ id: "1", object: "chat.completion", created: 1, model, choices, usage }))
})
let OPENAI_BASE_URL = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve))
  OPENAI_BASE_URL = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
  fs.symlinkSync(inRepository("node_modules"), path.join(place.directory, "node_modules"))
})
afterAll(async () => {
  provider.close()
  await place.remove()
})

/** Where no address is named, the provider itself would be asked: a proxy that nobody is at keeps that in. */
const OFFLINE = { OPENAI_BASE_URL: undefined, HTTPS_PROXY: "http://127.0.0.1:9" }

describe("docs/recording.md", () => {
  it.each(["python", "node"])("records, replays and forks its agent in three commands: %s", async (note) => {
    const language = note === "node" ? "js" : "python"
    const agent = blocks.find((block) => block.language === language)
    fs.writeFileSync(path.join(place.directory, agent?.note ?? ""), agent?.lines.join("\n") ?? "")
    const commands = blocks.find((block) => block.language === "sh" && block.note === note)?.lines ?? []
    expect(commands).toHaveLength(3)
    const log = `${note}.db`
    const carryOut = (command: string, environment: NodeJS.ProcessEnv) => {
      const words = command.replace("agent.db", log).split(" ").slice(2)
      const program = words.indexOf("--") + 1
      if (words[program] === "python") words[program] = python("light")
      return start(words, { cwd: place.directory, env: { OPENAI_API_KEY: "sk-of-nobody-1234", ...environment } }).ended
    }
    const [record = "", replay = "", fork = ""] = commands

    const recorded = await carryOut(record, { OPENAI_BASE_URL })
    expect(recorded).toMatchObject({ code: 0, stdout: "gpt-5: Yes. It rains in Zurich.\n" })
    expect(asked.splice(0)).toEqual(["gpt-5", "gpt-5"])

    const file = path.join(place.directory, log)
    const { tasks } = (await document(["task", "ls", "--log", file])) as {
      tasks: ReadonlyArray<{ readonly id: string }>
    }
    const id = tasks[0]?.id ?? ""
    const replayed = await carryOut(replay.replace(/ [0-9a-f]{12} /, ` ${id.slice(-12)} `), OFFLINE)
    expect(replayed).toMatchObject({ code: 0, stdout: recorded.stdout })
    expect(asked).toEqual([])

    const events = (await listed(["--log", file])) as ReadonlyArray<{
      readonly type: string
      readonly position: number
    }>
    const positions = events.flatMap(({ type, position }) => (type === "ModelCalled" ? [position] : []))
    const at = Number(/@(\d+)/.exec(fork)?.[1])
    // The page's moment is before the second question, and after the answer to the first.
    expect([positions.length, (positions[0] ?? 0) < at, at < (positions[1] ?? 0)]).toEqual([2, true, true])
    const forked = await carryOut(fork, { OPENAI_BASE_URL })
    expect(forked).toMatchObject({ code: 0, stdout: "gpt-5-mini: Yes. It rains in Zurich.\n" })
    expect(asked.splice(0)).toEqual(["gpt-5-mini"])
  })
})
