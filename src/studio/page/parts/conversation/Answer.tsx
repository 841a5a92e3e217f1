/** A request to a model and its answer, complete, failed, or while it streams. */

import { failureWords } from "../../../../projections/conversation/FailureWords.ts"
import type { Answer as Answered, Use, Wanted } from "../../../../projections/conversation/Item.ts"
import * as Money from "../../../../values/Money.ts"
import type { Streaming } from "../../model/conversation/LiveAnswer.ts"
import { duration, inline, nameOf } from "../format.ts"
import { Value } from "../Value.tsx"
import { Files } from "./Files.tsx"
import { Result } from "./Result.tsx"
import { SaidBy } from "./SaidBy.tsx"
import { Words } from "./Words.tsx"

interface AnswerProps {
  readonly answer: Answered
  readonly isCut: boolean
  readonly streaming: Streaming | null
}

export const Answer = ({ answer, isCut, streaming }: AnswerProps) => (
  <SaidBy of={answer} class="model" who={answer.model ?? "model"} facts={<Facts answer={answer} />}>
    {answer.request === null ? <Whole answer={answer} /> : <Open answer={answer} isCut={isCut} streaming={streaming} />}
  </SaidBy>
)

const Whole = ({ answer }: { readonly answer: Answered }) => (
  <>
    <Reasoning text={answer.reasoning} />
    <Words text={answer.text} />
    <Files files={answer.files} />
    {answer.calls.map((call, index) => (
      <Want key={index} call={call} />
    ))}
    {answer.failed === null ? null : (
      <p class="bad">
        <bdi>{failureWords(answer.failed)}</bdi>
      </p>
    )}
  </>
)

const Open = ({ answer, isCut, streaming }: AnswerProps) => {
  if (streaming !== null && answer.request === streaming.request) return <Coming streaming={streaming} />
  return <p class="note">{isCut ? "The answer comes later in the task." : "Waiting for the model."}</p>
}

/** An answer while it streams. The log gets it once it is complete. */
const Coming = ({ streaming }: { readonly streaming: Streaming }) => (
  <div class="coming" aria-busy="true">
    {streaming.pieces.map((piece, index) =>
      piece === undefined ? null : piece.kind === "reasoning" ? (
        <Reasoning key={index} text={piece.text} />
      ) : piece.kind === "text" ? (
        <Words key={index} text={piece.text} />
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
    <details class="thought">
      <summary>thought</summary>
      <Words text={text} />
    </details>
  )

/** A call that is no command, with the model's answer from it. */
const Want = ({ call }: { readonly call: Wanted }) => (
  <details class="call">
    <summary class={call.isError === true ? "bad" : undefined}>
      <span class="tool">
        <bdi>{nameOf(call.tool)}</bdi>
      </span>{" "}
      <code>{inline(call.args, 100)}</code>
    </summary>
    <p class="part-name">arguments</p>
    <Value value={call.args} />
    {call.result === undefined ? null : (
      <>
        <p class="part-name">{call.isError === true ? "error" : "result"}</p>
        <Result value={call.result} />
      </>
    )}
  </details>
)

const Facts = ({ answer: { use, latencyMs, isRetry } }: { readonly answer: Answered }) => {
  const facts = [
    isRetry ? "again" : "",
    latencyMs === null ? "" : duration(latencyMs),
    ...tokensOf(use),
    use.usd === null ? "" : Money.cost({ usd: use.usd, atLeast: use.usd }),
  ].filter((fact) => fact !== "")
  return facts.length === 0 ? null : <small class="used">{facts.join(" · ")}</small>
}

const tokensOf = ({ inputTokens, outputTokens, cachedTokens }: Use): ReadonlyArray<string> => {
  const number = (tokens: number) => tokens.toLocaleString("en")
  const cached = cachedTokens === null || cachedTokens === 0 ? "" : ` (${number(cachedTokens)} cached)`
  return [
    inputTokens === null ? "" : `${number(inputTokens)} tokens in${cached}`,
    outputTokens === null ? "" : `${number(outputTokens)} out`,
  ]
}
