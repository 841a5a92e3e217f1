/** Payloads that contain a text, shown as they are found; the search ends when the reader goes elsewhere. */
import { useEffect, useState } from "preact/hooks"
import type { Hit } from "../../wire/Asking.ts"
import { visit } from "../model/Address.ts"
import { useStudio } from "../parts/context.ts"
import { count } from "../parts/format.ts"
import { Link } from "../parts/Link.tsx"
import { messageOf } from "../source/Source.ts"

export const SearchScreen = ({ text }: { readonly text: string }) => {
  const studio = useStudio()
  const [hits, setHits] = useState<ReadonlyArray<Hit>>([])
  const [state, setState] = useState("")
  const [stop, setStop] = useState<AbortController | null>(null)
  useEffect(() => {
    setHits([])
    if (text === "") return setState("Type search and a text into the box.")
    const abort = new AbortController()
    setStop(abort)
    setState("searching …")
    let found: Array<Hit> = []
    studio.source
      .find(
        "search",
        { text },
        (line) => {
          if ("hit" in line) {
            found = [...found, line.hit]
            setHits(found)
          } else if ("progress" in line)
            setState(`searching … ${Math.round((100 * line.progress.done) / Math.max(1, line.progress.of))} %`)
          else if ("problem" in line) setState(line.problem)
          else {
            setState(line.cut ? "There are more; only the first are shown." : `${count(found.length, "event")}.`)
            setStop(null)
          }
        },
        abort.signal,
      )
      .catch((cause: unknown) =>
        setState(abort.signal.aborted ? `Stopped. ${count(found.length, "event")} so far.` : messageOf(cause)),
      )
    return () => abort.abort()
  }, [text])
  return (
    <main class="search">
      <div class="sentence">
        <h1>
          “<bdi>{text}</bdi>”
        </h1>
        <p role="status">
          {state}{" "}
          {stop === null ? null : (
            <button
              type="button"
              onClick={() => {
                stop.abort()
                setStop(null)
              }}
            >
              stop
            </button>
          )}
        </p>
      </div>
      <ol class="found">
        {hits.map(({ position, timeline, task, type, line }) => (
          <li key={position}>
            <Link to={visit({ timeline, task }, position)}>
              <span class="at">@{position}</span> <span class="type">{type}</span> <bdi>{line}</bdi>{" "}
              <small>{task ?? "no task"}</small>
            </Link>
          </li>
        ))}
      </ol>
    </main>
  )
}
