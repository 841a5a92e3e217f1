import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SESSION, session } from "../importing/claudeSession.ts"
import { lines as linesOf } from "../importing/given.ts"
import { python } from "../python/environment.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import * as Likeness from "./likeness.ts"
import { blocksOf, followed } from "./page.ts"

/** The pages about recordings, one after the other in one directory: guides go on with the recordings of the tutorial. */
const place = workplace()
const likeness = Likeness.make()
const writes = /^(hindcast (record|replay|fork|import|task bundle|log (shred|verify))|sed|echo|node)\b/

const tutorial = inRepository("docs", "tutorials", "first-recording.md")

/** The models that the tutorial's stand-in was asked for. */
const asked: Array<string> = []
let standIn: ChildProcess | undefined
const before = { ...process.env }

beforeAll(async () => {
  const source = blocksOf(fs.readFileSync(tutorial, "utf8")).find(({ note }) => note === "model.mjs")?.lines ?? []
  const program = source
    .join("\n")
    .replace("listen(4100, ", "listen(0, ")
    .replace("const { role,", "console.log(model)\n  const { role,")
    // Whatever else is asked: see the guide about clients without a base URL.
    .replace("=> {\n", '=> {\n  if (request.method === "GET") return response.end(\'{"boxes": 7}\')\n')
  const told = `${program}\nserver.on("listening", () => console.log(server.address().port))`
  standIn = spawn(process.execPath, ["--input-type=module", "--eval", told], { stdio: ["ignore", "pipe", "inherit"] })
  const lines = createInterface({ input: standIn.stdout ?? expect.fail("it has an output") })
  const [port] = await once(lines, "line")
  lines.on("line", (model) => asked.push(model))
  const bin = path.dirname(python("light"))
  Object.assign(process.env, {
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    OPENAI_API_KEY: "sk-of-nobody-1234",
    // The hosts that pages name are not there: whatever is not asked of this machine is asked of the stand-in.
    HTTP_PROXY: `http://127.0.0.1:${port}`,
    NO_PROXY: "127.0.0.1",
    PATH: `${bin}${path.delimiter}${process.env.PATH}`,
  })
  fs.mkdirSync(place.file("node_modules"))
  fs.symlinkSync(inRepository("node_modules", "openai"), place.file("node_modules/openai"))
  fs.mkdirSync(place.file("sessions"))
  place.file(`sessions/${SESSION}.jsonl`, linesOf(session()))
})

afterAll(async () => {
  for (const name of ["OPENAI_BASE_URL", "OPENAI_API_KEY", "HTTP_PROXY", "NO_PROXY", "PATH"]) {
    if (before[name] === undefined) delete process.env[name]
    else process.env[name] = before[name]
  }
  standIn?.kill()
  await place.remove()
})

describe("docs/tutorials/first-recording.md, followed word by word", () => {
  followed(tutorial, place.directory, { writes, likeness })

  it("asks a model as often as it says: twice to record, never to replay, once from the fork on", () => {
    const once = ["gpt-5", "gpt-5", "gpt-5-mini"]
    expect(asked.splice(0)).toEqual([...once, ...once])
  })
})

describe.each([
  "record-any-program",
  "record-without-base-url",
  "what-recordings-miss",
  "keep-keys-out",
  "continue-a-recording",
  "fork-a-recording",
  "replay-in-a-test",
])("docs/guides/%s.md, followed word by word", (guide) => {
  followed(inRepository("docs", "guides", `${guide}.md`), place.directory, { writes, likeness })
})
