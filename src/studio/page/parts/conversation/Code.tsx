/**
 * A block of code with a button that copies exactly the visible text, so that nothing invisible is pasted elsewhere.
 */
import { useState } from "preact/hooks"
import { visibleLines } from "../../../../values/PlainText.ts"
import { useStudio } from "../context.ts"

export const Code = ({ text, language = "" }: { readonly text: string; readonly language?: string }) => {
  const studio = useStudio()
  const [isCopied, setCopied] = useState(false)
  const copy = () => {
    navigator.clipboard.writeText(visibleLines(text)).then(
      () => setCopied(true),
      () => studio.say("The browser does not allow the page to copy. Select the text instead.", true),
    )
  }
  return (
    <figure class="code">
      <figcaption>
        <small>
          <bdi>{language}</bdi>
        </small>
        <button type="button" onClick={copy}>
          {isCopied ? "copied" : "copy"}
        </button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  )
}
