import * as fs from "node:fs"
import type * as http from "node:http"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { server } from "../agents/models/servers.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"
import { type Ended, listed, start } from "./hindcast.ts"

const KEY = "sk-compatible-3f8a92c0"

/** A server that answers as OpenAI's chat completions: a call, then text, and a verdict of the judge. It keeps what it was asked. */
const answering = () => {
  const asked: Array<{ readonly authorization: string | undefined; readonly body: Record<string, unknown> }> = []
  const verdicts: Array<Record<string, unknown>> = []
  const listener: http.RequestListener = (request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text
    })
    request.on("end", () => {
      const sent = JSON.parse(body)
      const isJudge = sent.model === "judge"
      if (isJudge) verdicts.push(sent)
      else asked.push({ authorization: request.headers.authorization, body: sent })
      const verdict = JSON.stringify({ verdict: false, because: [], rationale: "it was silent" })
      const tool = { name: "text-room__go", arguments: '{"direction":"north"}' }
      const delta = isJudge
        ? { content: verdict }
        : asked.length === 1
          ? { tool_calls: [{ index: 0, id: "call-1", type: "function", function: tool }] }
          : { content: "I went north." }
      const reason = !isJudge && asked.length === 1 ? "tool_calls" : "stop"
      const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
      response.writeHead(200, { "content-type": "text/event-stream" })
      for (const event of [
        { choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] },
        { choices: [{ index: 0, delta: {}, finish_reason: reason }], usage },
      ])
        response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", ...event })}\n\n`)
      response.end("data: [DONE]\n\n")
    })
  }
  return { asked, verdicts, listener }
}

/** An agent whose first process is killed between two decisions. */
const DIES_ONCE = `export default {
  name: "greeter",
  version: "1",
  decide: ({ step }) => {
    if (step === 0) return { say: "hello" }
    if (process.env.DIES) process.kill(process.pid, "SIGKILL")
    return { done: "achieved" }
  },
}
`

const hindcast = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): Effect.Effect<Ended> =>
  Effect.promise(
    () => start(args, { env: { OPENAI_COMPATIBLE_API_KEY: undefined, ANTHROPIC_API_KEY: undefined, ...env } }).ended,
  )

describe("run --model", () => {
  it.scopedLive("lets a model work on a goal with a guide, and its task is replayed without the server", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { asked, verdicts, listener } = answering()
      const env = { OPENAI_COMPATIBLE_BASE_URL: `${yield* server(listener)}/v1`, OPENAI_COMPATIBLE_API_KEY: KEY }
      const [log, guide] = [`${directory}/log.db`, `${directory}/guide.yaml`]
      fs.writeFileSync(guide, "systemPrompt: You walk.\nmemoryPolicy: { name: sliding-window, turns: 3 }\n")
      const agent = ["--model", "openai-compatible/walker", "--guide", guide]
      const rubric = `${directory}/rubric.json`
      const rewards = [{ name: "greets", when: "The agent greets.", weight: 1 }]
      fs.writeFileSync(
        rubric,
        JSON.stringify({ name: "manners", measures: [{ name: "manners", description: "Manners", rewards }] }),
      )
      const { code, stdout, stderr } = yield* hindcast(
        [
          "run",
          "--log",
          log,
          ...agent,
          "--goal",
          "Go north",
          "--plugin",
          inRepository("plugins", "text-room"),
          ...["--judge", "openai-compatible/judge", "--rubric", rubric, "--hedge", "600"],
          "--json",
        ],
        env,
      )
      expect({ code, stderr: stderr.includes("error") }).toEqual({ code: 0, stderr: false })
      const audit = JSON.parse(stdout)
      expect(audit).toMatchObject({ outcome: "achieved", model: { calls: 2, inputTokens: 200, outputTokens: 20 } })
      expect(audit.scores).toMatchObject(
        expect.arrayContaining([expect.objectContaining({ label: "judged", finished: true })]),
      )
      // It is asked three times about each reward.
      expect(verdicts).toHaveLength(3)
      expect(asked.map(({ authorization }) => authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`])
      expect(JSON.stringify(asked[0]?.body)).toContain("You walk.")
      expect(JSON.stringify(asked[1]?.body)).toContain("call-1")

      const replayed = yield* hindcast(["replay", audit.taskId, "--log", log, ...agent])
      expect(replayed.stdout + replayed.stderr).toMatch(/^Identical: /)
      expect(asked).toHaveLength(2)
      for (const name of fs
        .readdirSync(directory)
        .filter((name) => name.startsWith("log.db") && !name.endsWith(".plugins")))
        expect(fs.readFileSync(`${directory}/${name}`, "latin1")).not.toContain(KEY)
    }),
  )

  it.scopedLive("sends the request again where the answer is late, and takes the one that comes first", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { asked, listener } = answering()
      let held: http.ServerResponse | undefined
      // The first request gets no answer. Its repetition is the first that the other listener sees.
      const url = yield* server((request, response) => {
        if (held !== undefined) return listener(request, response)
        held = response
        request.resume()
      })
      const env = { OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`, OPENAI_COMPATIBLE_API_KEY: KEY }
      const log = `${directory}/log.db`
      const run = ["run", "--log", log, "--model", "openai-compatible/walker", "--goal", "Go north"]
      const more = ["--plugin", inRepository("plugins", "text-room"), "--json"]
      const { code, stdout } = yield* hindcast([...run, ...more, "--hedge", "1"], env)
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ outcome: "achieved", model: { unmetered: 1 } })
      const calls = (yield* Effect.promise(() => listed(["--type", "ModelCalled", "--log", log]))) as ReadonlyArray<{
        readonly id: string
        readonly payload: { readonly hedgeOf?: string }
      }>
      expect(calls[1]?.payload.hedgeOf).toBe(calls[0]?.id)
      expect(yield* Effect.promise(() => listed(["--type", "ModelFailed", "--log", log]))).toMatchObject([
        { causationId: calls[0]?.id, payload: { kind: "cancelled" } },
      ])
      expect(asked.length).toBeGreaterThanOrEqual(2)

      const wrong = yield* hindcast([...run, "--hedge", "soon"], env)
      expect(wrong.code).toBe(1)
      expect(wrong.stderr).toContain("--hedge")
    }),
  )

  it.scopedLive("has the judge decide about a task that was resumed, too", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { verdicts, listener } = answering()
      const env = { OPENAI_COMPATIBLE_BASE_URL: `${yield* server(listener)}/v1`, OPENAI_COMPATIBLE_API_KEY: KEY }
      const [log, agent, rubric] = [`${directory}/log.db`, `${directory}/agent.mjs`, `${directory}/rubric.json`]
      fs.writeFileSync(agent, DIES_ONCE)
      const rewards = [{ name: "greets", when: "The agent greets.", weight: 1 }]
      const measures = [{ name: "manners", description: "Manners", rewards }]
      fs.writeFileSync(rubric, JSON.stringify({ name: "manners", measures }))
      const judge = ["--judge", "openai-compatible/judge", "--rubric", rubric]
      const run = ["run", "--log", log, "--agent", agent, "--goal", "Greet", ...judge, "--json"]
      const died = yield* hindcast(run, { ...env, DIES: "1" })
      expect({ stdout: died.stdout, verdicts: verdicts.length }).toEqual({ stdout: "", verdicts: 0 })
      const { tasks } = JSON.parse((yield* hindcast(["task", "ls", "--log", log, "--json"])).stdout)
      const resume = ["resume", tasks[0].id, "--log", log, "--agent", agent, "--json"]
      const alone = yield* hindcast([...resume, "--rubric", rubric], env)
      expect(alone).toMatchObject({ code: 1, stdout: "" })
      expect(alone.stderr).toContain("--rubric: expected it with --judge, found no --judge")
      const { code, stdout } = yield* hindcast([...resume, ...judge], env)
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({
        taskId: tasks[0].id,
        outcome: "achieved",
        scores: expect.arrayContaining([expect.objectContaining({ label: "judged", finished: true })]),
      })
      expect(verdicts).toHaveLength(3)
    }),
  )

  it.scopedLive("says what is wrong before anything is recorded", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      fs.writeFileSync(`${directory}/guide.yaml`, "systemPromt: x\n")
      const run = ["run", "--log", `${directory}/log.db`, "--goal", "Go"]
      const alone = yield* hindcast([...run, "--model", "openai-compatible/a", "--judge", "openai-compatible/b"])
      expect(alone).toMatchObject({ code: 1, stdout: "" })
      expect(alone.stderr).toContain("--judge: expected it with --rubric, found no --rubric")
      const agent = ["--agent", inRepository("examples", "agents", "wanderer.mjs")]
      for (const [args, said, expected = 1] of [
        [[], /--agent, --model: expected one of them, found neither/],
        [[...agent, "--model", "anthropic/one"], /--agent, --model: expected one of them, found both/],
        [[...agent, "--max-tokens", "5"], /--max-tokens: expected an agent with --model, found --agent/],
        [["--model", "antropic/one"], /Did you mean anthropic/],
        [["--model", "anthropic/one"], /need a key: .*ANTHROPIC_API_KEY/],
        [["--model", "openai-compatible/one"], /OPENAI_COMPATIBLE_BASE_URL/],
        [
          ["--model", "ollama/one", "--guide", `${directory}/missing.yaml`],
          /missing\.yaml: expected a readable file/,
          3,
        ],
        [["--model", "ollama/one", "--guide", `${directory}/guide.yaml`], /systemPromt: .*systemPrompt/s],
      ] as const) {
        const { code, stderr } = yield* hindcast([...run, ...args], { OPENAI_COMPATIBLE_BASE_URL: undefined })
        expect({ args, code }).toEqual({ args, code: expected })
        expect(stderr).toMatch(said)
      }
      expect(fs.readdirSync(directory)).toEqual(["guide.yaml"])
    }),
  )

  it.scopedLive("asks no model whose price is unknown where it may spend money, and says so", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { asked, listener } = answering()
      const env = { OPENAI_COMPATIBLE_BASE_URL: `${yield* server(listener)}/v1`, OPENAI_COMPATIBLE_API_KEY: KEY }
      const model = ["--model", "openai-compatible/walker", "--max-usd", "1"]
      const { code, stdout } = yield* hindcast(
        ["run", "--log", `${directory}/log.db`, ...model, "--goal", "Go", "--json"],
        env,
      )
      expect({ code, audit: JSON.parse(stdout) }).toMatchObject({
        code: 0,
        audit: { outcome: "truncated", reason: expect.stringContaining("the price of its model is unknown") },
      })
      expect(asked).toEqual([])
    }),
  )

  it.scopedLive("takes the guide of a plugin by its name, and says which there are where it is named wrongly", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { asked, listener } = answering()
      const env = { OPENAI_COMPATIBLE_BASE_URL: `${yield* server(listener)}/v1`, OPENAI_COMPATIBLE_API_KEY: KEY }
      const [log, plugin] = [`${directory}/log.db`, `${directory}/text-room`]
      fs.cpSync(inRepository("plugins", "text-room"), plugin, { recursive: true })
      const file = `${plugin}/looper-plugin.json`
      const guides = [{ name: "walker", description: "Walks", file: "walker.md" }]
      fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, "utf8")), guides }))
      fs.writeFileSync(`${plugin}/walker.md`, "You walk slowly.")
      const run = (guide: string) =>
        hindcast(
          [
            ...["run", "--log", log, "--model", "openai-compatible/walker", "--guide", guide, "--goal", "Go north"],
            ...["--plugin", plugin],
          ],
          env,
        )
      expect((yield* run("text-room/walker")).code).toBe(0)
      expect(JSON.stringify(asked[0]?.body)).toContain("You walk slowly.")
      const wrong = yield* run("text-room/walkers")
      expect(wrong.code).not.toBe(0)
      expect(wrong.stderr).toContain("There is no guide text-room/walkers")
      expect(wrong.stderr).toContain("Did you mean text-room/walker?")
      const shown = yield* hindcast(["plugin", "show", "text-room", "--log", log])
      expect(shown.stdout).toContain("text-room/walker")
    }),
  )
})
