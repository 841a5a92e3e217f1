import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PACKAGE } from "../built.ts"
import { document } from "../cli/hindcast.ts"
import { runInProcess } from "../cli/inProcess.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { blocksOf, followed } from "./page.ts"

const page = inRepository("docs", "tutorials", "support-desk.md")
const blocks = blocksOf(fs.readFileSync(page, "utf8"))
const blockOf = (note: string): string => `${blocks.find((block) => block.note === note)?.lines.join("\n")}\n`
const place = workplace()

/** The messages that the page sends by `curl`, with their ids. */
const messages = blocks
  .map(({ lines }) => /webhook-id: (\w+)[\s\S]*-d '(\{.*\})'/.exec(lines.join("\n")))
  .flatMap((found) => (found === null ? [] : [{ id: found[1] ?? "", body: found[2] ?? "" }]))

/** What the commands wrote that were typed while the desk worked. */
const said = new Map<string, string>()
const answers: Array<unknown> = []
let printed = ""

beforeAll(async () => {
  fs.mkdirSync(place.file("node_modules"))
  fs.symlinkSync(PACKAGE, place.file("node_modules/hindcast"))
  place.file("package.json", '{ "type": "module" }\n')
  place.file("desk.mjs", blockOf("desk.mjs"))
  const env = { ...process.env, PORT: "0" }
  const desk = spawn(process.execPath, ["desk.mjs"], {
    cwd: place.directory,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = once(desk, "exit")
  desk.stdout.on("data", (piece) => {
    printed += piece
  })
  const until = async <A>(look: () => Promise<A | undefined> | A | undefined): Promise<A> => {
    while (true) {
      const found = await look()
      if (found !== undefined) return found
      if (desk.exitCode !== null) throw new Error(`the desk ended: ${printed}`)
      await new Promise(setImmediate)
    }
  }
  const log = ["--log", place.file("desk.db")]
  try {
    const url = await until(() => /http:\S+/.exec(printed)?.[0])
    const send = async ({ id, body }: { readonly id: string; readonly body: string }) => {
      const headers = { "content-type": "application/json", "webhook-id": id }
      answers.push(await (await fetch(url, { method: "POST", headers, body })).json())
    }
    const [first, second] = messages
    if (first === undefined || second === undefined) throw new Error("the page sends no two messages")
    await send(first)
    const listed = await until(async () => {
      const { confirmations } = await document(["confirm", "ls", ...log])
      return (confirmations as ReadonlyArray<{ readonly id: string }>)[0]
    })
    await send(first)
    for (const words of [
      ["confirm", "ls"],
      ["confirm", "approve", listed.id, "--yes", "--reason", "It was charged twice"],
    ]) {
      const { both } = await runInProcess([...words, ...log], { cwd: place.directory })
      said.set(words.slice(0, 2).join(" "), both)
    }
    const closed = (count: number) => async () => {
      const { tasks } = await document(["task", "ls", ...log])
      const all = tasks as ReadonlyArray<{ readonly outcome: string | null }>
      return all.filter(({ outcome }) => outcome === "achieved").length === count ? true : undefined
    }
    await until(closed(1))
    await send(second)
    await until(closed(2))
  } finally {
    desk.kill("SIGINT")
    await ended
  }
}, 90_000)
afterAll(place.remove)

describe("docs/tutorials/support-desk.md, followed word by word", () => {
  followed(page, place.directory, {
    before: (command) => said.get(command.split(" ").slice(1, 3).join(" ")),
    writes: /^hindcast rescore\b/,
  })

  it("answers a message, knows it again, and prints what the page says", () => {
    expect(`${JSON.stringify(answers[0])}\n`).toBe(blockOf("answer m1"))
    expect(answers).toMatchObject([{ duplicate: false }, { id: "m1", duplicate: true }, { id: "m2", duplicate: false }])
    const lines = printed.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:8090").split("\n")
    expect(`${lines.slice(0, 2).join("\n")}\n`).toBe(blockOf("the desk"))
    expect(lines[2]).toBe("to ada@example.org: We refunded 25 EUR for A-7.")
  })

  it("shows the files of the example", () => {
    for (const file of ["desk.mjs", "service.yaml"])
      expect(blockOf(file)).toBe(fs.readFileSync(inRepository("examples", "agents", "desk", file), "utf8"))
  })
})
