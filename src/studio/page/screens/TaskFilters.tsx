/** The filters of the list of tasks: words, agent, model, order, groups, and a CEL expression. */
import { useState } from "preact/hooks"
import type { Choice, TaskOverview } from "../../wire/Overview.ts"
import type { Overview } from "../model/Address.ts"
import { nameOf } from "../parts/format.ts"

interface Props {
  readonly overview: TaskOverview | null
  readonly address: Overview
  readonly change: (next: Partial<Overview>) => void
}

export const TaskFilters = ({ overview, address, change }: Props) => {
  const { text, where, order, by, agent, model } = address
  const [isAdvanced, setAdvanced] = useState(where !== "")
  return (
    <>
      <div class="filters">
        <form
          class="words"
          onSubmit={(event) => {
            event.preventDefault()
            change({ text: String(new FormData(event.currentTarget).get("text") ?? "").trim() })
          }}
        >
          <input
            key={text}
            name="text"
            type="search"
            defaultValue={text}
            placeholder="search goals, messages, errors …"
            aria-label="Only tasks with these words in a goal, message, argument, result, error or note"
            spellcheck={false}
            autocomplete="off"
            onInput={({ currentTarget }) => {
              // The field's own cross clears it without submitting.
              if (currentTarget.value === "" && text !== "") change({ text: "" })
            }}
          />
        </form>
        <Choices
          label="agent"
          value={agent}
          choices={overview?.choices.agents ?? []}
          shown={nameOf}
          choose={(name) => change({ agent: name })}
        />
        <Choices
          label="model"
          value={model}
          choices={overview?.choices.models ?? []}
          shown={(name) => name}
          choose={(name) => change({ model: name })}
        />
        <select
          aria-label="Order"
          title="Worst first: failed, abandoned and stopped tasks, then the lowest score"
          value={order}
          onChange={({ currentTarget }) => change({ order: currentTarget.value as Overview["order"] })}
        >
          <option value="newest">newest first</option>
          <option value="oldest">oldest first</option>
          <option value="worst">worst first: failed, then lowest score</option>
        </select>
        <select
          aria-label="Group by"
          value={by}
          onChange={({ currentTarget }) => change({ by: currentTarget.value as Overview["by"] })}
        >
          <option value="">not grouped</option>
          <option value="agent">by agent</option>
          <option value="outcome">by outcome</option>
          <option value="plugin">by plugin</option>
        </select>
        <button
          type="button"
          class="quiet"
          aria-expanded={isAdvanced}
          aria-controls="advanced"
          onClick={() => setAdvanced(!isAdvanced)}
        >
          advanced
        </button>
      </div>
      <form
        id="advanced"
        class="filters"
        hidden={!isAdvanced}
        onSubmit={(event) => {
          event.preventDefault()
          change({ where: String(new FormData(event.currentTarget).get("where") ?? "").trim() })
        }}
      >
        <input
          key={where}
          class="cel"
          name="where"
          defaultValue={where}
          placeholder={'task.cost > 0.1 || task.outcome == "failed"'}
          aria-label="Only tasks for which this CEL expression is true"
          title="Over task: outcome, agent, goal, reason, steps, durationMs, cost, costAtLeast, tokens, models, score.net …"
          spellcheck={false}
          autocomplete="off"
        />
      </form>
    </>
  )
}

/** A filter by name. Hidden if there is nothing to choose. */
const Choices = ({
  label,
  value,
  choices,
  shown,
  choose,
}: {
  readonly label: string
  readonly value: string
  readonly choices: ReadonlyArray<Choice>
  readonly shown: (name: string) => string
  readonly choose: (name: string) => void
}) => {
  if (choices.length < 2 && value === "") return null
  const isListed = value === "" || choices.some(({ name }) => name === value)
  return (
    <select
      aria-label={`Only one ${label}`}
      value={value}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      <option value="">any {label}</option>
      {isListed ? null : <option value={value}>{shown(value)} (0)</option>}
      {choices.map(({ name, tasks }) => (
        <option key={name} value={name}>
          {shown(name)} ({tasks})
        </option>
      ))}
    </select>
  )
}
