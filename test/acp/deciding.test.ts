/** Between editor and agent: who decides about a permission request, and what each side gets, by a recorder that a test controls. */
import { once } from "node:events"
import { PassThrough } from "node:stream"
import { describe, expect, it } from "vitest"
import * as Between from "../../src/acp/Between.ts"
import type * as Recorder from "../../src/acp/Recorder.ts"
import type { AsksPerson, HookRuling } from "../../src/hooks/HookEvent.ts"

const quiet: Recorder.Recorder = {
  take: async () => {},
  ask: async () => ({ decision: "none" }),
  unread: async () => {},
  end: async () => {},
}

const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
]
const question = (id: number) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "session/request_permission", params: { sessionId: "s", options: OPTIONS } })}\n`
/** With a space, which no answer of ours has: it shows whose line the agent gets. */
const answer = (id: number, optionId: string) =>
  `{"jsonrpc": "2.0","id":${id},"result":{"outcome":{"outcome":"selected","optionId":"${optionId}"}}}\n`
const own = (id: number, optionId: string) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, result: { outcome: { outcome: "selected", optionId } } })}\n`
const cancelled = (id: number) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, result: { outcome: { outcome: "cancelled" } } })}\n`

const connect = (recorder: Partial<Recorder.Recorder>, isGated: boolean) => {
  const [fromEditor, toEditor, fromAgent, toAgent] = [0, 1, 2, 3].map(() => new PassThrough()) as [
    PassThrough,
    PassThrough,
    PassThrough,
    PassThrough,
  ]
  const done = Between.run({
    recorder: { ...quiet, ...recorder },
    isGated,
    user: "ada",
    editor: { from: fromEditor, to: toEditor },
    agent: { from: fromAgent, to: toAgent },
  })
  const heard = async (stream: PassThrough) => String((await once(stream, "data"))[0])
  const rest = async () => {
    const [atEditor, atAgent] = [toEditor, toAgent].map((stream) => {
      const pieces: Array<Buffer> = []
      stream.on("data", (piece) => pieces.push(piece))
      return pieces
    })
    fromEditor.end()
    fromAgent.end()
    await done
    return { editor: String(Buffer.concat(atEditor ?? [])), agent: String(Buffer.concat(atAgent ?? [])) }
  }
  return { fromEditor, fromAgent, editor: () => heard(toEditor), agent: () => heard(toAgent), rest, toEditor }
}

const failing = () => Promise.reject(new Error("no log"))
const denied = (rule: string): HookRuling => ({ decision: "deny", rule, reason: "" })

describe("a permission request", () => {
  it.each([
    ["the recording fails", failing],
    ["the log denies", async () => denied("log")],
  ])("is refused under rules where %s, and is the person's alone without rules", async (_, ask) => {
    const gated = connect({ ask }, true)
    gated.fromAgent.write(question(1))
    expect(await gated.agent()).toBe(own(1, "no"))
    expect((await gated.rest()).editor).toBe("")

    const free = connect({ ask }, false)
    free.fromAgent.write(question(1))
    expect(await free.editor()).toBe(question(1))
    free.fromEditor.write(answer(1, "yes"))
    expect(await free.agent()).toBe(answer(1, "yes"))
    await free.rest()
  })

  it("is refused under rules where the gate leaves it open", async () => {
    const gated = connect({}, true)
    gated.fromAgent.write(question(1))
    expect(await gated.agent()).toBe(own(1, "no"))
    await gated.rest()
  })

  it("gets the ruling, and not the person's line, where the two differ", async () => {
    const ask = async (_: unknown, person: AsksPerson) => {
      await person()
      return denied("too-late")
    }
    const to = connect({ ask }, true)
    to.fromAgent.write(question(1))
    await to.editor()
    to.fromEditor.write(answer(1, "yes"))
    expect(await to.agent()).toBe(own(1, "no"))
    to.fromAgent.write(question(2))
    await to.editor()
    to.fromEditor.write(answer(2, "no"))
    expect(await to.agent()).toBe(answer(2, "no"))
    await to.rest()
  })

  it("that somebody else answered keeps the editor's late answer from the agent, and its id until then", async () => {
    const ask = async (_: unknown, person: AsksPerson): Promise<HookRuling> => {
      void person()
      return { decision: "allow" }
    }
    const to = connect({ ask }, true)
    to.fromAgent.write(question(1))
    expect(await Promise.all([to.editor(), to.agent()])).toEqual([question(1), own(1, "yes")])
    to.fromAgent.write(question(1))
    expect(await to.agent()).toBe(cancelled(1))
    to.fromEditor.write(answer(1, "no"))
    // Its id is free again once the late answer is there.
    to.fromEditor.write('{"method":"next"}\n')
    expect(await to.agent()).toBe('{"method":"next"}\n')
    to.fromAgent.write(question(1))
    expect(await Promise.all([to.editor(), to.agent()])).toEqual([question(1), own(1, "yes")])
    await to.rest()
  })

  it("has one answer: a second one changes nothing", async () => {
    let rule = (_: HookRuling) => {}
    const ruling = new Promise<HookRuling>((resolve) => {
      rule = resolve
    })
    const ask = async (_: unknown, person: AsksPerson) => {
      await person()
      return ruling
    }
    const to = connect({ ask }, true)
    to.fromAgent.write(question(1))
    await to.editor()
    to.fromEditor.write(answer(1, "yes"))
    to.fromEditor.write(`${answer(1, "yes").slice(0, -2)} }\n`)
    to.fromEditor.write('{"method":"next"}\n')
    expect(await to.agent()).toBe('{"method":"next"}\n')
    rule({ decision: "allow" })
    expect(await to.agent()).toBe(answer(1, "yes"))
    expect(await to.rest()).toEqual({ editor: "", agent: "" })
  })
})

it("each line that is too long is noted once", async () => {
  let unread = 0
  const note = async () => {
    unread++
  }
  const to = connect({ unread: note }, false)
  to.toEditor.resume()
  const piece = Buffer.alloc(4 * 1024 * 1024, "x")
  for (let line = 0; line < 2; line++) {
    for (let at = 0; at < 10; at++) if (!to.fromAgent.write(piece)) await once(to.fromAgent, "drain")
    to.fromAgent.write("\n")
  }
  await to.rest()
  expect(unread).toBe(2)
})
