/**
 * Somebody who has never seen Studio answers what people ask of a task, from the task's page alone, with at most two
 * clicks or keys for each answer.
 */
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { record } from "../../../src/record/index.ts"
import { document, hindcast } from "../../cli/hindcast.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { header, sample } from "../../importing/inspectLog.ts"
import { inRepository } from "../../repository.ts"
import { TEN } from "./tenLogs.ts"
import { open } from "./watching.ts"
import { serving } from "./writing.ts"

let browser: OwnBrowser
let directory: string
beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-two-clicks-"))
})
afterAll(async () => {
  await browser?.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

const MOST = 2

/** A person at a task's page, whose clicks and keys count. */
class Stranger {
  readonly page: Page
  #acts = 0

  constructor(page: Page) {
    this.page = page
  }

  async press(key: string): Promise<void> {
    this.#acts += 1
    await this.page.keyboard.press(key)
  }

  async click(what: Locator): Promise<void> {
    this.#acts += 1
    await what.click()
  }

  /** Waits until a part of the page says it, and holds what it took. */
  async reads(where: string, says: RegExp): Promise<void> {
    await this.page.locator(where).filter({ hasText: says }).first().waitFor()
    expect(this.#acts).toBeLessThanOrEqual(MOST)
  }
}

const QUESTIONS = ["happened", "failed", "saw", "changed", "approved", "cost", "diverge", "better"] as const

type Question = (typeof QUESTIONS)[number]

/** How a stranger finds the answer. */
type Answer = (stranger: Stranger) => Promise<void>

const compared: Answer = async (stranger) => {
  await stranger.press("x")
  await stranger.click(stranger.page.locator(".choices button").first())
}

/** The same ways on every page; only the answers differ. */
const answers = (says: { readonly [question in Question]?: RegExp }): { readonly [question in Question]?: Answer } => {
  const ways: { readonly [question in Question]: (wanted: RegExp) => Answer } = {
    happened: (wanted) => (stranger) => stranger.reads(".sentence p", wanted),
    failed: (wanted) => async (stranger) => {
      await stranger.press("!")
      await stranger.reads(".failure", wanted)
    },
    saw: (wanted) => async (stranger) => {
      await stranger.press("S")
      await stranger.reads(".saw", wanted)
    },
    changed: (wanted) => async (stranger) => {
      await stranger.press("S")
      await stranger.click(stranger.page.locator(".saw").getByRole("button", { name: "changed", exact: true }))
      await stranger.reads(".saw", wanted)
    },
    approved: (wanted) => async (stranger) => {
      if ((await stranger.page.locator(".conversation").count()) === 0)
        await stranger.click(stranger.page.getByRole("tab", { name: "conversation" }))
      await stranger.reads(".conversation .items > li", wanted)
    },
    cost: (wanted) => (stranger) => stranger.reads(".sentence .facts-line", wanted),
    diverge: (wanted) => async (stranger) => {
      await compared(stranger)
      await stranger.reads("main", wanted)
    },
    better: (wanted) => async (stranger) => {
      await compared(stranger)
      await stranger.reads("main", wanted)
    },
  }
  return Object.fromEntries(
    QUESTIONS.flatMap((question) => {
      const wanted = says[question]
      return wanted === undefined ? [] : [[question, ways[question](wanted)]]
    }),
  )
}

/** A page of chat completions, which calls a tool once and then answers. */
const recordedProgram = async (file: string): Promise<void> => {
  const choice = (message: object) => ({
    id: "c",
    object: "chat.completion",
    model: "gpt-5",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: null, ...message } }],
    usage: { prompt_tokens: 40, completion_tokens: 8, total_tokens: 48 },
  })
  const call = { id: "call-1", type: "function", function: { name: "price", arguments: '{"thing":"tea"}' } }
  const server = http.createServer(async (request, response) => {
    const parts: Array<Buffer> = []
    for await (const part of request) parts.push(part)
    const { messages } = JSON.parse(Buffer.concat(parts).toString())
    const isFirst = messages.at(-1).role === "user"
    response.writeHead(200, { "content-type": "application/json" })
    const dear = messages[0].content.includes("dear")
    const answer = isFirst ? { tool_calls: [call] } : { content: dear ? "Tea is dear." : "Tea costs 3." }
    response.end(JSON.stringify(choice(answer)))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`
  try {
    for (const system of ["You know prices.", "You find all things dear."]) {
      const run = await record({ log: file, goal: "What does tea cost?", agent: "shop" })
      const price = run.tool("price", ({ thing }: { thing: string }) => `${thing}: 3`, { risk: "none" })
      const messages: Array<object> = [
        { role: "system", content: system },
        { role: "user", content: "What does tea cost?" },
      ]
      const ask = async () => {
        const body = JSON.stringify({ model: "gpt-5", messages })
        const answered = await run.fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
        return JSON.parse(await answered.text()).choices[0].message
      }
      messages.push(await ask(), { role: "tool", tool_call_id: "call-1", content: await price({ thing: "tea" }) })
      await ask()
      await run.end("achieved", "answered")
    }
  } finally {
    server.close()
  }
}

interface Story {
  readonly make: () => Promise<string>
  /** Chooses one of the log's tasks; default: its first. */
  readonly task?: (ids: ReadonlyArray<string>) => string | undefined
  readonly answers: { readonly [question in Question]?: Answer }
}

const made = (kind: string) => async (): Promise<string> => {
  const make = TEN.find(([name]) => name === kind)?.[1]
  if (make === undefined) throw new Error(`expected a log ${kind}, found none`)
  return make(directory)
}

const STORIES: { readonly [story: string]: Story } = {
  "the story of time-travel.md": {
    make: made("scored"),
    task: () => "task-0015",
    answers: answers({
      happened: /Failed after 6 steps.*There is no boiler any more/,
      failed: /boiler\/heat .* failed with PluginExited/,
      approved: /boiler\/block_valve.*valves-stay-free/s,
      cost: /\d (ms|s)/,
      diverge: /A \(daredevil\) called boiler\/heat with power 1 \(@\d+\) and B \(\w+\) called/,
      better: /A \(daredevil\) −1\.8 B \(\w+\) [−\d]/,
    }),
  },
  "a session of a coding agent": {
    make: async () => {
      const file = path.join(directory, "sessions.db")
      const session = inRepository("test/importing/sessions/1-tools-deny-subagent.jsonl")
      await document(["import", session, "--log", file])
      return file
    },
    answers: answers({
      happened: /Finished after 3 steps, and nobody judged the result/,
      failed: /touch x.* was denied/,
      saw: /request \d+ of \d+/,
      changed: /Since @\d+: \d+ added/,
      approved: /denied.*not allowed by gate/s,
      cost: /72 tokens.*\$0\.0007/s,
    }),
  },
  "a recorded program with OpenAI's API": {
    make: async () => {
      const file = path.join(directory, "openai.db")
      await recordedProgram(file)
      return file
    },
    answers: answers({
      happened: /Achieved/,
      failed: /Achieved/,
      saw: /You know prices\./,
      changed: /Since @2: 2 added.*tool @9 added.*tea: 3/s,
      approved: /price/,
      cost: /96 tokens/,
      diverge: /then A (?:.* )?said "Tea costs 3\." \(@10\) and B (?:.* )?said "Tea is dear\."/,
    }),
  },
  "a group": {
    make: made("of a group"),
    answers: answers({
      happened: /Achieved after 6 steps .*ada achieved, bob achieved/,
      failed: /no call failed/,
      approved: /arena\/step/,
      cost: /\d (ms|s)/,
    }),
  },
  "a log of Inspect": {
    make: async () => {
      const file = path.join(directory, "inspect.db")
      const log = path.join(directory, "inspect.json")
      const wrong = { scores: { match: { value: "I", answer: "5", explanation: "It is 4." } } }
      const samples = [sample("1", 1), sample("1", 2, "inline", wrong)]
      fs.writeFileSync(log, JSON.stringify({ ...header(), samples }))
      await document(["import", log, "--log", file])
      return file
    },
    answers: answers({
      happened: /Finished after 1 step, and nobody judged the result/,
      failed: /no call failed/,
      saw: /You add\./,
      changed: /Since @\d+: 2 added.*add: 4/s,
      approved: /approved.*human/s,
      cost: /44 tokens.*\$0\.0001/s,
      diverge: /All 3 decisions of both are the same/,
      better: /A \(inspect-run1\.task1\.1\.1\) 1 B \(inspect-run1\.task1\.1\.2\) 0/,
    }),
  },
  "a killed kernel": {
    make: made("killed"),
    answers: answers({
      happened: /Stopped unexpectedly @\d+ after \d+ steps?/,
      failed: /its process ended without closing the task/,
      approved: /text-room\/\w+/,
    }),
  },
}

describe.each(Object.entries(STORIES))("on the page of %s", (_, { make, task = ([first]) => first, answers }) => {
  let file: string
  let id: string
  beforeAll(async () => {
    file = await make()
    const { stdout } = await hindcast(["task", "ls", "--all", "--json", "--log", file])
    const tasks: ReadonlyArray<{ readonly id: string }> = JSON.parse(stdout).tasks
    id = task(tasks.map((one) => one.id)) ?? ""
  })

  it("at most two clicks or keys answer each question", () =>
    serving(file, async ({ url }) => {
      const failed: Array<string> = []
      for (const [question, answer] of Object.entries(answers)) {
        const { page, context } = await open(browser.browser, url.replace("/#", `/t/main/${encodeURIComponent(id)}#`))
        page.setDefaultTimeout(30_000)
        await page.locator(".sentence h1").waitFor()
        await answer(new Stranger(page)).catch(async (cause: unknown) => {
          failed.push(`${question}: ${cause}\n${(await page.locator("main").textContent())?.slice(0, 3_000)}`)
        })
        await context.close()
      }
      expect(failed).toEqual([])
    }))
})
