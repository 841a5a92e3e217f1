/** The request in its provider's format, to copy: as a command, and as JSON. */
import { useState } from "preact/hooks"
import type { SeenTurn } from "../../../../projections/request/SeenTurn.ts"
import type { WholeRequest } from "../../../../projections/request/WholeRequest.ts"
import { Problem } from "../Problem.tsx"
import { useAnswer } from "../useAnswer.ts"

export const RawRequest = ({ saw: { request, timeline } }: { readonly saw: SeenTurn }) => {
  const [said, say] = useState("")
  const { answer, problem } = useAnswer("curl", { timeline, position: request.position })
  if (answer === null) return <Problem text={problem} />
  const isWritten = !("none" in answer)
  const json = isWritten ? answer.json : JSON.stringify(partsOf(request), null, 2)
  const copy = (name: string, text: string) =>
    navigator.clipboard.writeText(text).then(
      () => say(`The ${name} is copied.`),
      () => say("The browser does not allow the page to copy. Select the text instead."),
    )
  return (
    <>
      <p>
        {isWritten ? (
          <>
            In its provider's format, for{" "}
            <code>
              <bdi>{answer.url}</bdi>
            </code>
          </>
        ) : (
          <bdi>{answer.none} These are its parts as the log has them.</bdi>
        )}
      </p>
      <p class="copies">
        {isWritten ? (
          <button type="button" onClick={() => void copy("command", answer.command)}>
            copy as curl
          </button>
        ) : null}{" "}
        <button type="button" onClick={() => void copy("JSON", json)}>
          copy JSON
        </button>
      </p>
      {isWritten && answer.variable !== null ? (
        <p class="note">
          The command reads the key from <code>${answer.variable}</code>. It never contains the key.
        </p>
      ) : null}
      <p class="note" role="status">
        {said}
      </p>
      {isWritten
        ? answer.notes.map((note) => (
            <p class="note" key={note}>
              <bdi>{note}</bdi>
            </p>
          ))
        : null}
      <Json text={json} />
    </>
  )
}

/** Characters of the JSON that are shown at once. */
const SHORT = 4_000

const Json = ({ text }: { readonly text: string }) => {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > SHORT
  return (
    <>
      <pre class="raw">
        <bdi>{isCut ? text.slice(0, SHORT) : text}</bdi>
      </pre>
      {isCut ? (
        <button type="button" onClick={() => setWhole(true)}>
          show {(text.length - SHORT).toLocaleString("en")} more characters
        </button>
      ) : null}
    </>
  )
}

const partsOf = ({ system, tools, settings, messages }: WholeRequest) => ({
  ...("value" in system ? { system: system.value } : {}),
  ...("value" in tools ? { tools: tools.value } : {}),
  ...("value" in settings ? { settings: settings.value } : {}),
  messages: messages.map(({ role, content }) => ({ role, content })),
})
