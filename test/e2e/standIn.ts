/** The model that stands in for OpenAI's on the pages about recordings: the one of their tutorial. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, expect } from "vitest"
import { python } from "../python/environment.ts"
import { inRepository } from "../repository.ts"
import { blocksOf } from "./page.ts"

/** The tutorial, which has the stand-in and the agents. */
export const TUTORIAL = inRepository("docs", "tutorials", "first-recording.md")

/** The tutorial's file of this name. */
export const fileOf = (name: string): string =>
  (blocksOf(fs.readFileSync(TUTORIAL, "utf8")).find(({ note }) => note === name)?.lines ?? []).join("\n")

/**
 * Lets the programs of a directory, in Python with some packages and in JavaScript, ask the stand-in during the tests of a file. Returns the
 * names of the models that it was asked for so far, which grow.
 */
export const asking = (directory: string, packages: Parameters<typeof python>[0] = "light"): Array<string> => {
  const asked: Array<string> = []
  let standIn: ChildProcess | undefined
  const before = { ...process.env }
  beforeAll(async () => {
    const program = fileOf("model.mjs")
      .replace("listen(4100, ", "listen(0, ")
      .replace("const { role,", "console.log(model)\n  const { role,")
      // Whatever else is asked: see the guide about clients without a base URL.
      .replace("=> {\n", '=> {\n  if (request.method === "GET") return response.end(\'{"boxes": 7}\')\n')
    const told = `${program}\nserver.on("listening", () => console.log(server.address().port))`
    standIn = spawn(process.execPath, ["--input-type=module", "--eval", told], { stdio: ["ignore", "pipe", "inherit"] })
    const lines = createInterface({ input: standIn.stdout ?? expect.fail("it has an output") })
    const [port] = await once(lines, "line")
    lines.on("line", (model) => asked.push(model))
    const bin = path.dirname(python(packages))
    Object.assign(process.env, {
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      OPENAI_API_KEY: "sk-of-nobody-1234",
      // The hosts that pages name are not there: whatever is not asked of this machine is asked of the stand-in.
      HTTP_PROXY: `http://127.0.0.1:${port}`,
      NO_PROXY: "127.0.0.1",
      PATH: `${bin}${path.delimiter}${process.env.PATH}`,
    })
    fs.mkdirSync(path.join(directory, "node_modules"), { recursive: true })
    fs.symlinkSync(inRepository("node_modules", "openai"), path.join(directory, "node_modules", "openai"))
  })
  afterAll(() => {
    for (const name of ["OPENAI_BASE_URL", "OPENAI_API_KEY", "HTTP_PROXY", "NO_PROXY", "PATH"]) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
    standIn?.kill()
  })
  return asked
}
