/** Copies or saves the explanation of a failure as an SVG image, to paste into an issue. */
import { useState } from "preact/hooks"
import { drawChain, ofFailure } from "../../../projections/explanation/drawChain.ts"
import type { WhyFailed } from "../../wire/Task.ts"

export const ChainImage = ({ why }: { readonly why: WhyFailed }) => {
  const [said, say] = useState("")
  const copy = () =>
    navigator.clipboard.writeText(drawChain(ofFailure(why))).then(
      () => say("The image is copied."),
      () => say("The browser does not allow the page to copy. Save the image instead."),
    )
  const save = () => {
    const url = URL.createObjectURL(new Blob([drawChain(ofFailure(why))], { type: "image/svg+xml" }))
    const link = document.createElement("a")
    link.href = url
    link.download = `why-${why.taskId.replaceAll(/[^\w.-]/g, "_")}.svg`
    link.click()
    // The browser has taken the image by then.
    setTimeout(() => URL.revokeObjectURL(url), KEPT)
  }
  return (
    <p class="facts-line">
      <button type="button" onClick={() => void copy()}>
        copy as SVG
      </button>
      <button type="button" onClick={save}>
        save as SVG
      </button>
      <span class="note" role="status">
        {said}
      </span>
    </p>
  )
}

/** How long a saved image stays in memory, in milliseconds. */
const KEPT = 60_000
