/** Scenario and rubric files: the list, and the open file. */
import { useEffect, useState } from "preact/hooks"
import type { ScenarioFile, ScenarioFiles, ScenarioText } from "../../wire/Scenarios.ts"
import { useStudio } from "../parts/context.ts"
import { Link } from "../parts/Link.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useAnswer } from "../parts/useAnswer.ts"
import { useOrder } from "../parts/useOrder.ts"
import { draftOf, ScenarioEditor } from "../writing/ScenarioEditor.tsx"

/** The content of a new scenario: the required fields. */
const NEW = `scenario_name: ""
environment_type: ""
version: "1.0"
description: ""

initial_state:
  agent_setup:
    agent_id: agent

win_conditions:
  - { type: flag_set, flag_name: won }
lose_conditions:
  - { type: max_steps_reached, steps: 30 }
`

export const ScenariosScreen = ({ file }: { readonly file: string }) => {
  const studio = useStudio()
  const { scenarios, allows } = studio.log.value
  const [made, setMade] = useState(0)
  const { answer: listed, problem } = useAnswer("scenarios", scenarios ? {} : null, made)
  if (!scenarios)
    return (
      <main class="scenarios">
        <h1>Scenarios</h1>
        <p>
          {allows.write ? "Studio was started without scenarios. " : "Studio was started without writing. "}
          Start it with <code>hindcast studio --write --scenarios DIRECTORY --agent NAME=FILE</code> to edit the
          scenarios and rubrics of that directory here, and to run them with these agents.
        </p>
      </main>
    )
  return (
    <main class="scenarios">
      <section class="files" aria-label="Files">
        <h1>Scenarios</h1>
        <Problem text={problem} />
        {listed === null ? null : (
          <>
            <Files listed={listed.files} file={file} directories={listed.directories} />
            <NewFile directories={listed.directories} onMade={() => setMade(made + 1)} />
          </>
        )}
      </section>
      {file === "" ? (
        <p class="empty">
          {listed !== null && listed.files.length === 0
            ? "These directories have no scenario yet. Create one."
            : "Choose a scenario or a rubric."}
        </p>
      ) : listed === null ? (
        <div aria-busy="true" />
      ) : (
        <Opened key={file} file={file} listed={listed} />
      )}
    </main>
  )
}

interface FilesProps {
  readonly listed: ReadonlyArray<ScenarioFile>
  readonly directories: ReadonlyArray<string>
  readonly file: string
}

const Files = ({ listed, directories, file }: FilesProps) => {
  const { drafts } = useStudio()
  return (
    <ul>
      {listed.map((one) => (
        <li key={one.file}>
          <Link to={{ screen: "scenarios", file: one.file }} current={one.file === file}>
            <bdi>{nameOf(one.file, directories)}</bdi>
          </Link>{" "}
          <small>
            {one.kind}
            {drafts.of(draftOf(one.file)) === null ? "" : ", not saved"}
          </small>
        </li>
      ))}
    </ul>
  )
}

/** A file with its directory's name instead of its number. */
const nameOf = (file: string, directories: ReadonlyArray<string>): string => {
  const [number, ...names] = file.split("/")
  return [...(directories.length > 1 ? [directories[Number(number)] ?? number] : []), ...names].join("/")
}

const NewFile = ({
  directories,
  onMade,
}: {
  readonly directories: ReadonlyArray<string>
  readonly onMade: () => void
}) => {
  const studio = useStudio()
  const [directory, setDirectory] = useState(0)
  const [name, setName] = useState("")
  const { isBusy, problem, give } = useOrder()
  const make = () =>
    give(async (signal) => {
      const file = `${directory}/${/\.(ya?ml|json)$/.test(name) ? name : `${name}.yaml`}`
      await studio.source.order("scenarios/save", { file, text: NEW, digest: null })
      setName("")
      onMade()
      if (!signal.aborted) studio.go({ screen: "scenarios", file })
    })
  return (
    <form
      class="new"
      onSubmit={(event) => {
        event.preventDefault()
        make()
      }}
    >
      {directories.length < 2 ? null : (
        <select
          aria-label="Directory"
          value={directory}
          onChange={({ currentTarget }) => setDirectory(Number(currentTarget.value))}
        >
          {directories.map((one, index) => (
            <option key={index} value={index}>
              {one}
            </option>
          ))}
        </select>
      )}
      <input
        aria-label="Name of a new scenario"
        placeholder="a-new-scenario"
        maxLength={90}
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <button type="submit" disabled={isBusy || name.trim() === ""}>
        make
      </button>
      <Problem text={problem} />
    </form>
  )
}

/** The file, read once, and again only on request. */
const Opened = ({ file, listed }: { readonly file: string; readonly listed: ScenarioFiles }) => {
  const studio = useStudio()
  const [opened, setOpened] = useState<{ readonly text: ScenarioText; readonly times: number } | null>(null)
  const { problem, give } = useOrder()
  const read = () =>
    give(async () => {
      const text = await studio.source.ask("scenario", { file })
      // Reading again discards the draft.
      if (opened !== null) studio.drafts.keep(draftOf(file), null)
      setOpened((before) => ({ text, times: (before?.times ?? 0) + 1 }))
    })
  useEffect(read, [])
  return (
    <>
      <Problem text={problem} />
      {opened !== null ? (
        <ScenarioEditor
          key={opened.times}
          name={nameOf(file, listed.directories)}
          opened={opened.text}
          agents={listed.agents}
          onAgain={read}
        />
      ) : problem === "" ? (
        <div aria-busy="true" />
      ) : null}
    </>
  )
}
