/** The passage of a conversation that a command follows from, as data: `Passage.ts` finds it. */

/** A passage. Texts are cut after 2,000 characters; null if there is none, or if the log does not have it. */
export interface Passage {
  /** The position of the command or decision that follows from it. */
  readonly of: number
  /** The position of the model's answer, which is whole there. */
  readonly answer: number
  /** `provider/model`; null if the answer names no request. */
  readonly model: string | null
  /** The last message that the model read before, and its author's role. */
  readonly told: { readonly role: string; readonly text: string } | null
  readonly reasoning: string | null
  readonly said: string | null
}
