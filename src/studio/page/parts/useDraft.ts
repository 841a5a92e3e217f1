/** A typed text that survives while another part of the page is shown, as long as it differs from its original. */
import { useStudio } from "./context.ts"

export interface TypedText {
  readonly text: string
  /** The digest of the text that it will replace. */
  readonly over: string
  readonly isChanged: boolean
  readonly type: (text: string) => void
  /**
   * Records that a text was saved. Later typing stays a draft.
   *
   * @param over the digest of the saved text
   */
  readonly kept: (text: string, over?: string) => void
  readonly discard: () => void
}

/**
 * @param name identifies the text
 * @param begun the original text
 * @param over the digest of the original
 */
export const useDraft = (name: string, begun: string, over = ""): TypedText => {
  const { drafts } = useStudio()
  const draft = drafts.of(name)
  const keep = (text: string, from: string, isOver: string) =>
    drafts.keep(name, text === from ? null : { text, over: isOver })
  return {
    text: draft?.text ?? begun,
    over: draft?.over ?? over,
    isChanged: draft !== null,
    type: (text) => keep(text, begun, drafts.of(name)?.over ?? over),
    kept: (text, isOver = "") => keep(drafts.of(name)?.text ?? text, text, isOver),
    discard: () => drafts.keep(name, null),
  }
}
