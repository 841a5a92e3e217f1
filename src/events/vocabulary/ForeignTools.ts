/** Event types of the tools that a program outside Hindcast offers: they are pinned, and a change is noticed. */

import { Schema } from "effect"
import { eventType, optional, Sha256 } from "./EventType.ts"

const server = Schema.NonEmptyString.annotations({ description: "The name under which its calls are recorded" })
const names = Schema.Array(Schema.String)

export const foreignToolEvents = [
  eventType(
    "ToolsPinned",
    "Definitions of a server's tools are the known ones: the first ones seen, or approved ones.",
    {
      server,
      tools: Schema.Record({ key: Schema.String, value: Sha256 }).annotations({
        description: "Digests of whole definitions, by the tool's name",
      }),
      confirmationId: optional(
        Schema.NonEmptyString.annotations({ description: "The confirmation that approved them; absent for the first" }),
      ),
    },
  ),
  eventType(
    "ToolsChanged",
    "A server offers other tools than the pinned ones. New and changed ones wait for a person.",
    {
      server,
      added: names,
      changed: names,
      removed: names,
      toolsDigest: Sha256.annotations({ description: "Of the definitions that are new or changed" }),
    },
  ),
] as const
