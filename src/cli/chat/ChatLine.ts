/** Parses lines of a conversation: words to the agent, or commands to the chat. */

import type { InputDelivery } from "../../events/vocabulary/Deciding.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"

export type ChatLine =
  | { readonly kind: "nothing" }
  | { readonly kind: "say"; readonly text: string; readonly delivery: InputDelivery }
  | { readonly kind: "command"; readonly name: CommandName; readonly argument: string }
  | { readonly kind: "unknown"; readonly message: string }

const NAMES = ["why", "state", "cost", "undo", "help", "quit"] as const

export type CommandName = (typeof NAMES)[number]

export const HELP: ReadonlyArray<readonly [typed: string, does: string]> = [
  ["TEXT", "send it: the agent reads it when it has finished its current work"],
  ["> TEXT", "steer: the agent reads it before its next turn"],
  ["! TEXT", "interrupt: end its current answer, and give it your message immediately"],
  ["/why", "the causes of what it last said or did"],
  ["/state", "what it is doing now"],
  ["/cost", "tokens and money used so far"],
  ["/undo", "go back to before your last message, in a fork; /undo anyway: even if a world cannot be rewound"],
  ["/help", "this page"],
  ["/quit", "end the conversation"],
]

/** Parses a line. A leading `//` begins a text whose first character is a slash. */
export const parse = (line: string): ChatLine => {
  const text = line.trim()
  if (text === "") return { kind: "nothing" }
  if (text.startsWith("//")) return { kind: "say", text: text.slice(1), delivery: "queued" }
  if (text.startsWith("/")) return command(text)
  const delivery = text.startsWith("!") ? "interrupting" : text.startsWith(">") ? "steering" : "queued"
  const words = delivery === "queued" ? text : text.slice(1).trim()
  return words === "" ? { kind: "nothing" } : { kind: "say", text: words, delivery }
}

const command = (text: string): ChatLine => {
  const [typed = "", ...rest] = text.slice(1).split(/\s+/)
  const name = NAMES.find((known) => known === typed)
  if (name !== undefined) return { kind: "command", name, argument: rest.join(" ") }
  const [nearest] = DidYouMean.similarNames(typed, NAMES)
  const message = `/${typed}: expected one of ${NAMES.map((known) => `/${known}`).join(", ")}.`
  return { kind: "unknown", message: nearest === undefined ? message : `${message} Did you mean /${nearest}?` }
}
