/** A command to copy, with its effect. */
import { useState } from "preact/hooks"

interface CopiedProps {
  readonly name: string
  readonly command: string
}

export const CopiedCommand = ({ name, command }: CopiedProps) => {
  const [said, say] = useState("copy")
  const copy = () =>
    navigator.clipboard.writeText(command).then(
      () => say("copied"),
      () => say("select it"),
    )
  return (
    <p class="copy command">
      <button type="button" onClick={copy} aria-label={`Copy the command: ${name}`}>
        <span role="status">{said}</span>
      </button>
      <span>
        {name}
        <code>{command}</code>
      </span>
    </p>
  )
}
