import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { inRepository } from "../repository.ts"

/** The scripts are JavaScript without declarations. */
const script = (name: string): Promise<unknown> => import(pathToFileURL(inRepository(name)).href)

const { wrongIn } = (await script("scripts/commit-msg.mjs")) as { wrongIn: (message: string) => ReadonlyArray<string> }
const { commentsOf } = (await script("scripts/prose/comments.mjs")) as {
  commentsOf: (name: string, text: string) => string
}
const { opensWithoutNoun, sentencesOf, TERMS } = (await script("scripts/prose/rules.mjs")) as {
  opensWithoutNoun: (sentence: string) => boolean
  sentencesOf: (text: string) => ReadonlyArray<{ readonly index: number; readonly sentence: string }>
  TERMS: ReadonlyArray<readonly [pattern: RegExp, instead: string]>
}

describe("the commit message hook", () => {
  it("refuses a subject that is long, short, no imperative, or ends with a full stop", () => {
    expect(wrongIn("Fix the order of a task's first commands\n\nThe second waited.\n")).toEqual([])
    expect(wrongIn("Bring the lease back after a suspend")).toEqual([])
    expect(wrongIn(`Fix ${"very ".repeat(14)}long subjects`).join()).toContain("at most 72 fit")
    expect(wrongIn("Fix it").join()).toContain("at least 12")
    expect(wrongIn("Fixed the order of commands").join()).toContain('begins with "Fixed"')
    expect(wrongIn("The order of commands is right now").join()).toContain('begins with "The"')
    expect(wrongIn("fix the order of commands").join()).toContain("small letter")
    expect(wrongIn("Fix the order of commands.").join()).toContain('ends with "."')
    expect(wrongIn("Fix the order of commands\nof tasks").join()).toContain("second line")
    expect(wrongIn('Revert "Fixed it."')).toEqual([])
  })

  it("stops `git commit` in a clone that uses the hooks, and keeps the message", () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-hook-"))
    onTestFinished(() => fs.rmSync(directory, { recursive: true, force: true }))
    const git = (...args: ReadonlyArray<string>) =>
      spawnSync("git", ["-c", "user.name=n", "-c", "user.email=n@example.org", ...args], {
        cwd: directory,
        encoding: "utf8",
        env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
      })
    git("init", "-q")
    git("config", "core.hooksPath", inRepository("scripts/hooks"))
    const refused = git("commit", "--allow-empty", "-m", "fixed stuff and things.")
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain("expected an imperative")
    expect(fs.readFileSync(path.join(directory, ".git", "COMMIT_EDITMSG"), "utf8")).toContain("fixed stuff")
    expect(git("commit", "--allow-empty", "-m", "Keep the first commit small").status).toBe(0)
    expect(git("log", "--format=%s").stdout.trim()).toBe("Keep the first commit small")
  })

  it("is executable in the repository", () => {
    const [mode] = execFileSync("git", ["ls-files", "-s", "scripts/hooks/commit-msg"], {
      cwd: inRepository("."),
      encoding: "utf8",
    }).split(" ")
    expect(mode).toBe("100755")
  })
})

describe("the rules of prose", () => {
  it("find sentences that open without a noun, and let questions be", () => {
    expect(opensWithoutNoun("What is followed is an async iterable.")).toBe(true)
    expect(opensWithoutNoun("Known are the formats of OpenAI.")).toBe(true)
    expect(opensWithoutNoun("What is a timeline?")).toBe(false)
    expect(opensWithoutNoun("`follow` returns an async iterable.")).toBe(false)
  })

  it("find the sentences of a paragraph with their places", () => {
    const text = "It reads v1.2 of `a.ts`. What is read is kept.\nWhy? Because."
    const found = sentencesOf(text)
    expect(found.map(({ sentence }) => sentence)).toEqual([
      "It reads v1.2 of `a.ts`.",
      "What is read is kept.",
      "Why?",
      "Because.",
    ])
    expect(found.map(({ index }) => text.slice(index, index + 3))).toEqual(["It ", "Wha", "Why", "Bec"])
  })

  it("name a replacement for each word that they refuse", () => {
    expect(TERMS.length).toBeGreaterThan(10)
    const instead = (text: string) => TERMS.filter(([pattern]) => text.search(pattern) !== -1).map(([, word]) => word)
    expect(instead("It is built anew, beside the log.")).toEqual(["again", "next to"])
    expect(instead("It is built again, next to the log; subagents")).toEqual(["sub-agent"])
  })

  it("see the comments of a module at their lines, and nothing of its code", () => {
    const text = 'const a = "What is a // no comment"\n/** Says {@link B}. */\nconst b = `/* no */` // trailing\n'
    expect(commentsOf("x.ts", text)).toBe("\nSays `B`.\ntrailing\n")
  })
})
