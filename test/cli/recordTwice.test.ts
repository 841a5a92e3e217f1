import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { is } from "../../src/events/vocabulary/Vocabulary.ts"
import * as Document from "../../src/workspace/model/Document.ts"
import { ContentStore, digestOf } from "../../src/workspace/store/ContentStore.ts"
import { fileOf } from "../../src/workspace/store/StoreFile.ts"
import { eventsOf } from "../record/recorded.ts"
import { workplace } from "../workplace.ts"
import { type Ended, hindcast, start } from "./hindcast.ts"

const place = workplace()

/** Writes a file of its name for each call of the model, in whose arguments the file is not. */
const agent = place.file(
  "agent.mjs",
  `import * as fs from "node:fs"
const [name] = process.argv.slice(2)
const messages = [{ role: "user", content: name }]
for (;;) {
  const answer = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-5", messages }),
  })
  const { message } = (await answer.json()).choices[0]
  messages.push(message)
  if (message.tool_calls === undefined) break
  const [{ id }] = message.tool_calls
  fs.writeFileSync(id + ".txt", "by " + name + "\\n")
  messages.push({ role: "tool", tool_call_id: id, content: "done" })
}
`,
)

/** Calls at which each program waits for the other. */
const TOGETHER = 4
/** Calls of the second program after the first one has ended. */
const ALONE = 2

let waiting: Array<() => void> = []
let firstEnded: Promise<unknown> = Promise.resolve()

const provider = http.createServer(async (request, response) => {
  let body = ""
  for await (const piece of request) body += piece
  const { messages } = JSON.parse(body)
  const name = messages[0].content
  const turn = messages.filter(({ role }: { readonly role: string }) => role === "assistant").length
  const isLast = turn === (name === "ada" ? TOGETHER : TOGETHER + ALONE)
  if (turn < TOGETHER)
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      if (waiting.length < 2) return
      for (const go of waiting) go()
      waiting = []
    })
  else if (name === "bob") await firstEnded
  const call = { id: `${name}-${turn}`, type: "function", function: { name: "work", arguments: "{}" } }
  const message = { role: "assistant", content: isLast ? "Done" : null, ...(isLast ? {} : { tool_calls: [call] }) }
  const choices = [{ index: 0, finish_reason: isLast ? "stop" : "tool_calls", message }]
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "gpt-5", choices, usage }))
})

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve))
})
afterAll(async () => {
  provider.close()
  await place.remove()
})

let projects = 0
const recorded = async (options: ReadonlyArray<string>, logNames: readonly [string, string]) => {
  const root = place.file(`project-${++projects}`)
  fs.mkdirSync(root)
  const logs = logNames.map((name) => place.file(`${projects}-${name}.db`))
  const env = { OPENAI_BASE_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1` }
  const record = (name: string, log = ""): Promise<Ended> => {
    const words = ["record", ...options, "--log", log, "--workspace", ".", "--", process.execPath, agent, name]
    return start(words, { cwd: root, env }).ended
  }
  const first = record("ada", logs[0])
  firstEnded = first
  const ended = await Promise.all([first, record("bob", logs[1])])
  expect(ended.map(({ code, stderr }) => (code === 0 ? code : stderr))).toEqual([0, 0])
  return { root, logs: [...new Set(logs)] }
}

const OF_ADA = Array.from({ length: TOGETHER }, (_, turn) => `ada-${turn}.txt`)
const OF_BOB = Array.from({ length: TOGETHER + ALONE }, (_, turn) => `bob-${turn}.txt`)

/** What a task saw of the files: all that were added, and those that it takes for the work of one of its calls. */
const seenIn = async (log: string) => {
  const tasks = new Map<string | null, { readonly added: Array<string>; readonly called: Array<string> }>()
  const events = await eventsOf(log)
  for (const event of events) {
    if (!is(event, "EnvironmentChanged")) continue
    expect(events.find(({ id }) => id === event.causationId)?.taskId).toBe(event.taskId)
    const task = tasks.get(event.taskId) ?? { added: [], called: [] }
    tasks.set(event.taskId, task)
    const files = Document.read(event.payload.patch).map(({ path, state: { kind } }) => `${kind} ${path}`)
    task.added.push(...files)
    if (event.payload.inferred !== undefined) task.called.push(...files)
  }
  return [...tasks.values()]
}

describe("two recorders of one directory", () => {
  it.each([
    ["one log, in the programs themselves", [], ["same", "same"]],
    ["two logs, by proxies", ["--proxy"], ["first", "second"]],
  ] as const)(
    "with %s, lose nothing, and take no change of the other's calls for their own",
    async (_, options, names) => {
      const { root, logs } = await recorded(options, names)
      const all: Array<Awaited<ReturnType<typeof seenIn>>[number]> = []
      for (const log of logs) {
        expect((await hindcast(["log", "verify", "--log", log])).stdout).toContain("Intact")
        const seen = await seenIn(log)
        const store = ContentStore.open(fileOf(log))
        for (const file of seen.flatMap(({ added }) => added.map((one) => one.replace("added ", ""))))
          expect([file, store.has(digestOf(fs.readFileSync(`${root}/${file}`)))]).toEqual([file, true])
        store.close()
        all.push(...seen)
      }
      expect(all).toHaveLength(2)
      const [ada, bob] = all.sort((one, other) => one.added.length - other.added.length)
      // Each once; the first may end before it sees the other's last one.
      const inTurns = [...OF_ADA, ...OF_BOB].map((file) => `added ${file}`).sort()
      expect(bob?.added.toSorted()).toEqual(inTurns)
      expect(inTurns).toEqual(expect.arrayContaining(ada?.added ?? []))
      expect(new Set(ada?.added).size).toBe(ada?.added.length)
      expect(ada?.added).toEqual(expect.arrayContaining(OF_ADA.map((file) => `added ${file}`)))
      expect(ada?.called.filter((one) => !one.startsWith("added ada-"))).toEqual([])
      expect(bob?.called.filter((one) => !one.startsWith("added bob-"))).toEqual([])
      // Once it is alone, its calls are the causes again.
      expect(bob?.called).toContain(`added bob-${TOGETHER + ALONE - 1}.txt`)
    },
  )
})
