/** Maps the records of one Claude Code session, one at a time, and keeps what later ones depend on. */

import { Chain } from "../runs/Chain.ts"
import { RecordKeys } from "../runs/RecordKeys.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { asText, field, isObject, numberOf, textOf } from "../runs/Untrusted.ts"
import { answerPart, blocksOf, contentParts, resultContent, usageOf } from "./Blocks.ts"
import * as FileTools from "./FileTools.ts"
import { MessageOrder } from "./MessageOrder.ts"
import { contentTexts, ENDED, failureKind, isMadeUp, modelNamed, REPEATED, stoppedBy, WHY_UNKNOWN } from "./Records.ts"
import { Sidechains } from "./Sidechains.ts"
import { isNotification, spokenIn } from "./Speakers.ts"
import { StatedCosts } from "./StatedCosts.ts"

/** Why a turn without an answer is unfinished. */
export const UNANSWERED = "it ends before the agent answered"

/** A record, with its key in the run, its time, and its agent if it is a sub-agent's. */
interface Line {
  readonly value: unknown
  readonly key: string
  readonly at: number | null
  readonly agentId: string | undefined
}

/** The state of a session's mapping. */
export class SessionRecords {
  readonly #runs: MappedRuns
  readonly #subagent: string | undefined
  readonly #keys = new RecordKeys()
  readonly #sidechains = new Sidechains()
  readonly order = new MessageOrder()
  /** The main agent's answers, at `""`, and those of sub-agents. */
  readonly chains = new Map<string, Chain>()
  readonly costs = new StatedCosts()
  /** Time of the last record that has one. */
  lastAt: number | null = null
  /** Number of records. */
  number = 0
  /** Why the main agent's turn is unfinished; undefined if it has ended. */
  open: string | undefined = UNANSWERED
  /** The reason of the main agent's last request, if it failed. */
  failure: string | undefined

  constructor(runs: MappedRuns, subagent: string | undefined) {
    this.#runs = runs
    this.#subagent = subagent
  }

  /** Maps one record of the session's file, which follows those before. */
  map(run: MappedRun, value: unknown): void {
    this.number += 1
    const uuid = textOf(value, "uuid")
    const type = textOf(value, "type") ?? "unknown"
    this.order.follows(textOf(value, "parentUuid"))
    // A duplicate line, for example from two programs in one session.
    if (uuid !== undefined && !this.order.add(uuid)) {
      this.#runs.repeated(type, "record")
      return
    }
    const at = this.#runs.timeOf(field(value, "timestamp"))
    if (at !== null) this.lastAt = at
    const key = uuid ?? this.#keys.of(value)
    // A sub-agent's file has one agent only.
    const agentId = this.#subagent === undefined ? this.#sidechains.agentOf(value, this.number) : undefined
    // Agents run concurrently, so only the times of one agent are in order.
    if (agentId === undefined) run.tick(at)
    const chain = this.#chain(agentId)
    const line = { value, key, at, agentId }
    switch (type) {
      case "assistant":
        this.#assistant(run, chain, line)
        break
      case "user":
        this.#user(run, chain, line)
        break
      default: {
        const why = REPEATED.get(type)
        const attachment = field(value, "attachment")
        if (type === "cost-state") this.costs.take(value)
        if (why !== undefined) this.#runs.leaveOut(type, why)
        else if (textOf(attachment, "type") === "queued_command") this.#queued(run, chain, attachment, line)
        else {
          const subtype = textOf(value, "subtype")
          chain.later(run, () =>
            run.keep(key, subtype === undefined ? type : `${type}/${subtype}`, value, { at, agentId }),
          )
        }
      }
    }
    if (uuid !== undefined && agentId === undefined && (type === "assistant" || type === "user")) this.order.said(uuid)
  }

  #chain(agentId: string | undefined): Chain {
    const known = this.chains.get(agentId ?? "")
    if (known !== undefined) return known
    const chain = new Chain({
      agentId,
      named: modelNamed,
      // The first part of an answer has its tokens.
      ofLaterPart: { inputTokens: 0, outputTokens: 0 },
    })
    this.chains.set(agentId ?? "", chain)
    return chain
  }

  #assistant(run: MappedRun, chain: Chain, { value, key, at, agentId }: Line): void {
    const message = field(value, "message")
    if (field(value, "isApiErrorMessage") === true) {
      this.#failed(run, chain, { value, key, at, agentId })
      return
    }
    if (isMadeUp(value)) {
      chain.later(run, () => run.keep(key, "assistant/harness", value, { at, agentId }))
      return
    }
    if (!isObject(message) || (blocksOf(message).length === 0 && !isObject(field(message, "usage")))) {
      chain.later(run, () => run.keep(key, "assistant", value, { at, agentId }))
      return
    }
    const model = textOf(message, "model") ?? "unknown"
    const id = textOf(message, "id") ?? textOf(value, "requestId") ?? key
    const turn = chain.answer(run, id, model, at)
    turn.usage = usageOf(message) ?? turn.usage
    turn.usd = numberOf(value, "costUSD") ?? turn.usd
    // The line of a thought also has a stop reason, but the answer's text follows it.
    const isSaid = blocksOf(message).some((block) => textOf(block, "type") === "text")
    turn.ended = isSaid && ENDED.has(textOf(message, "stop_reason") ?? "")
    for (const block of blocksOf(message)) {
      const part = answerPart(block)
      if (part === undefined) {
        const kind = textOf(block, "type") ?? "unknown"
        if (!(kind === "text" || kind === "thinking"))
          turn.after(() => run.keep(`${key}:${turn.waiting.length}`, `block/${kind}`, block, { at, agentId }))
        continue
      }
      if (!turn.add(part) || part.type !== "call") continue
      const callId = textOf(block, "id") ?? ""
      const written = () => chain.keyOf(turn)
      turn.after(() =>
        run.commands.called(callId, textOf(block, "name") ?? "unknown", field(block, "input"), {
          at,
          agentId,
          cause: `answered:${written()}`,
        }),
      )
    }
    if (agentId !== undefined) return
    this.failure = undefined
    this.open = turn.calls ? "it ends with calls that have no result" : undefined
  }

  /** A failed request, with the text that Claude Code shows instead. */
  #failed(run: MappedRun, chain: Chain, { value, key, at, agentId }: Line): void {
    chain.finish(run)
    const reason = contentTexts(field(value, "message")) || "an error of the provider"
    const asked = modelNamed(textOf(value, "requestedModel") ?? "unknown")
    run.model.failed({ key, ...asked, kind: failureKind(reason), reason, at, agentId })
    if (agentId === undefined) this.failure = reason
  }

  #user(run: MappedRun, chain: Chain, { value, key, at, agentId }: Line): void {
    const blocks = blocksOf(field(value, "message"))
    const results = blocks.filter((block) => field(block, "type") === "tool_result")
    for (const [index, block] of results.entries()) {
      chain.later(run, () => this.#result(run, chain, block, { value, key: `${key}:${index}`, at, agentId }))
    }
    const said = contentParts(blocks)
    if (said.length === 0) {
      if (results.length === 0) chain.later(run, () => run.keep(key, "user", value, { at, agentId }))
      return
    }
    // User text together with results belongs to the same message; alone, it begins a turn.
    if (results.length === 0) chain.finish(run)
    chain.messages += 1
    const text = contentTexts(field(value, "message"))
    const { person, others } = spokenIn(field(value, "message"))
    if (field(value, "isCompactSummary") === true) {
      run.model.compacted(key, chain.messages, text, at)
      run.model.told({ role: "user", content: said, author: "harness" }, agentId)
    } else if (field(value, "isMeta") === true || person.length === 0 || results.length > 0 || isNotification(value)) {
      const isInterrupt = others.has("interrupt")
      const isNotice = others.has("notification") || isNotification(value)
      const author = isInterrupt ? "interrupt" : isNotice ? "notification" : others.has("ide") ? "ide" : "harness"
      chain.later(run, () => {
        if (isInterrupt || isNotice) run.keep(key, author, value, { at, agentId })
        run.model.told({ role: "user", content: said, author }, agentId)
      })
      if (agentId === undefined && isInterrupt) this.open = "it was interrupted by the user"
      else if (agentId === undefined && isNotice && results.length === 0) this.open = UNANSWERED
    } else {
      this.#rewound(run, { value, key, at, agentId })
      const source = agentId === undefined && this.#subagent === undefined ? "user" : "agent"
      const words = person.length === 1 ? (textOf(person[0], "text") ?? person) : person
      run.said(key, words, { at, agentId, source, ...(others.size === 0 ? {} : { told: said }) })
      if (agentId === undefined) this.open = UNANSWERED
    }
    chain.toldAt = at
  }

  /** A prompt typed while the agent was working, or a notification that waited the same way. */
  #queued(run: MappedRun, chain: Chain, attachment: unknown, { key, at, agentId }: Line): void {
    const prompt = field(attachment, "prompt")
    const message = { content: Array.isArray(prompt) ? prompt : (textOf(attachment, "prompt") ?? "") }
    const { person, others } = spokenIn(message)
    const isTyped = person.length > 0 && !isNotification(attachment)
    const words = person.length === 1 ? (textOf(person[0], "text") ?? person) : person
    const told = contentParts(blocksOf(message))
    chain.messages += 1
    chain.later(run, () => {
      if (isTyped) {
        run.said(key, words, { at, agentId, delivery: "steering", ...(others.size === 0 ? {} : { told }) })
        return
      }
      run.keep(key, "notification", attachment, { at, agentId })
      run.model.told({ role: "user", content: told, author: "notification" }, agentId)
    })
    chain.toldAt = at
  }

  /** Notes a rewind: a prompt whose parent is not the last message. */
  #rewound(run: MappedRun, { value, key, at, agentId }: Line): void {
    const parent = textOf(value, "parentUuid")
    if (agentId !== undefined || parent === undefined || !this.order.branchesAt(parent)) return
    run.note(
      key,
      `the conversation was rewound to message ${parent}; what came after it is not part of what follows`,
      at,
    )
    this.#runs.remark(
      "a conversation that was rewound: both branches are in the task, in the order in which they were lived",
    )
  }

  #result(run: MappedRun, chain: Chain, block: unknown, { value, key, at, agentId }: Line): void {
    const callId = textOf(block, "tool_use_id") ?? ""
    const content = resultContent(block)
    const isError = field(block, "is_error") === true
    chain.toldAt = at
    const stopped = isError ? stoppedBy(value, content) : undefined
    const keep = (): void => {
      this.#runs.remark(
        "results of calls that are not in the file, or have a result already: they are kept as they are",
      )
      run.keep(key, "tool_result", value, { at, agentId })
    }
    const pair = (): void => {
      chain.messages += 1
      if (agentId === undefined) this.open = UNANSWERED
      if (stopped === "denied") run.commands.denied(callId, asText(content), at)
      else if (stopped !== undefined) {
        const reason = WHY_UNKNOWN[stopped]
        run.commands.unknown(callId, { reason, told: content, begun: stopped === "interrupted", at })
      } else {
        const command = run.commands.result(callId, { ok: !isError, content, at })
        if (command !== undefined && !isError) FileTools.apply(run, callId, command, field(value, "toolUseResult"), at)
      }
    }
    run.commands.whenCalled(callId, pair, keep)
  }
}
