import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { MAIN, PACKAGE } from "../built.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"

/** A fenced block of a page: its language, what else stands on its first line, and its text. */
interface Block {
  readonly language: string
  readonly note: string
  readonly text: string
}

const blocks: ReadonlyArray<Block> = [
  ...fs
    .readFileSync(inRepository("docs", "tutorials", "first-plugin.md"), "utf8")
    .matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm),
].map(([, language = "", note = "", text = ""]) => ({ language, note, text }))

/** A project that Hindcast is installed in, as `npm install` leaves it. */
const project = workplace()
afterAll(project.remove)
fs.mkdirSync(project.file("node_modules/.bin"), { recursive: true })
fs.symlinkSync(PACKAGE, project.file("node_modules/hindcast"))
fs.chmodSync(MAIN, 0o755)
fs.symlinkSync("../hindcast/dist/cli/main.js", project.file("node_modules/.bin/hindcast"))

/** Runs a block's commands by a shell that stops at the first that fails. */
const run = (commands: string) => {
  const { status, stdout, stderr } = spawnSync("sh", ["-e"], {
    cwd: project.directory,
    input: commands,
    encoding: "utf8",
    timeout: 25_000,
    env: {
      ...process.env,
      HINDCAST_LOG: undefined,
      VITEST: undefined,
      NODE_OPTIONS: undefined,
      NODE_TEST_CONTEXT: undefined,
      npm_config_loglevel: "error",
      npm_config_offline: "true",
      npm_config_update_notifier: "false",
    },
  })
  // Node's test runner says to a pipe since Node 23 what it says to a terminal.
  return { status, written: `${stdout}${stderr}`.replaceAll(/^# (?=(?:pass|fail) \d+$)/gm, "ℹ ") }
}

/** A line of a page as a pattern: `…` stands for anything. */
const pattern = (line: string) => new RegExp(`^${line.split("…").map(escaped).join(".*")}$`, "m")

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")

describe("docs/tutorials/first-plugin.md, followed word by word", () => {
  let written = ""
  for (const { language, note, text } of blocks) {
    if (language === "sh") {
      it(`$ ${text.trimEnd()}`, () => {
        const ended = run(text)
        expect(ended).toMatchObject({ status: note === "fails" ? 1 : 0 })
        written = ended.written
      })
    } else if (language === "text") {
      it(`shows ${text.split("\n")[0]}`, () => {
        for (const line of text.trimEnd().split("\n")) expect(written).toMatch(pattern(line))
      })
    } else if (note !== "") {
      it(`writes ${note}`, () => fs.writeFileSync(path.join(project.directory, note), text))
    }
  }

  it("leaves a plugin whose entry an editor finds nothing wrong with", () => {
    const compiler = inRepository("node_modules", "typescript", "bin", "tsc")
    const strict = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck"]
    const imports = "--allowImportingTsExtensions"
    const { stdout } = spawnSync(process.execPath, [compiler, ...strict, imports, "shopping/judged.ts"], {
      cwd: project.directory,
      encoding: "utf8",
    })
    expect(stdout).toBe("")
  })
})
