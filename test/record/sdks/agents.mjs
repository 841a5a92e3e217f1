/**
 * Agents by providers' own packages for JavaScript: each asks for the weather by a tool, streamed or not, and returns what the model says
 * in the end. As a program: `node agents.mjs MODULES NAME…` prints what each says, where MODULES is a list of directories, as JSON.
 */

import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

const RESULT = "sunny ☀"
const QUESTION = "Grüße! How is the weather in Zürich?"
const SYSTEM = "Be terse."
const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
}
const weather = ({ city }) => {
  if (city !== "Zürich") throw new Error(`expected Zürich, found ${city}`)
  return RESULT
}

const chat = async ({ load, fetch, isStreamed }) => {
  const { OpenAI } = load("openai")
  const client = new OpenAI({ fetch })
  const messages = [
    { role: "system", content: SYSTEM },
    { role: "user", content: QUESTION },
  ]
  const tools = [{ type: "function", function: { name: "weather", parameters: schema } }]
  for (;;) {
    const asked = { model: "gpt-4o", messages, tools }
    const { choices } = isStreamed
      ? await client.chat.completions
          .stream({ ...asked, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await client.chat.completions.create(asked)
    const [{ message }] = choices
    if (!message.tool_calls?.length) return message.content
    messages.push(message)
    for (const call of message.tool_calls) {
      messages.push({ role: "tool", tool_call_id: call.id, content: weather(JSON.parse(call.function.arguments)) })
    }
  }
}

const responses = async ({ load, fetch, isStreamed }) => {
  const { OpenAI } = load("openai")
  const client = new OpenAI({ fetch })
  const input = [{ role: "user", content: QUESTION }]
  const tools = [{ type: "function", name: "weather", parameters: schema, strict: true }]
  for (;;) {
    const asked = { model: "gpt-5", instructions: SYSTEM, input, tools }
    const answer = isStreamed
      ? await client.responses.stream(asked).finalResponse()
      : await client.responses.create(asked)
    const calls = answer.output.filter(({ type }) => type === "function_call")
    if (calls.length === 0) return answer.output.flatMap(({ content = [] }) => content.map(({ text }) => text)).join("")
    input.push(...answer.output)
    for (const { call_id, arguments: args } of calls) {
      input.push({ type: "function_call_output", call_id, output: weather(JSON.parse(args)) })
    }
  }
}

const anthropic = async ({ load, fetch, isStreamed }) => {
  const { Anthropic } = load("@anthropic-ai/sdk")
  const client = new Anthropic({ fetch })
  const messages = [{ role: "user", content: QUESTION }]
  const tools = [{ name: "weather", input_schema: schema }]
  for (;;) {
    const asked = { model: "claude-haiku-4-5", max_tokens: 64, system: SYSTEM, messages, tools }
    const { content } = isStreamed
      ? await client.messages.stream(asked).finalMessage()
      : await client.messages.create(asked)
    const calls = content.filter(({ type }) => type === "tool_use")
    if (calls.length === 0) return content.map(({ text }) => text).join("")
    messages.push({ role: "assistant", content })
    messages.push({
      role: "user",
      content: calls.map(({ id, input }) => ({ type: "tool_result", tool_use_id: id, content: weather(input) })),
    })
  }
}

const ai = async ({ load, fetch, isStreamed }) => {
  const { generateText, streamText, stepCountIs, tool, jsonSchema } = load("ai")
  const { createOpenAI } = load("@ai-sdk/openai")
  const asked = {
    model: createOpenAI({ fetch })("gpt-5"),
    system: SYSTEM,
    prompt: QUESTION,
    tools: { weather: tool({ inputSchema: jsonSchema(schema), execute: async (args) => weather(args) }) },
    stopWhen: stepCountIs(4),
  }
  if (!isStreamed) return (await generateText(asked)).text
  let said = ""
  for await (const piece of streamText(asked).textStream) said += piece
  return said
}

const genai = async ({ load, isStreamed }) => {
  const { GoogleGenAI } = load("@google/genai")
  const client = new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY })
  const contents = [{ role: "user", parts: [{ text: QUESTION }] }]
  const config = {
    systemInstruction: SYSTEM,
    tools: [{ functionDeclarations: [{ name: "weather", parametersJsonSchema: schema }] }],
  }
  for (;;) {
    const asked = { model: "gemini-2.5-flash", contents, config }
    const parts = []
    if (isStreamed) {
      for await (const piece of await client.models.generateContentStream(asked))
        parts.push(...piece.candidates[0].content.parts)
    } else {
      const { candidates } = await client.models.generateContent(asked)
      parts.push(...candidates[0].content.parts)
    }
    const calls = parts.filter(({ functionCall }) => functionCall !== undefined)
    if (calls.length === 0) return parts.map(({ text }) => text).join("")
    contents.push({ role: "model", parts })
    contents.push({
      role: "user",
      parts: calls.map(({ functionCall: { id, name, args } }) => ({
        functionResponse: { id, name, response: { output: weather(args) } },
      })),
    })
  }
}

const agents = async ({ load, fetch, isStreamed }) => {
  const { Agent, OpenAIProvider, Runner, tool } = load("@openai/agents")
  const { OpenAI } = load("openai")
  // The default client is kept for the rest of a process.
  const modelProvider = new OpenAIProvider({ openAIClient: new OpenAI({ fetch }) })
  const runner = new Runner({ modelProvider, tracingDisabled: true })
  const tools = [
    tool({
      name: "weather",
      description: "The weather",
      parameters: schema,
      strict: true,
      execute: async (args) => weather(args),
    }),
  ]
  const agent = new Agent({ name: "clerk", instructions: SYSTEM, model: "gpt-5", tools })
  if (!isStreamed) return (await runner.run(agent, QUESTION)).finalOutput
  const stream = await runner.run(agent, QUESTION, { stream: true })
  let said = ""
  for await (const piece of stream.toTextStream()) said += piece
  await stream.completed
  return said
}

const langchain = async ({ load, fetch, isStreamed }) => {
  const { ChatOpenAI } = load("@langchain/openai")
  const { HumanMessage, SystemMessage, ToolMessage } = load("@langchain/core/messages")
  const tools = [{ type: "function", function: { name: "weather", parameters: schema } }]
  const model = new ChatOpenAI({
    model: "gpt-4o",
    streamUsage: true,
    maxRetries: 0,
    configuration: { fetch },
  }).bindTools(tools)
  const messages = [new SystemMessage(SYSTEM), new HumanMessage(QUESTION)]
  for (;;) {
    let answer
    if (isStreamed) {
      for await (const piece of await model.stream(messages))
        answer = answer === undefined ? piece : answer.concat(piece)
    } else answer = await model.invoke(messages)
    if (!answer.tool_calls?.length) return answer.text
    messages.push(answer)
    for (const { id, args } of answer.tool_calls)
      messages.push(new ToolMessage({ tool_call_id: id, content: weather(args) }))
  }
}

/** The agents that are light, and the others. */
export const LIGHT = ["openai", "openai-responses", "anthropic", "ai"]
export const ALL = [...LIGHT, "genai", "agents", "langchain"]

const AGENTS = { openai: chat, "openai-responses": responses, anthropic, ai, genai, agents, langchain }

/** Finds a package in the first of some directories that has it. */
const loading = (modules) => (name) => {
  for (const directory of modules) {
    const require = createRequire(`${directory}/agents.js`)
    try {
      return require(name)
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND" || !String(error.message).includes(`'${name}'`)) throw error
    }
  }
  throw new Error(`${name}: expected it in one of ${modules.join(", ")}, found it in none`)
}

/** What each agent says, streamed and not. @param fetch default: the global one */
export const say = async (modules, names, fetch) => {
  const load = loading(modules)
  const said = {}
  for (const name of names) {
    for (const isStreamed of [false, true]) {
      said[`${name}${isStreamed ? ", streamed" : ""}`] = await AGENTS[name]({ load, fetch, isStreamed }).catch(
        (error) => `failed: ${error.stack}`,
      )
    }
  }
  return said
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [, , modules, ...names] = process.argv
  console.log(JSON.stringify(await say(JSON.parse(modules), names)))
  process.exit(0)
}
