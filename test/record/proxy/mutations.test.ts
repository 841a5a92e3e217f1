import { describe, expect, it } from "vitest"
import * as ForkedRun from "../../../src/record/fork/ForkedRun.ts"
import * as LiveRun from "../../../src/record/LiveRun.ts"
import * as OutgoingRequests from "../../../src/record/proxy/OutgoingRequests.ts"
import * as ProviderProxy from "../../../src/record/proxy/ProviderProxy.ts"
import type { PlaybackRun } from "../../../src/record/replay/PlaybackRun.ts"
import * as ReplayedRun from "../../../src/record/replay/ReplayedRun.ts"
import { MUTATIONS, RECORDED } from "../mutations.ts"
import { eventsOf, temporary } from "../recorded.ts"
import { ask, pieces, provider } from "./scripted.ts"

/** Asks a model one question after the other, as a program does whose variable leads to a proxy, and does not care for what fails. */
const askAll = async (proxy: ProviderProxy.ProviderProxy, questions: ReadonlyArray<string>) => {
  for (const content of questions) {
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content }] })
    await ask(`${proxy.variables.OPENAI_BASE_URL}/chat/completions`, { body }).catch(() => {})
  }
}

const said = { choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "yes" } }] }

/** A recording by a proxy, and where its second answer is. */
const recorded = async () => {
  const log = temporary("proxied.db")
  const upstream = await provider(() => ({
    head: "HTTP/1.1 200 OK\r\ncontent-type: application/json",
    pieces: pieces(Buffer.from(JSON.stringify(said))),
  }))
  const env = { OPENAI_BASE_URL: `${upstream.url}/v1` }
  const run = await LiveRun.begin({ log, goal: "Ask", agent: "asker" }, () => {}, { means: "proxy" })
  const forwarding = OutgoingRequests.make()
  const routes = ProviderProxy.routes(env)
  const proxy = await ProviderProxy.recording({ routes, forwarding, env, exchange: run.exchange })
  await askAll(proxy, RECORDED)
  await proxy.close()
  forwarding.close()
  await run.end("achieved")
  const second = (await eventsOf(log)).filter(({ type }) => type === "IoAnswered")[1]?.position ?? 0
  const { taskId } = run
  /** Asks these questions of a proxy that a run answers, and closes the run as the command does. */
  const answeredBy = async ({ run, close }: PlaybackRun, questions: ReadonlyArray<string>) => {
    const proxy = await ProviderProxy.answering({ routes: ProviderProxy.routes(env), env, fetch: run.fetch })
    await askAll(proxy, questions)
    await proxy.close()
    return close("achieved")
  }
  return { log, second, taskId, upstream, answeredBy }
}

const made: Array<string> = []
const live = async (_: string | URL | Request, init?: RequestInit) => {
  made.push(JSON.parse(String(init?.body)).messages.at(-1).content)
  return Response.json(said)
}

describe("a program that a proxy answers from a recording and that", () => {
  const recording = recorded()

  const both = async (questions: ReadonlyArray<string>) => {
    const { log, second, taskId, answeredBy } = await recording
    made.length = 0
    const replayed = await answeredBy(await ReplayedRun.begin({ log, fetch: live }), questions)
    const timeline = `fork-of-${questions.join("-")}`
    const place = { log, taskId, parent: "main", at: second, timeline, agent: "asker", changes: {} }
    const forked = await answeredBy(await ForkedRun.begin({ ...place, fetch: live }), questions)
    const closed = (await eventsOf(log)).find((event) => event.timeline === timeline && event.type === "TaskClosed")
    return { replayed, forked, outcome: closed?.payload.outcome }
  }

  it("does as was recorded is not found", async () => {
    expect(await both(RECORDED)).toEqual({ replayed: undefined, forked: undefined, outcome: "achieved" })
    expect(made).toEqual(["three", "four"])
    expect((await recording).upstream.asked).toHaveLength(RECORDED.length)
  })

  it.each(Object.entries(MUTATIONS))(
    "%s is found in a replay and a fork, and nothing is sent",
    async (_, questions) => {
      const _tag = questions.length === 0 ? "NothingReplayed" : "Diverged"
      expect(await both(questions)).toMatchObject({ replayed: { _tag }, forked: { _tag }, outcome: "failed" })
      expect(made).toEqual([])
    },
  )
})
