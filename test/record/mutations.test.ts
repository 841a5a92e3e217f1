import { describe, expect, it } from "vitest"
import * as ExaminedFetch from "../../src/record/doctor/ExaminedFetch.ts"
import * as Findings from "../../src/record/doctor/Findings.ts"
import * as HttpMessage from "../../src/record/http/HttpMessage.ts"
import * as Redaction from "../../src/record/http/Redaction.ts"
import { forked, type Run, record, replayed } from "../../src/record/index.ts"
import * as Playback from "../../src/record/replay/Playback.ts"
import * as Recording from "../../src/record/replay/Recording.ts"
import * as RequestAnswer from "../../src/record/replay/RequestAnswer.ts"
import { MUTATIONS, RECORDED } from "./mutations.ts"
import { eventsOf, temporary } from "./recorded.ts"

const fetch = async (input: string | URL | Request) => new Response(`answer to ${new Request(input).url}`)
const urlOf = (step: string) => `http://service.invalid/${step}`

type Program = (steps: ReadonlyArray<string>) => (run: Run) => Promise<void>

/** Programs that take the steps one by one, and do not care for what fails: what they did otherwise is still found. */
const byRequests: Program = (steps) => async (run) => {
  for (const step of steps) await run.fetch(urlOf(step)).then((response) => response.text(), String)
}
const byTools: Program = (steps) => async (run) => {
  const tool = run.tool("step", (step: string) => step)
  for (const step of steps) await tool(step).catch(String)
}
const byCalls: Program = (steps) => async (run) => {
  const calls = new Map(["other", "more", ...RECORDED].map((step) => [step, run.io(step, () => step)]))
  for (const step of steps) await calls.get(step)?.().catch(String)
}

const PROGRAMS = { requests: byRequests, tools: byTools, "calls of several names": byCalls }

const recordedBy = async (program: Program) => {
  const log = temporary("mutated.db")
  const run = await record({ log, goal: "Take steps", agent: "stepper", fetch })
  await program(RECORDED)(run)
  await run.end("achieved")
  const events = await eventsOf(log)
  const ofTask = events.filter(({ taskId }) => taskId === run.taskId)
  const { calls } = Recording.of(ofTask)
  return { log, events: ofTask, second: calls[1] }
}

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

/** How a fork's task was closed. */
const closedIn = async (log: string, timeline: string) =>
  (await eventsOf(log)).find((event) => event.timeline === timeline && event.type === "TaskClosed")?.payload.outcome

describe.each(Object.entries(PROGRAMS))("a program of %s that", (_, program) => {
  const recording = recordedBy(program)

  it("does as was recorded is not found by any way of replaying", async () => {
    const { log, second } = await recording
    await replayed({ log }, program(RECORDED))
    const { timeline } = await forked({ log, at: second?.answeredAt ?? 0, fetch }, program(RECORDED))
    expect(await closedIn(log, timeline)).toBe("achieved")
  })

  it.each(Object.entries(MUTATIONS))(
    "%s is found in a replay, and in a fork from after or within it",
    async (_, steps) => {
      const { log, second } = await recording
      const _tag = steps.length === 0 ? "NothingReplayed" : "Diverged"
      expect(await failure(replayed({ log }, program(steps)))).toMatchObject({ _tag })
      for (const at of [second?.answeredAt ?? 0, second?.position ?? 0]) {
        const timeline = `fork-${at}-${steps.join("-")}`
        expect(await failure(forked({ log, at, fetch, timeline }, program(steps)))).toMatchObject({ _tag })
        expect(await closedIn(log, timeline)).toBe("failed")
        const called = (await eventsOf(log)).filter((event) => event.timeline === timeline).map(({ type }) => type)
        expect(called).toEqual(["TimelineForked", "TaskClosed"])
      }
    },
  )
})

describe("a program that", () => {
  const recording = recordedBy(byRequests)
  const redaction = Redaction.make()

  /** As a proxy replays: by requests, without a `fetch` of the program's. */
  const byProxy = async (steps: ReadonlyArray<string>) => {
    const playback = Playback.of(Recording.of((await recording).events))
    const kinds = steps.map((step) => {
      const sent = { method: "GET", url: urlOf(step), headers: new Headers(), body: null }
      return RequestAnswer.to(playback, HttpMessage.read(sent, redaction)).kind
    })
    return { kinds, found: playback.ended() }
  }
  /** What the doctor finds where all its runs are alike. */
  const byDoctor = async (steps: ReadonlyArray<string>) => {
    const { events } = await recording
    const asked: Array<ExaminedFetch.Asked> = []
    const examined = ExaminedFetch.make(events, redaction, "recorded", (one) => asked.push(one))
    for (const step of steps) await examined(urlOf(step)).catch(String)
    const run = { asked }
    const changed = { time: run, randomness: run, order: run, environment: run }
    return Findings.of({ base: run, again: run, changed }, events, {})
  }

  it("does as was recorded is not found by a proxy or the doctor", async () => {
    expect(await byProxy(RECORDED)).toEqual({ kinds: RECORDED.map(() => "response"), found: undefined })
    expect(await byDoctor(RECORDED)).toEqual([])
  })

  it.each(Object.entries(MUTATIONS))("%s is found by a proxy and the doctor", async (_, steps) => {
    expect((await byProxy(steps)).found).toBeDefined()
    expect((await byDoctor(steps)).length).toBeGreaterThan(0)
  })
})
