/** An editor that talks to `AgentServer` in this process, whose agent has a scripted model. */
import * as readline from "node:readline"
import { PassThrough } from "node:stream"
import { Effect } from "effect"
import * as AgentServer from "../../../src/acp/agent/AgentServer.ts"
import { failed } from "../../../src/acp/agent/Refused.ts"
import * as SessionList from "../../../src/acp/agent/SessionList.ts"
import type { Services, Workbench } from "../../../src/acp/agent/Workbench.ts"
import { asking, talking } from "../../agents/channel/given.ts"
import type { Scripted } from "../../agents/given.ts"

export interface Heard {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly update?: Readonly<Record<string, unknown>> }
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

/** A connection by lines. */
export const lines = () => {
  const [from, to] = [new PassThrough(), new PassThrough()]
  const heard: Array<Heard> = []
  const watching = new Set<() => void>()
  readline.createInterface({ input: to }).on("line", (line) => {
    heard.push(JSON.parse(line))
    for (const look of watching) look()
  })
  const say = (message: object) => void from.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  /** Waits for a message that fits, also one that came before. */
  const seen = (fits: (message: Heard) => boolean) =>
    Effect.async<Heard>((resume) => {
      const look = () => {
        const found = heard.find(fits)
        if (found === undefined) return
        watching.delete(look)
        resume(Effect.succeed(found))
      }
      watching.add(look)
      look()
    })
  /** Waits until something holds of all that was heard. */
  const until = (holds: () => boolean) => seen(() => holds())
  let id = 0
  /** Sends a request. Completes with the answer. */
  const ask = (method: string, params: object = {}) =>
    Effect.suspend(() => {
      const own = `ask-${++id}`
      say({ id: own, method, params })
      return seen((message) => message.id === own && message.method === undefined)
    })
  return { streams: { from, to }, heard, say, seen, until, ask }
}

export const CWD = "/project"

/** A server with an editor that has said hello. */
export const connected = (turns: ReadonlyArray<Scripted>, options: Workbench["options"] = { maxSteps: 1_000 }) =>
  Effect.gen(function* () {
    const { run } = yield* asking
    const services = yield* run(Effect.context<Services>())
    const talk = talking(turns)
    const bench: Workbench = { services, agent: talk.agent, deltas: talk.deltas, options, cwd: CWD, user: "ada" }
    const editor = lines()
    const list = (cwd: string | undefined, cursor: string | undefined) =>
      Effect.mapError(Effect.provide(SessionList.page(cwd ?? CWD, cursor), services), failed)
    const open = () => Effect.succeed(bench)
    yield* Effect.forkScoped(Effect.scoped(AgentServer.serve({ streams: editor.streams, title: "tested", open, list })))
    const early = yield* editor.ask("session/new", { cwd: CWD })
    yield* editor.ask("initialize", { protocolVersion: 1 })
    const opened = Effect.map(editor.ask("session/new", { cwd: CWD }), ({ result }) => String(result?.sessionId))
    const prompt = (sessionId: string, ...blocks: ReadonlyArray<object>) =>
      editor.ask("session/prompt", { sessionId, prompt: blocks })
    const said = (kind: string) =>
      editor.heard.flatMap(({ params }) => {
        const { sessionUpdate, content } = params?.update ?? {}
        return sessionUpdate === kind ? [(content as { readonly text?: string }).text] : []
      })
    return { ...editor, ...talk, run, early, opened, prompt, said }
  })

export const words = (text: string) => ({ type: "text", text })
