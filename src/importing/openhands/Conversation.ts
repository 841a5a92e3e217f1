/** Maps the events of one OpenHands conversation, in order, to a run. */

import { UNKNOWN } from "../../kernel/pricing/ProviderUsage.ts"
import type { JsonObject } from "../../values/Json.ts"
import { Chain } from "../runs/Chain.ts"
import { IdSet, idOf } from "../runs/EventIds.ts"
import { named } from "../runs/ModelName.ts"
import type { OpenTurn } from "../runs/OpenTurn.ts"
import { RecordKeys } from "../runs/RecordKeys.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { asObject, field, isObject, listOf, nameFrom, parsed, textOf, at as valueAt } from "../runs/Untrusted.ts"
import type { SourceFile } from "../Source.ts"
import * as FileEdits from "./FileEdits.ts"
import { costOf, GrowingCost, NO_TOKENS, usageOf } from "./Usage.ts"

/** Maximum number of events to hold back until the first prompt, the goal. */
const MAX_BEFORE_GOAL = 200

export class Conversation {
  readonly #runs: MappedRuns
  readonly #file: SourceFile
  readonly #id: string
  readonly #state: unknown
  readonly #seen = new IdSet()
  readonly #keys = new RecordKeys()
  #early: Array<unknown> = []
  #run: MappedRun | undefined
  readonly #chain = new Chain({ named })
  #model = "unknown"
  /** Call ids by action id, for events that name only the action. */
  readonly #calls = new Map<string, string>()
  /** Tokens counted so far, and those not yet assigned to an answer. */
  #counted = NO_TOKENS
  #unused = NO_TOKENS
  readonly #cost = new GrowingCost()
  #lastAt: number | null = null
  #open: string | undefined = "it ends before the agent answered"
  #failure: string | undefined
  #number = 0

  constructor(runs: MappedRuns, file: SourceFile, id: string, state: unknown) {
    this.#runs = runs
    this.#file = file
    this.#id = id
    this.#state = state
    this.#model = textOf(valueAt(state, "agent", "llm"), "model") ?? "unknown"
  }

  record(value: unknown): void {
    if (this.#run !== undefined) {
      this.#map(this.#run, value)
      return
    }
    this.#early.push(value)
    const goal = goalIn(value)
    const isOver = textOf(value, "kind") === "ActionEvent" || this.#early.length >= MAX_BEFORE_GOAL
    if (goal !== undefined || isOver) this.#begin(goal)
  }

  end(): void {
    const times = this.#early.map((value) => timeOf(field(value, "timestamp"))).filter((time) => time !== null)
    const settled = isSilent(this.#file, this.#lastAt ?? times.at(-1) ?? null)
    if (this.#run === undefined && settled && this.#early.length > 0) this.#begin(undefined)
    const run = this.#run
    if (run === undefined) return
    if (!settled) {
      if (this.#chain.turn !== undefined)
        this.#runs.remark(
          "postponed: a last answer that may be incomplete. It is imported once the conversation continues or was silent for an hour",
        )
      return
    }
    this.#chain.finish(run)
    const key = String(this.#number)
    if (this.#failure !== undefined) run.close(key, "failed", this.#failure, this.#lastAt)
    else if (this.#open !== undefined) run.close(key, "abandoned", this.#open, this.#lastAt)
    else run.close(key, "finished", "the agent ended its turn; the source has no verdict", this.#lastAt)
  }

  #begin(goal: string | undefined): void {
    const early = this.#early
    this.#early = []
    const agent = textOf(valueAt(this.#state, "agent"), "kind") ?? "openhands"
    const run = this.#runs.open({
      id: this.#id,
      goal: goal ?? `conversation ${this.#id}`,
      agent: `openhands@${agent}`,
      at: early.map((value) => timeOf(field(value, "timestamp"))).find((at) => at !== null) ?? null,
      about: { conversation: this.#id, model: this.#model },
    })
    this.#run = run
    this.#runs.remark("times without a zone: they are taken as UTC")
    for (const value of early) this.#map(run, value)
  }

  #map(run: MappedRun, value: unknown): void {
    const id = textOf(value, "id")
    const kind = textOf(value, "kind") ?? "unknown"
    if (id !== undefined && !this.#seen.add(idOf(id))) {
      this.#runs.repeated(kind, "event")
      return
    }
    this.#number += 1
    const key = id ?? this.#keys.of(value)
    const at = this.#runs.timeOf(field(value, "timestamp"))
    if (at !== null) this.#lastAt = at
    run.tick(at)
    switch (kind) {
      case "SystemPromptEvent": {
        const prompt = textOf(field(value, "system_prompt"), "text")
        if (prompt === undefined) run.keep(key, kind, value, { at })
        else run.model.guided(key, prompt, at)
        break
      }
      case "MessageEvent":
        this.#message(run, value, key, at)
        break
      case "ActionEvent":
        this.#action(run, value, key, at)
        break
      case "ObservationEvent":
      case "AgentErrorEvent":
      case "UserRejectObservation":
        this.#chain.later(run, () => this.#outcome(run, value, kind, key, at))
        break
      case "Condensation":
        this.#chain.finish(run)
        run.model.compacted(key, listOf(value, "forgotten_event_ids").length, textOf(value, "summary") ?? "", at)
        break
      case "ConversationStateUpdateEvent":
        this.#stateChanged(run, value, key, at)
        break
      case "ConversationErrorEvent":
        this.#failure = textOf(value, "detail") ?? textOf(value, "code") ?? "an error of the conversation"
        this.#chain.later(run, () => run.keep(key, kind, value, { at }))
        break
      case "PauseEvent":
        this.#open = "it was paused"
        this.#chain.later(run, () => run.keep(key, kind, value, { at }))
        break
      default:
        this.#chain.later(run, () => run.keep(key, kind, value, { at }))
    }
  }

  #message(run: MappedRun, value: unknown, key: string, at: number | null): void {
    const text = textIn(listOf(field(value, "llm_message"), "content"))
    this.#failure = undefined
    if (textOf(value, "source") === "agent") {
      this.#answer(run, textOf(value, "llm_response_id") ?? key, at).add({ type: "text", text })
      this.#open = undefined
      return
    }
    this.#chain.finish(run)
    this.#chain.toldAt = at
    this.#chain.messages += 1
    run.said(key, text, { at, source: textOf(value, "source") ?? "user" })
    this.#open = "it ends before the agent answered"
  }

  /** The answer of an event; several events may belong to one answer. */
  #answer(run: MappedRun, id: string, at: number | null): OpenTurn {
    const before = this.#chain.turn
    const turn = this.#chain.answer(run, id, this.#model, at)
    if (turn !== before) {
      // The tokens come before an answer's first event.
      turn.usage = this.#unused === NO_TOKENS ? UNKNOWN : this.#unused
      turn.usd = this.#cost.take()
      this.#unused = NO_TOKENS
    }
    return turn
  }

  #action(run: MappedRun, value: unknown, key: string, at: number | null): void {
    const turn = this.#answer(run, textOf(value, "llm_response_id") ?? key, at)
    const callId = textOf(value, "tool_call_id") ?? key
    const tool = textOf(value, "tool_name") ?? "unknown"
    const reasoning = textOf(value, "reasoning_content")
    if (reasoning !== undefined) turn.add({ type: "reasoning", text: reasoning })
    const thought = textIn(listOf(value, "thought"))
    if (thought !== "") turn.add({ type: "text", text: thought })
    const args = argumentsOf(value)
    turn.add({ type: "call", callId: nameFrom(callId), tool: nameFrom(tool), args })
    this.#calls.set(key, callId)
    turn.after(() => run.commands.called(callId, tool, args, { at, cause: `answered:${this.#chain.keyOf(turn)}` }))
    if (tool === "finish") {
      const message = textOf(field(value, "action"), "message") ?? ""
      if (message !== "")
        turn.after(() => run.spoke(key, message, { at, cause: `answered:${this.#chain.keyOf(turn)}` }))
      this.#open = undefined
    } else this.#open = "it ends with calls that have no result"
  }

  #outcome(run: MappedRun, value: unknown, kind: string, key: string, at: number | null): void {
    const named = textOf(value, "tool_call_id")
    const callId = named ?? this.#calls.get(textOf(value, "action_id") ?? "") ?? ""
    this.#chain.toldAt = at
    const observation = field(value, "observation")
    const command =
      kind === "UserRejectObservation"
        ? run.commands.denied(callId, textOf(value, "rejection_reason") ?? "the user refused it", at)
        : run.commands.result(callId, { ...resultOf(value, kind), at })
    if (command === undefined) {
      this.#runs.remark("results of calls that are not in the conversation: they are kept as they are")
      run.keep(key, kind, value, { at })
      return
    }
    this.#chain.messages += 1
    if (command.tool !== "finish") this.#open = "it ends before the agent answered"
    FileEdits.apply(run, callId, observation, at)
  }

  /** Counts are totals of the conversation; an answer used the difference. */
  #stateChanged(run: MappedRun, value: unknown, key: string, at: number | null): void {
    const what = textOf(value, "key") ?? "unknown"
    const changed = field(value, "value")
    if (what === "stats") {
      const now = usageOf(changed)
      const grown = (name: keyof typeof NO_TOKENS) => this.#unused[name] + Math.max(0, now[name] - this.#counted[name])
      this.#unused = {
        inputTokens: grown("inputTokens"),
        outputTokens: grown("outputTokens"),
        cachedTokens: grown("cachedTokens"),
        cacheWriteTokens: grown("cacheWriteTokens"),
      }
      this.#counted = now
      this.#cost.grewTo(costOf(changed))
      this.#runs.leaveOut("ConversationStateUpdateEvent: stats", "the tokens of an answer, which has them")
      return
    }
    if (what === "execution_status") {
      if (changed === "finished") this.#open = undefined
      if (changed === "error" || changed === "stuck") this.#failure = `its status is ${changed}`
      this.#runs.leaveOut("ConversationStateUpdateEvent: execution_status", "the start or end of a turn")
      return
    }
    this.#chain.later(run, () => run.keep(key, `state: ${what}`, value, { at }))
  }
}

/** The arguments that the model wrote, otherwise those of the executed action. */
const argumentsOf = (value: unknown): JsonObject => {
  const text = textOf(field(value, "tool_call"), "arguments")
  const args = text === undefined ? undefined : parsed(text)
  const given = isObject(args) ? args : field(value, "action")
  const present = Object.entries(isObject(given) ? given : {}).filter(([name, one]) => one !== null && name !== "kind")
  return asObject(Object.fromEntries(present))
}

const resultOf = (value: unknown, kind: string): { readonly ok: boolean; readonly content: unknown } => {
  if (kind === "AgentErrorEvent") return { ok: false, content: textOf(value, "error") ?? "an error" }
  const observation = field(value, "observation")
  const texts = listOf(observation, "content")
  const exitCode = field(observation, "exit_code") ?? valueAt(observation, "metadata", "exit_code")
  const isFailed = field(observation, "is_error") === true || (typeof exitCode === "number" && exitCode !== 0)
  return { ok: !isFailed, content: texts.length === 0 ? observation : textIn(texts) }
}

const textIn = (content: ReadonlyArray<unknown>): string =>
  content.flatMap((part) => textOf(part, "text") ?? []).join("\n")

const goalIn = (value: unknown): string | undefined => {
  if (textOf(value, "kind") !== "MessageEvent" || textOf(value, "source") !== "user") return undefined
  return textIn(listOf(field(value, "llm_message"), "content")) || undefined
}
