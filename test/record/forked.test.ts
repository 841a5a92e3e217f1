import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { Diverged, forked, type Run, record, replayed, ToolDenied } from "../../src/record/index.ts"
import { outside, placesOf } from "../wrongOptions.ts"
import { eventsOf, temporary } from "./recorded.ts"

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "it did not reject",
    (error: unknown) => error,
  )

/** A model that repeats what it is told, and says its name; and a service that tells the weather. */
const provider = () => {
  const asked: Array<string> = []
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init)
    if (request.method === "GET") return Response.json({ sky: "clear" })
    const { model, messages } = (await request.json()) as {
      readonly model: string
      readonly messages: ReadonlyArray<{ readonly content: string }>
    }
    const words = `${model}: ${messages.at(-1)?.content}`
    asked.push(words)
    return Response.json({
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: words } }],
    })
  }
  return { asked, fetch }
}

const ask = async (run: Run, content: string): Promise<string> => {
  const response = await run.fetch("http://model.invalid/v1/chat/completions", {
    method: "POST",
    body: JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content }] }),
  })
  return ((await response.json()) as { choices: [{ message: { content: string } }] }).choices[0].message.content
}

/** A program of two turns with a tool between them, and everything else that a run has. */
const agent =
  (called: Array<string>, start = "where to?") =>
  async (run: Run) => {
    const walk = run.tool("walk", ({ to }: { to: string }): string => {
      called.push(`walk ${to}`)
      return `walked ${to}`
    })
    const load = run.io("load", (key: string): string => {
      called.push(`load ${key}`)
      return `row of ${key}`
    })
    const heat = run.sensor("heat", () => called.push("heat"))
    const [time, chance, read] = [run.now(), run.random(), await heat()]
    const first = await ask(run, start)
    const there = await walk({ to: "north" })
    const again = await walk({ to: "south" })
    return { time, chance, read, words: [first, there, again, await load("map"), await ask(run, `then ${again}`)] }
  }

/** A recording of it: its log, its answer, and the positions of its events by their types. */
const recording = async () => {
  const log = temporary("forked.db")
  const { asked, fetch } = provider()
  const run = await record({ log, goal: "Walk", agent: "walker", fetch })
  const answer = await agent([])(run)
  await run.end("achieved")
  const events = await eventsOf(log)
  const at = (type: string, index = 0) => events.filter((event) => event.type === type)[index]?.position ?? 0
  asked.length = 0
  return { log, answer, at, asked, fetch, taskId: run.taskId }
}

/** The events of a timeline. */
const typesIn = async (log: string, timeline: string) =>
  (await eventsOf(log)).filter((event) => event.timeline === timeline).map(({ type }) => type)

describe("a forked run", () => {
  it("answers what came before the moment from the log, and does and records the rest in a timeline of its own", async () => {
    const { log, answer, at, asked, fetch, taskId } = await recording()
    const called: Array<string> = []
    const moment = at("CommandSucceeded")
    const { timeline, ...forkedRun } = await forked(
      { log, at: moment, fetch, set: { model: "other-1" } },
      agent(called),
    )
    expect(forkedRun).toEqual({
      taskId,
      parent: "main",
      at: moment,
      answer: { ...answer, words: [...answer.words.slice(0, 4), "other-1: then walked south"] },
    })
    expect(called).toEqual(["walk south", "load map"])
    expect(asked).toEqual(["other-1: then walked south"])
    expect(timeline).toBe("fork-1")
    expect(await typesIn(log, timeline)).toEqual([
      ...["TimelineForked", "ActuatorCommanded", "CommandAllowed", "CommandDispatched", "CommandSucceeded"],
      ...["IoCalled", "IoAnswered", "ModelCalled", "ModelResponded", "IoAnswered", "TaskClosed"],
    ])
    // The parent is as it was, and a fork goes on from a fork.
    expect(await replayed({ log }, agent([]))).toEqual(answer)
    const responded = (await eventsOf(log)).find((event) => event.timeline === timeline && event.type === "IoAnswered")
    const again = await forked(
      { log, at: `${timeline}@${responded?.position}`, timeline: "again", fetch, set: { answer: "stay" } },
      agent(called),
    )
    expect(again).toMatchObject({ parent: timeline, timeline: "again" })
    expect(again.answer.words.at(-1)).toBe("stay")
    expect(asked).toEqual(["other-1: then walked south"])
  })

  it("asks again what was under way at the moment, and answers a later call of the same kind from the log", async () => {
    const log = temporary("under-way.db")
    const asked: Array<string> = []
    let answerSlow = () => {}
    const slowAnswered = new Promise<void>((resolve) => {
      answerSlow = resolve
    })
    const { fetch: answering } = provider()
    const fetch = async (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(input, init)
      const isSlow = (await request.clone().text()).includes("slow")
      asked.push(isSlow ? "slow" : "fast")
      if (isSlow) await slowAnswered
      return answering(request)
    }
    const both = async (run: Run, told = () => {}) => {
      const slow = ask(run, "slow")
      const fast = await ask(run, "fast")
      told()
      return [await slow, fast]
    }
    const run = await record({ log, goal: "Ask", agent: "asker", fetch })
    const answer = await both(run, answerSlow)
    await run.end("achieved")
    const [first] = (await eventsOf(log)).filter(({ type }) => type === "IoAnswered")
    asked.length = 0
    const again = await forked({ log, at: first?.position ?? 0, fetch }, both)
    expect(again.answer).toEqual(answer)
    expect(asked).toEqual(["slow"])
  })

  it("gives another result in the place of the next tool's, which is not called, or of a response", async () => {
    const { log, at, asked, fetch } = await recording()
    const called: Array<string> = []
    const asTool = { log, at: at("ModelResponded"), fetch, set: { result: "lost the way" } }
    const { answer } = await forked(asTool, agent(called))
    expect(answer.words.slice(1, 3)).toEqual(["lost the way", "walked south"])
    expect(called).toEqual(["walk south", "load map"])

    const weather = async (run: Run) => [
      await ask(run, "hello"),
      await (await run.fetch("http://weather.invalid/")).text(),
    ]
    const other = temporary("weather.db")
    const run = await record({ log: other, goal: "Look", agent: "walker", fetch })
    await weather(run)
    await run.end("achieved")
    const question = (await eventsOf(other)).find(({ type }) => type === "ModelCalled")?.position ?? 0
    asked.length = 0
    const changed = await forked({ log: other, at: question, fetch, set: { answer: "hi", result: "storm" } }, weather)
    expect(changed.answer).toEqual(["hi", "storm"])
    expect(asked).toEqual([])
  })

  it("passes tools through its gate from the moment on, and gives what was refused before as it was", async () => {
    const { log, at, fetch } = await recording()
    const gate = { default: "deny" as const, rules: [] }
    const refused = await rejection(forked({ log, at: at("ModelResponded"), gate, fetch }, agent([])))
    expect(refused).toBeInstanceOf(ToolDenied)
    const [closed] = (await eventsOf(log)).filter((event) => event.timeline === "fork-1" && event.type === "TaskClosed")
    expect(closed?.payload).toMatchObject({ outcome: "failed", reason: expect.stringContaining("walk was not called") })

    const denied = (await eventsOf(log)).find(({ type }) => type === "CommandDenied")?.position
    const called: Array<string> = []
    const again = forked({ log, at: `fork-1@${denied}`, fetch }, (run) =>
      agent(called)(run).catch((error: unknown) => error),
    )
    expect((await again).answer).toBeInstanceOf(ToolDenied)
    expect(called).toEqual([])
  })

  it("diverges where the program does otherwise or less before the moment, also if it catches that, and does nothing", async () => {
    const { log, at, asked, fetch } = await recording()
    const called: Array<string> = []
    const options = { log, at: at("CommandSucceeded"), fetch }
    const other = await rejection(forked(options, (run) => agent(called, "what for?")(run).catch(() => "caught")))
    expect(other).toBeInstanceOf(Diverged)
    expect(other).toMatchObject({ call: "fetch", difference: { where: "message 1 (user)" } })
    const less = await rejection(forked(options, (run) => ask(run, "where to?")))
    expect(less).toMatchObject({
      difference: { where: "the calls before the fork point", now: "the end of the program" },
    })
    expect([called, asked]).toEqual([[], []])
    expect(await typesIn(log, "fork-1")).toEqual(["TimelineForked", "TaskClosed"])
  })

  it("of several at once has a name of its own each, also where another event is in the stream of the next name", async () => {
    const { log, at, fetch } = await recording()
    const options = { log, at: at("CommandSucceeded"), fetch }
    const forks = await Promise.all([1, 2, 3].map(() => forked(options, agent([]))))
    expect(forks.map(({ timeline }) => timeline).sort()).toEqual(["fork-1", "fork-2", "fork-3"])
    const note = { type: "NoteAdded" as const, payload: { about: "timeline/fork-4", text: "mine" } }
    await Effect.flatMap(EventLog, (log) =>
      log.append({ stream: "timeline/fork-4", timeline: "fork-4", actor: "ada", events: [note] }),
    ).pipe(Effect.provide(layerSqlite({ filename: log })), Effect.runPromise)
    expect((await forked(options, agent([]))).timeline).toBe("fork-5")
    const named = Promise.all([1, 2].map(() => forked({ ...options, timeline: "mine" }, agent([]))))
    expect(await rejection(named)).toMatchObject({ _tag: "TimelineNameInvalid", timeline: "mine" })
  })

  it("asks a fetch of the caller's in the form that the program asked in", async () => {
    const { log, at, fetch } = await recording()
    const given: Array<string> = []
    const noting = (input: string | URL | Request, init?: RequestInit) => {
      given.push(typeof input === "string" ? input : "another form")
      return fetch(input, init)
    }
    await forked({ log, at: at("CommandSucceeded"), fetch: noting }, agent([]))
    await forked({ log, at: at("CommandSucceeded"), fetch: noting, set: { result: "the same" } }, agent([]))
    expect(given).toEqual(["http://model.invalid/v1/chat/completions", "http://model.invalid/v1/chat/completions"])
  })

  it("is ended by the program, and refuses calls after that", async () => {
    const { log, at, fetch } = await recording()
    const program = async (run: Run) => {
      await agent([])(run)
      await run.end("truncated", "enough")
      return rejection(ask(run, "more?"))
    }
    const { answer, timeline } = await forked({ log, at: at("ModelResponded"), fetch }, program)
    expect(answer).toMatchObject({ _tag: "RunEnded" })
    const closed = (await eventsOf(log)).find((event) => event.timeline === timeline && event.type === "TaskClosed")
    expect(closed?.payload).toEqual({ outcome: "truncated", reason: "enough" })
  })

  it("needs a moment of a run that was recorded, a free name, and options that are known", async () => {
    const { log, at, fetch, taskId } = await recording()
    const head = (await eventsOf(log)).length
    const refused = async (options: object) => rejection(forked(outside({ log, fetch, ...options }), agent([])))
    expect(await refused({ at: at("TaskClosed") })).toMatchObject({
      _tag: "NotForkable",
      expected: `a moment before @${at("TaskClosed")}, the end of task ${taskId}`,
      found: "its end",
    })
    expect(await refused({ at: 0 })).toMatchObject({ _tag: "NotForkable", found: "one of no task" })
    expect(await refused({ at: 1, taskId: "another" })).toMatchObject({ _tag: "NotForkable" })
    expect(await refused({ at: 9_999 })).toMatchObject({ _tag: "PositionOutOfRange" })
    expect(await refused({ at: "yesterday" })).toMatchObject({ _tag: "MomentInvalid" })
    expect(await refused({ at: 2, timeline: "main" })).toMatchObject({ _tag: "TimelineNameInvalid" })
    expect(await refused({ at: 2, log: `${log}.gone` })).toMatchObject({ _tag: "LogUnavailable" })
    expect(placesOf(await refused({ at: 2, set: { modle: "x", answer: "" }, task: taskId }))).toEqual([
      "task: taskId?",
      "set.modle: model?",
      "set.answer",
    ])
    expect((await eventsOf(log)).length).toBe(head)
  })
})
