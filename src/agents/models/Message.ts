/**
 * The messages of a conversation with a language model, independent of any provider. The log records them, so each has
 * a schema.
 */

import { Schema } from "effect"
import { optional } from "../../events/vocabulary/EventType.ts"
import { Json, JsonObject } from "../../values/Json.ts"

/** Text. */
export const TextPart = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })

/** An image or another file, as base64. */
export const FilePart = Schema.Struct({
  type: Schema.Literal("file"),
  mediaType: Schema.NonEmptyString.annotations({ description: "Media type (RFC 6838), such as `image/png`" }),
  data: Schema.String.annotations({ description: "Base64 (RFC 4648)" }),
})

/** A part of a model's input. */
export const ContentPart = Schema.Union(TextPart, FilePart).annotations({ identifier: "ContentPart" })

export type ContentPart = typeof ContentPart.Type

/** Data that a provider wants back unchanged with a part of its answer, such as the signature of reasoning. */
const providerMetadata = optional(JsonObject)

/** The model's reasoning before its answer, as far as the provider shows it. */
export const ReasoningPart = Schema.Struct({
  type: Schema.Literal("reasoning"),
  text: Schema.String,
  providerMetadata,
})

/**
 * Something other than text, file or call, as the provider wrote it: an item with a meaning of its own, such as a
 * compaction, or one of a type that the reader does not know.
 */
export const ItemPart = Schema.Struct({
  type: Schema.Literal("item"),
  kind: Schema.String.annotations({ description: "The provider's name of its type; empty where it has none" }),
  item: Json,
  unread: optional(
    Schema.Literal(true).annotations({ description: "Present where the reader does not know the type" }),
  ),
})

export type ItemPart = typeof ItemPart.Type

/** A tool call of a model. */
export const CallPart = Schema.Struct({
  type: Schema.Literal("call"),
  callId: Schema.NonEmptyString.annotations({ description: "The model's id of the call" }),
  tool: Schema.String.annotations({ description: "The tool's name as the model wrote it" }),
  args: Json.annotations({ description: "The arguments; where they are no JSON, the text that the model wrote" }),
  text: optional(
    Schema.String.annotations({
      description:
        "The arguments as the model wrote them, where `args` does not say the same, such as a number of twenty digits",
    }),
  ),
  invalid: optional(Schema.Literal(true).annotations({ description: "Present where the arguments are no JSON" })),
  providerMetadata,
})

export type CallPart = typeof CallPart.Type

/** A tool that the provider ran itself, such as a web search. The program neither runs nor answers it. */
export const HostedPart = Schema.Struct({
  type: Schema.Literal("hosted"),
  callId: Schema.NonEmptyString,
  tool: Schema.String,
  args: Json,
  result: optional(Json.annotations({ description: "What the tool gave; absent where the answer does not say it" })),
  isError: optional(Schema.Literal(true).annotations({ description: "Present where the tool failed" })),
})

export type HostedPart = typeof HostedPart.Type

/** A part of a model's answer. */
export const AnswerPart = Schema.Union(
  Schema.Struct({ ...TextPart.fields, providerMetadata }),
  ReasoningPart,
  CallPart,
  FilePart,
  HostedPart,
  ItemPart,
).annotations({ identifier: "AnswerPart" })

export type AnswerPart = typeof AnswerPart.Type

/** How a tool call ended. */
export const ToolResult = Schema.Struct({
  callId: Schema.NonEmptyString,
  tool: Schema.String,
  isError: Schema.Boolean.annotations({ description: "Whether the call did not succeed" }),
  content: Json.annotations({ description: "The result, or why there is none" }),
}).annotations({ identifier: "ToolResult" })

export type ToolResult = typeof ToolResult.Type

/**
 * A part of a message from a person or a program: content, or an item that the reader of a recording keeps as it is.
 */
export const ToldPart = Schema.Union(ContentPart, ItemPart).annotations({ identifier: "ToldPart" })

export type ToldPart = typeof ToldPart.Type

/**
 * One message of a conversation. The system prompt is separate. Only recordings have the roles `system`, for
 * instructions in the middle of the conversation, and `unknown`, for items that name no author.
 */
export const Message = Schema.Union(
  Schema.Struct({ role: Schema.Literal("system"), content: Schema.Array(ToldPart) }),
  Schema.Struct({ role: Schema.Literal("unknown"), content: Schema.Array(ToldPart) }),
  Schema.Struct({ role: Schema.Literal("user"), content: Schema.Array(ToldPart) }),
  Schema.Struct({ role: Schema.Literal("assistant"), content: Schema.Array(AnswerPart) }),
  Schema.Struct({ role: Schema.Literal("tool"), content: Schema.Array(ToolResult) }),
).annotations({ identifier: "Message" })

export type Message = typeof Message.Type
