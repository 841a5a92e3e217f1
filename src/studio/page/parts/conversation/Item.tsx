/** An item of the conversation: its speaker, its content, and its known figures. */
import type { Close, Goal, Guide, Input, Note, Said, Item as Told } from "../../../../projections/conversation/Item.ts"
import { visit } from "../../model/Address.ts"
import type { Streaming } from "../../model/conversation/LiveAnswer.ts"
import type { Talk } from "../../model/conversation/Talk.ts"
import { useStudio } from "../context.ts"
import { count, nameOf } from "../format.ts"
import { At, Link } from "../Link.tsx"
import { Answer } from "./Answer.tsx"
import { Call } from "./Call.tsx"
import { Files } from "./Files.tsx"
import { Folded } from "./Folded.tsx"
import { OtherChildren, StartedBy } from "./Relatives.tsx"
import { SaidBy } from "./SaidBy.tsx"
import { Words } from "./Words.tsx"

interface ItemProps {
  readonly item: Told
  readonly talk: Talk
  /** Whether an item that is open here may have ended in events that are not loaded. */
  readonly isCut: boolean
  readonly streaming: Streaming | null
}

export const Item = ({ item, talk, isCut, streaming }: ItemProps) => (
  <>
    {bodyOf({ item, talk, isCut, streaming })}
    <More item={item} talk={talk} />
  </>
)

const bodyOf = ({ item, isCut, streaming }: ItemProps) => {
  switch (item.kind) {
    case "goal":
      return <Beginning goal={item} />
    case "guide":
      return <System guide={item} />
    case "input":
      return <Heard input={item} />
    case "said":
      return <Spoken said={item} />
    case "answer":
      return <Answer answer={item} isCut={isCut} streaming={streaming} />
    case "call":
      return <Call call={item} isCut={isCut} />
    case "note":
      return <Happened note={item} />
    case "close":
      return <Ended close={item} />
  }
}

const Beginning = ({ goal }: { readonly goal: Goal }) => (
  <SaidBy
    of={goal}
    class="goal"
    who={goal.isRepeated ? "Task" : "Goal"}
    facts={<small>{goal.agent === null ? "" : `for ${nameOf(goal.agent)}`}</small>}
  >
    {goal.isRepeated ? null : <Words text={goal.text} isRaw />}
    <Origin goal={goal} />
    <OtherChildren />
  </SaidBy>
)

const Origin = ({ goal: { agents, parent, forkedFrom, cause } }: { readonly goal: Goal }) => {
  const by = useStudio().history.value?.relatives.value?.parent ?? null
  // The link to the task that started this one leads to the same moment.
  const reason = by === null ? cause : null
  if (agents.length === 0 && parent === null && forkedFrom === null && cause === null && by === null) return null
  return (
    <p class="facts-line">
      {agents.length === 0 ? null : (
        <span>
          agents{" "}
          {agents.map((name) => (
            <bdi key={name}>{name} </bdi>
          ))}
        </span>
      )}
      <StartedBy parent={parent} />
      {forkedFrom === null ? null : (
        <span>
          continues{" "}
          <Link to={visit({ timeline: forkedFrom.timeline, task: forkedFrom.task }, forkedFrom.at)}>
            {forkedFrom.task}@{forkedFrom.at}
          </Link>
        </span>
      )}
      {reason === null ? null : (
        <span>
          because of <At position={reason} />
        </span>
      )}
    </p>
  )
}

const System = ({ guide }: { readonly guide: Guide }) => (
  <Folded
    class="said system"
    position={guide.position}
    summary={
      <>
        <span class="who">System</span> <span class="gist">{firstLine(guide.text)}</span>
      </>
    }
  >
    <Words text={guide.text} />
    {guide.memories.length === 0 ? null : (
      <>
        <p class="part-name">memories</p>
        <ul>
          {guide.memories.map((memory, index) => (
            <li key={index}>
              <bdi>{memory}</bdi>
            </li>
          ))}
        </ul>
      </>
    )}
  </Folded>
)

const Heard = ({ input }: { readonly input: Input }) => (
  <SaidBy of={input} class="person" who={nameOfSpeaker(input.by)} facts={<small>{deliveryOf(input)}</small>}>
    <Words text={input.text} />
    <Files files={input.files} />
  </SaidBy>
)

const Spoken = ({ said }: { readonly said: Said }) => (
  <SaidBy
    of={said}
    class="agent"
    who="agent"
    facts={said.audience.length === 0 ? null : <small>to {said.audience.join(", ")}</small>}
  >
    <Words text={said.text} />
  </SaidBy>
)

/** `human:ada` is Ada to the reader. */
const nameOfSpeaker = (by: string): string => by.replace(/^human:/, "")

const deliveryOf = ({ delivery, given }: Input): string => {
  if (delivery === null) return "in the request"
  if (given === null) return `${delivery}, not yet read by the agent`
  return delivery === "queued" ? "" : delivery
}

const Happened = ({ note }: { readonly note: Note }) => (
  <Folded
    class={`happened${note.isBad ? " bad" : ""}`}
    position={note.position}
    summary={
      <span>
        {NOTES[note.what]} <bdi>{note.line}</bdi>
      </span>
    }
  >
    {note.text === "" ? null : <Words text={note.text} />}
  </Folded>
)

const NOTES: { readonly [what in Note["what"]]: string } = {
  compacted: "Earlier messages became a summary:",
  budget: "A budget is used up:",
  forked: "Forked:",
  paused: "Paused",
  continued: "Continued",
  cancelled: "Someone asked for the end",
  resumed: "Another kernel continued:",
  agent: "Agent",
}

const Ended = ({ close }: { readonly close: Close }) => (
  <p class={`ended ${close.outcome === "failed" || close.outcome === "abandoned" ? "bad" : ""}`}>
    <span>
      <b>
        <bdi>{close.outcome}</bdi>
      </b>
      {close.reason === "" ? "" : ": "}
      <bdi>{close.reason}</bdi>
      {close.exit === null ? "" : ` (exit ${close.exit})`}
    </span>
    <At position={close.position} />
  </p>
)

/** Loads the parts that are too long for a page. */
const More = ({ item, talk }: { readonly item: Told; readonly talk: Talk }) => {
  const studio = useStudio()
  const show = (position: number) => {
    studio.source.ask("event", { position }).then(
      ({ payload }) => talk.complete(position, payload),
      (cause: unknown) => studio.fail(cause),
    )
  }
  return (
    <>
      {item.long.map(({ position, length }) => (
        <button type="button" class="more" key={position} onClick={() => show(position)}>
          show all of @{position}: {count(length, "character")}
        </button>
      ))}
    </>
  )
}

const firstLine = (text: string): string => text.trimStart().split("\n", 1)[0]?.slice(0, 200) ?? ""
