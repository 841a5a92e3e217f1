import * as fs from "node:fs"
import * as path from "node:path"
import { stripVTControlCharacters } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { missing } from "../../src/cli/demo/PythonPlugin.ts"
import { inRepository } from "../repository.ts"
import { serve } from "../studio/browser/watching.ts"
import { workplace } from "../workplace.ts"
import { document, type Ended, hindcast, keysOf } from "./hindcast.ts"
import { wrongWith } from "./typed.ts"

const place = workplace()
afterAll(place.remove)

/** Starts the tour where nothing says which log to use. */
const demo = (...args: ReadonlyArray<string>): Promise<Ended> =>
  hindcast(["demo", "--world", ...args], { cwd: place.directory })

/** The lines of one part, without its heading and what it says about itself. */
const partOf = ({ stdout }: Ended, heading: string): ReadonlyArray<string> => {
  const lines = stdout.split("\n")
  const from = lines.findIndex((line) => line.endsWith(heading))
  const to = lines.findIndex((line, index) => index > from && HEADING.test(line))
  return lines.slice(lines.indexOf("", from) + 1, to < 0 ? undefined : to - 1)
}

const HEADING = /^(\d {2}|Next$)/

/** The cells of a table's row. */
const row = (lines: ReadonlyArray<string>, name: string): ReadonlyArray<string> =>
  (lines.find((line) => line.startsWith(name))?.slice(name.length) ?? "").trim().split(/ {2,}/)

describe("demo --world, on a log that does not exist yet", () => {
  let ended: Ended
  beforeAll(async () => {
    ended = await demo()
  }, 60_000)

  it("succeeds, with nothing on the standard error, no colours, and no line too wide for a terminal of 100", () => {
    const { code, stdout, stderr } = ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stripVTControlCharacters(stdout)).toBe(stdout)
    // What can be typed is never cut, and this program's path is longer here than where people call it.
    const wide = stdout.split("\n").filter((line) => [...line].length > 100 && !/^(?: {2}\$ )?node |sees/.test(line))
    expect(wide).toEqual([])
  })

  it("tells its parts in order", () => {
    expect(ended.stdout.split("\n").filter((line) => HEADING.test(line))).toEqual([
      "1  Two agents play The Lost Key",
      "2  A look at real files, and one confirmed write",
      "3  The audits side by side",
      "4  The state at two moments, and their diff",
      "5  Who last wrote the inventory",
      "6  Why the winning command happened",
      "7  Both tasks re-scored by a stricter rubric",
      "8  Is the log intact?",
      "Next",
    ])
    expect(ended.stdout.split("\n")[0]).toBe("Hindcast's demo, seed 4. Its log: .hindcast/demo-world.db")
  })

  it("shows what the agents do", () => {
    expect(partOf(ended, "The Lost Key").slice(0, 4)).toEqual([
      "knows-the-way plays:",
      "  open desk ✗ locked · go north · examine clock · take brass_key · go south · use brass_key on desk",
      "  open desk · take document",
      "wanderer plays:",
    ])
  })

  it("writes a file once another process has approved it", () => {
    const lines = partOf(ended, "one confirmed write")
    expect(lines[0]).toMatch(/^visitor sees .*: (?:more than )?\d+ files, \d+\.\d MB; /)
    expect(lines).toContain("  actuator      workspace/write_file")
    expect(lines).toContain("  risk          high")
    const answered = lines.indexOf("Answered by another process:")
    expect(lines[answered + 1]).toMatch(
      /^ {2}\$ node .* confirm approve \w{12} --yes --reason demo --log \.hindcast\/demo-world\.db$/,
    )
    expect(lines[answered + 2]).toMatch(/^ {2}Approved [\w-]{36} @\d+$/)
    expect(lines[answered + 3]).toMatch(/^\.hindcast\/demo-note\.txt: written @\d+$/)
  })

  it("shows the audits side by side", () => {
    const lines = partOf(ended, "side by side")
    expect(row(lines, "outcome")).toEqual(["achieved", "truncated", "achieved"])
    expect(row(lines, "commands")).toEqual(["8", "25", "1"])
    expect(row(lines, "  refused by the world")).toEqual(["1", "4", "0"])
    expect(row(lines, "  confirmed")).toEqual(["0", "0", "1"])
    expect(row(lines, "+ won")).toEqual(["+1", "0"])
    expect(row(lines, "− tried again")).toEqual(["0", "−0.4"])
    expect(row(lines, "score").slice(0, 2)).toEqual(["1.8 of 1.8", "−0.9 of 1.8"])
  })

  it("shows the world before and after the winning command, and what differs with its cause", () => {
    const lines = partOf(ended, "their diff")
    expect(row(lines, "inventory")).toEqual(['["brass_key","candle"]', '["document","brass_key","candle"]'])
    expect(row(lines, "won")).toEqual(["false", "true"])
    expect(lines.filter((line) => /^ {2}[+~-] /.test(line)).map((line) => line.replace(/@\d+$/, "@"))).toEqual([
      '  ~ /placed/document "thing:desk" → "inventory"  @',
      "  ~ /steps 7 → 8  @",
      "  ~ /won false → true  @",
      '  + /inventory/0 "document"  @',
    ])
  })

  it("names the event that last wrote the inventory, and why the winning command happened", () => {
    const blame = partOf(ended, "wrote the inventory")
    expect(blame[0]).toMatch(/^\/tasks\/[\w-]{36}\/environment\/text-room\/inventory$/)
    expect(blame[1]).toBe('is ["document","brass_key","candle"], by')
    expect(blame[2]).toMatch(/^@\d+ .* EnvironmentChanged {2}kernel {2}text-room /)
    const chain = partOf(ended, "winning command happened")
    expect(chain.map((line) => /@\d+ (\w+)/.exec(line)?.[1])).toEqual([
      "CommandSucceeded",
      "CommandDispatched",
      "CommandAllowed",
      "ActuatorCommanded",
      "DecisionMade",
      "SensorRead",
      "TaskOpened",
    ])
  })

  it("shows what a stricter rubric changes", () => {
    const lines = partOf(ended, "stricter rubric")
    expect(row(lines, "knows-the-way")).toEqual(["1.8 of 1.8", "0.8 of 1.5", "−1"])
    expect(row(lines, "wanderer")).toEqual(["−0.9 of 1.8", "−4.2 of 1.5", "−3.3"])
    expect(lines.filter((line) => line.startsWith("  + within nine"))).toEqual([
      expect.stringMatching(/within nine commands +0\.5 +no rule +−0\.5$/),
    ])
  })

  it("verifies the log", () => {
    expect(partOf(ended, "log intact?")[0]).toMatch(/^Intact: \d+ events, head @\d+ [0-9a-f]{64}$/)
  })

  it("suggests commands that work on the log it left", { timeout: 120_000 }, async () => {
    const commands = partOf(ended, "Next").filter((line) => line.startsWith("node "))
    expect(commands.length).toBeGreaterThanOrEqual(6)
    // Studio goes on until it is stopped.
    const [studio, ...others] = [...commands].sort((a, b) => Number(/ studio /.test(b)) - Number(/ studio /.test(a)))
    for (const command of others) expect([command, await wrongWith(command, place.directory)]).toEqual([command, ""])
    const log = / studio --log (\S+)$/.exec(studio ?? "")?.[1] ?? "none"
    const { origin, stop } = await serve(path.join(place.directory, log))
    expect((await fetch(origin)).status).toBe(200)
    await stop()
  })

  it("goes on in the same log when it is run again, and says so", { timeout: 60_000 }, async () => {
    const { head } = await document(["log", "info"], {
      cwd: place.directory,
      env: { HINDCAST_LOG: ".hindcast/demo-world.db" },
    })
    const position = (head as { readonly position: number }).position
    const again = await demo()
    expect(again.code).toBe(0)
    expect(again.stdout.split("\n")[1]).toBe(
      `The log continues after @${position}: its ${position} events stay; nothing was left unfinished.`,
    )
    expect(row(partOf(again, "side by side"), "outcome")).toEqual(["achieved", "truncated", "achieved"])
    expect(row(partOf(again, "stricter rubric"), "wanderer")).toEqual(["−0.9 of 1.8", "−4.2 of 1.5", "−3.3"])
  })
})

describe("demo --world for programs", () => {
  it("answers with one JSON document", { timeout: 60_000 }, async () => {
    const log = place.file("json.db")
    const { code, stdout, stderr } = await demo("--json", "--log", log, "--seed", "11")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const found = JSON.parse(stdout)
    expect(keysOf(found)).toEqual([
      ...["audits", "blame", "confirmations", "continued", "log", "moments", "next", "recovered", "rescore", "seed"],
      ...["verify", "why", "workspace", "write"],
    ])
    expect(found).toMatchObject({ log, seed: 11, continued: false, recovered: 0, verify: { intact: true } })
    expect(found.audits.map(({ agent }: { readonly agent: string }) => agent)).toEqual([
      "knows-the-way@1.0.0",
      "wanderer@1.0.0",
      "visitor@1.0.0",
    ])
    expect(found.confirmations).toMatchObject([
      { type: "ConfirmationRequested", payload: { shown: { actuator: "workspace/write_file" } } },
      { type: "ConfirmationDecided", payload: { approved: true, channel: "cli", reason: "demo" } },
    ])
    expect(found.write).toEqual({ path: ".hindcast/demo-note.txt", status: "succeeded" })
    expect(fs.readFileSync(`${found.workspace.directory}/${found.write.path}`, "utf8")).toBe(
      "Confirmed, then written.\n",
    )
    expect(found.workspace.directory).toBe(fs.existsSync(inRepository(".git")) ? inRepository(".") : place.directory)
    expect(keysOf(found.moments)).toEqual(["after", "before", "changes", "path"])
    expect(found.moments.after).toMatchObject({ state: { won: true } })
    expect(found.blame.event.position).toBe(found.moments.after.at)
    expect(keysOf(found.next)).toEqual(["command", "does"])
  })
})

describe("a demo where the plugin that runs Python is not installed", () => {
  it("says in one line how to get it; in a clone it is there", () => {
    expect(missing(false)).toEqual([
      expect.stringMatching(
        /^Agents can also run Python, with the plugin @hindcast\/python, which is not installed: `npm pack -w .* plugin add FILE` /,
      ),
    ])
    expect(missing()).toEqual([])
  })
})

describe("a tour that cannot be given", () => {
  it("says what is wrong with its input", async () => {
    const { code, stdout, stderr } = await demo("--seed", "x")
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain('--seed: expected a whole number, 0 or more, found "x"')
  })

  it("says so where a part of the game was deactivated in its log", { timeout: 60_000 }, async () => {
    const log = place.file("spoilt.db")
    await document(["plugin", "add", inRepository("plugins", "text-room"), "--log", log])
    await document(["plugin", "deactivate", "text-room/take", "--log", log])
    const { code, stderr } = await demo("--log", log)
    expect(code).toBe(1)
    expect(stderr).toContain("expected knows-the-way@1.0.0 to win The Lost Key, found its task failed")
    expect(stderr).toContain("name another with --log")
  })
})
