import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { workplace } from "../workplace.ts"
import { document, start } from "./hindcast.ts"

const place = workplace()
const log = place.file("fork.db")

/** A program of two turns: the second one says what the model answered in the first. */
const agent = place.file(
  "turns.mjs",
  `const ask = async (content) => {
  const response = await fetch(process.env.BASE + "/v1/chat/completions", {
    method: "POST",
    body: JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content }] }),
  })
  return (await response.json()).choices[0].message.content
}
const first = await ask(process.argv[2] ?? "where to?")
console.log(await ask("then " + first))
`,
)

/** A model that repeats what it is told, and says its name. */
const provider = http.createServer((request, response) => {
  let body = ""
  request.on("data", (piece) => {
    body += piece
  })
  request.on("end", () => {
    if (request.method === "GET") return void response.end(JSON.stringify({ sky: "clear" }))
    const { model, messages } = JSON.parse(body)
    asked.push(`${model}: ${messages.at(-1).content}`)
    const message = { role: "assistant", content: `${model} heard ${messages.at(-1).content}` }
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ choices: [{ index: 0, finish_reason: "stop", message }] }))
  })
})
const asked: Array<string> = []
let BASE = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve))
  BASE = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
})
afterAll(async () => {
  provider.close()
  await place.remove()
})

const run = (...args: ReadonlyArray<string>) => start([...args], { env: { BASE } }).ended

interface Listed {
  readonly position: number
  readonly type: string
}

const recorded = async () => {
  const { stderr } = await run("record", "--log", log, "--", process.execPath, agent)
  const id = /as task (\S+)\./.exec(stderr)?.[1] ?? ""
  const { events } = (await document(["log", "ls", "--task", id, "--log", log])) as { events: ReadonlyArray<Listed> }
  const of = (type: string) => events.filter((event) => event.type === type).map(({ position }) => position)
  return {
    id,
    questions: of("ModelCalled"),
    told: of("ModelResponded"),
    answers: of("IoAnswered"),
    end: of("TaskClosed")[0] ?? 0,
  }
}

describe("hindcast fork of a recorded program", () => {
  it("goes on from a moment with another model, an edited answer, or both, as a timeline of its own", async () => {
    const { id, questions, answers } = await recorded()
    asked.length = 0
    const model = await run(
      ...["fork", `@${answers[0]}`, "--log", log, "--set", "model=other-1", "--timeline", "another-model"],
      ...["--", process.execPath, agent],
    )
    expect(model).toMatchObject({ code: 0, stdout: "other-1 heard then gpt-5 heard where to?\n" })
    expect(model.stderr).toContain("on timeline another-model")
    expect(asked).toEqual(["other-1: then gpt-5 heard where to?"])

    asked.length = 0
    const answer = await run(
      ...["fork", `@${questions[0]}`, "--log", log, "--set", "answer=north", "--json", "--", process.execPath, agent],
    )
    expect(answer.code).toBe(0)
    const { timeline } = JSON.parse(answer.stdout)
    expect(JSON.parse(answer.stdout)).toEqual({
      taskId: id,
      parent: "main",
      at: questions[0],
      timeline,
      changes: { answer: "north" },
      ownTools: [],
    })
    expect(asked).toEqual(["gpt-5: then north"])

    const again = await run(
      ...["fork", `another-model@${answers[0]}`, "--log", log, "--set", "model=m2", "--set", "answer=south"],
      ...["--", process.execPath, agent],
    )
    expect(again).toMatchObject({ code: 0, stdout: "south\n" })
    expect(await document(["log", "verify", "--log", log])).toMatchObject({ intact: true })

    // A fork is compared as others are, and so is replayed nothing of it: the parent is as it was.
    const aligned = await run("align", "main", timeline, "--task", id, "--log", log)
    expect(aligned.stdout).toContain("north")
    const replayed = await run("replay", id, "--log", log, "--", process.execPath, agent)
    expect(replayed).toMatchObject({ code: 0, stdout: "gpt-5 heard then gpt-5 heard where to?\n" })
  })

  it("goes on with an edited result of a tool that is asked by fetch, in the place of the first one after the moment", async () => {
    const tool = place.file(
      "weather.mjs",
      `const weather = async () => (await (await fetch(process.env.BASE + "/weather")).json()).sky
const answer = await fetch(process.env.BASE + "/v1/chat/completions", {
  method: "POST",
  body: JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: await weather() }] }),
})
console.log((await answer.json()).choices[0].message.content, "/", await weather())
`,
    )
    const first = await run("record", "--log", log, "--", process.execPath, tool)
    expect(first.stdout).toBe("gpt-5 heard clear / clear\n")
    const id = /as task (\S+)\./.exec(first.stderr)?.[1] ?? ""
    const { events } = (await document(["log", "ls", "--task", id, "--log", log])) as { events: ReadonlyArray<Listed> }
    const call = events.find(({ type }) => type === "IoCalled")?.position
    const set = ["--set", 'result={"sky":"storm"}', "--timeline", "storm"]
    const forked = await run("fork", `@${call}`, "--log", log, ...set, "--", process.execPath, tool)
    expect(forked).toMatchObject({ code: 0, stdout: "gpt-5 heard storm / clear\n" })
    const { events: ofFork } = await document([
      "log",
      "ls",
      "--timeline",
      "storm",
      "--log",
      log,
      "--type",
      "IoAnswered",
    ])
    expect(JSON.stringify(ofFork)).toContain("storm")
  })

  it("goes on after the whole answer from its first event too, which tells what the model said", async () => {
    const { told, answers } = await recorded()
    asked.length = 0
    const forked = await run(...["fork", `@${told[0]}`, "--log", log, "--json", "--", process.execPath, agent])
    expect(JSON.parse(forked.stdout)).toMatchObject({ at: answers[0] })
    expect(asked).toEqual(["gpt-5: then gpt-5 heard where to?"])
  })

  it("diverges where the program does otherwise before the moment, and asks nobody then", async () => {
    const { answers } = await recorded()
    asked.length = 0
    const other = await run("fork", `@${answers[0]}`, "--log", log, "--", process.execPath, agent, "what for?")
    expect(other.code).not.toBe(0)
    expect(other.stderr).toMatch(/diverged @\d+ \(fetch\): in message 1 \(user\), expected /)
    expect(asked).toEqual([])
  })

  it("refuses a moment after the end, another setting, a name that is taken, and a setting without a program", async () => {
    const { questions, end } = await recorded()
    const refused = async (...args: ReadonlyArray<string>) => {
      const { code, stderr } = await run("fork", ...args)
      expect(code).not.toBe(0)
      return stderr
    }
    const program = ["--log", log, "--", process.execPath, agent]
    expect(await refused(`@${end}`, ...program)).toMatch(
      new RegExp(`expected a moment before @${end}, the end of task [0-9a-f-]{36}, found its end`),
    )
    expect(await refused(`@${questions[0]}`, "--set", "mood=good", ...program)).toContain(
      "model=NAME, answer=TEXT or result=TEXT",
    )
    const twice = ["--set", "model=a", "--set", "model=b"]
    expect(await refused(`@${questions[0]}`, ...twice, ...program)).toContain("found a second model")
    expect(await refused(`@${questions[0]}`, "--set", "answer=", ...program)).toContain("found no answer")
    expect(await refused(`@${questions[0]}`, "--timeline", "main", ...program)).toContain("main")
    expect(await refused(`@${questions[0]}`, "--set", "model=m", "--log", log)).toContain("expected a program after --")
    for (const option of ["--restore-files", "--fresh", "--accept-unrewound"])
      expect(await refused(`@${questions[0]}`, option, ...program)).toContain("an agent of Hindcast's own")
  })
})
