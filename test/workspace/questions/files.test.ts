import * as fs from "node:fs"
import { Effect } from "effect"
import { Files, type OpenedFiles, open } from "hindcast/files"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layerReading } from "../../../src/workspace/questions/OpenFiles.ts"
import * as Session from "../../cli/files/session.ts"
import { temporary } from "../../record/recorded.ts"

let project: Session.Project
let files: OpenedFiles
/** The positions of the versions of the file that three calls change. */
let positions: ReadonlyArray<number>

beforeAll(async () => {
  project = await Session.project()
  const { write, at, session, root, log, close } = project
  write("src/old.ts", "one\n")
  write("picture.bin", Buffer.from([0, 1, 2]))
  write(".env", "TOKEN=abc\n")
  const { prompt, call } = session()
  await prompt("write more")
  await call("Read", { file_path: at("src/old.ts") })
  await call("Edit", { file_path: at("src/old.ts") }, () => write("src/old.ts", "one\ntwo\n"))
  await call("Bash", { command: "git mv" }, () => fs.renameSync(at("src/old.ts"), at("src/new.ts")))
  await call("Edit", { file_path: at("src/new.ts") }, () => write("src/new.ts", "one\ntwo\nthree"))
  await close()
  files = await open({ log })
  const { versions } = await files.history("src/new.ts", { directory: root })
  positions = versions.map(({ position }) => position)
}, 120_000)
afterAll(() => files.close())

const places = () => {
  const [start = 0, edited = 0, renamed = 0, last = 0] = positions
  return { start, edited, renamed, last }
}

/** The message of a rejection, after its tag. */
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => "answered",
    (error: { readonly _tag: string; readonly message: string }) => `${error._tag}: ${error.message}`,
  )

describe("questions about recorded files from a program", () => {
  it("list the files of a moment, and say which contents are not recorded", async () => {
    const { root, files: all } = await files.list({ at: places().start })
    expect(root).toBe(project.root)
    expect(all.map(({ path, kind, mode, size, omitted }) => [path, kind, mode, size, omitted])).toEqual([
      [".env", "file", "644", 10, "secret"],
      ["picture.bin", "file", "644", 3, undefined],
      ["src/old.ts", "file", "644", 4, undefined],
    ])
  })

  it("read a text, bytes, and a content that is unknown", async () => {
    expect((await files.read("src/new.ts", { at: places().renamed })).content).toMatchObject({
      kind: "text",
      text: "one\ntwo\n",
    })
    const { content } = await files.read("picture.bin")
    expect(content.kind === "binary" && [...content.bytes]).toEqual([0, 1, 2])
    expect((await files.read(".env")).content).toEqual({
      kind: "unknown",
      why: "secret",
      reason: "it holds secrets, or its name says so",
    })
  })

  it("compare two moments, in either order", async () => {
    const { start, last } = places()
    const { files: changed } = await files.diff(start, last)
    expect(changed).toMatchObject([
      { path: "src/new.ts", kind: "added", added: 3, removed: 0 },
      { path: "src/old.ts", kind: "removed", added: 0, removed: 1 },
    ])
    expect(changed[0]?.unified).toBe(
      "--- /dev/null\n+++ b/src/new.ts\n@@ -0,0 +1,3 @@\n+one\n+two\n+three\n\\ No newline at end of file\n",
    )
    const [only, ...others] = (await files.diff(last, start, { file: "src/old.ts", stat: true })).files
    expect([only, others]).toEqual([{ path: "src/old.ts", kind: "added", added: 1, removed: 0, aligned: true }, []])
  })

  it("give the last versions, and how to ask for those before", async () => {
    const { versions, earlier } = await files.history("src/new.ts", { limit: 2 })
    expect(versions.map(({ kind }) => kind)).toEqual(["renamed", "changed"])
    expect(earlier).toEqual({ count: 2, path: "src/old.ts", at: `@${places().edited}` })
    const before = await files.history(earlier?.path ?? "", { at: earlier?.at ?? "" })
    expect(before.versions.map(({ kind }) => kind)).toEqual(["start", "changed"])
    expect(before.earlier).toBeUndefined()
  })

  it("blame a recorded content, or one that the program has", async () => {
    const { lines, versions } = await files.blame("src/new.ts", { first: 2, last: 2, read: true })
    expect(lines).toEqual([{ line: 2, text: "two", kind: "seen", version: 0 }])
    expect(versions[0]).toMatchObject({
      position: places().edited,
      cause: "call",
      calls: [{ actuator: "claude-code/Edit", prompt: { content: "write more" } }],
      reading: { read: { actuator: "claude-code/Read" }, stale: false },
    })
    const present = await files.blame("src/new.ts", { content: "one\nmine\n" })
    expect(present.lines.map(({ kind }) => kind)).toEqual(["seen", "not-seen"])
    expect(present.lines[1]).toEqual({ line: 2, text: "mine", kind: "not-seen" })
  })

  it("lead from a line to the prompt", async () => {
    const { version, chain } = await files.why("src/new.ts", { line: 2 })
    expect(version.position).toBe(places().edited)
    expect(chain.map(({ type }) => type)).toEqual(expect.arrayContaining(["ActuatorCommanded", "InputReceived"]))
    expect((await files.why("src/new.ts")).version.position).toBe(places().last)
  })

  it("restore the files of a moment, and name those that they cannot", async () => {
    const into = temporary("restored")
    const { restored, left, at } = await files.restore(places().start, into)
    expect([at, [...restored].sort()]).toEqual([places().start, ["picture.bin", "src/old.ts"]])
    expect(left.map(({ path }) => path)).toEqual([".env"])
    expect(fs.readFileSync(`${into}/src/old.ts`, "utf8")).toBe("one\n")
    expect(await refusal(files.restore(places().start, into))).toMatch(/^DirectoryUnfit: .*a directory with files/)
    expect(await refusal(files.restore("now", `${into}/picture.bin/below`))).toMatch(/^NotWritten: /)
  })

  it("are a service for programs with Effect", async () => {
    const asked = Effect.flatMap(Files, ({ list }) => list())
    const { files: all } = await Effect.runPromise(Effect.provide(asked, layerReading(project.log)))
    expect(all.map(({ path }) => path)).toEqual([".env", "picture.bin", "src/new.ts"])
  })

  it("refuse arguments of other types, which JavaScript passes", async () => {
    const asked = files as unknown as Record<string, (...given: ReadonlyArray<unknown>) => Promise<unknown>>
    for (const call of ["read", "history", "blame", "why"])
      for (const path of [undefined, 7, "", "a\0b", { path: "src/new.ts" }])
        expect(await refusal(asked[call]?.(path) ?? Promise.resolve())).toMatch(
          new RegExp(`^InvalidOptions: .* files\\.${call} .*path: `, "s"),
        )
    for (const into of [undefined, 7, "", ["a"]])
      expect(await refusal(asked.restore?.("now", into) ?? Promise.resolve())).toMatch(
        /^InvalidOptions: .* files\.restore .*into: /s,
      )
    expect(await refusal(asked.restore?.(undefined, "x") ?? Promise.resolve())).toMatch(/^InvalidOptions: .*at: /s)
    expect(await refusal(asked.diff?.("now") ?? Promise.resolve())).toMatch(/^InvalidOptions: .* files\.diff .*b: /s)
  })

  it("say what is wrong with them", async () => {
    const wrong = { limit: 0, titel: true }
    expect(await refusal(files.history("src/new.ts", wrong))).toMatch(/^InvalidOptions: .*files\.history[\s\S]*titel/)
    expect(await refusal(files.blame("src/new.ts", { first: 4 }))).toBe(
      "LineOutOfRange: src/new.ts: expected a line from 1 to 3, found line 4.",
    )
    expect(await refusal(files.why("src/new.ts", { line: 9 }))).toMatch(/^LineOutOfRange: .*found line 9/)
    expect(await refusal(files.read("src/newer.ts"))).toMatch(/^FileNotRecorded: .*Did you mean src\/new\.ts/)
    expect(await refusal(files.read("../../etc/passwd"))).toMatch(/^FileNotRecorded: /)
    expect(await refusal(files.blame("picture.bin"))).toMatch(/^ContentNotRecorded: .*it is binary/)
    expect(await refusal(files.list({ task: "no-such" }))).toMatch(/^NoFilesRecorded: .*task no-such/)
    expect(await refusal(files.list({ at: "yesterday" }))).toMatch(/^MomentInvalid: /)
    expect(await refusal(files.diff("@1", "@99999"))).toMatch(/^PositionOutOfRange: /)
    expect(await refusal(open({ log: temporary("none.db") }))).not.toBe("answered")
    const closed = await open({ log: project.log })
    await closed.close()
    expect(await refusal(closed.list())).toMatch(/^Closed: /)
  })
})
