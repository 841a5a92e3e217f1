/** Which events the list shows: by kind, agent and plugin, and calls as one row each. Loads what that needs. */
import { useMemo } from "preact/hooks"
import { oneLine } from "../../../values/PlainText.ts"
import { KINDS } from "../../wire/Kind.ts"
import { isFiltering } from "../../wire/Rows.ts"
import type { Visit } from "../model/Address.ts"
import type { CourseHistory } from "../model/CourseHistory.ts"
import { countsOf } from "../model/listed/EventRows.ts"
import { settings } from "../model/settings.ts"
import { useStudio } from "./context.ts"
import { count } from "./format.ts"
import { NAMES } from "./Mark.tsx"
import { useSpans } from "./useSpans.ts"
import { useTimelineRows } from "./useTimelineRows.ts"

export const EventFilters = ({ course }: { readonly course: CourseHistory }) => {
  const studio = useStudio()
  const problems = [useSpans(course), useTimelineRows(course)].filter((problem) => problem !== "")
  const rows = studio.listed.value
  const { visit } = studio
  const marks = course.marks.value
  const spans = course.spans.value
  const timeline = course.rows.value?.newest ?? null
  const ofTask = useMemo(() => (marks === null ? [] : countsOf(marks, KINDS)), [marks, marks?.length])
  const { kinds, agents, plugins } = timeline ?? {
    kinds: ofTask,
    agents: spans?.agents ?? [],
    plugins: spans?.plugins ?? [],
  }
  const isFiltered = rows !== null || (course.course.task === null && studio.source.follow !== null)
  if (visit === null || !isFiltered) return null
  const change = (next: Partial<Pick<Visit, "kind" | "agent" | "plugin">>) => studio.look(next, true)
  const folded = settings.foldCalls.value
  const fold = (isFolded: boolean) => {
    course.turned.value = new Set()
    settings.setFoldCalls(isFolded)
  }
  return (
    <div class="event-filters">
      <Choice
        label="Kind"
        all="all kinds"
        value={visit.kind}
        options={kinds.map(([kind, events]) => ({
          value: kind,
          text: `${NAMES[kind]} (${events.toLocaleString("en")})`,
        }))}
        onChoose={(kind) => change({ kind: KINDS.find((one) => one === kind) ?? "" })}
      />
      <Names
        label="Agent"
        all="all agents"
        value={visit.agent}
        names={agents}
        onChoose={(agent) => change({ agent })}
      />
      <Names
        label="Plugin"
        all="all plugins"
        value={visit.plugin}
        names={plugins}
        onChoose={(plugin) => change({ plugin })}
      />
      <label title="A call is one row, which you can open (z, Z)">
        <input type="checkbox" checked={folded} onChange={() => fold(!folded)} /> fold calls
      </label>
      {isFiltering(visit) ? (
        <span class="hidden-events" role="status">
          {rows === null ? "" : `${count(rows.hidden, "event")} hidden `}
          <button type="button" onClick={() => change({ kind: "", agent: "", plugin: "" })}>
            show all
          </button>
        </span>
      ) : null}
      {course.rows.value?.isWhole === false ? (
        <span class="note" role="status">
          {`read up to @${(timeline?.until ?? 0).toLocaleString("en")} so far …`}
        </span>
      ) : null}
      {problems.length === 0 ? null : <span class="problem">{problems.join(" ")}</span>}
      {spans?.isCut ? <span class="note">later calls are not folded: there are too many</span> : null}
    </div>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly all: string
  readonly value: string
  readonly onChoose: (value: string) => void
}

/** A choice of names; nothing if there is none, or only one to choose. */
const Names = ({ names, ...choice }: ChoiceProps & { readonly names: ReadonlyArray<string> }) =>
  names.length < 2 && choice.value === "" ? null : (
    <Choice {...choice} options={names.map((name) => ({ value: name, text: oneLine(name) }))} />
  )

const Choice = ({
  label,
  all,
  value,
  options,
  onChoose,
}: ChoiceProps & { readonly options: ReadonlyArray<{ readonly value: string; readonly text: string }> }) => (
  <select
    aria-label={`${label} of the listed events`}
    class={value === "" ? undefined : "chosen"}
    value={value}
    onChange={({ currentTarget }) => onChoose(currentTarget.value)}
  >
    <option value="">{all}</option>
    {value === "" || options.some((option) => option.value === value) ? null : (
      <option value={value}>{oneLine(value)} (none)</option>
    )}
    {options.map((option) => (
      <option key={option.value} value={option.value}>
        {option.text}
      </option>
    ))}
  </select>
)
