import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import * as Catalogue from "../../src/cli/catalogue/Catalogue.ts"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { confirmationDigest } from "../../src/events/vocabulary/ConfirmationDigest.ts"
import { digest } from "../../src/values/Digest.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"
import { argumentsOf } from "./typed.ts"

const place = workplace()
afterAll(place.remove)

const cli = inRepository("src", "cli")

/** The modules of the command line. */
const modules = fs
  .readdirSync(cli, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name: name.split(path.sep).join("/"), text: fs.readFileSync(path.join(cli, name), "utf8") }))

/** Every question that a command asks before it does something: the command, and the options that answer. */
const questions = modules.flatMap(({ text }) =>
  [...text.matchAll(/Question\.agrees\(\{(.*?)\n +\}\)/gs)].map(([, call = ""]) => ({
    command: /command: "hindcast ([^"]+)"/.exec(call)?.[1] ?? call,
    options: [...(/options: \[([^\]]*)\]/.exec(call)?.[1] ?? "").matchAll(/--[a-z-]+/g)].map(String),
  })),
)

/** A log in which that waits, and that subject has a key, which the examples of the commands name. */
const given = async () => {
  const log = place.file("asking.db")
  const confirmationId = "9f8e7d6c-0000-7000-8000-00000000abcd"
  const question = {
    confirmationId,
    commandId: "c1",
    argsDigest: digest({}),
    expiresAt: Date.now() + 3_600_000,
    shown: { actuator: "desk/write", args: {}, risk: "high" },
  }
  await Effect.runPromise(
    Effect.gen(function* () {
      const events = yield* EventLog
      yield* events.append({
        stream: "diary",
        actor: "human:test",
        subject: "customer-3",
        events: [{ type: "NoteAdded", payload: { about: "", text: "a secret" } }],
      })
      yield* events.append({
        stream: `confirmation/${confirmationId}`,
        actor: "kernel",
        events: [
          { type: "ConfirmationRequested", payload: { ...question, shownDigest: confirmationDigest(question) } },
        ],
      })
    }).pipe(Effect.provide(layerSqlite({ filename: log }))),
  )
  return log
}

/** These ask about recorded files: `files/purge.test.ts` and `files/inPlace.test.ts` call them where there are some. */
const ABOUT_FILES = ["files purge", "files restore"]

describe("a command that asks", () => {
  it("refuses without a terminal and without the option that answers, which it names, and does nothing", async () => {
    expect(questions.map(({ command }) => command)).toEqual(expect.arrayContaining(["confirm approve", "log shred"]))
    const log = await given()
    expect(questions.map(({ command }) => command)).toEqual(expect.arrayContaining(ABOUT_FILES))
    for (const { command, options } of questions.filter(({ command }) => !ABOUT_FILES.includes(command))) {
      const example = argumentsOf(`hindcast ${Catalogue.find(command.split(" "))?.example}`) ?? []
      const args = [...example.filter((word) => !options.includes(word)), "--log", log]
      expect({ command, options: options.length }).not.toEqual({ command, options: 0 })
      for (const asked of [args, [...args, "--json"]]) {
        const { code, stderr } = await hindcast(asked)
        expect({ command, code }).toEqual({ command, code: 1 })
        expect(stderr).toContain(`hindcast ${command}: expected ${options.join(" or ")}, or a terminal to ask at`)
      }
    }
    expect(await document(["log", "info", "--log", log])).toMatchObject({ head: { position: 2 } })
  })

  it("asks by one function: no other module reads what a person types, but for screens and protocols", () => {
    const readers = modules.filter(({ text }) =>
      /process\.stdin\b|"node:readline/.test(text.replaceAll(/^ *(\/\/|\*|\/\*).*$/gm, "")),
    )
    expect(readers.map(({ name }) => name).sort()).toEqual([
      "chat/ChatTerminal.ts",
      "command/ProtocolStreams.ts",
      "log/ImportLines.ts",
      "terminal/FullScreen.ts",
      "terminal/Question.ts",
    ])
  })
})
