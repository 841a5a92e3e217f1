/** The parts of a request in the order in which a model reads them. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { messageLines, toolText } from "../../../../projections/request/MessageText.ts"
import type { SeenMessage } from "../../../../projections/request/RequestMessage.ts"
import type { Part, WholeRequest } from "../../../../projections/request/WholeRequest.ts"
import { count } from "../format.ts"
import { At } from "../Link.tsx"

/** Characters of a text that is shown at once. */
const SHORT = 1_200

/** Messages that are shown at once: the last ones. */
const MOST = 100

export const RequestParts = ({ request }: { readonly request: WholeRequest }) => {
  const { system, tools, settings, messages, earlier, memory } = request
  const [shown, show] = useState(MOST)
  const left = Math.max(0, messages.length - shown)
  return (
    <>
      <Of name="system" part={system}>
        {(text) => (text === "" ? <p class="empty">It had no system prompt.</p> : <TextOf text={text} />)}
      </Of>
      <Of name="tools" part={tools}>
        {(list) =>
          list.length === 0 ? (
            <p class="empty">It had no tools.</p>
          ) : (
            <ul>
              {list.map((tool, index) => (
                <li key={index}>
                  <details>
                    <summary>
                      <bdi>{tool.name}</bdi> <small>{tool.description?.slice(0, 80) ?? ""}</small>
                    </summary>
                    <TextOf text={toolText(tool)} />
                  </details>
                </li>
              ))}
            </ul>
          )
        }
      </Of>
      <Of name="settings" part={settings}>
        {(set) =>
          Object.keys(set).length === 0 ? (
            <p class="empty">None is recorded.</p>
          ) : (
            <TextOf text={JSON.stringify(set, null, 2)} />
          )
        }
      </Of>
      {earlier === null ? null : (
        <p class="note">
          <bdi>{earlier}</bdi>
        </p>
      )}
      {memory === null || memory.leftOut === 0 ? null : (
        <p class="note">
          The memory policy <bdi>{String(memory.policy.name)}</bdi> left out {count(memory.leftOut, "earlier message")}.
        </p>
      )}
      {left === 0 ? null : (
        <button type="button" onClick={() => show(shown + 10 * MOST)}>
          show {count(left, "message")} before these
        </button>
      )}
      {messages.slice(left).map((message, index) => (
        <MessageOf key={left + index} message={message} />
      ))}
    </>
  )
}

const MessageOf = ({ message }: { readonly message: SeenMessage }) => (
  <section class="seen">
    <h3>
      <bdi>{message.role}</bdi> <At position={message.at} />
      {message.sources.length === 0 ? null : (
        <small>
          {" "}
          from{" "}
          {message.sources.map((position) => (
            <span key={position}>
              <At position={position} />{" "}
            </span>
          ))}
        </small>
      )}
    </h3>
    <TextOf text={messageLines(message)} />
  </section>
)

interface OfProps<A> {
  readonly name: string
  readonly part: Part<A>
  readonly children: (value: A) => ComponentChildren
}

const Of = <A,>({ name, part, children }: OfProps<A>) => (
  <section class="seen">
    <h3>
      {name} {"at" in part ? <At position={part.at} /> : null}
    </h3>
    {"value" in part ? (
      children(part.value)
    ) : (
      <p class="empty">
        Not recorded. <bdi>{part.notRecorded}</bdi>
      </p>
    )}
  </section>
)

/** A text with its line breaks; a long one is cut until somebody asks for the rest. */
export const TextOf = ({ text }: { readonly text: string }) => {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > SHORT
  return (
    <>
      <p class="words">
        <bdi>{isCut ? text.slice(0, SHORT) : text}</bdi>
      </p>
      {isCut ? (
        <button type="button" onClick={() => setWhole(true)}>
          show {(text.length - SHORT).toLocaleString("en")} more characters
        </button>
      ) : null}
    </>
  )
}
