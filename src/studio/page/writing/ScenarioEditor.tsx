/**
 * Edits a scenario or a rubric: its text with issues at their lines, help from the schema, a preview of the world,
 * saving and running.
 */
import { useMemo, useState } from "preact/hooks"
import type { JsonObject } from "../../../values/Json.ts"
import type { TextIssue } from "../../wire/Asking.ts"
import type { ScenarioText, WorldAtStart } from "../../wire/Scenarios.ts"
import { visit } from "../model/Address.ts"
import { AgentAndSeedFields, orderOf, useAgentAndSeed } from "../parts/AgentAndSeed.tsx"
import { useStudio } from "../parts/context.ts"
import { count } from "../parts/format.ts"
import { Problem } from "../parts/Problem.tsx"
import { useAnswer } from "../parts/useAnswer.ts"
import { useDraft } from "../parts/useDraft.ts"
import { useOrder } from "../parts/useOrder.ts"
import { Value } from "../parts/Value.tsx"
import { DrawnByView } from "../parts/World.tsx"
import { helpAt } from "./schemaHelp.ts"
import { TextEditor } from "./TextEditor.tsx"
import { useChecked } from "./useChecked.ts"

interface Props {
  readonly name: string
  readonly opened: ScenarioText
  readonly agents: ReadonlyArray<string>
  /** Reads the file again and discards the draft. */
  readonly onAgain: () => void
}

export const draftOf = (file: string): string => `file ${file}`

export const ScenarioEditor = ({ name, opened, agents, onAgain }: Props) => {
  const studio = useStudio()
  const { file, kind } = opened
  const [caret, setCaret] = useState(0)
  const [saved, setSaved] = useState({ text: opened.text, digest: opened.digest })
  const { text, over, isChanged, type, kept } = useDraft(draftOf(file), saved.text, saved.digest)
  const saving = useOrder()
  const { answer: schema } = useAnswer("schemas", { of: kind })
  const { answer, problem } = useChecked<ReadonlyArray<TextIssue>>(text, (signal) =>
    studio.source.order("scenarios/check", { kind, text }, signal),
  )
  const save = () =>
    saving.give(async () => {
      const { digest } = await studio.source.order("scenarios/save", { file, text, digest: over })
      setSaved({ text, digest })
      kept(text, digest)
      studio.say(`${name} was saved.`)
    })
  const isValid = answer !== null && answer.length === 0
  return (
    <>
      <section class="text" aria-label="Text">
        <header>
          <h2>
            <bdi>{name}</bdi>
          </h2>
          <span class="facts-line">
            {isChanged ? "not saved" : "saved"}
            {answer === null ? "" : answer.length === 0 ? " · no issues" : ` · ${count(answer.length, "mistake")}`}
          </span>
          <button type="button" class="main" disabled={!isChanged || saving.isBusy} onClick={save}>
            save
          </button>
          <button type="button" onClick={onAgain}>
            {isChanged ? "discard and reload" : "read again"}
          </button>
        </header>
        <TextEditor
          label={kind}
          text={text}
          issues={answer ?? []}
          rows={28}
          schema={schema}
          onText={type}
          onCaret={setCaret}
        />
        <Problem text={problem} />
        <Problem text={saving.problem} />
      </section>
      <section class="beside-text" aria-label="Help and world">
        {kind === "scenario" ? (
          <>
            <PlaySaved file={file} digest={saved.digest} agents={agents} isReady={isValid && !isChanged} />
            <Look text={text} isValid={isValid} />
          </>
        ) : (
          <p class="note">To score a task with it, open the task, press u, and start from this text.</p>
        )}
        <SchemaHelp kind={kind} schema={schema} text={text} caret={caret} />
      </section>
    </>
  )
}

interface PlaySavedProps {
  readonly file: string
  readonly digest: string
  readonly agents: ReadonlyArray<string>
  readonly isReady: boolean
}

/** Lets an agent play the saved file, and goes to its task. */
const PlaySaved = ({ file, digest, agents, isReady }: PlaySavedProps) => {
  const studio = useStudio()
  const [chosen, choose] = useAgentAndSeed(agents)
  const { isBusy, problem, give } = useOrder()
  if (agents.length === 0)
    return (
      <p class="note">
        Studio was started without agents: <code>--agent NAME=FILE</code> with <code>--scenarios</code> adds agents that
        can play here.
      </p>
    )
  const run = () =>
    give(async (signal) => {
      const order = { file, digest, agent: chosen.agent, ...orderOf(chosen) }
      const { timeline, task } = await studio.source.order("scenarios/run", order)
      if (!signal.aborted) studio.go(visit({ timeline, task }, null))
    })
  return (
    <form
      class="run"
      onSubmit={(event) => {
        event.preventDefault()
        run()
      }}
    >
      <AgentAndSeedFields agents={agents} chosen={chosen} otherwise="drawn" onChoose={choose} />
      <button type="submit" class="main" disabled={!isReady || isBusy}>
        {isBusy ? "starting …" : "run"}
      </button>
      {isReady ? null : <small>Fix the issues and save it first.</small>}
      <Problem text={problem} />
    </form>
  )
}

/** Previews the text's world on request, since that starts the world's program. */
const Look = ({ text, isValid }: { readonly text: string; readonly isValid: boolean }) => {
  const studio = useStudio()
  const [seen, setSeen] = useState<{ readonly world: WorldAtStart; readonly text: string } | null>(null)
  const { isBusy, problem, give } = useOrder()
  const look = () =>
    give(async (signal) => setSeen({ world: await studio.source.order("scenarios/look", { text }, signal), text }))
  return (
    <div class="look" aria-busy={isBusy}>
      <button type="button" disabled={!isValid || isBusy} onClick={look}>
        {isBusy ? "starting the world …" : "look at the world"}
      </button>{" "}
      {seen !== null && seen.text !== text ? <small>before the last change</small> : null}
      <Problem text={problem} />
      {seen === null ? (
        <p class="note">Starts the world in its sandbox, and shows its initial state. Nothing is recorded.</p>
      ) : seen.world.view === null ? (
        <>
          <p class="note">
            <bdi>{seen.world.plugin}</bdi> has no view. This is its document.
          </p>
          <Value value={seen.world.document} />
        </>
      ) : (
        <DrawnByView world={{ ...seen.world, scope: "" }} view={seen.world.view} />
      )}
    </div>
  )
}

interface HelpProps {
  readonly kind: ScenarioText["kind"]
  readonly schema: JsonObject | null
  readonly text: string
  readonly caret: number
}

/** The schema's help for the place of the caret. */
const SchemaHelp = ({ kind, schema, text, caret }: HelpProps) => {
  const help = useMemo(() => (schema === null ? null : helpAt(schema, text, caret)), [schema, text, caret])
  if (help === null) return <span class="skeleton" />
  return (
    <div class="help">
      <h2>{help.path === "" ? `A ${kind}` : <code>{help.path}</code>}</h2>
      <p>{help.description}</p>
      {help.fields.length === 0 ? null : (
        <dl>
          {help.fields.map(({ name, description, isRequired }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
                {isRequired ? <small> needed</small> : null}
              </dt>
              <dd>{description}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}
