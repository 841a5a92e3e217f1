/**
 * The conversation of the task up to the position: messages of people, the agent and its tools, and the cost of its
 * model.
 */
import { useEffect, useMemo, useState } from "preact/hooks"
import type { Entry } from "../../wire/CourseSlice.ts"
import type { CourseMoment } from "../model/CourseHistory.ts"
import { conversation } from "../model/talk/conversation.ts"
import { EarlierTalk } from "../model/talk/EarlierTalk.ts"
import { LiveTalk, type Streaming } from "../model/talk/LiveTalk.ts"
import { type Answer, type Call, type Input, longIn, type Spoken, type Use } from "../model/talk/Spoken.ts"
import { useStudio } from "../parts/context.ts"
import { count, inline, nameOf } from "../parts/format.ts"
import { At } from "../parts/Link.tsx"
import { useWhole } from "../parts/useWhole.ts"
import { Value } from "../parts/Value.tsx"
import { Speaking } from "./Speaking.tsx"

export const TalkPane = ({ frame }: { readonly frame: CourseMoment }) => {
  const studio = useStudio()
  // For a long task, shows the position's chunk, and earlier chunks on demand.
  const { entries, number } = frame.chunk
  const history = studio.history.value
  const isCaptured = history?.head.value?.isCaptured ?? false
  const earlier = useMemo(() => (history === null ? null : new EarlierTalk(history, number)), [history, number])
  const before = earlier?.entries.value ?? NONE
  const { whole, show } = useWhole()
  const spoken = useMemo(
    () =>
      conversation(
        [...before, ...entries.slice(0, frame.index + 1)].map((entry) => {
          const payload = whole.get(entry.position)
          return payload === undefined ? entry : { ...entry, payload }
        }),
        isCaptured,
      ),
    [before, entries, frame.index, entries.length, whole, isCaptured],
  )
  const live = useLiveTalk()
  return (
    <>
      <h2>What was said</h2>
      {earlier === null || earlier.left === 0 ? null : (
        <Before earlier={earlier} from={(before[0] ?? entries[0])?.position ?? 1} />
      )}
      {spoken.length === 0 ? (
        <p class="empty">
          No conversation yet. This pane shows the messages of agents that use a model, and of people who talk to them.
        </p>
      ) : null}
      <ol class="talk">
        {spoken.map((one) => (
          <li
            key={`${one.kind}${one.position}`}
            class={`said ${SPEAKERS[one.kind]}${one.position === studio.position.value ? " here" : ""}`}
          >
            <span class="who">
              {speakerOf(one)} <At position={one.position} />
            </span>
            <Words one={one} streaming={live?.streaming.value ?? null} />
            {longIn(one).map(({ position, length }) => (
              <button type="button" class="more" key={position} onClick={() => show(position)}>
                show all of @{position}: {count(length, "character")}
              </button>
            ))}
          </li>
        ))}
      </ol>
      {live === null ? null : <Speaking live={live} />}
    </>
  )
}

const NONE: ReadonlyArray<Entry> = []

/** A note about earlier messages that are not shown, and how to reach them. */
const Before = ({ earlier, from }: { readonly earlier: EarlierTalk; readonly from: number }) => (
  <p class="note">
    From <At position={from} /> on.{" "}
    {earlier.canLoad ? (
      <button type="button" disabled={earlier.isLoading.value} onClick={() => void earlier.load()}>
        {earlier.isLoading.value ? "loading …" : "show earlier messages"}
      </button>
    ) : (
      "Go there for earlier messages."
    )}
  </p>
)

/** The live state of an open task's agent; null for other tasks and sources without live data. */
const useLiveTalk = (): LiveTalk | null => {
  const studio = useStudio()
  const course = studio.history.value
  const head = course?.head.value ?? null
  const { timeline = "", task = null } = course?.course ?? {}
  const isVisible = useVisibility()
  const isOpen = task !== null && head !== null && head.outcome === null && studio.source.follow !== null
  const isTold = isOpen && isVisible
  const live = useMemo(() => (isTold ? new LiveTalk() : null), [isTold, timeline, task])
  useEffect(() => {
    if (live === null) return
    const abort = new AbortController()
    void live.listen(studio.source, { timeline, task }, abort.signal)
    return () => abort.abort()
  }, [live])
  return live
}

/**
 * Whether the tab is visible. A browser has six connections to a server for all tabs, so a hidden tab takes none for
 * this.
 */
const useVisibility = (): boolean => {
  const [isVisible, setVisible] = useState(!document.hidden)
  useEffect(() => {
    const onChange = () => setVisible(!document.hidden)
    document.addEventListener("visibilitychange", onChange)
    return () => document.removeEventListener("visibilitychange", onChange)
  }, [])
  return isVisible
}

const SPEAKERS = { said: "agent", input: "person", answer: "model", call: "tool" } as const

const speakerOf = (one: Spoken): string => {
  if (one.kind === "input") return one.by
  if (one.kind === "answer") return one.model ?? "model"
  return one.kind === "call" ? one.tool : "agent"
}

const Words = ({ one, streaming }: { readonly one: Spoken; readonly streaming: Streaming | null }) => {
  switch (one.kind) {
    case "said":
      return <Text text={one.text} />
    case "input":
      return <Heard input={one} />
    case "answer":
      return <Answered answer={one} streaming={streaming} />
    case "call":
      return <Called call={one} />
  }
}

const Heard = ({ input }: { readonly input: Input }) => (
  <>
    <Text text={input.text} />
    <small>
      {input.delivery}
      {input.given === null ? ", not yet read by the agent" : null}
    </small>
  </>
)

const Answered = ({ answer, streaming }: { readonly answer: Answer; readonly streaming: Streaming | null }) => {
  if (answer.request !== null && answer.request === streaming?.request) return <Coming streaming={streaming} />
  if (answer.request !== null) return <p class="note">It is asked.</p>
  return (
    <>
      <Reasoning text={answer.reasoning} />
      {answer.text === "" ? null : <Text text={answer.text} />}
      {answer.calls.map(({ tool, args }, index) => (
        <p key={index}>
          → {nameOf(tool)} <code>{inline(args)}</code>
        </p>
      ))}
      {answer.failed === null ? null : (
        <p class="bad">
          <bdi>{answer.failed}</bdi>
        </p>
      )}
      <Used use={answer.use} />
    </>
  )
}

/** An answer while it streams. The log gets it once it is complete. */
const Coming = ({ streaming }: { readonly streaming: Streaming }) => (
  <div class="coming" aria-busy="true">
    {streaming.pieces.map((piece, index) =>
      piece === undefined ? null : piece.kind === "reasoning" ? (
        <Reasoning key={index} text={piece.text} />
      ) : piece.kind === "text" ? (
        <Text key={index} text={piece.text} />
      ) : (
        <p key={index}>
          → <code>{inline(piece.text)}</code>
        </p>
      ),
    )}
  </div>
)

const Reasoning = ({ text }: { readonly text: string }) =>
  text === "" ? null : (
    <details>
      <summary>thought</summary>
      <Text text={text} />
    </details>
  )

const Called = ({ call }: { readonly call: Call }) => (
  <details>
    <summary class={call.end !== null && call.end.status !== "succeeded" ? "bad" : undefined}>
      <code>{inline(call.args, 60)}</code> {call.asked === null ? "" : `${call.asked}, `}
      {call.end === null ? "under way" : call.end.status}
      {call.end?.unrecorded === undefined ? "" : ", without its result"}
    </summary>
    <Value value={call.args} />
    {call.end === null ? null : (
      <p>
        <At position={call.end.position} />{" "}
        {call.end.unrecorded === undefined ? (
          <Value value={call.end.result} />
        ) : (
          <bdi>It was done, but its result was not recorded: {call.end.unrecorded}</bdi>
        )}
        {call.end.settledBy === undefined ? null : <bdi> (reported by {call.end.settledBy} after a crash)</bdi>}
      </p>
    )}
  </details>
)

const Text = ({ text }: { readonly text: string }) => (
  <p class="words">
    <bdi>{text}</bdi>
  </p>
)

const Used = ({ use }: { readonly use: Use }) => {
  const { inputTokens, outputTokens, usd } = use
  if (inputTokens + outputTokens === 0 && usd === null) return null
  const tokens = `${inputTokens.toLocaleString("en")} tokens in, ${outputTokens.toLocaleString("en")} out`
  return (
    <small class="used">
      {tokens}
      {usd === null ? "" : ` · $${usd.toFixed(usd < 0.01 ? 5 : 2)}`}
    </small>
  )
}
