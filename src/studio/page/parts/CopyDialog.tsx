/** Copies the view as a link, a command line or a library call. */
import { useState } from "preact/hooks"
import { callOf, commandOf } from "../model/copies.ts"
import { useStudio } from "./context.ts"
import { DialogBox } from "./Dialog.tsx"

export const CopyDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const studio = useStudio()
  const [copied, setCopied] = useState("")
  const { address, position, links, log } = studio
  const now = address.value
  /** Commands and calls are about the view that is shown, also where the link does not name it. */
  const shown = now.screen === "visit" ? { ...now, view: studio.view.value } : now
  const at = position.value
  const link = links.href(now.screen === "visit" ? { ...now, at } : now)
  const copies = {
    link: new URL(link, location.href).href,
    "command line": commandOf(shown, log.value.name, at),
    "library call": callOf(shown, at),
  }
  const copy = (name: string, text: string) => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(`The ${name} is copied.`),
      () => setCopied("The browser does not allow the page to copy. Select the text instead."),
    )
  }
  return (
    <DialogBox title="Copy this view" onClose={onClose}>
      {Object.entries(copies).map(([name, text]) => (
        <p class="copy" key={name}>
          <button type="button" onClick={() => copy(name, text)}>
            copy {name}
          </button>
          <code>{text}</code>
        </p>
      ))}
      <p class="note" role="status">
        {copied === "" ? "The link has no token: it opens only in a browser in which this page is open." : copied}
      </p>
    </DialogBox>
  )
}
