import * as fs from "node:fs"
import type * as http from "node:http"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { server } from "../agents/models/servers.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"
import { type Ended, start } from "./hindcast.ts"

const KEY = "sk-compatible-71d0b5aa93"

/** A server that answers as OpenAI's chat completions, with these texts in turn. It counts what it was asked. */
const answering = (...texts: ReadonlyArray<string>) => {
  const asked: Array<string> = []
  const listener: http.RequestListener = (request, response) => {
    request.resume().on("end", () => {
      asked.push(request.headers.authorization ?? "")
      const content = texts[asked.length - 1] ?? "No more."
      const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
      response.writeHead(200, { "content-type": "text/event-stream" })
      for (const event of [
        { choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }] },
        { choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage },
      ])
        response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", ...event })}\n\n`)
      response.end("data: [DONE]\n\n")
    })
  }
  return { asked, listener }
}

const NO_KEYS = {
  OPENAI_COMPATIBLE_API_KEY: undefined,
  OPENAI_COMPATIBLE_BASE_URL: undefined,
  ANTHROPIC_API_KEY: undefined,
}

const hindcast = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): Effect.Effect<Ended> =>
  Effect.promise(() => start(args, { env: { ...NO_KEYS, ...env } }).ended)

const MODEL = ["--model", "openai-compatible/speaker"]

describe("cassette record", () => {
  it.scopedLive("keeps what a provider answers, which run --cassette plays offline; the key is in no file", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { asked, listener } = answering("Good morning.")
      const env = { OPENAI_COMPATIBLE_BASE_URL: `${yield* server(listener)}/v1`, OPENAI_COMPATIBLE_API_KEY: KEY }
      const file = `${directory}/greeting.json`
      const greet = ["--goal", "Say good morning", "--json"]
      const recorded = yield* hindcast(
        ["cassette", "record", file, ...MODEL, "--log", `${directory}/one.db`, ...greet],
        env,
      )
      expect({ code: recorded.code, stderr: recorded.stderr }).toMatchObject({ code: 0 })
      expect(JSON.parse(recorded.stdout)).toMatchObject({ outcome: "achieved", model: { calls: 1 } })
      expect(asked).toEqual([`Bearer ${KEY}`])
      const cassette = JSON.parse(fs.readFileSync(file, "utf8"))
      expect(cassette).toMatchObject({ version: 1, kind: "recorded" })
      expect(cassette.interactions).toHaveLength(1)

      const played = yield* hindcast(["run", ...MODEL, "--cassette", file, "--log", `${directory}/two.db`, ...greet])
      expect({ code: played.code, audit: JSON.parse(played.stdout) }).toMatchObject({
        code: 0,
        audit: { outcome: "achieved", model: { calls: 1, inputTokens: 100, outputTokens: 10 } },
      })
      expect(asked).toHaveLength(1)
      for (const name of fs.readdirSync(directory).filter((name) => !name.endsWith(".plugins")))
        expect(fs.readFileSync(`${directory}/${name}`, "latin1")).not.toContain(KEY)

      const again = yield* hindcast(
        ["cassette", "record", file, ...MODEL, "--log", `${directory}/three.db`, ...greet],
        env,
      )
      expect({ code: again.code, tag: JSON.parse(again.stderr).error.tag }).toEqual({ code: 1, tag: "BadInput" })
      expect(again.stderr).toContain("expected a file that does not exist, found one that does")
      expect(fs.existsSync(`${directory}/three.db`)).toBe(false)

      const other = ["run", ...MODEL, "--cassette", file, "--log", `${directory}/four.db`, "--goal", "Say good night"]
      const missed = yield* hindcast(other)
      expect(missed.code).toBe(1)
      expect(missed.stderr).toMatch(/has no answer to request 1, POST \/v1\/chat\/completions: .* differs at/)
    }),
  )

  it.scopedLive("writes nothing where the key occurs in what was answered", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { listener } = answering(`Your key is ${KEY}.`)
      const env = { OPENAI_COMPATIBLE_BASE_URL: `${yield* server(listener)}/v1`, OPENAI_COMPATIBLE_API_KEY: KEY }
      const record = ["cassette", "record", `${directory}/leak.json`, ...MODEL, "--log", `${directory}/log.db`]
      const { code, stderr } = yield* hindcast([...record, "--goal", "Tell"], env)
      expect(code).toBe(1)
      expect(stderr).toContain("was not written: response 1 contains a key")
      expect(stderr).not.toContain(KEY)
      expect(fs.existsSync(`${directory}/leak.json`)).toBe(false)
    }),
  )

  it.scopedLive("says what is wrong before anything is recorded", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      fs.writeFileSync(`${directory}/broken.json`, '{"version": 1')
      const work = ["--goal", "Go", "--log", `${directory}/log.db`]
      const record = ["cassette", "record"]
      const agent = ["--agent", inRepository("examples", "agents", "wanderer.mjs")]
      for (const [args, said, expected = 1] of [
        [[...record, `${directory}/new.json`, "--model", "anthropic/one", ...work], /need a key: .*ANTHROPIC_API_KEY/],
        [
          [...record, `${directory}/no/new.json`, "--model", "anthropic/one", ...work],
          /a file in a directory that exists/,
        ],
        [[...record, `${directory}/broken.json`, "--model", "ollama/one", ...work], /found one that does/],
        [
          ["run", "--model", "ollama/one", "--cassette", `${directory}/broken.json`, ...work],
          /is not a cassette of version 1/,
        ],
        [
          ["run", "--model", "ollama/one", "--cassette", `${directory}/none.json`, ...work],
          /is not a cassette .*no such file/,
          3,
        ],
        [
          ["run", ...agent, "--cassette", `${directory}/broken.json`, ...work],
          /--cassette: expected an agent with --model/,
        ],
      ] as const) {
        const { code, stderr } = yield* hindcast(args)
        expect({ args, code }).toEqual({ args, code: expected })
        expect(stderr).toMatch(said)
      }
      expect(fs.readdirSync(directory)).toEqual(["broken.json"])
    }),
  )
})
