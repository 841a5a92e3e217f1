/**
 * Amazon Bedrock (https://docs.aws.amazon.com/bedrock/latest/APIReference): `converse`, one format for all models, and
 * `invoke`, in the format of the model that the path names. Both stream AWS events (`AwsEvents`).
 */

import { meaningOf } from "../../agents/models/FinishReason.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import type { JsonObject } from "../../values/Json.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import type { AnswerBody } from "../BodyPieces.ts"
import * as ConversationBuilder from "../ConversationBuilder.ts"
import { providerAt } from "../Providers.ts"
import * as Parts from "../parts.ts"
import type { Address, ModelRequest, ProviderAnswer, WireFormat } from "../WireFormat.ts"
import * as Anthropic from "./Anthropic.ts"
import * as Blocks from "./BedrockBlocks.ts"
import { openAiChat } from "./OpenAiChat.ts"

const CONVERSE = /\/model\/([^/]+)\/converse(?:-stream)?$/
const INVOKE = /\/model\/([^/]+)\/invoke(?:-with-response-stream)?$/

const withModel = (path: string, model: string) => Parts.renamed(path, /(\/model\/)[^/]+/, model)

export const converse: WireFormat = {
  name: "bedrock-converse",
  withModel,
  matches: ({ path }, body) => CONVERSE.test(path) && Array.isArray(body.messages),
  request: (address, body) => converseRequest(address, body, modelIn(CONVERSE, address)),
  answer: (body) => converseAnswer(body),
}

export const invoke: WireFormat = {
  name: "bedrock-invoke",
  withModel,
  matches: ({ path }, body) => INVOKE.test(path) && Array.isArray(body.messages),
  request: (address, body) => {
    const model = modelIn(INVOKE, address)
    const provider = providerAt(address.host, PROVIDER)
    if (isNova(body)) return converseRequest(address, body, model)
    // All other models with messages use OpenAI's format.
    return "anthropic_version" in body
      ? { ...Anthropic.requestOf(address, body, model), provider }
      : { ...openAiChat.request(address, body), provider, model: Parts.decoded(model) }
  },
  answer: (body, callId) => {
    if (body.pieces.some((piece) => fieldOf(piece, "choices") !== undefined)) return openAiChat.answer(body, callId)
    const isConverse = (piece: unknown) =>
      fieldOf(piece, "output") !== undefined || CONVERSE_EVENTS.some((name) => fieldOf(piece, name) !== undefined)
    if (body.pieces.some(isConverse))
      return converseAnswer({ ...body, pieces: body.pieces.map(named) as AnswerBody["pieces"] })
    const errors = body.pieces.filter((piece) => fieldOf(piece, "error") !== undefined)
    const answer = Anthropic.answerOf(body)
    return {
      ...answer,
      error: answer.error ?? (errors.length === 0 ? undefined : { error: fieldOf(errors[0], "error") }),
    }
  },
}

const PROVIDER = "aws"

const modelIn = (pattern: RegExp, { path }: Address): string => pattern.exec(path)?.[1] ?? ""

/** Whether a request is for an Amazon model; these use the format of `converse`. */
const isNova = (body: JsonObject): boolean => "inferenceConfig" in body || "schemaVersion" in body

/** The events of `converse`. In streams of Amazon's models, each is a field instead of a type. */
const CONVERSE_EVENTS = [
  ...["messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata"],
]

const named = (piece: unknown): unknown => {
  const type = CONVERSE_EVENTS.find((name) => fieldOf(piece, name) !== undefined)
  return type === undefined ? piece : { ...objectOf(fieldOf(piece, type)), type }
}

const objectOf = (value: unknown): object => (typeof value === "object" && value !== null ? value : {})

const converseRequest = ({ host }: Address, body: JsonObject, model: string): ModelRequest => {
  const told = ConversationBuilder.make()
  told.system(Parts.textIn(body.system))
  for (const message of Parts.listOf(body.messages)) tell(told, message)
  return {
    provider: providerAt(host, PROVIDER),
    model: Parts.decoded(model),
    ...told.whole(),
    tools: Parts.listOf(fieldOf(body.toolConfig, "tools")).flatMap((tool) => {
      const spec = fieldOf(tool, "toolSpec")
      return spec === undefined
        ? []
        : [Parts.toolDescription(spec, fieldOf(fieldOf(spec, "inputSchema"), "json") ?? fieldOf(spec, "inputSchema"))]
    }),
    settings: Parts.settingsOf(body, ["messages", "system", "toolConfig"]),
  }
}

const converseAnswer = ({ pieces, isWhole }: AnswerBody): ProviderAnswer => {
  const blocks = new Blocks.GrowingBlocks()
  const counted = ProviderUsage.counting(ProviderUsage.bedrock)
  let stop: string | undefined
  let error: { readonly error: unknown } | undefined
  let hasBegun = false
  for (const piece of pieces) {
    counted.take(piece)
    const sent = fieldOf(piece, "error")
    if (sent !== undefined) error ??= { error: sent }
    const message = fieldOf(fieldOf(piece, "output"), "message")
    if (message !== undefined) {
      hasBegun = true
      for (const [index, block] of Parts.listOf(fieldOf(message, "content")).entries()) blocks.begin(index, block)
    }
    stop = textOf(fieldOf(piece, "stopReason")) ?? stop
    const index = fieldOf(piece, "contentBlockIndex")
    hasBegun ||= index !== undefined || stop !== undefined
    switch (fieldOf(piece, "type")) {
      case "messageStart":
        hasBegun = true
        break
      case "contentBlockStart":
        blocks.begin(index, fieldOf(piece, "start"))
        break
      case "contentBlockDelta":
        blocks.grow(index, fieldOf(piece, "delta"))
        break
    }
  }
  const ended = stop ?? (isWhole && hasBegun ? "end_turn" : undefined)
  return {
    hasBegun,
    error,
    refusal: "",
    parts: blocks.parts(),
    usage: ProviderUsage.whole(counted.usage()),
    finish: ended === undefined ? undefined : { unified: meaningOf(ended) ?? "stop", raw: stop },
  }
}

const tell = (told: ConversationBuilder.ConversationBuilder, message: unknown) => {
  const blocks = Parts.listOf(fieldOf(message, "content"))
  switch (fieldOf(message, "role")) {
    case "system":
      return told.system(Parts.textIn(blocks))
    case "assistant": {
      const said = new Blocks.GrowingBlocks()
      for (const [index, block] of blocks.entries()) said.begin(index, block)
      return told.assistant(said.parts())
    }
    case "user":
      for (const block of blocks) {
        const result = fieldOf(block, "toolResult")
        if (result === undefined) continue
        const isError = fieldOf(result, "status") === "error"
        told.result(fieldOf(result, "toolUseId"), fieldOf(result, "content"), { isError })
      }
      return tellContent(
        told,
        blocks.filter((block) => fieldOf(block, "toolResult") === undefined),
      )
    default:
      return told.unknown(Parts.unreadPart(message, fieldOf(message, "role")))
  }
}

const tellContent = (told: ConversationBuilder.ConversationBuilder, blocks: ReadonlyArray<unknown>) => {
  const parts = blocks.flatMap(Blocks.contentParts)
  if (parts.length > 0) told.user(parts)
}
