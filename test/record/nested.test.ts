import { describe, expect, it } from "vitest"
import { forked, type Run, record, replayed } from "../../src/record/index.ts"
import { eventsOf, temporary } from "./recorded.ts"

const asked: Array<string> = []
/** A model that repeats what it is told. */
const fetch = async (_: string | URL | Request, init?: RequestInit) => {
  const { messages } = JSON.parse(String(init?.body))
  asked.push(messages.at(-1).content)
  const message = { role: "assistant", content: `heard ${messages.at(-1).content}` }
  return Response.json({ choices: [{ index: 0, finish_reason: "stop", message }] })
}

const ask = async (run: Run, content: string): Promise<string> => {
  const body = JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content }] })
  const response = await run.fetch("http://model.invalid/v1/chat/completions", { method: "POST", body })
  const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] }
  return choices[0].message.content
}

/** An agent that has another agent, with tools of its own, as its tool. */
const agent = (last: string) => async (run: Run) => {
  const look = run.io("look", async (place: string) => `${place} at ${run.now() > 0 ? "noon" : "night"}`)
  const research = run.tool("research", async (topic: string) => ask(run, await look(await ask(run, topic))))
  const both = await Promise.all([research("tea"), research("milk")])
  return [...both, await ask(run, last)]
}

const recorded = async (log: string) => {
  const run = await record({ log, goal: "Ask an agent", agent: "asker", fetch })
  const answer = await agent("done?")(run)
  await run.end("achieved")
  asked.length = 0
  return { answer, events: await eventsOf(log) }
}

describe("a tool that makes calls itself", () => {
  it("is replayed by its answer, without the calls within it", async () => {
    const log = temporary("nested.db")
    const { answer } = await recorded(log)
    expect(answer).toEqual(["heard heard tea at noon", "heard heard milk at noon", "heard done?"])
    expect(await replayed({ log }, agent("done?"))).toEqual(answer)
    await expect(replayed({ log }, agent("enough?"))).rejects.toMatchObject({ _tag: "Diverged", call: "fetch" })
    const skipping = async (run: Run) => run.io("look", String)("heard tea")
    await expect(replayed({ log }, skipping)).rejects.toMatchObject({ _tag: "Diverged" })
    expect(asked).toEqual([])
  })

  it("is made anew on the recorded answers of its calls where tools are live", async () => {
    const log = temporary("live.db")
    const { answer } = await recorded(log)
    expect(await replayed({ log, live: "tools" }, agent("done?"))).toEqual(answer)
    expect(asked).toEqual([])
  })

  it("continues in a fork from within it, and from after it", async () => {
    const log = temporary("fork.db")
    const { answer, events } = await recorded(log)
    const looked = events.find(({ type, payload }) => type === "IoAnswered" && payload.io === "look")?.position ?? 0
    expect((await forked({ log, at: looked, fetch }, agent("done?"))).answer).toEqual(answer)
    expect(asked).toContain("done?")
    expect(asked).not.toContain("tea")
    asked.length = 0
    const done = events.filter(({ type }) => type === "CommandSucceeded").at(-1)?.position ?? 0
    expect((await forked({ log, at: done, fetch }, agent("enough?"))).answer.at(-1)).toBe("heard enough?")
    expect(asked).toEqual(["enough?"])
  })

  it("may share a queue with its program, which makes the program's call for it", async () => {
    const log = temporary("queue.db")
    const signal = () => {
      let send = () => {}
      const sent = new Promise<void>((resolve) => {
        send = resolve
      })
      return { send, sent }
    }
    const queued = signal()
    const program = async (run: Run) => {
      const begun = signal()
      let last: Promise<unknown> | undefined
      let next: (() => void) | undefined
      /** Asks one question at a time: whoever is done makes the next one's call. */
      const inTurn = async (question: string): Promise<string> => {
        if (last !== undefined) {
          const turn = new Promise<string>((resolve) => {
            next = () => resolve(ask(run, question))
          })
          queued.send()
          return turn
        }
        const said = ask(run, question)
        last = said
        await said
        next?.()
        return said
      }
      const tool = run.tool("research", (question: string) => {
        const said = inTurn(question)
        begun.send()
        return said
      })
      const research = tool("tea")
      const other = Promise.race([begun.sent, research]).then(() => inTurn("milk"))
      return Promise.all([research, other])
    }
    const waiting: typeof fetch = async (input, init) => {
      if (String(init?.body).includes("tea")) await queued.sent
      return fetch(input as string, init)
    }
    const run = await record({ log, goal: "Ask in turn", agent: "asker", fetch: waiting })
    const said = await program(run)
    await run.end("achieved")
    expect(said).toEqual(["heard tea", "heard milk"])
    const [tea, milk] = (await eventsOf(log)).filter(({ type }) => type === "ModelCalled")
    // The queue made it, so that it looks as if the tool asked the program's question.
    expect(milk?.causationId).toBe(tea?.causationId)
    expect(await replayed({ log }, program)).toEqual(said)
  })

  it("is the cause of the calls within it", async () => {
    const { events } = await recorded(temporary("causes.db"))
    const typesCausedBy = (id: string) => events.filter(({ causationId }) => causationId === id).map(({ type }) => type)
    const [first] = events.filter(({ type }) => type === "CommandDispatched")
    expect(typesCausedBy(first?.id ?? "")).toEqual(["ModelCalled", "IoCalled", "ModelCalled", "CommandSucceeded"])
    const look = events.find(({ type, payload }) => type === "IoCalled" && payload.io === "look")
    expect(typesCausedBy(look?.id ?? "")).toEqual(["IoAnswered", "IoAnswered"])
  })
})
