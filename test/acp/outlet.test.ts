import { once } from "node:events"
import { PassThrough, Writable } from "node:stream"
import { Effect } from "effect"
import { describe, expect, it, vi } from "vitest"
import * as Peer from "../../src/acp/agent/Peer.ts"
import * as Between from "../../src/acp/Between.ts"
import * as Outlet from "../../src/acp/Outlet.ts"
import type * as Recorder from "../../src/acp/Recorder.ts"

/** A reader that takes nothing. */
const deaf = () => new Writable({ write: () => {} })

const never: Recorder.Recorder = {
  take: async () => {},
  ask: () => new Promise(() => {}),
  unread: async () => {},
  end: async () => {},
}

const between = (streams: Partial<{ editor: Writable; agent: Writable; unreadMs: number }>) => {
  const [fromEditor, fromAgent] = [new PassThrough(), new PassThrough()]
  const { editor = new PassThrough(), agent = new PassThrough(), unreadMs = 50 } = streams
  const done = Between.run({
    recorder: never,
    isGated: true,
    user: "ada",
    editor: { from: fromEditor, to: editor },
    agent: { from: fromAgent, to: agent },
    unreadMs,
  })
  return { fromEditor, fromAgent, done }
}

const LINE = '{"jsonrpc":"2.0","method":"session/update","params":{}}\n'

describe("an outlet", () => {
  it("gives up a reader that takes nothing, and resolves all that waited and what comes later", async () => {
    const to = deaf()
    const outlet = Outlet.make(to, { reader: "editor", unreadMs: 20 })
    const waiting = [outlet.line("a\n"), outlet.pass({ bytes: Buffer.from("b\n"), kind: "line" })]
    expect((await outlet.stuck).message).toBe(
      "Expected the editor to read its messages, found that it took none for 0.02 s. The connection is ended; start the editor again.",
    )
    await Promise.all([...waiting, outlet.line("c\n")])
    expect(to.destroyed).toBe(true)
  })

  it("waits for a reader that takes something now and then, and while nothing waits", async () => {
    vi.useFakeTimers()
    try {
      let take = () => {}
      const slow = new Writable({
        write: (_, __, done) => {
          take = done
        },
      })
      const outlet = Outlet.make(slow, { reader: "agent", unreadMs: 400 })
      const found: Array<Outlet.Unread> = []
      void outlet.stuck.then((unread) => found.push(unread))
      const lines = Array.from({ length: 6 }, (_, index) => outlet.line(`${index}\n`))
      for (const line of lines) {
        await vi.advanceTimersByTimeAsync(399)
        take()
        await line
      }
      await vi.advanceTimersByTimeAsync(10_000)
      expect(found).toEqual([])
      const last = outlet.line("last\n")
      await vi.advanceTimersByTimeAsync(400)
      await last
      expect(found).toMatchObject([{ reader: "agent", ms: 400 }])
    } finally {
      vi.useRealTimers()
    }
  })

  it("keeps lines of its own back until a long line has passed", async () => {
    const to = new PassThrough()
    const outlet = Outlet.make(to, { reader: "agent" })
    await outlet.pass({ bytes: Buffer.from("long"), kind: "part" })
    await outlet.line("own\n")
    await outlet.pass({ bytes: Buffer.from(" line\n"), kind: "last" })
    await outlet.line("more\n")
    expect(String(to.read())).toBe("long line\nown\nmore\n")
  })
})

describe("a connection", () => {
  it.each(["editor", "agent"] as const)("ends with the reason if the %s does not read", async (side) => {
    const { done, fromAgent, fromEditor } = between({ [side]: deaf() })
    const from = side === "editor" ? fromAgent : fromEditor
    from.write(LINE)
    await expect(done).rejects.toMatchObject({ _tag: "Unread", reader: side })
  })

  it("withdraws the questions of an editor that does not read", async () => {
    const left: Array<boolean> = []
    const recorder: Recorder.Recorder = {
      ...never,
      ask: (_, __, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            left.push(signal.aborted)
            reject(new Error("left"))
          })
        }),
    }
    const [fromEditor, fromAgent] = [new PassThrough(), new PassThrough()]
    const done = Between.run({
      ...{ recorder, isGated: true, user: "ada", unreadMs: 50 },
      editor: { from: fromEditor, to: deaf() },
      agent: { from: fromAgent, to: new PassThrough() },
    })
    fromAgent.write(`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s"}}\n`)
    fromAgent.write(LINE)
    await expect(done).rejects.toMatchObject({ _tag: "Unread" })
    expect(left).toEqual([true])
  })

  it("of our agent ends if the editor does not read, and its requests are interrupted", async () => {
    const from = new PassThrough()
    let isInterrupted = false
    const served = Peer.serve({ from, to: deaf(), unreadMs: 50 }, (peer) => ({
      request: () =>
        Effect.succeed(
          Effect.as(
            Effect.zipRight(peer.notify("session/update", {}), Effect.never).pipe(
              Effect.onInterrupt(() =>
                Effect.sync(() => {
                  isInterrupted = true
                }),
              ),
            ),
            {},
          ),
        ),
      notification: () => Effect.void,
    }))
    const ended = Effect.runPromise(Effect.flip(served))
    from.write('{"jsonrpc":"2.0","id":1,"method":"x"}\n')
    expect(await ended).toMatchObject({ _tag: "Unread", reader: "editor" })
    expect(isInterrupted).toBe(true)
    if (!from.destroyed) await once(from, "close")
  })
})
