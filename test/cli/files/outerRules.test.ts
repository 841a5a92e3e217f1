import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { afterEach, describe, expect, it, vi } from "vitest"
import type { Unseen } from "../../../src/events/vocabulary/Notes.ts"
import { eventsOf, temporary } from "../../record/recorded.ts"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

const HIDDEN = "files that a rule outside of the directory hides"

/** A repository, the user's own ignore file, and a function that writes either's rules. */
const repository = async () => {
  const [configuration, users] = [temporary("gitconfig"), temporary("ignore")]
  fs.writeFileSync(configuration, `[core]\n\texcludesFile = ${users}\n`)
  vi.stubEnv("GIT_CONFIG_GLOBAL", configuration)
  const made = await Session.project()
  opened.push(made)
  execFileSync("git", ["init", "--quiet", made.root])
  const { at } = made
  const rules = { "info/exclude": at(".git/info/exclude"), "the user's ignore file": users }
  return { ...made, hide: (by: keyof typeof rules, text: string) => fs.writeFileSync(rules[by], text) }
}

const noted = async (log: string) =>
  (await eventsOf(log))
    .flatMap(({ type, payload }) =>
      type === "CaptureNoted" ? (payload.unseen as unknown as ReadonlyArray<Unseen>) : [],
    )
    .filter(({ what }) => what === HIDDEN)

describe("a restore in place to a moment at which rules outside of the directory hid a file", () => {
  it.each(["info/exclude", "the user's ignore file"] as const)(
    "leaves the file, although no rule of %s hides it today, and says why",
    async (by) => {
      const { write, at, hide, session, close, reopen, json, files, log } = await repository()
      hide(by, "# mine\nnotes*.txt\n!notes-2.txt\nown/\n")
      for (const file of ["a.txt", "notes-1.txt", "notes-2.txt", "own/file"]) write(file, "then\n")
      const { prompt, call } = session()
      await prompt("improve it")
      await call("Edit", { file_path: at("a.txt") }, () => write("a.txt", "one\n"))
      await close()
      await reopen()
      const again = session()
      await again.prompt("go on")
      await again.call("Edit", { file_path: at("a.txt") }, () => write("a.txt", "two\n"))
      // Three rules, noted once by both processes.
      expect((await noted(log)).map(({ target }) => target)).toEqual([...["notes*.txt", "!notes-2.txt", "own/"]])
      hide(by, "")
      await again.call("Bash", { command: "write" }, () => {
        write("later.txt", "later\n")
        write("own/later", "later\n")
      })
      await close()
      expect((await noted(log)).at(-1)).toMatchObject({ target: "" })
      const { versions } = await json("history", "a.txt")
      for (const { position } of versions.slice(0, 2)) {
        const document = await json("restore", `@${position}`, "--in-place", "--dry-run")
        expect(document.changes.map(({ path }: { path: string }) => path).sort()).toEqual(["a.txt", "later.txt"])
      }
      const said = await files("restore", `@${versions[0].position}`, "--in-place", "--yes", "--partial")
      expect([said.code, said.stdout]).toEqual([0, expect.stringContaining("it was ignored at that moment")])
      expect(fs.existsSync(at("later.txt"))).toBe(false)
      for (const file of ["notes-1.txt", "notes-2.txt", "own/file"])
        expect([file, fs.readFileSync(at(file), "utf8")]).toEqual([file, "then\n"])
    },
  )
})
