/** Anthropic's messages (https://docs.anthropic.com/en/api/messages), also on Vertex AI. */

import { meaningOf } from "../../agents/models/FinishReason.ts"
import type { AnswerPart } from "../../agents/models/Message.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import type { AnswerBody } from "../BodyPieces.ts"
import * as ConversationBuilder from "../ConversationBuilder.ts"
import { providerAt } from "../Providers.ts"
import * as Parts from "../parts.ts"
import type { Address, Finished, ModelRequest, ProviderAnswer, Thread, WireFormat } from "../WireFormat.ts"
import * as Blocks from "./AnthropicBlocks.ts"

/** `…/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict` */
const VERTEX = /\/models\/([^/:]+):(?:rawPredict|streamRawPredict)$/

export const anthropic: WireFormat = {
  name: "anthropic",
  matches: ({ path }, body) =>
    Array.isArray(body.messages) &&
    (path.endsWith("/messages") ? "max_tokens" in body : VERTEX.test(path) && "anthropic_version" in body),
  withModel: (path, model) => Parts.renamed(path, /(\/models\/)[^/:]+(?=:)/, model),
  request: (address, body) => requestOf(address, body, VERTEX.exec(address.path)?.[1]),
  answer: (body) => answerOf(body),
}

/**
 * Reads a request.
 *
 * @param model from the path, if the path names it
 */
export const requestOf = ({ host }: Address, body: JsonObject, model?: string): ModelRequest => {
  const told = ConversationBuilder.make()
  told.system(Parts.textIn(body.system))
  for (const message of Parts.listOf(body.messages)) tell(told, message)
  const thread = threadIn(body)
  return {
    provider: providerAt(host, "anthropic"),
    model: model === undefined ? Parts.asText(body.model ?? "") : Parts.decoded(model),
    ...told.whole(),
    tools: Parts.listOf(body.tools).map((tool) => {
      const described = Parts.toolDescription(tool, fieldOf(tool, "input_schema"))
      // Anthropic's own tools have a type, and most have a name.
      return { ...described, name: described.name || Parts.asText(fieldOf(tool, "type") ?? "") }
    }),
    settings: Parts.settingsOf(body, ["model", "system", "messages", "tools", "stream"]),
    ...defined({ thread }),
  }
}

export const answerOf = ({ pieces, isWhole }: AnswerBody): ProviderAnswer => {
  const blocks = new Blocks.GrowingBlocks()
  const counted = ProviderUsage.counting(ProviderUsage.anthropic)
  let [stop, id, model]: Array<string | undefined> = []
  let error: { readonly error: unknown } | undefined
  let [hasBegun, hasEnded] = [false, false]
  const isMessage = (piece: unknown) =>
    fieldOf(piece, "type") === "message" || (isWhole && Array.isArray(fieldOf(piece, "content")))
  const begin = (message: unknown) => {
    hasBegun = true
    id = textOf(fieldOf(message, "id")) ?? id
    model = textOf(fieldOf(message, "model")) ?? model
    for (const [index, block] of Parts.listOf(fieldOf(message, "content")).entries()) blocks.begin(index, block)
  }
  for (const piece of pieces) {
    counted.take(piece)
    switch (isMessage(piece) ? "message" : fieldOf(piece, "type")) {
      case "message":
        begin(piece)
        stop = textOf(fieldOf(piece, "stop_reason"))
        hasEnded = true
        break
      case "message_start":
        begin(fieldOf(piece, "message"))
        break
      case "content_block_start":
        blocks.begin(fieldOf(piece, "index"), fieldOf(piece, "content_block"))
        break
      case "content_block_delta":
        blocks.grow(fieldOf(piece, "index"), fieldOf(piece, "delta"))
        break
      case "message_delta":
        stop = textOf(fieldOf(fieldOf(piece, "delta"), "stop_reason")) ?? stop
        break
      case "message_stop":
        hasEnded = true
        break
      case "error":
        error ??= { error: fieldOf(piece, "error") ?? piece }
        break
    }
  }
  return {
    id,
    model,
    hasBegun,
    error,
    refusal: "",
    parts: blocks.parts(),
    usage: ProviderUsage.whole(counted.usage()),
    cost: counted.cost(),
    finish: hasEnded && (isWhole || stop !== undefined) ? finishOf(stop) : undefined,
  }
}

/** Stop reasons of a turn that the program continues with another request. */
const PAUSES: ReadonlySet<string | undefined> = new Set(["pause_turn", "compaction"])

const finishOf = (stop: string | undefined): Finished => ({
  unified: PAUSES.has(stop) ? "paused" : (meaningOf(stop ?? "stop") ?? "stop"),
  raw: stop,
})

const threadIn = ({ thread }: JsonObject): Thread | undefined => {
  const [after, id] = [textOf(fieldOf(thread, "previous_message_id")), textOf(fieldOf(thread, "id"))]
  if (after === undefined && id === undefined) return undefined
  return { ...defined({ after, conversation: id }) }
}

const tell = (told: ConversationBuilder.ConversationBuilder, message: unknown) => {
  const [role, content] = [fieldOf(message, "role"), fieldOf(message, "content")]
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : Parts.listOf(content)
  switch (role) {
    case "system":
      return told.system(Parts.textIn(content))
    case "assistant":
      return told.assistant(said(blocks))
    case "user":
      return tellUser(told, blocks)
    default:
      return told.unknown(Parts.unreadPart(message, role))
  }
}

const said = (blocks: ReadonlyArray<unknown>): ReadonlyArray<AnswerPart> => {
  const growing = new Blocks.GrowingBlocks()
  for (const [index, block] of blocks.entries()) growing.begin(index, block)
  return growing.parts()
}

const tellUser = (told: ConversationBuilder.ConversationBuilder, blocks: ReadonlyArray<unknown>) => {
  const isResult = (block: unknown) => fieldOf(block, "type") === "tool_result"
  for (const block of blocks.filter(isResult)) {
    const options = { isError: fieldOf(block, "is_error") === true }
    told.result(fieldOf(block, "tool_use_id"), fieldOf(block, "content"), options)
  }
  const others = blocks.filter((block) => !isResult(block))
  if (others.length > 0) told.user(others.map(Blocks.contentPart))
}
