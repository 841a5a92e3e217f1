/** Maps the records of one Claude Code session, in file order, to a run. */

import { Chain } from "../runs/Chain.ts"
import { RecordKeys } from "../runs/RecordKeys.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { RunStart } from "../runs/RunEvent.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { asText, field, isObject, numberOf, textOf } from "../runs/Untrusted.ts"
import type { SourceFile } from "../Source.ts"
import { answerPart, blocksOf, contentParts, resultContent, usageOf } from "./Blocks.ts"
import { CopiedRecords } from "./CopiedRecords.ts"
import * as FileTools from "./FileTools.ts"
import { MessageOrder } from "./MessageOrder.ts"
import { contentTexts, ENDED, failureKind, isMadeUp, modelNamed, REPEATED, stoppedBy, WHY_UNKNOWN } from "./Records.ts"
import { startOf } from "./SessionStart.ts"
import { Sidechains } from "./Sidechains.ts"
import { goalIn, isNotification, spokenIn } from "./Speakers.ts"
import { StatedCosts } from "./StatedCosts.ts"

const MESSAGE = /^(?:user|assistant)$/

/** Maximum number of records to hold back until the first prompt, which is the goal. */
const MAX_BEFORE_GOAL = 200

/** Remarks for parents that had not been read; the order of the file is kept. */
const MISPLACED = {
  later: "messages that come after what follows them: the order is the file's",
  nowhere: "messages that are followed and are not in the file, or not of this session: the order is the file's",
}

export class Session {
  readonly #runs: MappedRuns
  readonly #file: SourceFile
  readonly #id: string
  readonly #subagent: string | undefined
  readonly #order = new MessageOrder()
  readonly #keys = new RecordKeys()
  readonly #chains = new Map<string, Chain>()
  readonly #sidechains = new Sidechains()
  readonly #costs = new StatedCosts()
  #early: Array<unknown> = []
  #run: MappedRun | undefined
  /** Id of the first message, by which copies are recognized. */
  #first: string | undefined
  readonly #copies: CopiedRecords
  #copied: MappedRun | undefined
  #lastAt: number | null = null
  #number = 0
  /** Why the main agent's turn is unfinished; undefined if it has ended. */
  #open: string | undefined = "it ends before the agent answered"
  #failure: string | undefined

  constructor(runs: MappedRuns, file: SourceFile, id: string, subagent: string | undefined) {
    this.#runs = runs
    this.#file = file
    this.#id = id
    this.#subagent = subagent
    this.#copies = new CopiedRecords(subagent === undefined ? file.relatives : [])
  }

  record(value: unknown): void {
    if (this.#run !== undefined) {
      this.#map(this.#run, value)
      return
    }
    if (this.#first === undefined && MESSAGE.test(textOf(value, "type") ?? "")) this.#first = textOf(value, "uuid")
    if (this.#copies.take(value)) this.#copy(value)
    else this.#beforeGoal(value)
  }

  /** Maps a copied record to the state from which the fork begins, without writing it. */
  #copy(value: unknown): void {
    this.#copied ??= this.#runs.openCopied(this.#start("", [value]))
    this.#map(this.#copied, value)
    this.#runs.leaveOut("record of another session", "it was copied from the one that this one was forked from")
  }

  end(): void {
    const settled = this.#isSettled()
    if (this.#run === undefined) {
      if (!settled || this.#early.length === 0) return
      this.#begin("")
    }
    const run = this.#run
    if (run === undefined) return
    for (const where of this.#order.misplaced) this.#runs.remark(MISPLACED[where])
    if (!settled) {
      for (const chain of this.#chains.values()) {
        const { turn } = chain
        if (turn?.ended === true) chain.finish(run)
        else if (turn !== undefined)
          run.waits(
            turn.id,
            "a last answer that may be incomplete; import the file again when the session has continued",
            turn.at,
          )
      }
      return
    }
    for (const chain of this.#chains.values()) chain.finish(run)
    const key = String(this.#number)
    const used = this.#costs.of(run.model.used)
    if (used !== undefined) run.stated(key, used, this.#lastAt)
    if (this.#failure !== undefined) run.close(key, "failed", this.#failure, this.#lastAt)
    else if (this.#open !== undefined) run.close(key, "abandoned", this.#open, this.#lastAt)
    else run.close(key, "finished", "the agent ended its turn; the source has no verdict", this.#lastAt)
  }

  #isSettled(): boolean {
    const times = this.#early.map((value) => timeOf(field(value, "timestamp"))).filter((time) => time !== null)
    const last = this.#lastAt ?? times.at(-1) ?? null
    return isSilent(this.#file, last)
  }

  #beforeGoal(value: unknown): void {
    this.#early.push(value)
    const goal = goalIn(value)
    if (goal !== undefined || field(value, "type") === "assistant" || this.#early.length >= MAX_BEFORE_GOAL)
      this.#begin(goal ?? "")
  }

  #begin(goal: string): void {
    const early = this.#early
    this.#early = []
    const start = this.#start(goal, early)
    if (this.#copied !== undefined) for (const chain of this.#chains.values()) chain.finish(this.#copied)
    this.#copied?.beginOwn(start)
    const run = this.#copied ?? this.#runs.open(start)
    this.#run = run
    this.#open = "it ends before the agent answered"
    for (const value of early) this.#map(run, value)
  }

  #start(goal: string, early: ReadonlyArray<unknown>): RunStart {
    const { parent } = this.#copies
    return startOf({ id: this.#id, subagent: this.#subagent, first: this.#first, parent }, goal, early)
  }

  #map(run: MappedRun, value: unknown): void {
    this.#number += 1
    const uuid = textOf(value, "uuid")
    const type = textOf(value, "type") ?? "unknown"
    this.#order.follows(textOf(value, "parentUuid"))
    // A duplicate line, for example from two programs in one session.
    if (uuid !== undefined && !this.#order.add(uuid)) {
      this.#runs.repeated(type, "record")
      return
    }
    const at = this.#runs.timeOf(field(value, "timestamp"))
    if (at !== null) this.#lastAt = at
    const key = uuid ?? this.#keys.of(value)
    // A sub-agent's file has one agent only.
    const agentId = this.#subagent === undefined ? this.#sidechains.agentOf(value, this.#number) : undefined
    // Agents run concurrently, so only the times of one agent are in order.
    if (agentId === undefined) run.tick(at)
    const chain = this.#chain(agentId)
    switch (type) {
      case "assistant":
        this.#assistant(run, chain, value, key, at, agentId)
        break
      case "user":
        this.#user(run, chain, value, key, at, agentId)
        break
      default: {
        const why = REPEATED.get(type)
        const attachment = field(value, "attachment")
        if (type === "cost-state") this.#costs.take(value)
        if (why !== undefined) this.#runs.leaveOut(type, why)
        else if (textOf(attachment, "type") === "queued_command") this.#queued(run, chain, attachment, key, at, agentId)
        else {
          const subtype = textOf(value, "subtype")
          chain.later(run, () =>
            run.keep(key, subtype === undefined ? type : `${type}/${subtype}`, value, { at, agentId }),
          )
        }
      }
    }
    if (uuid !== undefined && agentId === undefined && (type === "assistant" || type === "user")) this.#order.said(uuid)
  }

  #chain(agentId: string | undefined): Chain {
    const known = this.#chains.get(agentId ?? "")
    if (known !== undefined) return known
    const chain = new Chain({
      agentId,
      named: modelNamed,
      // The first part of an answer has its tokens.
      ofLaterPart: { inputTokens: 0, outputTokens: 0 },
    })
    this.#chains.set(agentId ?? "", chain)
    return chain
  }

  #assistant(
    run: MappedRun,
    chain: Chain,
    value: unknown,
    key: string,
    at: number | null,
    agentId: string | undefined,
  ): void {
    const message = field(value, "message")
    if (field(value, "isApiErrorMessage") === true) {
      this.#failed(run, chain, value, key, at, agentId)
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
    this.#failure = undefined
    this.#open = turn.calls ? "it ends with calls that have no result" : undefined
  }

  /** A failed request, with the text that Claude Code shows instead. */
  #failed(
    run: MappedRun,
    chain: Chain,
    value: unknown,
    key: string,
    at: number | null,
    agentId: string | undefined,
  ): void {
    chain.finish(run)
    const reason = contentTexts(field(value, "message")) || "an error of the provider"
    const asked = modelNamed(textOf(value, "requestedModel") ?? "unknown")
    run.model.failed({ key, ...asked, kind: failureKind(reason), reason, at, agentId })
    if (agentId === undefined) this.#failure = reason
  }

  #user(
    run: MappedRun,
    chain: Chain,
    value: unknown,
    key: string,
    at: number | null,
    agentId: string | undefined,
  ): void {
    const blocks = blocksOf(field(value, "message"))
    const results = blocks.filter((block) => field(block, "type") === "tool_result")
    for (const [index, block] of results.entries()) {
      chain.later(run, () => this.#result(run, chain, value, block, `${key}:${index}`, at, agentId))
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
      if (agentId === undefined && isInterrupt) this.#open = "it was interrupted by the user"
      else if (agentId === undefined && isNotice && results.length === 0)
        this.#open = "it ends before the agent answered"
    } else {
      this.#rewound(run, value, key, at, agentId)
      const source = agentId === undefined && this.#subagent === undefined ? "user" : "agent"
      const words = person.length === 1 ? (textOf(person[0], "text") ?? person) : person
      run.said(key, words, { at, agentId, source, ...(others.size === 0 ? {} : { told: said }) })
      if (agentId === undefined) this.#open = "it ends before the agent answered"
    }
    chain.toldAt = at
  }

  /** A prompt typed while the agent was working, or a notification that waited the same way. */
  #queued(
    run: MappedRun,
    chain: Chain,
    attachment: unknown,
    key: string,
    at: number | null,
    agentId: string | undefined,
  ): void {
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
  #rewound(run: MappedRun, value: unknown, key: string, at: number | null, agentId: string | undefined): void {
    const parent = textOf(value, "parentUuid")
    if (agentId !== undefined || parent === undefined || !this.#order.branchesAt(parent)) return
    run.note(
      key,
      `the conversation was rewound to message ${parent}; what came after it is not part of what follows`,
      at,
    )
    this.#runs.remark(
      "a conversation that was rewound: both branches are in the task, in the order in which they were lived",
    )
  }

  #result(
    run: MappedRun,
    chain: Chain,
    value: unknown,
    block: unknown,
    key: string,
    at: number | null,
    agentId: string | undefined,
  ): void {
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
      if (agentId === undefined) this.#open = "it ends before the agent answered"
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
