/** Forks the task at the position, with an agent named when Studio was started, another seed, or other readings. */
import { useState } from "preact/hooks"
import type { ForkMade } from "../../wire/Asking.ts"
import { visit, vsOf } from "../model/Address.ts"
import { flawOf, readingsOf, type TypedReading, valuesOf } from "../writing/readings.ts"
import { AgentAndSeedFields, orderOf, useAgentAndSeed } from "./AgentAndSeed.tsx"
import { useStudio } from "./context.ts"
import { DialogBox } from "./Dialog.tsx"
import { Problem } from "./Problem.tsx"
import { useOrder } from "./useOrder.ts"

interface ForkProps {
  /** The position to fork after. Default: the one where the page is. */
  readonly at?: number
  readonly onClose: () => void
}

export const ForkDialog = ({ at: given, onClose }: ForkProps) => {
  const studio = useStudio()
  const { allows, agents } = studio.log.value
  // The position may move while the dialog is open. Fork where it was opened.
  const [at] = useState(given ?? studio.position.value)
  const [chosen, choose] = useAgentAndSeed(agents)
  const [typed, setTyped] = useState<ReadonlyArray<TypedReading>>([])
  const [isAccepted, accept] = useState(false)
  const [others, setOthers] = useState<ReadonlyArray<string>>([])
  const { isBusy, problem, give } = useOrder()
  const now = studio.visit
  const task = now?.task ?? null
  if (!allows.fork || task === null || now === null)
    return (
      <DialogBox title="Fork here" onClose={onClose}>
        <p>
          {allows.fork
            ? "Only tasks can be forked. Choose one first (t)."
            : "Studio was started without forking. Start it with hindcast studio --fork --agent NAME=MODULE, to fork from any position with the agents that you name there."}
        </p>
      </DialogBox>
    )
  const fork = () =>
    give(async (signal) => {
      const made: Array<ForkMade> = []
      try {
        for (const agent of [chosen.agent, ...others.filter((name) => name !== chosen.agent)])
          made.push(
            await studio.source.order("forks", {
              timeline: now.timeline,
              task,
              at,
              ...orderOf({ ...chosen, agent }),
              ...(typed.length === 0 ? {} : { readings: valuesOf(typed) }),
              ...(isAccepted ? { acceptUnrewound: true } : {}),
            }),
          )
      } finally {
        // Those that were made before a failure stay.
        if (made.length > 0) studio.log.value = await studio.source.ask("log")
      }
      if (signal.aborted)
        return studio.say(`Running in the background: ${made.map(({ timeline }) => timeline).join(", ")}.`)
      onClose()
      // Several stand in a table, which fills while they run.
      studio.go(visit({ timeline: now.timeline, task }, at, { vs: vsOf(made) }))
      const notes = made.flatMap((one) => one.notes ?? [])
      if (notes.length > 0) studio.say(notes.join(" "), true)
    })
  return (
    <DialogBox title={`Fork after @${at}`} onClose={onClose}>
      <p>
        The history stays as it is. From here on the agent decides again, in a world rewound to this moment. You can
        watch the fork next to this task.
      </p>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault()
          fork()
        }}
      >
        <AgentAndSeedFields agents={agents} chosen={chosen} otherwise="the task's own" onChoose={choose} />
        {agents.length < 2 ? null : (
          <fieldset class="also">
            <legend>compare several</legend>
            {agents
              .filter((name) => name !== chosen.agent)
              .map((name) => (
                <label key={name}>
                  <input
                    type="checkbox"
                    checked={others.includes(name)}
                    onChange={() =>
                      setOthers(others.includes(name) ? others.filter((one) => one !== name) : [...others, name])
                    }
                  />{" "}
                  also a fork by <bdi>{name}</bdi>
                </label>
              ))}
          </fieldset>
        )}
        <OtherReadings task={task} typed={typed} onTyped={setTyped} />
        <label>
          <input type="checkbox" checked={isAccepted} onChange={() => accept(!isAccepted)} /> continue even if a world
          cannot be rewound to this moment and stays as it is now
        </label>
        <button type="submit" class="main" disabled={isBusy || typed.some((reading) => flawOf(reading) !== null)}>
          {isBusy ? "forking …" : "fork"}
        </button>
      </form>
      <Problem text={problem} />
    </DialogBox>
  )
}

interface OtherReadingsProps {
  readonly task: string
  readonly typed: ReadonlyArray<TypedReading>
  readonly onTyped: (typed: ReadonlyArray<TypedReading>) => void
}

/** Readings that replace the sensors' first ones in the fork. */
const OtherReadings = ({ task, typed, onTyped }: OtherReadingsProps) => {
  const readings = readingsOf(useStudio().frame.value, task)
  const left = Object.keys(readings).filter((sensor) => typed.every((one) => one.sensor !== sensor))
  const change = (sensor: string, text: string) =>
    onTyped(typed.map((one) => (one.sensor === sensor ? { sensor, text } : one)))
  return (
    <fieldset class="wide">
      <legend>other readings</legend>
      <p class="note">The agent reads these first instead of the true readings. Later readings are true again.</p>
      {typed.map((one) => {
        const flaw = flawOf(one)
        return (
          <div class="reading" key={one.sensor}>
            <label>
              <bdi>{one.sensor}</bdi>
              <textarea
                rows={Math.min(8, one.text.split("\n").length)}
                spellcheck={false}
                value={one.text}
                aria-invalid={flaw !== null}
                onInput={({ currentTarget }) => change(one.sensor, currentTarget.value)}
              />
            </label>
            <button
              type="button"
              aria-label={`Leave ${one.sensor} as it is`}
              onClick={() => onTyped(typed.filter(({ sensor }) => sensor !== one.sensor))}
            >
              ✕
            </button>
            <Problem text={flaw ?? ""} />
          </div>
        )
      })}
      {left.length === 0 ? (
        <p class="note">{typed.length > 0 ? "" : "The agent has no readings up to this position."}</p>
      ) : (
        <select
          aria-label="Add a reading"
          value=""
          onChange={({ currentTarget: { value: sensor } }) =>
            onTyped([...typed, { sensor, text: JSON.stringify(readings[sensor], null, 2) }])
          }
        >
          <option value="">add a reading …</option>
          {left.map((sensor) => (
            <option key={sensor} value={sensor}>
              {sensor}
            </option>
          ))}
        </select>
      )}
    </fieldset>
  )
}
