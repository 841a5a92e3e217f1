/** A text that is typed. It is kept for as long as it is not what it began as, also while another part of the page is shown. */
import { useStudio } from "./context.ts"

export interface TypedText {
  readonly text: string
  /** The digest of what it is to replace. */
  readonly over: string
  readonly isChanged: boolean
  readonly type: (text: string) => void
  /**
   * Takes that a text was kept, such as by saving it. What was typed since stays a draft.
   *
   * @param over the digest of what was kept
   */
  readonly kept: (text: string, over?: string) => void
  /** Forgets what was typed. */
  readonly discard: () => void
}

/**
 * @param name what the text is of
 * @param begun what it begins as
 * @param over the digest of that
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
