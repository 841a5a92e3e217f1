import { describe, expect, it } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { align } from "../../src/projections/timetravel/TaskAlignment.ts"
import { forked, type Run, record } from "../../src/record/index.ts"
import { eventsOf, temporary } from "./recorded.ts"

/** A model that calls a tool and then answers, in pieces that differ from answer to answer, each under other ids; and a service. */
const provider = (): typeof fetch => {
  let answers = 0
  return async (input, init) => {
    const request = new Request(input, init)
    const id = `id-${++answers}-${Math.random()}`
    if (request.method === "GET")
      return new Response(inPieces("Ünder the sky", answers), { headers: { "x-request-id": id } })
    const { model, messages } = (await request.json()) as { model: string; messages: ReadonlyArray<{ role: string }> }
    const said = messages.some(({ role }) => role === "tool")
      ? { content: "It rains." }
      : {
          tool_calls: [
            { index: 0, id: `call_${id}`, type: "function", function: { name: "sky", arguments: '{"at":"noon"}' } },
          ],
        }
    const events = [
      { delta: said, finish_reason: null },
      { delta: {}, finish_reason: "content" in said ? "stop" : "tool_calls" },
    ].map(
      (choice) =>
        `data: ${JSON.stringify({ id: `chatcmpl-${id}`, created: answers, model, choices: [{ index: 0, ...choice }] })}\n\n`,
    )
    const headers = { "content-type": "text/event-stream", "x-request-id": id, "openai-processing-ms": String(answers) }
    return new Response(inPieces([...events, "data: [DONE]\n\n"].join(""), answers), { headers })
  }
}

/** A body in pieces of a size, which part characters too. */
const inPieces = (text: string, size: number) => {
  const bytes = Buffer.from(text)
  let at = 0
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(new Uint8Array(bytes.subarray(at, at + size)))
      at += size
    },
  })
}

/** A program of two turns, which asks a service between them, and says by what it is told which run it is. */
const agent = (question: string) => async (run: Run) => {
  const ask = async (messages: ReadonlyArray<object>) => {
    const body = { model: "gpt-5", stream: true, messages: [{ role: "system", content: "Be brief." }, ...messages] }
    const response = await run.fetch("http://model.invalid/v1/chat/completions", {
      method: "POST",
      body: JSON.stringify(body),
    })
    return response.text()
  }
  const user = { role: "user", content: question }
  const callId = /call_[^"]+/.exec(await ask([user]))?.[0]
  const sky = await (await run.fetch("http://weather.invalid/sky")).text()
  const call = { id: callId, type: "function", function: { name: "sky", arguments: '{"at": "noon"}' } }
  await ask([user, { role: "assistant", tool_calls: [call] }, { role: "tool", tool_call_id: callId, content: sky }])
}

const recorded = async (
  log: string,
  fetch: typeof globalThis.fetch,
  question: string,
): Promise<ReadonlyArray<Event>> => {
  const run = await record({ log, goal: "Look at the sky", agent: "looker", fetch })
  await agent(question)(run)
  await run.end("achieved")
  return (await eventsOf(log)).filter(({ taskId }) => taskId === run.taskId)
}

const differences = (a: ReadonlyArray<Event>, b: ReadonlyArray<Event>) =>
  align(a, b).pairs.flatMap(({ kind, a, b }) => (kind === "same" ? [] : [`${kind} ${(a ?? b)?.type}`]))

describe("two recorded runs, aligned,", () => {
  it("do not differ by when pieces came, by the ids of answers and calls, or by what the server said of its work", async () => {
    const [log, fetch] = [temporary("aligned.db"), provider()]
    const [first, second] = [
      await recorded(log, fetch, "How is the sky?"),
      await recorded(log, fetch, "How is the sky?"),
    ]
    expect(first.map(({ type }) => type)).toContain("CommandSucceeded")
    expect(differences(first, second)).toEqual([])
  })

  it("differ by what was asked and answered", async () => {
    const [log, fetch] = [temporary("asked.db"), provider()]
    const [first, second] = [await recorded(log, fetch, "How is the sky?"), await recorded(log, fetch, "Does it rain?")]
    // The second request has only its news.
    expect(differences(first, second)).toEqual(["changed ModelCalled"])
    const other: typeof fetch = (input, init) =>
      init?.method === "POST" ? fetch(input, init) : Promise.resolve(new Response("clear"))
    const third = await recorded(log, other, "How is the sky?")
    expect(differences(first, third)).toEqual(["changed IoAnswered", "changed CommandSucceeded", "changed ModelCalled"])
  })

  it("are a run and its fork with another model, which differ by the model alone", async () => {
    const [log, fetch] = [temporary("forked.db"), provider()]
    const first = await recorded(log, fetch, "How is the sky?")
    const called = first.find(({ type }) => type === "IoCalled")
    const at = first.find(({ causationId }) => causationId === called?.id)?.position ?? 0
    const { timeline } = await forked({ log, at, fetch, set: { model: "other" } }, agent("How is the sky?"))
    const past = first.filter(({ position }) => position <= at)
    const own = (await eventsOf(log)).filter((event) => event.timeline === timeline && event.type !== "TimelineForked")
    const changed = ["changed ModelCalled", "changed ModelResponded"]
    expect(differences(first, [...past, ...own])).toEqual(changed)
    // As `align` compares them: without what they share.
    expect(differences(first.slice(past.length), own)).toEqual(changed)
  })
})
