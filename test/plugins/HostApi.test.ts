import * as fs from "node:fs/promises"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Fiber } from "effect"
import type { Method } from "../../src/plugins/hostapi/Client.ts"
import * as HostApi from "../../src/plugins/hostapi/HostApi.ts"
import type { Grants } from "../../src/plugins/manifest/Grants.ts"
import { sha256 } from "../../src/values/Digest.ts"
import type { JsonObject } from "../../src/values/Json.ts"
import { isAlive, temporaryDirectory, writeFiles } from "./fixtures.ts"

/** A directory with a granted `open`, a granted and missing `later`, and a `closed` beside them. */
const place = Effect.gen(function* () {
  const base = yield* temporaryDirectory
  yield* writeFiles(base, { "open/note.txt": "grüezi", "closed/secret.txt": "secret" })
  const within = (name: string) => path.join(base, name)
  const client = (grants: Partial<Grants> = {}, limits: HostApi.HostApiLimits = {}): HostApi.Client => ({
    grants: {
      read: [within("open")],
      write: [within("open"), within("later")],
      net: [],
      env: [],
      run: [],
      runAny: false,
      ...grants,
    },
    workspace: within("open"),
    limits,
  })
  return {
    within,
    client,
    link: (target: string, name: string) => Effect.promise(() => fs.symlink(target, within(name))),
  }
})

const ask = (client: HostApi.Client, method: Method, params: JsonObject) =>
  Effect.flatMap(HostApi.request(method, params), ({ execute }) => execute(client))

const answerOf = (client: HostApi.Client, method: Method, params: JsonObject) =>
  Effect.map(ask(client, method, params), ({ value }) => value)

const codeOf = (client: HostApi.Client, method: Method, params: JsonObject) =>
  Effect.map(Effect.flip(ask(client, method, params)), ({ code }) => code)

describe("run", () => {
  it.scopedLive("a granted command runs in the workspace, its arguments as they are", () =>
    Effect.gen(function* () {
      const { client, within } = yield* place
      const allowed = client({ run: ["pwd", "printf"] })
      expect(yield* answerOf(allowed, "run", { command: "pwd", args: [] })).toEqual({
        code: 0,
        signal: null,
        stdout: `${within("open")}\n`,
        stderr: "",
      })
      const tricky = "$(id) `id` ; id && 'x' \"y\" *"
      expect(yield* answerOf(allowed, "run", { command: "printf", args: ["%s", tricky] })).toMatchObject({
        stdout: tricky,
      })
    }),
  )

  it.scopedLive("an exit code and a signal are answers; the log has outputs as size and digest", () =>
    Effect.gen(function* () {
      const { client } = yield* place
      const any = client({ runAny: true })
      expect(yield* ask(any, "run", { command: "sh", args: ["-c", "echo out; echo err >&2; exit 3"] })).toEqual({
        value: { code: 3, signal: null, stdout: "out\n", stderr: "err\n" },
        logged: {
          code: 3,
          signal: null,
          stdout: { bytes: 4, sha256: sha256("out\n") },
          stderr: { bytes: 4, sha256: sha256("err\n") },
        },
      })
      expect(yield* answerOf(any, "run", { command: "sh", args: ["-c", "kill -TERM $$"] })).toMatchObject({
        signal: "SIGTERM",
      })
    }),
  )

  it.scopedLive("only exactly the granted name runs", () =>
    Effect.gen(function* () {
      const { client } = yield* place
      const allowed = client({ run: ["git"] })
      for (const command of ["/usr/bin/git", "./git", "git status", "GIT", "sh", "gi"]) {
        expect(yield* codeOf(allowed, "run", { command, args: [] })).toBe("RunNotGranted")
      }
      const { message } = yield* Effect.flip(ask(allowed, "run", { command: "sh", args: [] }))
      expect(message).toContain("expected one of the commands that the plugin may run (git), found sh")
      expect(yield* codeOf(client({ runAny: true }), "run", { command: "no-such-command", args: [] })).toBe(
        "CommandUnavailable",
      )
      expect(yield* codeOf(allowed, "run", { command: "git", args: ["a\0b"] })).toBe("ParametersInvalid")
      expect(yield* codeOf(allowed, "run", { command: "git" })).toBe("ParametersInvalid")
    }),
  )

  it.scopedLive("the host's environment is not passed on", () =>
    Effect.gen(function* () {
      const { client } = yield* place
      process.env.HINDCAST_TEST_SECRET = "secret"
      const answer = yield* answerOf(client({ run: ["env"] }), "run", { command: "env", args: [] })
      delete process.env.HINDCAST_TEST_SECRET
      expect(JSON.stringify(answer)).toContain("PATH=")
      expect(JSON.stringify(answer)).not.toContain("secret")
    }),
  )

  it.scopedLive("a command that takes too long or says too much is killed and says so", () =>
    Effect.gen(function* () {
      const { client } = yield* place
      const limited = client({ runAny: true }, { runMs: 100, outputBytes: 1000 })
      expect(yield* codeOf(limited, "run", { command: "sleep", args: ["60"] })).toBe("CommandTimedOut")
      expect(yield* codeOf(limited, "run", { command: "yes", args: [] })).toBe("OutputTooLarge")
    }),
  )

  it.scopedLive("arguments longer than the system takes are refused, not a defect of the host", () =>
    Effect.gen(function* () {
      const { client } = yield* place
      const long = { command: "printf", args: ["x".repeat(4_000_000)] }
      expect(yield* codeOf(client({ run: ["printf"] }), "run", long)).toBe("CommandUnavailable")
    }),
  )

  it.scopedLive("a command that is given up leaves no pipe open here, whatever it left running holds", () =>
    Effect.gen(function* () {
      const { client, within } = yield* place
      const pipes = () => process.getActiveResourcesInfo().filter((name) => name === "PipeWrap").length
      const before = pipes()
      // A group and a session of its own: it is not killed with the command.
      const args = ["-c", "setsid sh -c 'echo $$ > pid; exec sleep 60' & wait"]
      const limited = client({ runAny: true }, { runMs: 300 })
      expect(yield* codeOf(limited, "run", { command: "sh", args })).toBe("CommandTimedOut")
      const left = Number(yield* Effect.promise(() => fs.readFile(within("open/pid"), "utf8")))
      yield* Effect.addFinalizer(() => Effect.sync(() => process.kill(left, "SIGKILL")))
      expect(isAlive(left)).toBe(true)
      yield* Effect.yieldNow()
      expect(pipes()).toBe(before)
    }),
  )

  it.scopedLive("interruption kills the command and what it started", () =>
    Effect.gen(function* () {
      const { client, within } = yield* place
      const fifo = within("open/pids")
      yield* Effect.promise(() =>
        import("node:child_process").then(({ execFileSync }) => execFileSync("mkfifo", [fifo])),
      )
      const script = `sleep 60 & echo "$$ $!" > pids; wait`
      const running = yield* Effect.fork(ask(client({ runAny: true }), "run", { command: "sh", args: ["-c", script] }))
      const pids = (yield* Effect.promise(() => fs.readFile(fifo, "utf8"))).trim().split(" ").map(Number)
      expect(pids.map(isAlive)).toEqual([true, true])
      yield* Fiber.interrupt(running)
      yield* Effect.eventually(Effect.suspend(() => (pids.some(isAlive) ? Effect.fail("alive") : Effect.void)))
    }),
  )
})

describe("readFile", () => {
  it.scopedLive("a file in a grant is read, by a path from the workspace or the root", () =>
    Effect.gen(function* () {
      const { client, within } = yield* place
      expect(yield* ask(client(), "readFile", { path: "note.txt" })).toEqual({
        value: "grüezi",
        logged: { bytes: 7, sha256: sha256("grüezi") },
      })
      expect(yield* answerOf(client(), "readFile", { path: within("open/../open/note.txt") })).toBe("grüezi")
    }),
  )

  it.scopedLive("a link that takes a directory's place while a file is looked up leads nowhere", () =>
    Effect.gen(function* () {
      const { client, within } = yield* place
      yield* writeFiles(within("open"), { "moving/secret.txt": "mine" })
      yield* Effect.promise(() => fs.symlink(within("closed"), within("open/link")))
      const [moving, aside, link] = [within("open/moving"), within("open/aside"), within("open/link")]
      let goesOn = true
      const swap = async () => {
        while (goesOn) {
          await fs.rename(moving, aside)
          await fs.rename(link, moving)
          await fs.rename(moving, link)
          await fs.rename(aside, moving)
        }
      }
      const swapping = yield* Effect.fork(Effect.promise(swap))
      const reading = Effect.either(answerOf(client(), "readFile", { path: "moving/secret.txt" }))
      const found = yield* Effect.replicateEffect(reading, 1_000)
      goesOn = false
      yield* Fiber.join(swapping)
      const read = new Set(found.map((either) => (Either.isRight(either) ? either.right : either.left.code)))
      expect(read).not.toContain("secret")
      expect(yield* answerOf(client(), "readFile", { path: "moving/secret.txt" })).toBe("mine")
    }),
  )

  it.scopedLive("a path or a link that leads out of the grants is refused", () =>
    Effect.gen(function* () {
      const { client, within, link } = yield* place
      yield* link(within("closed/secret.txt"), "open/file-link")
      yield* link(within("closed"), "open/directory-link")
      for (const path of [
        "../closed/secret.txt",
        "/etc/passwd",
        "file-link",
        "directory-link/secret.txt",
        "directory-link/gone",
        "x/../../closed/secret.txt",
        `${within("open")}//..//closed/secret.txt`,
        `${within("open")},${within("closed")}/secret.txt`,
        within("OPEN/note.txt"),
        within("open\u0000").replace("\u0000", "\u200b/note.txt"),
      ]) {
        expect(yield* codeOf(client(), "readFile", { path })).toBe("ReadNotGranted")
      }
      // They only look like a grant's name, like dots and like a slash: other bytes are another name.
      for (const path of [
        "..\u2215closed\u2215secret.txt",
        "\uff0e\uff0e/closed/secret.txt",
        "NOTE.TXT",
        "note.txt\u00a0",
      ]) {
        expect(yield* codeOf(client(), "readFile", { path })).toBe("FileNotFound")
      }
      const { message } = yield* Effect.flip(ask(client(), "readFile", { path: "file-link" }))
      expect(message).toContain(within("closed/secret.txt"))
      expect(message).toContain("manifest's permissions.read")
      expect(yield* codeOf(client({ read: [] }), "readFile", { path: "note.txt" })).toBe("ReadNotGranted")
    }),
  )

  it.scopedLive('a file in a workspace that "." does not mean is refused with what it means, and what to do', () =>
    Effect.gen(function* () {
      const { client, within } = yield* place
      const messageIn = (bound: string, path: string) =>
        Effect.map(
          Effect.flip(ask({ ...client({ read: [within("closed")] }), bound }, "readFile", { path })),
          ({ message }) => message,
        )
      const [open, closed] = [within("open"), within("closed")]
      expect(yield* messageIn(closed, "note.txt")).toBe(
        `note.txt is ${open}/note.txt: expected a path in what the plugin may read, found it outside of ${closed}. ` +
          `"." in the manifest's permissions.read is ${closed}, the workspace that the plugin was imported in, ` +
          `and the workspace is ${open} now. ` +
          `Name that one with --workspace ${closed}, or import the plugin again with --workspace ${open}.`,
      )
      expect(yield* messageIn(closed, "/etc/passwd")).toContain("Add its directory to the manifest's permissions.read")
      expect(yield* messageIn(open, "note.txt")).toContain("Add its directory to the manifest's permissions.read")
    }),
  )

  it.scopedLive("what is not there, no file, too large or no text says so", () =>
    Effect.gen(function* () {
      const { client, within } = yield* place
      yield* Effect.promise(() => fs.writeFile(within("open/bytes"), new Uint8Array([0xff, 0xfe])))
      expect(yield* codeOf(client(), "readFile", { path: "gone.txt" })).toBe("FileNotFound")
      expect(yield* codeOf(client(), "readFile", { path: "." })).toBe("FileUnavailable")
      expect(yield* codeOf(client({}, { fileBytes: 3 }), "readFile", { path: "note.txt" })).toBe("FileTooLarge")
      expect(yield* codeOf(client(), "readFile", { path: "bytes" })).toBe("FileNotText")
      expect(yield* codeOf(client(), "readFile", { path: "a\0b" })).toBe("FileUnavailable")
      expect(yield* codeOf(client(), "readFile", { path: "" })).toBe("ParametersInvalid")
    }),
  )
})

describe("what is forbidden", () => {
  it.scopedLive("is neither read nor written, by whatever path; the plugin's own directory in it is read", () =>
    Effect.gen(function* () {
      const { client, within, link } = yield* place
      yield* writeFiles(within("open"), { "log.db": "log", "side/own/a.txt": "own", "side/other/a.txt": "other" })
      yield* link(within("open/log.db"), "open/log-link")
      yield* link(within("open/log.db-wal"), "open/wal-link")
      const confined: HostApi.Client = {
        ...client(),
        forbidden: ["log.db", "log.db-wal", "side"].map((name) => within(`open/${name}`)),
        directory: within("open/side/own"),
      }
      for (const path of ["log.db", "./x/../log.db", "log.db-wal", "log-link", "wal-link", "side/other/a.txt"]) {
        expect(yield* codeOf(confined, "readFile", { path })).toBe("ReadForbidden")
        expect(yield* codeOf(confined, "writeFile", { path, content: "gone" })).toBe("WriteForbidden")
      }
      for (const path of ["side/own/a.txt", "side/new.txt", "side/new/deep.txt"]) {
        expect(yield* codeOf(confined, "writeFile", { path, content: "" })).toBe("WriteForbidden")
      }
      expect(yield* answerOf(confined, "readFile", { path: "side/own/a.txt" })).toBe("own")
      expect(yield* answerOf(confined, "readFile", { path: "note.txt" })).toBe("grüezi")
      const entries = yield* Effect.promise(() => fs.readdir(within("open")))
      expect(entries.sort()).toEqual(["log-link", "log.db", "note.txt", "side", "wal-link"])
    }),
  )
})

describe("a pipe", () => {
  it.scopedLive("is refused at once, so that it keeps no other file waiting", () =>
    Effect.gen(function* () {
      const { client, within } = yield* place
      const { execFileSync } = yield* Effect.promise(() => import("node:child_process"))
      execFileSync("mkfifo", [within("open/pipe")])
      // More than there are threads for files.
      const reads = Effect.replicateEffect(codeOf(client(), "readFile", { path: "pipe" }), 8)
      const concurrent = yield* Effect.all([reads, answerOf(client(), "readFile", { path: "note.txt" })], {
        concurrency: "unbounded",
      })
      expect(concurrent).toEqual([Array(8).fill("FileUnavailable"), "grüezi"])
      expect(yield* codeOf(client(), "writeFile", { path: "pipe", content: "x" })).toBe("FileUnavailable")
    }),
  )
})

describe("writeFile", () => {
  it.scopedLive("a file is replaced or made, with its directories, and is logged as size and digest", () =>
    Effect.gen(function* () {
      const { client, within } = yield* place
      const request = yield* HostApi.request("writeFile", { path: "note.txt", content: "ab" })
      expect(request.logged).toEqual({ path: "note.txt", bytes: 2, sha256: sha256("ab") })
      yield* request.execute(client())
      yield* ask(client(), "writeFile", { path: within("later/deep/er/new.txt"), content: "new" })
      const read = (name: string) => Effect.promise(() => fs.readFile(within(name), "utf8"))
      expect([yield* read("open/note.txt"), yield* read("later/deep/er/new.txt")]).toEqual(["ab", "new"])
    }),
  )

  it.scopedLive("a path or a link that leads out of the grants is refused and changes nothing", () =>
    Effect.gen(function* () {
      const { client, within, link } = yield* place
      yield* link(within("closed/secret.txt"), "open/file-link")
      yield* link(within("closed"), "open/directory-link")
      yield* link(within("closed/made-by-link.txt"), "open/dangling-link")
      for (const path of [
        "../closed/x",
        "/tmp/x",
        "file-link",
        "directory-link/x",
        "directory-link/a/b/x",
        "dangling-link",
      ]) {
        expect(yield* codeOf(client(), "writeFile", { path, content: "bad" })).toBe("WriteNotGranted")
      }
      expect(yield* Effect.promise(() => fs.readdir(within("closed")))).toEqual(["secret.txt"])
      expect(yield* Effect.promise(() => fs.readFile(within("closed/secret.txt"), "utf8"))).toBe("secret")
      expect(yield* codeOf(client(), "writeFile", { path: ".", content: "" })).toBe("FileUnavailable")
      expect(yield* codeOf(client({}, { fileBytes: 1 }), "writeFile", { path: "x", content: "ab" })).toBe(
        "FileTooLarge",
      )
    }),
  )
})
