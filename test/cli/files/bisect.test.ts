import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { isAlive } from "../../../src/platform/LiveProcess.ts"
import { AGENT } from "../../../src/workspace/bisect/RecordedRuns.ts"
import { fileOf } from "../../../src/workspace/store/StoreFile.ts"
import { eventsOf, temporary } from "../../record/recorded.ts"
import { Database } from "../../sqlite.ts"
import * as Hindcast from "../hindcast.ts"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

/** A session whose calls write these contents into `state`, each in a call of its own. */
const session = async (states: ReadonlyArray<string>, others: Readonly<Record<string, string>> = {}) => {
  const made = await Session.project()
  opened.push(made)
  const { write, at, session, close, json } = made
  for (const [file, content] of Object.entries({ state: "start\n", ...others })) write(file, content)
  const { prompt, call } = session()
  await prompt("improve it")
  for (const [index, state] of states.entries())
    await call("Edit", { file_path: at("state"), step: index }, () => write("state", `${state}\n`))
  await close()
  const { versions } = await json("history", "state")
  const places: ReadonlyArray<number> = versions.map(({ position }: { position: number }) => position)
  return { ...made, places, place: (index: number) => `@${places[index]}` }
}

/** Notes each run in a file outside of the scratch directory, then ends with a code that depends on the state. */
const counting = (codes: Readonly<Record<string, string>>) => {
  const notes = temporary("notes")
  const cases = Object.entries(codes).map(([state, end]) => `${state}) ${end};;`)
  return {
    run: `cat state >> ${notes}; case "$(cat state)" in ${cases.join(" ")} *) exit 0;; esac`,
    runs: () => (fs.existsSync(notes) ? fs.readFileSync(notes, "utf8").trimEnd().split("\n") : []),
  }
}

const scratches = () => fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith("hindcast-bisect-"))

describe("files bisect", () => {
  it("names the first step after which the command fails: its call, prompt, files and output", async () => {
    const { files, json, places, place, at } = await session(["a", "b", "broken", "d", "e"], { "src/app.ts": "1\n" })
    const before = scratches()
    const run = `grep -qE 'broken|d|e' state && { echo it is broken; exit 1; }; test -f src/app.ts`
    const said = await files("bisect", "--run", run)
    expect(said).toMatchObject({ code: 0, error: "" })
    expect(said.stdout).toContain(`first fails after ${place(3)}. Before it, at ${place(2)}, it succeeds`)
    expect(said.stdout).toMatch(/call +@\d+ claude-code\/Edit/)
    expect(said.stdout).toMatch(/decision +allowed by/)
    expect(said.stdout).toMatch(/prompt +"improve it"/)
    expect(said.stdout).toMatch(/state +changed +\+1 −1/)
    expect(said.stdout).toContain("fails with 1. The end of its output:\n  it is broken")
    expect(said.stdout).toMatch(/Likely: \d of 6 states were examined/)
    const document = await json("bisect", "--run", run, "--fresh")
    expect(document).toMatchObject({
      states: 6,
      first: {
        position: places[3],
        cause: "call",
        calls: [{ actuator: "claude-code/Edit", prompt: { content: "improve it" } }],
      },
      before: places[2],
      files: [{ path: "state", kind: "changed", added: 1, removed: 1 }],
      output: "it is broken\n",
      monotonic: true,
    })
    expect(fs.readFileSync(at("state"), "utf8")).toBe("e\n")
    expect(scratches()).toEqual(before)
  })

  it.each([1, 2, 124, 126, 127])("takes the exit code %i for bad", async (code) => {
    const { json, places } = await session(["good", "broken"])
    const { run } = counting({ broken: `exit ${code}` })
    const document = await json("bisect", "--run", run)
    expect(document.first.position).toBe(places[2])
    expect(document.tested.at(-1)).toMatchObject({ verdict: "bad", exitCode: code })
  })

  it.each([
    ["exit 128", 128],
    ["exit 255", 255],
    ["kill -TERM $$", 143],
  ])("ends the search at a run that says %s", async (end, code) => {
    const { files } = await session(["good", "broken"])
    const said = await files("bisect", "--run", counting({ broken: `echo out of order; ${end}` }).run)
    expect(said).toMatchObject({ code: 1, stdout: "" })
    expect(said.error).toContain(`expected an exit code up to 127, found ${code}`)
  })

  it("skips states with 125, and fails if the first step is among them", async () => {
    const { json, files, places, place } = await session(["a", "torn", "c", "broken", "e"])
    const clear = counting({ torn: "exit 125", broken: "exit 1", e: "exit 1" })
    expect((await json("bisect", "--run", clear.run)).first.position).toBe(places[4])
    const unclear = counting({ torn: "exit 125", c: "exit 125", broken: "exit 1", e: "exit 1" })
    const said = await files("bisect", "--run", unclear.run)
    expect(said).toMatchObject({ code: 1, stdout: "" })
    expect(said.error).toContain(`succeeds at ${place(1)} and fails at ${place(4)}`)
    expect(said.error).toContain(`found 3 that it may be`)
    expect(said.error).toContain(`${place(2)}, ${place(3)}, ${place(4)}. At ${place(2)} it cannot be tested (exit 125)`)
    const none = await files("bisect", "--run", "exit 125")
    expect(none).toMatchObject({ code: 1, stdout: "" })
    expect(none.error).toContain("found that it cannot be tested (exit 125). Nothing was searched")
  })

  it("fails if the first state is bad or the last one good, and says what the runs are without", async () => {
    const { files, place } = await session(["a", "b"], { ".gitignore": "lib/\n", "lib/tool": "tool\n" })
    const bad = await files("bisect", "--run", "echo no lib; test -f lib/tool")
    expect(bad).toMatchObject({ code: 1, stdout: "" })
    expect(bad.error).toContain(`expected it to succeed on the first state, ${place(0)}, found that it fails with 1`)
    expect(bad.error).toContain(
      "Missing from the runs (not in the snapshots): lib. `--copy PATH` copies PATH from the workspace",
    )
    expect(bad.error).toContain("The end of its output:\n  no lib")
    const good = await files("bisect", "--run", "true")
    expect(good).toMatchObject({ code: 1, stdout: "" })
    expect(good.error).toContain(`expected it to fail on the last state, ${place(2)}, found that it succeeds`)
  })

  it("searches between --from and --to", async () => {
    const { json, files, places, place } = await session(["bad 1", "b", "c", "bad 2", "e", "bad 3"])
    const run = ["--run", "! grep -q bad state"]
    const found = await json("bisect", ...run, "--from", place(2), "--to", place(4))
    expect(found).toMatchObject({ states: 3, from: places[2], to: places[4], first: { position: places[4] } })
    expect((await files("bisect", ...run, "--from", place(3), "--to", place(2))).error).toContain("The range starts at")
    const one = await files("bisect", ...run, "--from", place(6))
    expect(one).toMatchObject({ code: 3, stdout: "" })
    expect(one.error).toContain("nothing changed in that range")
  })

  it("remembers results: runs nothing again but with --fresh, and says if they are not monotonic", async () => {
    const { json, files, places, place, log } = await session(["bad 1", "b", "c", "bad 2"])
    const { run, runs } = counting({ '"bad 1"': "exit 1", '"bad 2"': "exit 1" })
    const one = ["--run", run, "--jobs", "1"]
    const first = await json("bisect", ...one, "--from", place(2))
    expect(first).toMatchObject({ monotonic: true, first: { position: places[4] } })
    const before = runs().length
    expect(await json("bisect", ...one, "--from", place(2))).toMatchObject({
      first: { position: places[4] },
      tested: [{ cached: true }, { cached: true }, { cached: true }],
    })
    expect(runs().length).toBe(before)
    const whole = await json("bisect", ...one, "--to", place(1))
    expect(whole.first.position).toBe(places[1])
    expect(runs().length).toBe(before + 2)
    const said = await files("bisect", ...one)
    expect(said.stdout).toContain(`Not monotonic`)
    expect(said.stdout).toContain(`it succeeds again at ${place(2)}, ${place(3)}`)
    expect(runs().length).toBe(before + 2)
    await json("bisect", ...one, "--from", place(2), "--fresh")
    expect(runs().length).toBe(before + 5)
    await json("bisect", ...one, "--from", place(2), "--timeout", "500")
    expect(runs().length).toBe(before + 8)
    const tasks = (await eventsOf(log)).filter(({ type, payload }) => type === "TaskOpened" && payload.agent === AGENT)
    expect(tasks.length).toBe(4)
  })

  it("runs equal states once", async () => {
    const { json, places } = await session(["a", "b", "a", "b", "a", "b", "a", "broken", "z"])
    const { run, runs } = counting({ broken: "exit 1", z: "exit 1" })
    for (const jobs of ["1", "4"]) {
      const before = runs().length
      const document = await json("bisect", "--run", run, "--fresh", "--jobs", jobs)
      expect(document.first.position).toBe(places[8])
      const ran = runs().slice(before)
      // A run that became useless, and was ended, does not count.
      if (jobs === "1") expect(new Set(ran).size).toBe(ran.length)
    }
  })

  it.skipIf(os.availableParallelism() < 2)(
    "tests both ends at once, and once more an end that failed next to the other",
    async () => {
      const { json, places } = await session(["b", "broken", "d"])
      const [tried, other] = [temporary("tried"), temporary("other")]
      const first = `test -e ${tried} && exit 0; touch ${tried}; until test -e ${other}; do :; done; exit 1`
      const { run, runs } = counting({ start: first, broken: "exit 1", d: `touch ${other}; exit 1` })
      const { tested, ...document } = await json("bisect", "--run", run)
      expect(document.first.position).toBe(places[2])
      expect(tested[0]).toMatchObject({ position: places[0], verdict: "good" })
      expect(runs().filter((state) => state === "start").length).toBe(2)
      const again = await json("bisect", "--run", run)
      expect([again.first.position, again.tested[0]]).toMatchObject([places[2], { verdict: "good", cached: true }])
    },
  )

  it("gives each run exactly the recorded files, whatever the last one left", async () => {
    const outside = temporary("outside")
    fs.mkdirSync(outside)
    const { json, places, at } = await session(["a", "b", "c", "d", "broken", "f", "g", "h"], {
      "src/app.ts": "1\n",
      "src/deep/one.ts": "one\n",
      "run.sh": "#!/bin/sh\n",
    })
    fs.chmodSync(at("run.sh"), 0o755)
    const isClean =
      'test "$(find . | sort | tr "\\n" " ")" = ". ./run.sh ./src ./src/app.ts ./src/deep ./src/deep/one.ts ./state " && test "$(cat src/app.ts src/deep/one.ts)" = "1\none" && test ! -L src'
    const spoils = [
      ...["mkdir -p junk/deep && echo x > junk/deep/x", "echo 2 > src/app.ts", "rm -r src/deep", "mkdir empty"],
      ...[
        "chmod 500 src",
        `rm -r src/deep && ln -s ${outside} src/deep`,
        "rm state && mkdir state && touch state/x",
        "chmod 0 state",
      ],
    ]
    const verdict = "grep -qE 'broken|f|g|h' state && exit 1; exit 0"
    fs.writeFileSync(path.join(outside, "kept"), "kept\n")
    for (const spoil of [...spoils, `rm state && ln ${outside}/kept state`, `cd .. && rm -r 0 && ln -s ${outside} 0`]) {
      const run = `(${isClean}) || exit 200; (${verdict}); code=$?; ${spoil}; exit $code`
      // The last one spoils a directory by its name, which another run could have.
      const document = await json("bisect", "--run", run, "--jobs", "1")
      expect([spoil, document.first.position]).toEqual([spoil, places[5]])
    }
    expect(fs.readdirSync(outside)).toEqual(["kept"])
    expect(fs.readFileSync(path.join(outside, "kept"), "utf8")).toBe("kept\n")
    expect(fs.readFileSync(at("src/app.ts"), "utf8")).toBe("1\n")
  })

  it("gives runs copies of what snapshots leave out, and never changes the workspace's own", async () => {
    const { json, files, places, at } = await session(["a", "b", "broken"], {
      ".gitignore": "lib/\n",
      "lib/bin/tool": "#!/bin/sh\n",
    })
    fs.chmodSync(at("lib/bin/tool"), 0o755)
    fs.symlinkSync("bin/tool", at("lib/link"))
    const run = `lib/link && test "$(cat lib/bin/tool)" = "#!/bin/sh" || exit 200; echo changed > lib/bin/tool; rm lib/link; ! grep -q broken state`
    for (const copied of ["lib", "lib/"]) {
      const document = await json("bisect", "--run", run, "--copy", copied, "--fresh")
      expect(document).toMatchObject({ first: { position: places[3] }, missing: [] })
    }
    expect(fs.readFileSync(at("lib/bin/tool"), "utf8")).toBe("#!/bin/sh\n")
    expect(fs.readlinkSync(at("lib/link"))).toBe("bin/tool")
    for (const [copied, found] of [
      ["none", "none in"],
      ["../x", "leads out"],
      [".git", "Git's own"],
    ] as const) {
      const said = await files("bisect", "--run", run, "--copy", copied)
      expect(said).toMatchObject({ code: 1, stdout: "" })
      expect(said.error).toContain(found)
    }
  })

  it("says which files the runs lack, and skips states whose contents are gone", async () => {
    const { json, files, log, places } = await session(["a", "b", "broken", "d"], { ".env": "KEY=1\n" })
    const { run } = counting({ broken: "exit 1", d: "exit 1" })
    const document = await json("bisect", "--run", `test ! -e .env || exit 200; ${run}`)
    expect(document.tested[0].notRestored).toMatchObject([{ path: ".env" }])
    expect((await files("bisect", "--run", run)).stdout).toContain("It ran without .env: it holds secrets")
    const digest = createHash("sha256").update("b\n").digest("hex")
    new Database(fileOf(log)).exec(`DELETE FROM content WHERE digest = x'${digest}'`).close()
    const said = await files("bisect", "--run", run, "--fresh")
    expect(said).toMatchObject({ code: 1, stdout: "" })
    expect(said.error).toContain(`At @${places[2]} it cannot be tested: state: the store has no such content`)
  })

  it("ends a run at its time limit with all that it started, and takes it for bad", async () => {
    const pids = temporary("pids")
    const { json, files, places } = await session(["left", "hangs"])
    const leaves = `(sleep 1000 & echo $! >> ${pids})`
    const { run } = counting({ left: leaves, hangs: `${leaves}; sleep 1000` })
    const document = await json("bisect", "--run", run, "--timeout", "1")
    expect(document.first.position).toBe(places[2])
    expect(document.tested.at(-1)).toMatchObject({ verdict: "bad", timedOut: true, exitCode: null })
    const started = fs.readFileSync(pids, "utf8").trimEnd().split("\n").map(Number)
    expect(started.length).toBeGreaterThan(0)
    expect(started.filter(isAlive)).toEqual([])
    const said = await files("bisect", "--run", run, "--timeout", "1")
    expect(said.stdout).toContain("was ended by the time limit, which counts as bad")
  })

  it("keeps tokens and the user's repository out of the environment of runs", async () => {
    const { json, places } = await session(["a", "broken"])
    const before = { ...process.env }
    Object.assign(process.env, {
      HINDCAST_TOKEN: "secret",
      GIT_DIR: "/nowhere",
      GIT_OBJECT_DIRECTORY: "/nowhere",
      OTHER: "kept",
    })
    const clean = `test -z "$HINDCAST_TOKEN$GIT_DIR$GIT_OBJECT_DIRECTORY" && test "$OTHER" = kept && test "$PWD" = "$(pwd -P)"`
    const { first } = await json("bisect", "--run", `(${clean}) || exit 200; ! grep -q broken state`)
    for (const name of ["HINDCAST_TOKEN", "GIT_DIR", "GIT_OBJECT_DIRECTORY", "OTHER"]) delete process.env[name]
    Object.assign(process.env, before)
    expect(first.position).toBe(places[2])
  })

  it("warns of recorded links through which the command could write elsewhere", async () => {
    const made = await Session.project()
    opened.push(made)
    const { write, at, log, root, session } = made
    write("state", "good\n")
    fs.symlinkSync(temporary("elsewhere"), at("out"))
    fs.mkdirSync(at("src"))
    fs.symlinkSync("../state", at("src/inside"))
    const { prompt, call } = session()
    await prompt("improve it")
    await call("Bash", { command: "ln" }, () => fs.symlinkSync("../../x", at("src/outside")))
    await call("Bash", { command: "rm" }, () => fs.rmSync(at("src/outside")))
    await call("Edit", { file_path: at("state") }, () => write("state", "broken\n"))
    await made.close()
    const words = ["files", "bisect", "--run", "! grep -q broken state", "--log", log]
    const { code, stderr } = await Hindcast.start(words, { cwd: root }).ended
    expect(code).toBe(0)
    expect(stderr).toContain(
      "warning: these links point outside the runs' directories, so a command that writes through them changes files there: out, src/outside\n",
    )
  })

  it("asks for trust before it runs anything of a foreign log", async () => {
    const { files } = await session(["a", "broken"])
    const ran = temporary("ran")
    const before = process.env.HINDCAST_STATE
    process.env.HINDCAST_STATE = temporary("other-user")
    try {
      const run = ["bisect", "--run", `touch ${ran}; ! grep -q broken state`]
      const said = await files(...run)
      expect(said).toMatchObject({ code: 1, stdout: "" })
      expect(said.error).toContain("is foreign")
      expect(fs.existsSync(ran)).toBe(false)
      expect((await files(...run, "--trust-log")).code).toBe(0)
    } finally {
      if (before === undefined) delete process.env.HINDCAST_STATE
      else process.env.HINDCAST_STATE = before
    }
  })

  it("refuses an empty command, and an unknown task", async () => {
    const { files } = await session(["a", "b"])
    const empty = await files("bisect", "--run", " ")
    expect(empty).toMatchObject({ code: 1, stdout: "" })
    expect(empty.error).toContain('--run: expected a command, such as "npm test", found none')
    expect(await files("bisect", "--run", "true", "--task", "no-such-task")).toMatchObject({ code: 3, stdout: "" })
    expect(await files("bisect")).toMatchObject({ code: 1, stdout: "" })
  })

  it.each(["SIGINT", "SIGTERM"] as const)(
    "stopped by %s, it removes its directory, ends the run, and keeps results",
    async (signal) => {
      const { log, root } = await session(["waits", "b", "broken"])
      const pids = temporary("pids")
      const before = scratches()
      const { run } = counting({ start: "exit 0", waits: `echo $$ > ${pids}; sleep 1000`, broken: "exit 1" })
      const words = ["files", "bisect", "--run", run, "--log", log]
      const { child, ended } = Hindcast.start(words, { cwd: root })
      while (!(fs.existsSync(pids) && fs.readFileSync(pids, "utf8").endsWith("\n")) && child.exitCode === null)
        await new Promise(setImmediate)
      child.kill(signal)
      expect(await ended).toMatchObject({ code: 130, stdout: "" })
      expect(isAlive(Number(fs.readFileSync(pids, "utf8")))).toBe(false)
      expect(scratches()).toEqual(before)
      const events = await eventsOf(log)
      const opened = events.findLast(({ type, payload }) => type === "TaskOpened" && payload.agent === AGENT)
      const own = events.filter(({ taskId }) => taskId === opened?.taskId)
      const verdicts = own.flatMap(({ type, payload }) => (type === "CommandSucceeded" ? [payload.result] : []))
      expect(verdicts.length).toBe(2)
      for (const verdict of ["good", "bad"]) expect(verdicts).toContainEqual(expect.objectContaining({ verdict }))
      expect(own.at(-1)).toMatchObject({ type: "TaskClosed", payload: { outcome: "abandoned" } })
    },
  )
})
