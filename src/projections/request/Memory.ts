/**
 * Selects the part of a conversation that a model sees in its next turn, by a memory policy. The asking agent and all
 * displays of its requests use the same functions. Pure.
 */

/** A memory policy with its defaults filled in. */
export type CompletePolicy =
  | { readonly name: "full" }
  | { readonly name: "sliding-window"; readonly turns: number }
  | { readonly name: "summary"; readonly maxTokens: number; readonly keepTurns: number }

/** A message as far as a policy reads it. */
export interface Spoken {
  readonly role: string
}

/** A conversation, as a policy sees it. */
export interface Remembered<Message extends Spoken> {
  readonly messages: ReadonlyArray<Message>
  /** The latest summary, and the number of messages from the start that it replaces, including the opening. */
  readonly summary: { readonly messages: number; readonly text: string } | null
  /** The tokens of the last request and its answer; 0 before the first. */
  readonly tokens: number
}

/** The message in place of summarized ones. */
export interface SummaryMessage {
  readonly role: "user"
  readonly content: ReadonlyArray<{ readonly type: "text"; readonly text: string }>
}

/** The number of messages before the model's first answer. No policy leaves them out. */
export const openingOf = (messages: ReadonlyArray<Spoken>): number => {
  const first = messages.findIndex(({ role }) => role === "assistant")
  return first === -1 ? messages.length : first
}

/**
 * The number of messages, from the start, to summarize before the next turn, or undefined. It never separates a call
 * from its result.
 */
export const toSummarize = (
  policy: CompletePolicy,
  { messages, summary, tokens }: Remembered<Spoken>,
  isTooLong = false,
): number | undefined => {
  if (policy.name !== "summary" || (tokens <= policy.maxTokens && !isTooLong)) return undefined
  const until = lastTurns(messages, policy.keepTurns)
  return until > Math.max(openingOf(messages), summary?.messages ?? 0) ? until : undefined
}

/** The messages that a request sends. */
export const select = <Message extends Spoken>(
  policy: CompletePolicy,
  { messages, summary }: Remembered<Message>,
): ReadonlyArray<Message | SummaryMessage> => {
  const opening = messages.slice(0, openingOf(messages))
  switch (policy.name) {
    case "full":
      return messages
    case "sliding-window":
      return [...opening, ...messages.slice(Math.max(opening.length, lastTurns(messages, policy.turns)))]
    case "summary":
      return summary === null
        ? messages
        : [...opening, summaryMessage(summary.text), ...messages.slice(summary.messages)]
  }
}

/** The index at which the last turns begin. A turn begins with the model's answer. */
const lastTurns = (messages: ReadonlyArray<Spoken>, turns: number): number => {
  const answers = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []))
  return answers.at(-turns) ?? 0
}

const summaryMessage = (text: string): SummaryMessage => ({
  role: "user",
  content: [{ type: "text", text: `Summary of what happened since:\n\n${text}` }],
})
