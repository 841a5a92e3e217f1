/** Payloads that contain a text, shown as the search finds them. Leaving the screen ends the search. */
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
    if (text === "") return setState("Searches all payloads on all timelines, ignoring upper and lower case.")
    const abort = new AbortController()
    setStop(abort)
    setState("searching …")
    const found: Array<Hit> = []
    // Render at most once per frame: with very many hits, the list would never finish.
    let frame = 0
    let isGone = false
    const draw = () => {
      cancelAnimationFrame(frame)
      frame = 0
      setHits([...found])
    }
    studio.source
      .find(
        "search",
        { text },
        (line) => {
          if ("hit" in line) {
            found.push(line.hit)
            frame ||= requestAnimationFrame(draw)
          } else if ("progress" in line)
            setState(`searching … ${Math.round((100 * line.progress.done) / Math.max(1, line.progress.of))} %`)
          else if ("problem" in line) {
            setState(line.problem)
            setStop(null)
          } else {
            draw()
            setState(line.cut ? "There are more hits. Only the first are shown." : `${count(found.length, "event")}.`)
            setStop(null)
          }
        },
        abort.signal,
      )
      .catch((cause: unknown) => {
        if (isGone) return
        setStop(null)
        setState(abort.signal.aborted ? `Stopped. ${count(found.length, "event")} so far.` : messageOf(cause))
      })
    return () => {
      isGone = true
      cancelAnimationFrame(frame)
      abort.abort()
    }
  }, [text])
  return (
    <main class="search">
      <div class="sentence">
        <h1>
          {text === "" ? "Search" : "Payloads with "}
          {text === "" ? null : (
            <>
              “<bdi>{text}</bdi>”
            </>
          )}
        </h1>
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault()
            const wanted = String(new FormData(event.currentTarget).get("text") ?? "").trim()
            studio.go({ screen: "search", text: wanted })
          }}
        >
          <input
            name="text"
            defaultValue={text}
            placeholder="a text in payloads"
            aria-label="Search all payloads for this text"
            spellcheck={false}
            autocomplete="off"
          />
        </form>
        <p role="status">
          {state}{" "}
          {stop === null ? null : (
            <button type="button" onClick={() => stop.abort()}>
              stop
            </button>
          )}
        </p>
      </div>
      <ol class="found">
        {hits.map(({ position, timeline, task, type, line }) => (
          <li key={position}>
            <Link to={visit({ timeline, task }, position)}>
              <span class="at">@{position}</span>
              <span>
                <span class="type">{type}</span> <bdi>{line}</bdi>
              </span>
              <small>
                <bdi>{task ?? "no task"}</bdi>
                {timeline === "main" ? "" : ` on ${timeline}`}
              </small>
            </Link>
          </li>
        ))}
      </ol>
    </main>
  )
}
