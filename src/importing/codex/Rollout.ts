/** One rollout of Codex: maps its lines, in the order of the file, to a run. */

import { Chain } from "../runs/Chain.ts"
import type { OpenTurn } from "../runs/OpenTurn.ts"
import { contentIdOf, RecordKeys } from "../runs/RecordKeys.ts"
import { type Run, taskIdOf } from "../runs/Run.ts"
import type { Runs } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { field, isObject, logJson, nameFrom, textOf, at as valueAt } from "../runs/Untrusted.ts"
import type { SourceFile } from "../Source.ts"
import { callOf, contentParts, goalIn, isRefusal, OF_THE_PROGRAM, patchOf, resultOf, textIn, usageOf } from "./Items.ts"
import { patched } from "./Patch.ts"
import { RepeatedWords, TOLD_TWICE } from "./RepeatedWords.ts"

/** Most lines that wait for the first prompt, which is the rollout's goal. */
const MAX_BEFORE_GOAL = 200

export class Rollout {
  readonly #runs: Runs
  readonly #file: SourceFile
  #early: Array<unknown> = []
  #meta: unknown
  #run: Run | undefined
  readonly #chain = new Chain({
    named: (model) => ({ provider: textOf(this.#meta, "model_provider") ?? "openai", model }),
  })
  readonly #keys = new RecordKeys()
  #model = "unknown"
  #settings = ""
  #number = 0
  #lastAt: number | null = null
  readonly #words = new RepeatedWords()
  #open: string | undefined = "it ends before the agent answered"

  constructor(runs: Runs, file: SourceFile) {
    this.#runs = runs
    this.#file = file
  }

  record(value: unknown): void {
    if (this.#run !== undefined) {
      this.#map(this.#run, value)
      return
    }
    if (this.#meta === undefined && field(value, "type") === "session_meta") this.#meta = field(value, "payload")
    else if (this.#meta === undefined && this.#early.length === 0 && textOf(value, "id") !== undefined)
      this.#meta = value
    this.#early.push(value)
    const goal = goalIn(value)
    if (goal !== undefined || this.#early.length >= MAX_BEFORE_GOAL) this.#begin(goal ?? "")
  }

  end(): void {
    const times = this.#early.map((value) => timeOf(field(value, "timestamp"))).filter((time) => time !== null)
    const last = this.#lastAt ?? times.at(-1) ?? null
    const settled = isSilent(this.#file, last)
    if (this.#run === undefined && settled && this.#early.length > 0) this.#begin("")
    const run = this.#run
    if (run === undefined) return
    if (!settled) {
      if (this.#chain.turn !== undefined)
        this.#runs.remark(
          "a last answer that may not be whole yet: it is imported when the rollout goes on or is silent for an hour",
        )
      return
    }
    this.#chain.finish(run)
    this.#spokeByEvent(run)
    if (this.#open === undefined)
      run.close(String(this.#number), "achieved", "the agent ended its turn; the source has no verdict", this.#lastAt)
    else run.close(String(this.#number), "abandoned", this.#open, this.#lastAt)
  }

  #begin(goal: string): void {
    const early = this.#early
    this.#early = []
    const meta = this.#meta
    const id = textOf(meta, "id") ?? /([0-9a-f-]{36})\.jsonl$/i.exec(this.#file.name)?.[1] ?? contentIdOf(early[0])
    const named = ["cwd", "originator", "cli_version", "model_provider", "forked_from_id"].flatMap((name) => {
      const text = textOf(meta, name)
      return text === undefined ? [] : [[name, text] as const]
    })
    const git = field(meta, "git")
    const parent = textOf(valueAt(meta, "source", "subagent", "thread_spawn"), "parent_thread_id")
    const run = this.#runs.open({
      ...{ id, goal: goal === "" ? `rollout ${id}` : goal, agent: `codex@${textOf(meta, "cli_version") ?? "unknown"}` },
      at: timeOf(field(meta, "timestamp") ?? field(early[0], "timestamp")),
      about: {
        session: id,
        ...Object.fromEntries(named),
        ...(isObject(git) ? { git: logJson(git).json } : {}),
        ...(parent === undefined ? {} : { parent: taskIdOf("codex", parent) }),
      },
    })
    this.#run = run
    for (const value of early) this.#map(run, value)
  }

  #map(run: Run, value: unknown): void {
    const at = this.#runs.timeOf(field(value, "timestamp"))
    // Lines have no ids. One that is equal to another, its time to the millisecond included, was written twice.
    const key = at === null ? this.#keys.of(value) : this.#keys.ofNew(value)
    if (key === undefined) {
      this.#runs.leaveOut(textOf(value, "type") ?? "record", "the same record again")
      return
    }
    this.#number += 1
    if (at !== null) this.#lastAt = at
    run.tick(at)
    const payload = field(value, "payload")
    const type = textOf(value, "type") ?? "unknown"
    if (!isObject(payload)) {
      // The first versions wrote items without an envelope, and their first line without a type.
      if (value === this.#meta || textOf(value, "record_type") === "state") return
      this.#item(run, value, key, at)
      return
    }
    switch (type) {
      case "session_meta":
        if (payload !== this.#meta) this.#later(run, () => run.keep(key, "session_meta", payload, { at }))
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
      case "compacted":
        this.#chain.finish(run)
        run.model.compacted(key, this.#chain.messages, textOf(payload, "message") ?? "", at)
        break
      default:
        this.#later(run, () => run.keep(key, type, value, { at }))
    }
  }

  #settingsOf(run: Run, payload: unknown, key: string, at: number | null): void {
    this.#chain.finish(run)
    this.#model = textOf(payload, "model") ?? this.#model
    const settings = JSON.stringify(logJson(payload).json)
    if (settings === this.#settings) this.#runs.leaveOut("turn_context", "nothing in it changed")
    else run.keep(key, "turn_context", payload, { at })
    this.#settings = settings
  }

  /** An item of the conversation, as the model was told or answered it. */
  #item(run: Run, item: unknown, key: string, at: number | null): void {
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
        // A search is done by the provider: the rollout has no result of it.
        if (type === "web_search_call") turn.after(() => run.commands.result(callId, { ok: true, content: null, at }))
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

  /** The answer that is under way; a new one if what stood last was a result. */
  #answered(run: Run, key: string, at: number | null): OpenTurn {
    const { turn } = this.#chain
    if (turn !== undefined && (turn.ended || turn === this.#withResults)) this.#chain.finish(run)
    this.#open = undefined
    return this.#chain.answer(run, this.#chain.turn?.id ?? key, this.#model, at)
  }

  /** The answer after which a result came. */
  #withResults: OpenTurn | undefined

  #result(run: Run, item: unknown, callId: string, key: string, at: number | null): void {
    const { content, ok } = resultOf(item)
    this.#chain.toldAt = at
    if (isRefusal(content)) {
      if (run.commands.denied(callId, content, at) === undefined) run.keep(key, "result", item, { at })
      return
    }
    const command = run.commands.result(callId, { ok, content, at })
    if (command === undefined) {
      this.#runs.remark("results of calls that are not in the file: they are kept as they are")
      run.keep(key, "result", item, { at })
      return
    }
    this.#chain.messages += 1
    const patch = ok ? patchOf(command.tool, command.args) : undefined
    if (patch === undefined) return
    for (const { path, before, after } of patched(patch, (path) => run.environment.files.get(path)))
      run.environment.fileChanged(callId, path, before, after, at)
  }

  #toldMessage(run: Run, item: unknown, key: string, at: number | null): void {
    const text = textIn(item, "content")
    const isPrompt = textOf(item, "role") === "user" && text !== "" && !OF_THE_PROGRAM.test(text)
    if (isPrompt && this.#words.isRepeated("user", { text, by: "item", key, at })) {
      this.#runs.leaveOut("message", "it repeats what an event of the person's words holds")
      return
    }
    this.#chain.finish(run)
    this.#chain.messages += 1
    this.#chain.toldAt = at
    if (isPrompt) this.#said(run, key, contentParts(item), text, at)
    else run.model.told({ role: "user", content: [{ type: "text", text }] })
  }

  #said(run: Run, key: string, content: ReturnType<typeof contentParts>, text: string, at: number | null): void {
    this.#spokeByEvent(run)
    run.said(key, content.length > 1 ? content : text, { at })
    this.#open = "it ends before the agent answered"
  }

  /** What the program told its own screen. Much of it repeats items. */
  #message(run: Run, payload: unknown, key: string, at: number | null): void {
    const type = textOf(payload, "type") ?? "unknown"
    const why = TOLD_TWICE.get(type)
    if (why !== undefined) {
      this.#runs.leaveOut(type, why)
      return
    }
    const text = textOf(payload, "message") ?? ""
    switch (type) {
      case "token_count": {
        const usage = usageOf(field(payload, "info"))
        const { turn } = this.#chain
        if (usage === undefined || turn === undefined || turn.ended)
          this.#runs.leaveOut(type, "it is of no answer, or repeats the one before")
        else {
          turn.usage = usage
          turn.ended = true
        }
        break
      }
      case "user_message":
        if (this.#words.isRepeated("user", { text, by: "event", key, at }))
          this.#runs.leaveOut(type, "it repeats a message")
        else {
          this.#chain.finish(run)
          this.#chain.toldAt = at
          this.#said(run, key, [], text, at)
        }
        break
      case "agent_message":
        // It comes before or after the item that it repeats.
        if (this.#words.isRepeated("agent", { text, by: "event", key, at }))
          this.#runs.leaveOut(type, "it repeats a message")
        break
      case "turn_aborted":
        this.#later(run, () => run.keep(key, type, payload, { at }))
        this.#open = `its turn was aborted: ${textOf(payload, "reason") ?? "no reason is given"}`
        break
      case "task_complete":
      case "turn_complete":
        this.#open = undefined
        this.#runs.leaveOut(type, "the end of a turn, which its last answer shows")
        break
      case "task_started":
      case "turn_started":
        this.#runs.leaveOut(type, "the start of a turn, which its prompt shows")
        break
      default:
        this.#later(run, () => run.keep(key, type, payload, { at }))
    }
  }

  /** The agent's words of which there is an event and no item, as in rollouts of which items were left out. */
  #spokeByEvent(run: Run): void {
    const words = this.#words.takeOfEvent()
    if (words === undefined) return
    run.spoke(words.key, words.text, { at: words.at })
    this.#open = undefined
  }

  #later(run: Run, what: () => void): void {
    this.#withResults = this.#chain.turn
    this.#chain.later(run, what)
  }
}
