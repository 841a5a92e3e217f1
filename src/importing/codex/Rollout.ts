/** Maps the lines of one Codex rollout, in file order, to a run. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { Chain } from "../runs/Chain.ts"
import type { CommandResult } from "../runs/Commands.ts"
import type { OpenTurn } from "../runs/OpenTurn.ts"
import { RecordKeys } from "../runs/RecordKeys.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { field, isObject, logJson, nameFrom, textOf } from "../runs/Untrusted.ts"
import type { SourceFile } from "../Source.ts"
import { Beginning } from "./Beginning.ts"
import { callOf, contentParts, isInterrupted, isRefusal, isTyped, patchOf, resultOf, textIn } from "./Items.ts"
import { patched } from "./Patch.ts"
import { ITEMS_TOLD_TWICE, RepeatedWords, TOLD_TWICE } from "./RepeatedWords.ts"
import { TokenCounts } from "./TokenCounts.ts"

export class Rollout {
  readonly #runs: MappedRuns
  readonly #file: SourceFile
  readonly #beginning: Beginning
  readonly #chain = new Chain({
    named: (model) => ({ provider: textOf(this.#beginning.meta, "model_provider") ?? providerOf(model), model }),
  })
  readonly #keys = new RecordKeys()
  #model = "unknown"
  #settings = ""
  #number = 0
  #lastAt: number | null = null
  readonly #words = new RepeatedWords()
  #open: string | undefined = "it ends before the agent answered"
  #counts: TokenCounts | undefined
  /** Whether the agent has answered in the current turn. */
  #isAtWork = false
  /** Whether the source marks the beginning and end of turns. */
  #tellsTurns = false

  constructor(runs: MappedRuns, file: SourceFile) {
    this.#runs = runs
    this.#file = file
    this.#beginning = new Beginning(runs, file, {
      map: (run, value) => this.#map(run, value),
      endCopied: (run) => {
        this.#chain.finish(run)
        this.#open = "it ends before the agent answered"
      },
    })
  }

  record(value: unknown): void {
    const run = this.#beginning.run
    if (run === undefined) this.#beginning.record(value)
    else this.#map(run, value)
  }

  end(): void {
    const settled = isSilent(this.#file, this.#lastAt ?? this.#beginning.lastAt)
    this.#beginning.end(settled)
    const { run } = this.#beginning
    if (run === undefined) return
    if (!settled) {
      const { turn } = this.#chain
      if (turn !== undefined)
        run.waits(
          turn.id,
          "a last answer that may be incomplete; import the file again when the session has continued",
          turn.at,
        )
      return
    }
    this.#chain.finish(run)
    this.#spokeByEvent(run)
    if (this.#open === undefined)
      run.close(String(this.#number), "finished", "the agent ended its turn; the source has no verdict", this.#lastAt)
    else run.close(String(this.#number), "abandoned", this.#open, this.#lastAt)
  }

  #map(run: MappedRun, value: unknown): void {
    const at = this.#runs.timeOf(field(value, "timestamp"))
    // Lines have no ids. An identical line with the same millisecond is a duplicate.
    const key = at === null ? this.#keys.of(value) : this.#keys.ofNew(value)
    if (key === undefined) {
      this.#runs.repeated(textOf(value, "type") ?? "record", "record")
      return
    }
    this.#number += 1
    if (at !== null) this.#lastAt = at
    run.tick(at)
    const payload = field(value, "payload")
    const type = textOf(value, "type") ?? "unknown"
    if (!isObject(payload)) {
      // The first versions wrote bare items, and a first line without a type.
      if (value === this.#beginning.meta || textOf(value, "record_type") === "state") return
      this.#item(run, value, key, at)
      return
    }
    switch (type) {
      case "session_meta":
        if (payload !== this.#beginning.meta) this.#later(run, () => run.keep(key, "session_meta", payload, { at }))
        break
      case "turn_context":
        this.#settingsOf(run, payload, key, at)
        break
      case "response_item":
        this.#item(run, payload, key, at)
        break
      case "event_msg":
        this.#message(run, payload, key, at)
        break
      case "token_usage_record":
        this.#used(run, this.#tokens.ofRecord(payload), type, key, at)
        break
      case "compacted":
        this.#chain.finish(run)
        run.model.compacted(key, this.#chain.messages, textOf(payload, "message") ?? "", at)
        break
      default:
        this.#later(run, () => run.keep(key, type, value, { at }))
    }
  }

  #settingsOf(run: MappedRun, payload: unknown, key: string, at: number | null): void {
    this.#chain.finish(run)
    this.#model = textOf(payload, "model") ?? this.#model
    const settings = JSON.stringify(logJson(payload).json)
    if (settings === this.#settings) this.#runs.leaveOut("turn_context", "nothing in it changed")
    else run.keep(key, "turn_context", payload, { at })
    this.#settings = settings
  }

  #item(run: MappedRun, item: unknown, key: string, at: number | null): void {
    const type = textOf(item, "type") ?? "unknown"
    const callId = textOf(item, "call_id") ?? textOf(item, "id") ?? key
    switch (type) {
      case "message":
        if (textOf(item, "role") === "assistant")
          this.#answered(run, key, at).add({ type: "text", text: textIn(item, "content") })
        else this.#toldMessage(run, item, key, at)
        if (textOf(item, "role") === "assistant")
          this.#words.isRepeated("agent", { text: textIn(item, "content"), by: "item", key, at })
        break
      case "reasoning":
        this.#answered(run, key, at).add({
          type: "reasoning",
          text: textIn(item, "summary") || textIn(item, "content"),
        })
        break
      case "function_call":
      case "custom_tool_call":
      case "local_shell_call":
      case "web_search_call": {
        const { tool, args, isText } = callOf(item)
        const turn = this.#answered(run, key, at)
        turn.add({
          type: "call",
          callId: nameFrom(callId),
          tool: nameFrom(tool),
          args,
          ...(isText ? { invalid: true } : {}),
        })
        turn.after(() => run.commands.called(callId, tool, args, { at, cause: `answered:${turn.id}` }))
        // The provider runs the search, and the rollout has no result.
        if (type === "web_search_call")
          turn.after(() => run.commands.result(callId, { ok: true, content: null, at, by: null }))
        this.#open = "it ends with calls that have no result"
        break
      }
      case "function_call_output":
      case "custom_tool_call_output":
      case "local_shell_call_output":
        this.#later(run, () => this.#result(run, item, callId, key, at))
        break
      default:
        this.#later(run, () => run.keep(key, type, item, { at }))
    }
  }

  /** The current answer; a new one after a result. */
  #answered(run: MappedRun, key: string, at: number | null): OpenTurn {
    const { turn } = this.#chain
    if (turn !== undefined && (turn.ended || turn === this.#withResults)) this.#chain.finish(run)
    this.#open = undefined
    this.#isAtWork = this.#tellsTurns
    return this.#chain.answer(run, this.#chain.turn?.id ?? key, this.#model, at)
  }

  /** The answer that results have followed. */
  #withResults: OpenTurn | undefined

  #result(run: MappedRun, item: unknown, callId: string, key: string, at: number | null): void {
    const { content, ok } = resultOf(item)
    this.#chain.toldAt = at
    const keep = (): void => {
      this.#runs.remark(
        "results of calls that are not in the file, or have a result already: they are kept as they are",
      )
      run.keep(key, "result", item, { at })
    }
    run.commands.whenCalled(callId, () => this.#pair(run, callId, { ok, content, at }), keep)
  }

  #pair(run: MappedRun, callId: string, { ok, content, at }: CommandResult): void {
    this.#chain.messages += 1
    if (isRefusal(content)) {
      run.commands.denied(callId, content, at)
      return
    }
    if (isInterrupted(content)) {
      run.commands.unknown(callId, { reason: "it was interrupted while it ran", told: content, begun: true, at })
      return
    }
    const command = run.commands.result(callId, { ok, content, at })
    if (command === undefined) return
    const patch = ok ? patchOf(command.tool, command.args) : undefined
    if (patch === undefined) return
    for (const { path, before, after } of patched(patch, (path) => run.environment.files.get(path)))
      run.environment.fileChanged(callId, path, before, after, at)
  }

  #toldMessage(run: MappedRun, item: unknown, key: string, at: number | null): void {
    const text = textIn(item, "content")
    const isPrompt = isTyped(item, text)
    if (isPrompt && this.#words.isRepeated("user", { text, by: "item", key, at })) {
      this.#runs.leaveOut("message", "it repeats what an event of the person's words holds")
      return
    }
    this.#chain.finish(run)
    this.#chain.messages += 1
    this.#chain.toldAt = at
    if (isPrompt) this.#said(run, key, contentParts(item), text, at)
    else run.model.told({ role: "user", content: [{ type: "text", text }], author: "harness" })
  }

  #said(run: MappedRun, key: string, content: ReturnType<typeof contentParts>, text: string, at: number | null): void {
    this.#spokeByEvent(run)
    const said = { at, source: this.#beginning.isOfAgent ? "agent" : "user" }
    run.said(key, content.length > 1 ? content : text, this.#isAtWork ? { ...said, delivery: "steering" } : said)
    this.#open = "it ends before the agent answered"
  }

  get #tokens(): TokenCounts {
    this.#counts ??= new TokenCounts(this.#beginning.goesOn)
    return this.#counts
  }

  /** Assigns tokens to the current answer. An answer without items, such as a summary, counts too. */
  #used(run: MappedRun, usage: ModelUsage | undefined, type: string, key: string, at: number | null): void {
    if (usage === undefined) {
      this.#runs.leaveOut(type, "it is of no answer, or repeats the one before")
      return
    }
    const turn = this.#isUncounted ? this.#chain.turn : undefined
    this.#count(turn ?? this.#answered(run, key, at), usage)
  }

  /** Whether the current answer still lacks its tokens. */
  get #isUncounted(): boolean {
    return this.#chain.turn?.ended === false
  }

  #count(turn: OpenTurn, usage: ModelUsage): void {
    turn.usage = usage
    turn.ended = true
  }

  /** A screen event, which often repeats an item. */
  #message(run: MappedRun, payload: unknown, key: string, at: number | null): void {
    const type = textOf(payload, "type") ?? "unknown"
    const why = TOLD_TWICE.get(type)
    if (why !== undefined) {
      this.#runs.leaveOut(type, why)
      return
    }
    const text = textOf(payload, "message") ?? ""
    switch (type) {
      case "token_count":
        this.#used(run, this.#tokens.ofTotals(field(payload, "info"), this.#isUncounted), type, key, at)
        break
      case "item_completed":
        this.#shown(run, payload, key, at)
        break
      case "user_message":
        this.#typedByEvent(run, type, text, key, at)
        break
      case "agent_message":
        this.#saidByEvent(type, text, key, at)
        break
      case "turn_aborted":
        this.#later(run, () => run.keep(key, type, payload, { at }))
        this.#turnEnded(run)
        this.#open = `its turn was aborted: ${textOf(payload, "reason") ?? "no reason is given"}`
        break
      case "task_complete":
      case "turn_complete":
        this.#turnEnded(run)
        this.#open = undefined
        this.#runs.leaveOut(type, "the end of a turn, which its last answer shows")
        break
      case "task_started":
      case "turn_started":
        this.#tellsTurns = true
        this.#isAtWork = false
        this.#runs.leaveOut(type, "the start of a turn, which its prompt shows")
        break
      default:
        this.#later(run, () => run.keep(key, type, payload, { at }))
    }
  }

  /** The source marks the end of a turn, so its last answer is complete. */
  #turnEnded(run: MappedRun): void {
    this.#chain.finish(run)
    this.#spokeByEvent(run)
    this.#isAtWork = false
  }

  /** A screen item, since 0.170. */
  #shown(run: MappedRun, payload: unknown, key: string, at: number | null): void {
    const item = field(payload, "item")
    const type = textOf(item, "type") ?? "unknown"
    const why = ITEMS_TOLD_TWICE.get(type)
    if (type === "UserMessage") this.#typedByEvent(run, type, textIn(item, "content"), key, at)
    else if (type === "AgentMessage") this.#saidByEvent(type, textIn(item, "content"), key, at)
    else if (why !== undefined) this.#runs.leaveOut(type, why)
    else this.#later(run, () => run.keep(key, type, payload, { at }))
  }

  #typedByEvent(run: MappedRun, type: string, text: string, key: string, at: number | null): void {
    if (this.#words.isRepeated("user", { text, by: "event", key, at })) {
      this.#runs.leaveOut(type, "it repeats a message")
      return
    }
    this.#chain.finish(run)
    this.#chain.toldAt = at
    this.#said(run, key, [], text, at)
  }

  /** The event may come before or after the item that it repeats. */
  #saidByEvent(type: string, text: string, key: string, at: number | null): void {
    if (this.#words.isRepeated("agent", { text, by: "event", key, at }))
      this.#runs.leaveOut(type, "it repeats a message")
  }

  /** Records agent text that exists only as an event, in rollouts with missing items. */
  #spokeByEvent(run: MappedRun): void {
    const words = this.#words.takeOfEvent()
    if (words === undefined) return
    run.spoke(words.key, words.text, { at: words.at })
    this.#open = undefined
  }

  #later(run: MappedRun, what: () => void): void {
    this.#withResults = this.#chain.turn
    this.#chain.later(run, what)
  }
}

/** OpenAI's models are known by name if the rollout names no provider. */
const providerOf = (model: string): string => (/^(?:gpt-|o\d|codex-)/.test(model) ? "openai" : "unknown")
