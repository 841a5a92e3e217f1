import { spawn } from "node:child_process"
import type * as http from "node:http"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { counter } from "../../agents/given.ts"
import { server } from "../../agents/models/servers.ts"
import { MAIN } from "../../built.ts"
import { writePlugin } from "../../kernel/given.ts"
import { temporaryDirectory } from "../../temporary.ts"
import type { Ended } from "../hindcast.ts"
import { inTerminal } from "../terminal.ts"

type Answer = { readonly content: ReadonlyArray<string> } | { readonly tool: string; readonly args: object }

/** A server that answers as OpenAI's chat completions, one answer after the other; each waits until it may. */
const answering = (answers: ReadonlyArray<Answer>) => {
  const asked: Array<{ readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown }> }> = []
  const listener: http.RequestListener = (request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text
    })
    request.on("end", () => {
      const answer = answers[asked.push(JSON.parse(body)) - 1]
      if (answer === undefined) {
        response.writeHead(400).end("no answer is left")
        return
      }
      const deltas =
        "tool" in answer
          ? [
              {
                tool_calls: [
                  ...[{ index: 0, id: `call-${asked.length}`, type: "function" }].map((call) => ({
                    ...call,
                    function: { name: answer.tool, arguments: JSON.stringify(answer.args) },
                  })),
                ],
              },
            ]
          : answer.content.map((content) => ({ content }))
      const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
      response.writeHead(200, { "content-type": "text/event-stream" })
      const send = (event: object) =>
        response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", ...event })}\n\n`)
      for (const delta of deltas) send({ choices: [{ index: 0, delta, finish_reason: null }] })
      const reason = "tool" in answer ? "tool_calls" : "stop"
      send({ choices: [{ index: 0, delta: {}, finish_reason: reason }], usage })
      response.end("data: [DONE]\n\n")
    })
  }
  return { asked, listener }
}

const given = (answers: ReadonlyArray<Answer>) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const { asked, listener } = answering(answers)
    const env = { OPENAI_COMPATIBLE_BASE_URL: `${yield* server(listener)}/v1`, NO_COLOR: "1" }
    const plugin = writePlugin(path.join(directory, "counter"), counter)
    const args = ["chat", "--log", `${directory}/log.db`, "--model", "openai-compatible/one", "--workspace", directory]
    return { directory, asked, env, args, withCounter: [...args, "--plugin", plugin, "--sandbox", "flags"] }
  })

/** Runs the program with an input from a pipe. */
const piped = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv, input: string) =>
  Effect.promise(
    () =>
      new Promise<Ended>((resolve, reject) => {
        const child = spawn(process.execPath, [MAIN, ...args], {
          env: { ...process.env, HINDCAST_LOG: undefined, ...env },
        })
        let [stdout, stderr] = ["", ""]
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          stdout += text
        })
        child.stderr.setEncoding("utf8").on("data", (text: string) => {
          stderr += text
        })
        child.on("error", reject)
        child.on("close", (code) => resolve({ code, stdout, stderr }))
        child.stdin.end(input)
      }),
  )

describe("hindcast chat", () => {
  it.scopedLive("in a terminal streams answers, asks in place, and takes nothing typed before as an answer", () =>
    Effect.gen(function* () {
      const { asked, env, withCounter } = yield* given([
        { content: ["Hello, \u001b]0;owned\u0007", "what ", "shall I count?"] },
        { tool: "counter__add", args: { by: 2 } },
        { content: ["It is 2."] },
        { content: ["You said y."] },
      ])
      const terminal = inTerminal(withCounter, { env })
      yield* Effect.promise(async () => {
        await terminal.shows(/^you: ?$/m)
        terminal.type("Hello\r")
        await terminal.shows(/Hello, \\u\{1b\}\]0;owned\\u\{7\}what shall I count\?\n+you:/)
        // A line that is typed ahead is an input, and an unfinished one is no answer.
        terminal.type("Two\ry")
        await terminal.shows("Execute it? [y/N]")
        expect(terminal.screen().findLast((line) => line.includes("Execute it?"))).not.toMatch(/y$/)
        terminal.type("yes\r")
        await terminal.shows("It is 2.")
        await terminal.shows(/you: y$/m)
        terminal.type("\r")
        await terminal.shows("You said y.")
        // The answer is shown before it is recorded.
        const states = (lines: ReadonlyArray<string>) => lines.filter((line) => /^(ready|thinking) task/.test(line))
        for (let asked = 1; !states(terminal.screen()).some((line) => line.startsWith("ready")); asked++) {
          terminal.type("/state\r")
          await terminal.shows((lines) => states(lines).length === asked)
        }
        terminal.type("/quit\r")
        expect(await terminal.ended).toBe(0)
        expect(terminal.screen().join("\n")).toMatch(/^you: \/quit\nopenai-compatible\/one: 4 calls, 400 tokens in/m)
      })
      expect(asked.map(({ messages }) => messages.at(-1)?.role)).toEqual(["user", "user", "tool", "user"])
    }),
  )

  it.scopedLive("through pipes takes the first line as the goal, and each other one as an input", () =>
    Effect.gen(function* () {
      const { asked, env, args } = yield* given([{ content: ["Hello."] }, { content: ["Bye."] }, { content: ["Bye."] }])
      const { code, stdout } = yield* piped(args, env, "Hello\nGoodbye\n")
      expect(stdout).toMatch(/(Hello\.\n[\s\S]*Goodbye|Goodbye\n[\s\S]*Hello\.)\n[\s\S]*Bye\.\n/)
      expect([code, asked.length]).toEqual([0, 2])
    }),
  )

  it.scopedLive("prints JSON Lines, and nothing else", () =>
    Effect.gen(function* () {
      const { env, args } = yield* given([{ content: ["Hello."] }])
      const { code, stdout } = yield* piped([...args, "--json"], env, "Hello\n")
      const types = stdout
        .trimEnd()
        .split("\n")
        .map((line): string => JSON.parse(line).type)
      expect([code, types.includes("onDelta"), types.includes("onNewMessage")]).toEqual([0, true, true])
    }),
  )

  it.scopedLive("says what is wrong before anything is recorded", () =>
    Effect.gen(function* () {
      const { env, args, directory } = yield* given([])
      for (const [typed, said, ended = 1] of [
        [["chat"], /--model, --task: expected one of them, found neither/],
        [[...args, "--task", "abcd"], /--model, --task: expected one of them, found both/],
        [["chat", "--task", "abcd", "--log", `${directory}/none.db`], /expected a log, found no such file/, 3],
        [args, /the input: expected a first line, or --goal, found none/],
      ] as const) {
        const { code, stderr } = yield* piped(typed, env, "")
        expect({ typed, code }).toEqual({ typed, code: ended })
        expect(stderr).toMatch(said)
      }
    }),
  )
})
