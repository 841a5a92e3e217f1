/** Calls the provider of a plugin: its two forms, its pieces and its errors. */
import type {
  GeneratedAnswer,
  GeneratedPiece,
  Provider,
  ProviderContext,
  ProviderMessage,
  ProviderTool,
} from "../author.ts"
import { inspect } from "./Captured.ts"
import type { AnyPlugin } from "./Entry.ts"
import type { Send } from "./Frames.ts"
import { type OpenCall, type OpenCalls, signalOf } from "./OpenCalls.ts"
import { failureOf } from "./Outcome.ts"

/** A request to a provider. */
export interface Generating {
  readonly history: ReadonlyArray<ProviderMessage>
  readonly tools: ReadonlyArray<ProviderTool>
  readonly context: ProviderContext
}

/** The provider of an entry: an object, or one that its class makes from the plugin's variables. */
export const providerOf = ({ provider }: AnyPlugin, variables: ProviderContext["variables"]): Provider | undefined =>
  typeof provider === "function" ? new provider(variables) : provider

/** Answer of a call of `generate`, for `Generated` of the host. */
export const generate = async (
  provider: Provider,
  { history, tools, context }: Generating,
  open: OpenCall,
  calls: OpenCalls,
  send: Send,
): Promise<unknown> => {
  try {
    const returned: unknown = await provider.generate(history, tools, context)
    if (!isStream(returned)) return { answer: returned ?? null }
    const answer = await streamed(returned, open, calls, send)
    return answer === undefined ? { cut: true } : { answer }
  } catch (cause) {
    // The caller hears that it was cancelled, whatever the provider makes of it.
    if (open.cancelled) throw cause
    return { thrown: { ...failureOf(cause), ...retryIn(cause), ...responseIn(cause) } }
  }
}

type Stream = AsyncGenerator<GeneratedPiece, GeneratedAnswer | undefined>

const isStream = (returned: unknown): returned is Stream =>
  typeof returned === "object" &&
  returned !== null &&
  Symbol.asyncIterator in returned &&
  "next" in returned &&
  typeof returned.next === "function"

/** Sends each piece at once. The text of the pieces is the answer's, unless the answer says it itself. */
const streamed = async (stream: Stream, open: OpenCall, calls: OpenCalls, send: Send) => {
  const said = { text: "", reasoning: "" }
  for (;;) {
    const { done, value } = await stream.next()
    if (!calls.isOpen(open.id)) {
      // Its `finally` ends what it still reads.
      await stream.return(undefined)
      signalOf(open).throwIfAborted()
      return undefined
    }
    if (done === true) return whole(value, said)
    for (const [kind, text] of piecesOf(value)) {
      said[kind] += text
      send({ type: "piece", id: open.id, kind, text })
    }
  }
}

const piecesOf = (piece: unknown): ReadonlyArray<readonly ["text" | "reasoning", string]> => {
  const { text_content, reasoning_content, ...others } = isObject(piece) ? piece : { found: piece }
  const isText = (value: unknown) => value === undefined || (typeof value === "string" && value.isWellFormed())
  if (Object.keys(others).length > 0 || !isText(text_content) || !isText(reasoning_content)) {
    throw nonsense(`expected pieces { text_content } or { reasoning_content } with text, found ${inspect(piece)}`)
  }
  return [
    ...(reasoning_content ? [["reasoning", reasoning_content as string] as const] : []),
    ...(text_content ? [["text", text_content as string] as const] : []),
  ]
}

const whole = (answer: unknown, said: { readonly text: string; readonly reasoning: string }): unknown => {
  if (answer === undefined || !isObject(answer)) return answer
  for (const [field, text] of [
    ["text_content", said.text],
    ["reasoning_content", said.reasoning],
  ] as const) {
    if (text !== "" && typeof answer[field] === "string" && answer[field] !== text) {
      throw nonsense(`expected the ${field} of the answer to be that of its pieces, found another`)
    }
  }
  return {
    ...answer,
    ...(said.text === "" ? {} : { text_content: said.text }),
    ...(said.reasoning === "" ? {} : { reasoning_content: said.reasoning }),
  }
}

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const nonsense = (message: string) => Object.assign(new Error(message), { code: "unreadable" })

const retryIn = (cause: unknown) => {
  const ms = isObject(cause) ? cause.retryAfterMs : undefined
  return typeof ms === "number" && Number.isFinite(ms) ? { retryAfterMs: ms } : {}
}

/** The start of a body is enough for the reason. */
const LONGEST_BODY = 10_000

const responseIn = (cause: unknown) => {
  const response = isObject(cause) ? cause.response : undefined
  if (!isObject(response) || typeof response.status !== "number") return {}
  const { status, url = "", headers = {}, body = "" } = response
  const isText = ([, value]: readonly [string, unknown]) => typeof value === "string" && value.isWellFormed()
  return {
    response: {
      status,
      url: String(url),
      headers: Object.fromEntries(Object.entries(Object(headers)).filter(isText)),
      body: String(body).slice(0, LONGEST_BODY).toWellFormed(),
    },
  }
}
