/** Events whose texts have some words, shown as the search finds them. Leaving the screen ends the search. */
import { visit } from "../model/Address.ts"
import { useStudio } from "../parts/context.ts"
import { Excerpt } from "../parts/Excerpt.tsx"
import { count, time } from "../parts/format.ts"
import { Link } from "../parts/Link.tsx"
import { type Searched, useSearch } from "../parts/useSearch.ts"

export const SearchScreen = ({ text }: { readonly text: string }) => {
  const studio = useStudio()
  const searched = useSearch(text === "" ? null : { text })
  const { hits, state, next, stop, more } = searched
  return (
    <main class="search">
      <div class="sentence">
        <h1>
          {text === "" ? (
            "Search"
          ) : (
            <>
              Search for “<bdi>{text}</bdi>”
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
            key={text}
            name="text"
            type="search"
            defaultValue={text}
            placeholder={'words, "a phrase", begin*'}
            aria-label="Search goals, messages, arguments, results, errors and notes"
            spellcheck={false}
            autocomplete="off"
          />
        </form>
        <p role="status">
          {text === "" ? HELP : stateOf(searched)}{" "}
          {text !== "" && state === "searching" ? (
            <button type="button" onClick={stop}>
              stop
            </button>
          ) : null}
        </p>
      </div>
      <ol class="found">
        {hits.map(({ position, timeline, task, type, kind, occurredAt, excerpt }) => (
          <li key={position}>
            <Link to={visit({ timeline, task }, position)}>
              <span class="at">@{position}</span>
              <span>
                <span class={kind === "error" ? "type bad" : "type"}>{kind === "other" ? type : kind}</span>{" "}
                <Excerpt excerpt={excerpt} />
              </span>
              <small>
                <bdi>{task ?? "no task"}</bdi>
                {timeline === "main" ? "" : ` on ${timeline}`} · {time(occurredAt)}
              </small>
            </Link>
          </li>
        ))}
      </ol>
      {state === "done" && next !== null ? (
        <p class="more">
          <button type="button" onClick={more}>
            more hits
          </button>
        </p>
      ) : null}
    </main>
  )
}

const HELP =
  'Finds goals, messages, arguments, results, errors and notes that have all of your words. Case and accents do not matter. "no boiler" finds a phrase, boil* a beginning.'

/** The progress of a search in words. */
export const stateOf = ({ hits, state, next, widened, coverage, problem }: Searched): string => {
  if (problem !== "") return problem
  const found = `${count(hits.length, "hit")}${next === null ? "" : " so far"}`
  if (state === "searching") return coverage === null ? "searching …" : `searching … ${found}`
  const covered =
    coverage !== null && coverage.position < coverage.head
      ? ` The search covers ${Math.floor((100 * coverage.position) / coverage.head)} % of the log so far.`
      : ""
  if (state === "stopped") return `Stopped. ${found}.${covered}`
  if (hits.length === 0) return `No event contains these words.${covered}`
  if (widened)
    return `No event has exactly these words. ${count(hits.length, "event")} with words that begin with them.${covered}`
  return `${next === null ? count(hits.length, "hit") : `The newest ${count(hits.length, "hit")}`}.${covered}`
}
