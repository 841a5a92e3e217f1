import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import type { Fetch } from "../../src/agents/models/Fetch.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as RecordedFetch from "../../src/record/http/RecordedFetch.ts"
import * as ProcessRuns from "../../src/record/process/ProcessRuns.ts"
import * as Serving from "../../src/record/process/Serving.ts"
import { chat, type Exchange, serving } from "./exchanged.ts"
import { eventsOf, temporary } from "./recorded.ts"

/** The requests to models in each task of a log, as what was last said in them. */
const saidIn = (events: ReadonlyArray<Event>) => {
  const tasks = new Map<string, Array<string>>()
  for (const { taskId, type, payload } of events) {
    if (taskId === null || type !== "ModelCalled") continue
    const { messages } = payload.request as {
      readonly messages: ReadonlyArray<{ content: ReadonlyArray<{ text: string }> }>
    }
    tasks.set(taskId, [...(tasks.get(taskId) ?? []), messages.at(-1)?.content[0]?.text ?? ""])
  }
  return Object.fromEntries(tasks)
}

const user = (content: string) => ({ role: "user", content })
const assistant = (content: string) => ({ role: "assistant", content })

/** Records a program of a process, whose own task is `own`. */
const recorded = async (
  exchanges: ReadonlyArray<Exchange>,
  program: (ask: (text: string) => Promise<unknown>) => Promise<unknown>,
) => {
  const log = temporary("process.db")
  const tasks: Array<string> = []
  await serving(exchanges, async (_, ask) => {
    const observed = Serving.observe()
    try {
      const onTask = (taskId: string) => void tasks.push(taskId)
      const runs = await ProcessRuns.begin({ log, agent: "server", goal: "Serve", taskId: "own", onTask }, observed)
      const { fetch: outside } = globalThis
      const fetch: Fetch = RecordedFetch.make({ exchange: runs.exchange, fetch: outside, assertOpen: () => {} })
      const byText = (text: string) => {
        const found = exchanges.find(({ request }) => request.endsWith(`${JSON.stringify(text)}}]}`))
        if (found === undefined) throw new Error(`expected an exchange about ${text}, found none`)
        return ask(fetch, found)
      }
      await program(byText)
      await runs.end("achieved")
    } finally {
      observed.end()
    }
  })
  return { events: await eventsOf(log), tasks }
}

describe("a process that is recorded as a whole", () => {
  const chats = ["A title", "Hello", "Search"].map((text) => chat([user(text)], { content: text }))

  it("is one task with all that it asks: its title, and the conversations of its own agents", async () => {
    const { events, tasks } = await recorded(chats, async (ask) => {
      await Promise.all([ask("A title"), ask("Hello")])
      await ask("Search")
    })
    expect(saidIn(events)).toEqual({ own: expect.arrayContaining(["A title", "Hello", "Search"]) })
    expect(tasks).toEqual([])
  })

  it("is a task for each conversation where it serves requests, with what each request leads to", async () => {
    const turns = ["Ann", "Bob"].flatMap((name) => {
      const first = [user(`I am ${name}`)]
      return [
        chat(first, { content: `Hi ${name}` }),
        chat([user(`A title for ${name}`)], { content: "title" }),
        chat([...first, assistant(`Hi ${name}`), user(`${name} again`)], { content: "again" }),
      ]
    })
    const { events, tasks } = await recorded(turns, async (ask) => {
      const server = http.createServer((request, response) => {
        const texts = decodeURIComponent(request.url?.slice(1) ?? "").split(",")
        Promise.all(texts.map(ask)).then(() => response.end("done"))
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const visit = (texts: string) => fetch(`${url}/${encodeURIComponent(texts)}`)
      await Promise.all(["Ann", "Bob"].map((name) => visit(`I am ${name},A title for ${name}`)))
      await Promise.all(["Ann", "Bob"].map((name) => visit(`${name} again`)))
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    const said = Object.values(saidIn(events)).map((texts) => texts.toSorted())
    expect(said).toHaveLength(2)
    expect(said).toEqual(
      expect.arrayContaining(
        ["Ann", "Bob"].map((name) => [`${name} again`, `A title for ${name}`, `I am ${name}`].toSorted()),
      ),
    )
    expect(tasks).toHaveLength(1)
    expect(events.filter(({ type }) => type === "TaskClosed")).toHaveLength(2)
  })
})
