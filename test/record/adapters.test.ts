import { createOpenAI } from "@ai-sdk/openai"
import { it } from "@effect/vitest"
import { tool as langChainTool } from "@langchain/core/tools"
import { Agent, tool as agentsTool, Runner, setTraceProcessors, setTracingDisabled } from "@openai/agents-core"
import { OpenAIProvider } from "@openai/agents-openai"
import { tool as aiTool, generateText, stepCountIs } from "ai"
import { Effect } from "effect"
import OpenAI from "openai"
import { describe, expect } from "vitest"
import { z } from "zod"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import {
  aiSdkTools,
  langChainTools,
  openAiAgentsTools,
  openAiAgentsTracing,
  type Run,
  record,
  replayed,
} from "../../src/record/index.ts"
import { KEY, mockServer } from "../agents/models/servers.ts"
import { outside, placesOf } from "../wrongOptions.ts"
import { eventsOf, temporary } from "./recorded.ts"

const thing = z.object({ thing: z.string() })

/** What the tools did, and what the frameworks gave them besides. */
class Desk {
  calls: Array<string> = []
  signals = 0
  price = (thing: string) => {
    this.calls.push(thing)
    if (thing === "gold") throw new RangeError("no price of gold")
    return { price: thing.length }
  }
}

/** The prices of tea, of gold and of an order, by each framework: an agent's answer. */
type Program = (run: Run, url: string, desk: Desk) => Promise<unknown>

const question = "The price of tea, then of gold?"

const programs: Record<string, Program> = {
  "the AI SDK": async (run, url, desk) => {
    const price = aiTool({
      description: "The price of a thing",
      inputSchema: thing,
      execute: async ({ thing }, { abortSignal, toolCallId }) => {
        if (abortSignal !== undefined && toolCallId !== "") desk.signals++
        return desk.price(thing)
      },
    })
    const order = aiTool({ inputSchema: thing, execute: async ({ thing }) => desk.price(`ordered ${thing}`) })
    const openai = createOpenAI({ apiKey: KEY, baseURL: `${url}/v1`, fetch: run.fetch as typeof fetch })
    const { text, steps } = await generateText({
      model: openai.chat("gpt-5"),
      prompt: question,
      tools: aiSdkTools(run, { price, order }, { order: { risk: "high" } }),
      stopWhen: stepCountIs(5),
      abortSignal: new AbortController().signal,
    })
    const results = steps.flatMap(({ content }) =>
      content.flatMap((part) =>
        part.type === "tool-result" ? [part.output] : part.type === "tool-error" ? [String(part.error)] : [],
      ),
    )
    return { text, results }
  },
  "LangChain JS": async (run, url, desk) => {
    const price = langChainTool(
      async ({ thing }, config) => {
        if (config.signal !== undefined) desk.signals++
        return desk.price(thing)
      },
      { name: "price", description: "The price of a thing", schema: thing },
    )
    const order = langChainTool(async ({ thing }) => desk.price(`ordered ${thing}`), { name: "order", schema: thing })
    const tools = langChainTools(run, [price, order], { order: { risk: "high" } })
    const openai = new OpenAI({ apiKey: KEY, baseURL: `${url}/v1`, fetch: run.fetch })
    const messages: Array<OpenAI.ChatCompletionMessageParam> = [{ role: "user", content: question }]
    const results: Array<unknown> = []
    for (;;) {
      const { choices } = await openai.chat.completions.create({ model: "gpt-5", messages })
      const message = choices[0]?.message
      if (message?.tool_calls === undefined) return { text: message?.content, results }
      messages.push(message)
      for (const call of message.tool_calls) {
        if (call.type !== "function") continue
        const { name, arguments: args } = call.function
        const tool = tools.find((tool) => tool.name === name)
        const signal = new AbortController().signal
        const given = { type: "tool_call", id: call.id, name, args: JSON.parse(args) } as const
        const content = await tool?.invoke(given, { signal }).then((message) => String(message.content), String)
        results.push(content)
        messages.push({ role: "tool", tool_call_id: call.id, content: content ?? "" })
      }
    }
  },
  "the OpenAI Agents SDK": async (run, url, desk) => {
    setTracingDisabled(false)
    setTraceProcessors([openAiAgentsTracing(run)])
    const price = agentsTool({
      name: "price",
      description: "The price of a thing",
      parameters: thing,
      execute: ({ thing }, context, details) => {
        if (context !== undefined && details?.toolCall !== undefined) desk.signals++
        return desk.price(thing)
      },
    })
    const order = agentsTool({
      name: "order",
      description: "Orders",
      parameters: thing,
      execute: ({ thing }) => desk.price(`ordered ${thing}`),
    })
    const tools = openAiAgentsTools(run, [price, order], { order: { risk: "high" } })
    const clerk = new Agent({ name: "clerk", instructions: "Look prices up", tools })
    const porter = Agent.create({ name: "porter", instructions: "Hand over to the clerk", handoffs: [clerk] })
    const client = new OpenAI({ apiKey: KEY, baseURL: `${url}/v1`, fetch: run.fetch })
    const modelProvider = new OpenAIProvider({ openAIClient: client as never, useResponses: false })
    const { finalOutput, history } = await new Runner({ modelProvider, model: "gpt-5" }).run(porter, question)
    return { text: finalOutput, results: history.filter(({ type }) => type === "function_call_result") }
  },
}

const gate = {
  default: "allow" as const,
  rules: [{ name: "careful", risk: ["high" as const], decision: "deny" as const, reason: "not today" }],
}

const commands = (events: ReadonlyArray<Event>) =>
  events.flatMap(({ type, payload }) => (type === "ActuatorCommanded" ? [[payload.actuator, payload.args]] : []))

describe.each(Object.entries(programs))("an agent of %s", (name, program) => {
  it.scopedLive("has its tools recorded as commands with outcomes, its models once, and is replayed without them", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      const isAgents = name.includes("Agents")
      const calls = [
        ...(isAgents ? [["call_0", "transfer_to_clerk", {}] as const] : []),
        ["call_1", "price", { thing: "tea" }] as const,
        ["call_2", "price", { thing: "gold" }] as const,
        ["call_3", "order", { thing: "tea" }] as const,
      ]
      calls.forEach(([id, name, args], index) => {
        const match =
          index === 0 ? { userMessage: question, hasToolResult: false } : { toolCallId: calls[index - 1]?.[0] ?? "" }
        mock.on(match, { toolCalls: [{ id, name, arguments: JSON.stringify(args) }] })
      })
      mock.on({ toolCallId: "call_3" }, { content: "Tea costs 3." })
      const log = temporary("adapters.db")
      yield* Effect.promise(async () => {
        const desk = new Desk()
        const run = await record({ log, goal: "Keep the desk", agent: "clerk", gate })
        const said = await program(run, mock.url, desk)
        await run.end("achieved")
        expect(said).toMatchObject({ text: "Tea costs 3." })
        expect(JSON.stringify(said)).toContain("no price of gold")
        expect(JSON.stringify(said)).toContain("not today")
        expect([desk.calls, desk.signals]).toEqual([["tea", "gold"], 2])

        const events = await eventsOf(log)
        expect(commands(events)).toEqual([
          // No tool of the program is behind a hand-off: the model's call of it is observed.
          ...(isAgents ? [["program/transfer_to_clerk", {}]] : []),
          ["program/price", { thing: "tea" }],
          ["program/price", { thing: "gold" }],
          ["program/order", { thing: "tea" }],
        ])
        const count = (type: string) => events.filter((event) => event.type === type).length
        expect([count("ModelCalled"), count("ModelResponded")]).toEqual([calls.length + 1, calls.length + 1])
        // The tools of the Agents SDK tell the model of what they threw by themselves.
        expect([count("CommandSucceeded"), count("CommandFailed"), count("CommandDenied")]).toEqual(
          isAgents ? [3, 0, 1] : [1, 1, 1],
        )
        const told = events.flatMap(({ type, payload }) =>
          type === "IoCalled" ? [[payload.io, ...(payload.request as ReadonlyArray<unknown>)]] : [],
        )
        expect(told).toEqual(
          isAgents
            ? [
                ["agent", { agent: "porter" }],
                ["handoff", { from: "porter", to: "clerk" }],
                ["agent", { agent: "clerk" }],
              ]
            : [],
        )
        expect(count("IoAnswered") - count("ModelResponded")).toBe(told.length)

        const idle = new Desk()
        expect(await replayed({ log }, (run) => program(run, "http://gone.invalid", idle))).toEqual(said)
        expect(idle.calls).toEqual([])
      })
    }),
  )
})

describe("an adapter", () => {
  it("refuses what is no tools, and options for a tool that is not there", async () => {
    const run = await record({ log: temporary("wrong.db"), goal: "Be wrong", agent: "clerk" })
    const price = aiTool({ inputSchema: thing, execute: async () => 3 })
    const wrong = (adapt: () => unknown) => {
      try {
        return adapt()
      } catch (error) {
        return placesOf(error)
      }
    }
    expect(wrong(() => aiSdkTools(run, [price]))).toEqual(["tools"])
    expect(wrong(() => aiSdkTools(run, { price }, { prices: { risk: "high" } }))).toEqual(["prices: price?"])
    expect(wrong(() => langChainTools(run, [{ name: "price" }]))).toEqual(["tools"])
    expect(wrong(() => openAiAgentsTools(run, [{ type: "function", name: "price" }]))).toEqual(["tools"])
    expect(wrong(() => aiSdkTools(run, { price }, outside({ price: { risk: "much" } })))).toEqual(["risk"])
    await run.end("failed")
  })

  it("leaves alone the tools that the program or the provider answers", async () => {
    const run = await record({ log: temporary("others.db"), goal: "Leave", agent: "clerk" })
    const ask = aiTool({ inputSchema: thing })
    expect(aiSdkTools(run, { ask }).ask).toBe(ask)
    const search = { type: "hosted_tool", name: "web_search" }
    expect(openAiAgentsTools(run, [search])[0]).toBe(search)
    await run.end("achieved")
  })

  it("takes the last of what a tool yields", async () => {
    const log = temporary("pieces.db")
    const run = await record({ log, goal: "Yield", agent: "clerk" })
    const slow = aiTool({
      inputSchema: thing,
      execute: async function* ({ thing }) {
        yield `looking for ${thing}`
        yield `found ${thing}`
      },
    })
    const options = { toolCallId: "call_1", messages: [] }
    expect(await aiSdkTools(run, { slow }).slow.execute?.({ thing: "tea" }, options)).toBe("found tea")
    await run.end("achieved")
    expect((await eventsOf(log)).find(({ type }) => type === "CommandSucceeded")?.payload.result).toBe("found tea")
  })
})
