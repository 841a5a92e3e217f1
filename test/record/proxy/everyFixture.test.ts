/** Every item type and way to count of a provider's answer, recorded by `fetch` and by the proxy, and imported: the same parts, tokens and cost. */

import { it as effect } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as LiveRun from "../../../src/record/LiveRun.ts"
import * as OutgoingRequests from "../../../src/record/proxy/OutgoingRequests.ts"
import * as ProviderProxy from "../../../src/record/proxy/ProviderProxy.ts"
import { events, importing, lines, withFiles } from "../../importing/given.ts"
import { type Fixture, fixtures, read, turnOf } from "../../providers/fixtures.ts"
import { eventsOf, temporary } from "../recorded.ts"
import { ask, pieces, provider } from "./scripted.ts"

/** All but what a later request answers (`later.test.ts`). */
const answers = fixtures.filter(({ name }) => !name.includes("in the background"))

/** Records each answer as one of a run's, in order. */
const recorded = async (way: "fetch" | "proxy") => {
  const log = temporary("fixtures.db")
  const upstream = await provider((_, index) => {
    const { answer, contentType } = answers[index] as Fixture
    return { head: `HTTP/1.1 200 OK\r\ncontent-type: ${contentType}`, pieces: pieces(Buffer.from(answer), 500) }
  })
  const run = await LiveRun.begin({ log, goal: "Ask", agent: "clerk" }, () => {})
  const { url } = upstream
  const headers = ["content-type", "application/json"]
  if (way === "fetch") {
    for (const { path, body } of answers) {
      const init = { method: "POST", headers: [headers as [string, string]], body: JSON.stringify(body) }
      await (await run.fetch(url + path, init)).arrayBuffer()
    }
  } else {
    const env = {
      ...{ OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_BASE_URL: url, GOOGLE_GEMINI_BASE_URL: url, CO_API_URL: url },
      ...{ GOOGLE_VERTEX_BASE_URL: url, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url, OLLAMA_HOST: url },
    }
    const forwarding = OutgoingRequests.make()
    const routes = ProviderProxy.routes(env)
    const proxy = await ProviderProxy.recording({ routes, forwarding, env, exchange: run.exchange })
    const { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: bedrock, GOOGLE_VERTEX_BASE_URL: vertex } = proxy.variables
    for (const { path, body } of answers) {
      const base = path.startsWith("/model/") ? bedrock : path.startsWith("/v1/projects/") ? vertex : proxy.url
      await ask(base + path, { headers, body: JSON.stringify(body) })
    }
    await proxy.close()
    forwarding.close()
  }
  await run.end("achieved")
  return eventsOf(log)
}

const withoutIds = (parts: unknown): unknown =>
  JSON.parse(JSON.stringify(parts, (name, value) => (name === "callId" ? undefined : value)))

const saidBy = (all: ReadonlyArray<Event>) =>
  all
    .filter(({ type }) => type === "ModelResponded")
    .map(({ payload }) => {
      const { response, usage, cost } = payload as {
        readonly response: { readonly parts: unknown }
        readonly usage: object
        readonly cost?: { readonly usd: number }
      }
      return { parts: withoutIds(response.parts), usage, cost: cost?.usd }
    })

const expected = ({ name: _, ...fixture }: Fixture) => {
  const { parts, usage, cost } = turnOf(read({ name: _, ...fixture }))
  return { parts: withoutIds(parts), usage, cost }
}

const toolsOf = (all: ReadonlyArray<Event>) =>
  all
    .filter(({ type }) => type === "ActuatorCommanded")
    .map(({ payload }) => String(payload.actuator).replace(/^.*\//, ""))

const calledIn = (some: ReadonlyArray<Fixture>) =>
  some.flatMap((fixture) =>
    turnOf(read(fixture)).parts.flatMap((part) => (part.type === "call" ? [part.tool || "unnamed"] : [])),
  )

describe("every answer of a provider", () => {
  it.each(["fetch", "proxy"] as const)("has its parts, calls, tokens and cost in a recording by %s", async (way) => {
    const all = await recorded(way)
    expect(saidBy(all)).toEqual(answers.map(expected))
    expect(toolsOf(all)).toEqual(calledIn(answers))
  })

  effect.effect("has them in an import of its request and its bytes", () => {
    const texts = answers.filter(({ answer }) => typeof answer === "string")
    const event = (seq: number, type: string, attrs: object, payload: string) => ({
      ...{ seq, ts: new Date(Date.UTC(2026, 0, 1) + seq).toISOString(), mono_us: seq, turn: 1, type, actor: "agent" },
      ...{ attrs, payload },
    })
    // Each is a run of its own, for many calls have the same id.
    const files = texts.flatMap(({ path, body, answer }, index) => {
      const run = `run_${String(index).padStart(4, "0")}`
      const trace = [
        event(2 * index, "model.request", { path }, JSON.stringify(body)),
        event(2 * index + 1, "model.response", { status: 200 }, String(answer)),
      ]
      return [
        [`${run}/events.jsonl`, lines(trace)] as const,
        [`${run}/manifest.json`, JSON.stringify({ run_id: run, adapter: { id: "any" } })] as const,
      ]
    })
    return withFiles(Object.fromEntries(files), (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        const all = yield* events
        expect(saidBy(all)).toEqual(texts.map(expected))
        expect(toolsOf(all)).toEqual(calledIn(texts))
      }),
    )
  })
})
