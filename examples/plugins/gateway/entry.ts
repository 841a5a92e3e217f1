/**
 * A provider of language models behind a server that speaks OpenAI's chat completions, as a template for one of your
 * own. It streams: text goes to the agent as it arrives.
 */
import type {
  GeneratedAnswer,
  GeneratedPiece,
  JsonObject,
  Plugin,
  ProviderContext,
  ProviderMessage,
  ProviderTool,
} from "hindcast/plugin"

/** The sandbox lets the entry read the environment variables that its manifest names and a person granted. */
declare const Deno: { readonly env: { get(name: string): string | undefined } }

class Gateway {
  readonly #url: string

  constructor(config: JsonObject) {
    this.#url = `${config.base_url}/chat/completions`
  }

  async *generate(
    history: ReadonlyArray<ProviderMessage>,
    tools: ReadonlyArray<ProviderTool>,
    context: ProviderContext,
  ): AsyncGenerator<GeneratedPiece, GeneratedAnswer | undefined> {
    const { model, settings } = context
    const answer = new Answer()
    const lines = new Lines()
    const key = Deno.env.get("GATEWAY_API_KEY")
    const request = context.fetch(this.#url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({
        model,
        messages: history.flatMap(messagesOf),
        stream: true,
        stream_options: { include_usage: true },
        ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
        ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
        ...(settings.maxOutputTokens === undefined ? {} : { max_tokens: settings.maxOutputTokens }),
        ...settings.options,
      }),
      onText: (text) => lines.take(text),
    })
    // The response's status comes with its end: what looked like an answer may be the page of an error.
    request.then(
      () => lines.end(),
      () => lines.end(),
    )
    for (;;) {
      const line = await lines.next()
      if (line === undefined) break
      yield* answer.take(line)
    }
    const response = await request
    if (response.status !== 200) throw Object.assign(new Error(messageIn(response.body)), { response })
    return answer.whole()
  }
}

/** The lines of a body while it comes. */
class Lines {
  readonly #lines: Array<string> = []
  #rest = ""
  #ended = false
  #wake: () => void = () => {}

  take(text: string): void {
    const lines = `${this.#rest}${text}`.split(/\r?\n/)
    this.#rest = lines.pop() ?? ""
    this.#lines.push(...lines)
    this.#wake()
  }

  /** A line without its end was cut off. */
  end(): void {
    this.#ended = true
    this.#wake()
  }

  async next(): Promise<string | undefined> {
    while (this.#lines.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.#lines.shift()
  }
}

interface Call {
  id: string
  name: string
  args: string
}

/** An answer, from the events of its stream. */
class Answer {
  readonly #calls: Array<Call> = []
  #text = ""
  #finish: string | undefined
  #usage: GeneratedAnswer["usage"]
  #began = false

  take(line: string): ReadonlyArray<GeneratedPiece> {
    // Other lines are comments, such as those that keep a connection alive.
    if (!line.startsWith("data:")) return []
    const data = line.slice("data:".length).trim()
    if (data === "[DONE]") return []
    const { choices: [choice] = [], usage, error } = parsed(data)
    if (error) throw Object.assign(new Error(String(error.message ?? error)), { code: "overloaded" })
    this.#began = true
    if (usage) this.#usage = usageOf(usage)
    if (!choice) return []
    const { delta = {}, finish_reason } = choice
    for (const { index = 0, id = "", function: called = {} } of delta.tool_calls ?? []) {
      this.#calls[index] ??= { id, name: called.name ?? "", args: "" }
      this.#calls[index].args += called.arguments ?? ""
    }
    this.#finish = finish_reason ?? this.#finish
    const reasoning = delta.reasoning_content ?? delta.reasoning
    this.#text += delta.content ?? ""
    return [
      ...(reasoning ? [{ reasoning_content: reasoning }] : []),
      ...(delta.content ? [{ text_content: delta.content }] : []),
    ]
  }

  /** Nothing, which means that the answer was cut off, if the server did not say that it is whole. */
  whole(): GeneratedAnswer | undefined {
    if (!this.#began) throw Object.assign(new Error("the server sent no stream of an answer"), { code: "unreadable" })
    if (this.#finish === undefined || this.#finish === "error") return undefined
    if (this.#finish === "content_filter") throw Object.assign(new Error("it refused"), { code: "refused" })
    return {
      is_final: this.#calls.length === 0,
      text_content: this.#text,
      ...(this.#calls.length === 0
        ? {}
        : { tool_calls: this.#calls.map(({ id, ...call }) => ({ ...(id === "" ? {} : { id }), ...call })) }),
      ...(this.#finish === "length" ? { finish: "length" } : {}),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the server's JSON.
const parsed = (data: string): any => {
  try {
    return JSON.parse(data)
  } catch {
    throw Object.assign(new Error("a line of the answer is no JSON"), { code: "unreadable" })
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the server's JSON.
const usageOf = (usage: any): GeneratedAnswer["usage"] => {
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage
  if (!Number.isInteger(input) || !Number.isInteger(output)) return undefined
  const cached = details?.cached_tokens
  return { input_tokens: input, output_tokens: output, ...(Number.isInteger(cached) ? { cached_tokens: cached } : {}) }
}

const messageIn = (body: string): string => {
  try {
    const { error } = JSON.parse(body)
    return String(error.message ?? error)
  } catch {
    return body
  }
}

const toolOf = ({ name, description, args }: ProviderTool) => ({
  type: "function",
  function: { name, description, parameters: args },
})

const messagesOf = (message: ProviderMessage): ReadonlyArray<object> => {
  if (message.role === "tool") {
    return message.content.map(({ callId, content }) => ({
      role: "tool",
      tool_call_id: callId,
      content: typeof content === "string" ? content : JSON.stringify(content),
    }))
  }
  const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []))
  const calls = message.content.flatMap((part) => (part.type === "call" ? [part] : []))
  return [
    {
      role: message.role,
      content: texts.join("\n"),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ callId, tool, args }) => ({
              id: callId,
              type: "function",
              function: { name: tool, arguments: typeof args === "string" ? args : JSON.stringify(args) },
            })),
          }),
    },
  ]
}

export default { provider: Gateway } satisfies Plugin
