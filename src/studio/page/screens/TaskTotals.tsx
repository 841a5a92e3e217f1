/** The totals of the listed tasks, the choices of states, and when the tasks were opened. */
import { isBad } from "../../../projections/summary/Activity.ts"
import type { Days, States, TaskOverview } from "../../wire/Overview.ts"
import type { Overview } from "../model/Address.ts"
import { cost, tokens } from "../parts/amounts.ts"
import { count, duration, signed } from "../parts/format.ts"

interface Props {
  readonly overview: TaskOverview
  readonly address: Overview
  readonly change: (next: Partial<Overview>) => void
}

/** States in the order in which people ask for them. */
const ORDER = [
  ...["failed", "stopped", "running", "waiting", "paused", "open", "unfinished"],
  ...["truncated", "abandoned", "achieved", "finished"],
]

const rankOf = (state: string): number => (ORDER.includes(state) ? ORDER.indexOf(state) : ORDER.length)

const statesOf = (states: States): ReadonlyArray<readonly [state: string, tasks: number]> =>
  Object.entries(states).sort(([a], [b]) => rankOf(a) - rankOf(b))

export const Totals = ({ overview: { tasks, score, counted } }: Pick<Props, "overview">) => (
  <dl class="totals">
    <div title="The mean net score of the scored tasks, by the score set that counts for each">
      <dt>score</dt>
      <dd>
        {score === null ? (
          <span class="unknown">not scored</span>
        ) : (
          <>
            {signed(score.mean)} <small>{scoredBy(score, tasks)}</small>
          </>
        )}
      </dd>
    </div>
    <div title="Of the tasks that called a model">
      <dt>cost</dt>
      <dd>
        {counted === null ? (
          <Coming />
        ) : counted.use === null ? (
          <span class="unknown">no model</span>
        ) : (
          cost(counted.use)
        )}
      </dd>
    </div>
    <div>
      <dt>tokens</dt>
      <dd>
        {counted === null ? <Coming /> : counted.use === null ? <span class="unknown">–</span> : tokens(counted.use)}
      </dd>
    </div>
    <div title="Half of the closed tasks took no longer, by their own time">
      <dt>median time</dt>
      <dd>
        {counted === null ? (
          <Coming />
        ) : counted.durationMs === null ? (
          <span class="unknown">none closed</span>
        ) : (
          duration(counted.durationMs.median)
        )}
      </dd>
    </div>
  </dl>
)

const Coming = () => <span class="unknown">counting …</span>

const scoredBy = ({ sets, tasks }: NonNullable<TaskOverview["score"]>, all: number): string =>
  `${sets.length === 1 ? sets[0] : `${sets.length} sets`}${tasks === all ? "" : ` · ${tasks.toLocaleString("en")} of ${all.toLocaleString("en")}`}`

export const Chips = ({ overview: { choices }, address, change }: Props) => {
  const chip = (state: string, label: string, tasks: number) => (
    <button
      key={state}
      type="button"
      class={`chip ${state}`}
      aria-pressed={address.state === state}
      onClick={() => change({ state: address.state === state ? "" : state })}
    >
      {label} <b>{tasks.toLocaleString("en")}</b>
    </button>
  )
  const states = statesOf(choices.states)
  const isMissing = address.state !== "" && address.state !== "questions" && choices.states[address.state] === undefined
  return (
    <fieldset class="chips" aria-label="Only tasks in a state">
      {choices.questions === 0 && address.state !== "questions"
        ? null
        : chip("questions", "needs approval", choices.questions)}
      {states.map(([state, tasks]) => chip(state, state, tasks))}
      {isMissing ? chip(address.state, address.state, 0) : null}
    </fieldset>
  )
}

export const DayBars = ({ overview, address, change }: Props) => {
  const { unit, zone, slots } = overview.choices.days
  const [first, last] = [slots[0], slots.at(-1)]
  if (first === undefined || last === undefined || slots.length < 2) return null
  const most = slots.reduce((greatest, { states }) => Math.max(greatest, sumOf(states)), 1)
  return (
    <figure class="days" style={{ maxWidth: `${Math.max(slots.length, FEWEST) * SLOT}px` }}>
      <fieldset class="bars" aria-label={`Tasks per ${unit} in which they were opened, by the clock of ${zone}`}>
        {slots.map((slot) => {
          const tasks = sumOf(slot.states)
          if (tasks === 0) return <span key={slot.day} class="slot" />
          const isChosen = address.day !== "" && slot.day.startsWith(address.day)
          return (
            <button
              key={slot.day}
              type="button"
              class={address.day !== "" && !isChosen ? "slot other" : "slot"}
              aria-pressed={isChosen}
              aria-label={saysOf(slot)}
              title={saysOf(slot)}
              onClick={() => change({ day: isChosen ? "" : slot.day })}
            >
              {statesOf(slot.states).map(([state, of]) => (
                <span key={state} class={toneOf(state)} style={{ height: `${(100 * of) / most}%` }} />
              ))}
            </button>
          )
        })}
      </fieldset>
      <figcaption>
        <span>{shown(first.day)}</span>
        <span>
          tasks per {unit}, {zone}
          {address.day === "" ? null : (
            <>
              {" "}
              ·{" "}
              <button type="button" onClick={() => change({ day: "" })}>
                all {unit}s
              </button>
            </>
          )}
        </span>
        <span>{shown(last.day)}</span>
      </figcaption>
    </figure>
  )
}

/** The maximum width of a slot, as in the style sheet, and how many fit into the width of the caption. */
const SLOT = 49
const FEWEST = 9

const sumOf = (states: States): number => Object.values(states).reduce((sum, tasks) => sum + tasks, 0)

const saysOf = ({ day, states }: Days["slots"][number]): string =>
  `${shown(day)}: ${count(sumOf(states), "task")}: ${statesOf(states)
    .map(([state, tasks]) => `${tasks} ${state}`)
    .join(", ")}`

/** `2026-11-21T20` as `2026-11-21 20:00`. */
const shown = (day: string): string => (day.includes("T") ? `${day.replace("T", " ")}:00` : day)

/** The class that colours a state. */
const toneOf = (state: string): string => {
  if (state === "achieved" || state === "finished") return "tone good"
  if (state === "failed" || state === "stopped") return "tone bad"
  return isBad({ outcome: state, activity: null }) && ENDED.has(state) ? "tone cut" : "tone open"
}

const ENDED = new Set(["truncated", "abandoned"])
