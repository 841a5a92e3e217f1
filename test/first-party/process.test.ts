import { execFileSync } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { CoreNewEvent } from "../../src/events/log/EventLog.ts"
import * as Grants from "../../src/plugins/manifest/Grants.ts"
import * as Manifest from "../../src/plugins/manifest/Manifest.ts"
import { layer, PluginHost } from "../../src/plugins/process/PluginHost.ts"
import { sha256 } from "../../src/values/Digest.ts"
import { temporaryDirectory } from "../temporary.ts"
import { textRoom, theLostKeyOptions } from "./text-room/playing.ts"

const workspacePlugin = path.join(textRoom, "../workspace")

/** A first-party plugin, running in Deno with a workspace of its own. */
const started = (plugin: string, withoutCommands: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const base = yield* temporaryDirectory
    const workspace = path.join(base, "workspace")
    yield* Effect.promise(() => fs.mkdir(workspace))
    const { manifest, directory } = yield* Manifest.load(plugin)
    const granted = yield* Grants.resolve(manifest, { directory, workspace })
    const grants = { ...granted, run: granted.run.filter((command) => !withoutCommands.includes(command)) }
    const events: Array<CoreNewEvent> = []
    const process = yield* (yield* PluginHost).start({
      manifest,
      directory,
      grants,
      workspace,
      seed: 1,
      instance: Manifest.instanceOf(manifest),
      denoDir: path.join(base, "deno"),
      metadata: { plugin: {}, components: {} },
      record: (event) => Effect.sync(() => events.push(event)),
    })
    return { process, workspace, events }
  })

const provide = Effect.provide(layer)

describe("the text room in its sandbox", () => {
  it.scopedLive("is solved command by command, and shows it in readings and state", () =>
    Effect.gen(function* () {
      const { process } = yield* started(textRoom)
      expect(yield* process.reset(theLostKeyOptions)).toMatchObject({ room: "study", steps: 0, won: false })

      const refused = yield* Effect.flip(process.act("open", { target: "desk" }))
      expect(refused).toMatchObject({
        _tag: "CallFailed",
        error: { code: "locked" },
        state: { steps: 1, refusals: 1, repeatedRefusals: 0 },
      })

      yield* process.act("go", { direction: "north" })
      expect(yield* process.act("examine", { target: "clock" })).toMatchObject({
        result: { found: ["brass_key"] },
        state: { discovered: ["brass_key"] },
      })
      yield* process.act("take", { item: "Brass Key" })
      expect(yield* process.read("inventory")).toMatchObject({ items: [{ name: "brass_key" }, { name: "candle" }] })
      yield* process.act("go", { direction: "south" })
      yield* process.act("use", { item: "brass_key", on: "desk" })
      yield* process.act("open", { target: "desk" })
      const last = yield* process.act("take", { item: "document" })
      expect(last).toMatchObject({ result: { won: true }, state: { won: true, steps: 8 } })
      expect(yield* process.read("room")).toMatchObject({ room: "study", exits: ["north"], won: true })
    }).pipe(provide),
  )

  it.scopedLive("counts a command that is refused again for the same reason", () =>
    Effect.gen(function* () {
      const { process } = yield* started(textRoom)
      yield* process.reset(theLostKeyOptions)
      yield* Effect.flip(process.act("open", { target: "desk" }))
      const again = yield* Effect.flip(process.act("open", { target: "the desk" }))
      expect(again).toMatchObject({ state: { repeatedRefusals: 1 } })
    }).pipe(provide),
  )

  it.scopedLive(
    "refuses a scenario that names a room which is not there, and one without a field, in one message",
    () =>
      Effect.gen(function* () {
        const { process } = yield* started(textRoom)
        const { scenario_name: _, ...nameless } = theLostKeyOptions
        const scenario = {
          ...nameless,
          initial_state: { rooms: { study: { description: "A study.", exits: { up: "attic" } } } },
        }
        const refused = yield* Effect.flip(process.reset(scenario))
        expect(refused).toMatchObject({ _tag: "CallFailed", error: { code: "bad-scenario" } })
        expect(refused.message).toContain(
          'initial_state.rooms.study.exits.up: expected the name of a room (study), found "attic"',
        )
        expect(refused.message).toContain("scenario_name: expected text, found nothing")
      }).pipe(provide),
  )

  it.scopedLive("has nothing to see before it was reset", () =>
    Effect.gen(function* () {
      const { process } = yield* started(textRoom)
      expect(yield* Effect.flip(process.read("room"))).toMatchObject({ error: { code: "no-scenario" } })
    }).pipe(provide),
  )
})

describe("the workspace in its sandbox", () => {
  it.scopedLive("lists the files that are there, and what changed since it last looked", () =>
    Effect.gen(function* () {
      const { process, workspace } = yield* started(workspacePlugin)
      yield* Effect.promise(async () => {
        await fs.mkdir(path.join(workspace, "docs"))
        await fs.writeFile(path.join(workspace, "docs/read.me"), "hello")
        await fs.writeFile(path.join(workspace, "old.txt"), "old")
        await fs.symlink("/etc/passwd", path.join(workspace, "link"))
      })
      const first = yield* process.read("files")
      expect(first).toEqual({
        files: [
          { path: "docs/read.me", size: 5, digest: sha256("hello") },
          { path: "old.txt", size: 3, digest: sha256("old") },
        ],
        unreadable: [],
        truncated: false,
        changedSince: null,
        changed: { added: [], modified: [], removed: [] },
      })
      yield* Effect.promise(async () => {
        await fs.writeFile(path.join(workspace, "docs/read.me"), "HELLO")
        await fs.rm(path.join(workspace, "old.txt"))
        await fs.writeFile(path.join(workspace, "new.txt"), "")
      })
      const second = yield* process.read("files")
      expect(second).toMatchObject({
        changedSince: expect.any(Number),
        changed: { added: ["new.txt"], modified: ["docs/read.me"], removed: ["old.txt"] },
      })
    }).pipe(provide),
  )

  it.scopedLive("says that there is no repository, and why", () =>
    Effect.gen(function* () {
      const { process } = yield* started(workspacePlugin)
      expect(yield* process.read("git")).toEqual({
        repository: false,
        reason: expect.stringContaining("not a git repository"),
      })
    }).pipe(provide),
  )

  it.scopedLive("says why where git is not granted", () =>
    Effect.gen(function* () {
      const { process } = yield* started(workspacePlugin, ["git"])
      expect(yield* process.read("git")).toEqual({
        repository: false,
        reason: expect.stringMatching(/may run \(ls, cat, node, npm\), found git/),
      })
    }).pipe(provide),
  )

  it.scopedLive("reads a repository's branch, head and changes", () =>
    Effect.gen(function* () {
      const { process, workspace } = yield* started(workspacePlugin)
      const git = (...args: ReadonlyArray<string>) =>
        execFileSync("git", args, { cwd: workspace, encoding: "utf8" }).trim()
      const author = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
      git("init", "--quiet", "--initial-branch=trunk")
      expect(yield* process.read("git")).toMatchObject({ repository: true, branch: "trunk", head: null, entries: [] })

      yield* Effect.promise(() => fs.writeFile(path.join(workspace, "kept file.txt"), "1"))
      git("add", ".")
      git(...author, "commit", "--quiet", "--message=first")
      yield* Effect.promise(async () => {
        await fs.writeFile(path.join(workspace, "kept file.txt"), "22")
        await fs.writeFile(path.join(workspace, "stray"), "")
      })
      expect(yield* process.read("git")).toEqual({
        repository: true,
        branch: "trunk",
        head: git("rev-parse", "HEAD"),
        upstream: null,
        ahead: null,
        behind: null,
        entries: [
          { path: "kept file.txt", status: ".M" },
          { path: "stray", status: "??" },
        ],
        truncated: false,
      })
    }).pipe(provide),
  )

  it.scopedLive("writes a file through the host, in directories it makes, and answers with its digest", () =>
    Effect.gen(function* () {
      const { process, workspace, events } = yield* started(workspacePlugin)
      const { result } = yield* process.act("write_file", { path: "notes/été.txt", content: "été" })
      expect(result).toEqual({ path: "notes/été.txt", bytes: 5, digest: sha256("été") })
      expect(yield* Effect.promise(() => fs.readFile(path.join(workspace, "notes/été.txt"), "utf8"))).toBe("été")
      expect(events.map(({ type }) => type)).toEqual(["PluginStarted", "BrokerRequested", "BrokerAnswered"])
    }).pipe(provide),
  )

  it.scopedLive("writes neither outside of the workspace nor into .git", () =>
    Effect.gen(function* () {
      const { process } = yield* started(workspacePlugin)
      const outside = yield* Effect.flip(process.act("write_file", { path: "../escaped", content: "x" }))
      expect(outside).toMatchObject({ error: { code: "WriteNotGranted" } })
      const hook = yield* Effect.flip(process.act("write_file", { path: ".git/hooks/pre-commit", content: "x" }))
      expect(hook).toMatchObject({ error: { code: "protected" } })
      const senseless = yield* Effect.flip(process.act("write_file", { path: 7 }))
      expect(senseless).toMatchObject({ error: { code: "ArgumentsInvalid" } })
    }).pipe(provide),
  )

  it.scopedLive("runs an allowed command without a shell, and takes an exit code for an answer", () =>
    Effect.gen(function* () {
      const { process } = yield* started(workspacePlugin)
      yield* process.act("write_file", { path: "a b.txt", content: "hello" })
      const { result } = yield* process.act("run", { command: "cat", args: ["a b.txt"] })
      expect(result).toEqual({ code: 0, signal: null, stdout: "hello", stderr: "" })
      const missing = yield* process.act("run", { command: "cat", args: ["$(ls)"] })
      expect(missing.result).toMatchObject({ code: 1, stderr: expect.stringContaining("$(ls)") })
    }).pipe(provide),
  )

  it.scopedLive("runs nothing else", () =>
    Effect.gen(function* () {
      const { process } = yield* started(workspacePlugin)
      const refused = yield* Effect.flip(process.act("run", { command: "sh", args: ["-c", "true"] }))
      expect(refused).toMatchObject({ _tag: "CallFailed", error: { code: "RunNotGranted" } })
      const senseless = yield* Effect.flip(process.act("run", { command: "ls", args: [1] }))
      expect(senseless).toMatchObject({ error: { code: "ArgumentsInvalid" } })
    }).pipe(provide),
  )
})
