/**
 * Writes a recorded request as a `curl` command that people can paste, in the provider's own format. The key is the name
 * of an environment variable. Pure.
 */

import type { WholeRequest } from "../../projections/request/WholeRequest.ts"
import type { JsonObject } from "../../values/Json.ts"
import { type Destination, destinationOf, type Format } from "./Address.ts"
import * as AnthropicBody from "./AnthropicBody.ts"
import * as ChatBody from "./ChatBody.ts"
import * as GeminiBody from "./GeminiBody.ts"
import * as ResponsesBody from "./ResponsesBody.ts"
import { visibleJson, word } from "./ShellWord.ts"
import type { Writable } from "./Written.ts"

/** A request in its provider's format. */
export interface WrittenRequest extends Destination {
  readonly body: JsonObject
  /** Sentences about the parts that the request lacks because the log does. */
  readonly notes: ReadonlyArray<string>
}

const WRITERS: { readonly [name in Format]: (request: Writable) => JsonObject } = {
  "openai-chat": ChatBody.openAi,
  "openai-responses": ResponsesBody.write,
  anthropic: AnthropicBody.write,
  gemini: GeminiBody.write,
  ollama: ChatBody.ollama,
}

/** Writes a request, or says why it cannot. */
export const write = (request: WholeRequest): WrittenRequest | { readonly none: string } => {
  if (request.asksFor === "verdict")
    return { none: "A critic's question is data for its model, not a request over HTTP." }
  const destination = destinationOf(request)
  if ("none" in destination) return destination
  const { system, tools, settings, messages, earlier, position, isContinuation, recordedBy } = request
  const set = settingsOf(request)
  const body = WRITERS[destination.format]({
    model: request.model,
    system: "value" in system ? system.value : "",
    tools: "value" in tools ? tools.value : [],
    settings: set,
    isOwnFormat: recordedBy === "recorder",
    messages: isContinuation ? messages.filter(({ at }) => at === position) : messages,
  })
  const missing = Object.entries({ "system prompt": system, tools, settings }).flatMap(([name, part]) =>
    "notRecorded" in part ? [name] : [],
  )
  const notes = [
    ...(missing.length === 0 ? [] : [`Not recorded, so not in this request: ${missing.join(", ")}.`]),
    ...(earlier === null || isContinuation ? [] : [earlier]),
    ...(destination.format === "anthropic" && !Object.hasOwn(set, "max_tokens")
      ? [`max_tokens is not recorded; the API requires one, so this is ${AnthropicBody.DEFAULT_MAX_TOKENS}.`]
      : []),
    ...request.notes,
  ]
  return { ...destination, body, notes }
}

/** An agent's package of OpenAI asks it to store nothing (`agents/models/providers`). */
const settingsOf = ({ settings, recordedBy, provider }: WholeRequest): JsonObject => ({
  ...("value" in settings ? settings.value : {}),
  ...(recordedBy === "agent" && provider === "openai" ? { store: false } : {}),
})

/** The command, with a comment for each note; or a comment that says why there is none. */
export const command = (request: WholeRequest): string => {
  const written = write(request)
  if ("none" in written) return `# There is no command for this request. ${comment(written.none)}\n`
  const { url, key, format, body, notes } = written
  const headers = [
    ["content-type: application/json"],
    ...(key === null ? [] : [[`${key.header}: ${key.before}`, key.variable]]),
    ...(format === "anthropic" ? [["anthropic-version: 2023-06-01"]] : []),
  ]
  return [
    ...notes.map((note) => `# ${comment(note)}`),
    `curl --globoff ${urlWord(url)} \\`,
    ...headers.map(([text = "", variable]) =>
      variable === undefined ? `  --header ${word(text)} \\` : `  --header "${text}$${variable}" \\`,
    ),
    `  --data-binary @- <<'${END}'`,
    visibleJson(body),
    END,
    "",
  ].join("\n")
}

/** Ends the body. No line of JSON reads like this. */
const END = "END_OF_REQUEST"

const BASE_URL = "$OPENAI_COMPATIBLE_BASE_URL"

const urlWord = (url: string): string =>
  url.startsWith(BASE_URL) ? `"${BASE_URL}"${word(url.slice(BASE_URL.length))}` : word(url)

const comment = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, "?")
