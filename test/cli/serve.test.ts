import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MAIN } from "../built.ts"
import { workplace } from "../workplace.ts"
import { hindcast, listed, playLostKey } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const log = place.file("log.db")
let task: string

beforeAll(async () => {
  task = await playLostKey(log)
})

interface Answer {
  readonly id: number | string | null
  readonly result?: unknown
  readonly error?: { readonly tag: string; readonly message: string }
}

/** Starts `hindcast serve`: `write` sends bytes, `next` takes the next answer, `ask` does both. */
const serving = () => {
  const child = spawn(process.execPath, [MAIN, "serve", "--stdio"], {
    cwd: place.directory,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, HINDCAST_LOG: undefined },
  })
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text
  })
  const answers: Array<Answer> = []
  const waiting: Array<(answer: Answer) => void> = []
  let rest = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const answer: Answer = JSON.parse(line)
      const take = waiting.shift()
      if (take === undefined) answers.push(answer)
      else take(answer)
    }
  })
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, said }))
  const next = (): Promise<Answer> => {
    const answer = answers.shift()
    return answer === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(answer)
  }
  const write = (text: string | Buffer) => child.stdin.write(text)
  let last = 0
  const ask = (method: string, params: object = {}) => {
    write(`${JSON.stringify({ id: ++last, method, params })}\n`)
    return next()
  }
  return { child, ended, next, write, ask }
}

const tagOf = ({ error }: Answer) => error?.tag

describe("hindcast serve", () => {
  it("answers questions about a log, and ends with its input", async () => {
    const { child, ended, ask } = serving()
    expect(await ask("hello")).toMatchObject({ result: { protocol: 1 } })
    const { result: opened } = await ask("log.open", { path: "log.db" })
    expect(opened).toMatchObject({ log: 1, path: log })
    expect(await ask("log.task", { log: 1, task: task.slice(-8) })).toMatchObject({ result: { id: task } })
    const { result: tasks } = await ask("log.tasks", { log: 1 })
    expect(tasks).toMatchObject({ items: [{ id: task, outcome: "achieved" }] })
    child.stdin.end()
    expect(await ended).toEqual({ code: 0, signal: null, said: "" })
  })

  it("gives the events of a log page by page, each as the log has it", async () => {
    const { child, ask } = serving()
    await ask("log.open", { path: log })
    const items: Array<unknown> = []
    let page = (await ask("log.events", { log: 1 })).result as { items: Array<unknown>; cursor: number | null }
    for (;;) {
      items.push(...page.items)
      if (page.cursor === null) break
      page = (await ask("cursor.next", { cursor: page.cursor })).result as typeof page
    }
    expect(items).toEqual(await listed(["--log", log, "--limit", "100000"]))
    expect(tagOf(await ask("cursor.next", { cursor: 1 }))).toBe("NoSuchCursor")
    child.stdin.end()
  })

  it("refuses what is no request, and goes on", async () => {
    const { child, next, write, ask } = serving()
    const bad: ReadonlyArray<readonly [line: string | Buffer, id: unknown, message: string]> = [
      ["{", null, "a line of JSON"],
      ['{"id":1,"method":"ping","params":{"a":NaN}}', null, "a line of JSON"],
      ["[]", null, "a JSON object"],
      ["null", null, "a JSON object"],
      ['{"method":"ping"}', null, "an `id`"],
      ['{"id":1.5,"method":"ping"}', null, "an `id`"],
      [`{"id":"${"x".repeat(101)}","method":"ping"}`, null, "an `id`"],
      ['{"id":7}', 7, "a `method`"],
      ['{"id":7,"method":["ping"]}', 7, "a `method`"],
      ['{"id":7,"method":"ping","extra":1}', 7, '"extra"'],
      ['{"id":7,"method":"ping","__proto__":{"params":1}}', 7, '"__proto__"'],
      [`{"id":7,"method":"ping","params":${"[".repeat(5000)}${"]".repeat(5000)}}`, 7, "levels"],
      [Buffer.from([0x7b, 0xff, 0xfe]), null, "UTF-8"],
    ]
    for (const [line, id, message] of bad) {
      write(line)
      write("\r\n")
      const answer = await next()
      expect([answer.id, tagOf(answer)]).toEqual([id, "InvalidRequest"])
      expect(answer.error?.message).toContain(message)
    }
    write("\n  \n")
    expect(await ask("ping", { "\u202e": "\ufffd" })).toEqual({ id: 1, result: { "\u202e": "\ufffd" } })
    const unknown = await ask("log.\u202etsks")
    expect(tagOf(unknown)).toBe("NoSuchMethod")
    expect(unknown.error?.message).not.toMatch(/\p{Cf}/u)
    expect(tagOf(await ask("__proto__"))).toBe("NoSuchMethod")
    expect(tagOf(await ask("hello", { a: 1 }))).toBe("InvalidOptions")
    expect(tagOf(await ask("log.open", [] as never))).toBe("InvalidOptions")
    child.stdin.end()
  })

  it("refuses a request of 100 MB once, keeps none of it, and answers the next", async () => {
    const { child, next, write } = serving()
    const piece = Buffer.alloc(1024 * 1024, "x")
    for (let count = 0; count < 100; count++) {
      if (!write(piece)) await once(child.stdin, "drain")
    }
    expect(await next()).toMatchObject({ id: null, error: { tag: "InvalidRequest" } })
    write('\n{"id":2,"method":"ping"}\n')
    expect(await next()).toEqual({ id: 2, result: {} })
    child.stdin.end()
  })

  it("answers each of many requests under its own id, and refuses an id that is at work", async () => {
    const { child, next, write, ask } = serving()
    await ask("log.open", { path: log })
    const question = (id: string) => `${JSON.stringify({ id, method: "log.audit", params: { log: 1, task } })}\n`
    write(question("a") + question("b") + question("a"))
    const answers = [await next(), await next(), await next()]
    expect(answers.map(({ id, error }) => `${id} ${error?.tag ?? "answered"}`).sort()).toEqual([
      "a InvalidRequest",
      "a answered",
      "b answered",
    ])
    child.stdin.end()
  })

  it("interrupts a request that the client cancels", async () => {
    const { child, next, write, ask } = serving()
    await ask("log.open", { path: log })
    write(
      `${JSON.stringify({ id: "long", method: "log.bisect", params: { log: 1, when: "position < 0", scan: true } })}\n` +
        `${JSON.stringify({ id: "stop", method: "cancel", params: { id: "long" } })}\n`,
    )
    const answers = [await next(), await next()]
    expect(answers).toContainEqual({ id: "stop", result: true })
    expect(answers.find(({ id }) => id === "long")?.error?.tag).toBe("Cancelled")
    expect(await ask("cancel", { id: "long" })).toMatchObject({ result: false })
    child.stdin.end()
  })

  it("says that a client ended in the middle of a request", async () => {
    const { child, ended, write, ask } = serving()
    await ask("ping")
    write('{"id":1,"method":"pi')
    child.stdin.end()
    const { code, said } = await ended
    expect(said).toContain("ended in the middle of a request (20 bytes)")
    expect(code).toBe(0)
  })

  it.each<readonly [name: string, leave: (child: ReturnType<typeof serving>["child"]) => void]>([
    [
      "closes both ends",
      ({ stdin, stdout }) => {
        stdin.destroy()
        stdout.destroy()
      },
    ],
    [
      "no longer reads",
      ({ stdin, stdout }) => {
        stdout.destroy()
        stdin.write('{"id":9,"method":"ping"}\n')
      },
    ],
    ["sends SIGTERM", (child) => void child.kill("SIGTERM")],
  ])("closes an open episode as what it is if the client %s", async (name, leave) => {
    const file = place.file(`${name.replaceAll(" ", "-")}.db`)
    const { child, ended, ask } = serving()
    const made = await ask("world.make", { world: "cart-pole", log: file })
    expect(made).toMatchObject({ result: { world: 1, name: "cart-pole", hasView: true } })
    const begun = (await ask("world.reset", { world: 1, seed: 42 })).result as {
      task: string
      observation: Array<number>
    }
    expect(begun.observation[0]).toBeCloseTo(0.0273956, 6)
    expect(await ask("world.step", { world: 1, action: 1 })).toMatchObject({ result: { reward: 1, terminated: false } })
    leave(child)
    await ended
    const [closed] = await listed(["--log", file, "--type", "TaskClosed"])
    expect(closed).toMatchObject({ taskId: begun.task, payload: { outcome: "truncated" } })
  })

  it("refuses other settings for a log whose worlds are open, and frees the log after the last", async () => {
    const file = place.file("settings.db")
    const { child, ask } = serving()
    await ask("world.make", { world: "cart-pole", log: file })
    expect(tagOf(await ask("world.make", { world: "cart-pole", log: file, gate: "deny" }))).toBe("OtherSettings")
    expect(tagOf(await ask("world.make", { world: "nothing", log: file }))).toBe("BadInput")
    await ask("world.close", { world: 1 })
    await ask("world.close", { world: 1 })
    expect(tagOf(await ask("world.step", { world: 1, action: 0 }))).toBe("NoSuchWorld")
    const free = await hindcast(["stop", "--log", file])
    expect(free.stderr).toBe("")
    expect(await ask("world.make", { world: "cart-pole", log: file, gate: "deny" })).toMatchObject({
      result: { world: 2 },
    })
    child.stdin.end()
  })

  it("asks for a connection to serve", async () => {
    const { code, stderr } = await hindcast(["serve"])
    expect(code).toBe(1)
    expect(stderr).toContain("--stdio")
  })
})
