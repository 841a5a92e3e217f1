import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Either } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { backup, restore } from "../../src/events/sqlite/wholeFile.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { is } from "../../src/events/vocabulary/Vocabulary.ts"
import * as ClaudeCode from "../../src/hooks/clients/ClaudeCode.ts"
import * as Sessions from "../../src/hooks/Sessions.ts"
import * as RuleCritic from "../../src/kernel/critics/rules/RuleCritic.ts"
import * as Rubric from "../../src/kernel/rules/Rubric.ts"
import * as TaskAudit from "../../src/projections/audit/AuditDocument.ts"
import type { Json } from "../../src/values/Json.ts"
import * as Document from "../../src/workspace/model/Document.ts"
import { ContentStore, digestOf } from "../../src/workspace/store/ContentStore.ts"
import { fileOf } from "../../src/workspace/store/StoreFile.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { inRepository } from "../repository.ts"

const opened: Array<Sessions.Sessions> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

const given = async (more: Partial<Sessions.SessionsOptions> = {}) => {
  const root = temporary("project")
  fs.mkdirSync(root)
  const log = temporary("files.db")
  const open = async () => {
    const sessions = await Sessions.open({ log, gate: async () => undefined, ...more })
    opened.push(sessions)
    return sessions
  }
  const write = (file: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    fs.writeFileSync(path.join(root, file), text)
  }
  return { root, log, open, write, sessions: await open() }
}

const taking = (sessions: Sessions.Sessions, cwd: string, session_id = "s-1") => {
  const take = (hook_event_name: string, more: object) => {
    const payload: Json = { session_id, cwd, hook_event_name, ...more }
    const hookEvent = ClaudeCode.client.read(payload)
    if (hookEvent === undefined) throw new Error("not read")
    return sessions.take(ClaudeCode.client, hookEvent)
  }
  return {
    prompt: (prompt: string) => take("UserPromptSubmit", { prompt }),
    asks: (tool_use_id: string, tool_name = "Bash", tool_input: object = { command: tool_use_id }) =>
      take("PreToolUse", { tool_use_id, tool_name, tool_input }),
    ends: (tool_use_id: string, tool_name = "Bash", tool_input: object = { command: tool_use_id }) =>
      take("PostToolUse", { tool_use_id, tool_name, tool_input, tool_response: "done" }),
    end: () => take("SessionEnd", { reason: "exit" }),
  }
}

/** Each change: kind, path, lines, and its cause: the call's id, several, or why there is none. */
const told = (events: ReadonlyArray<Event>) =>
  events.flatMap((event) => {
    if (!is(event, "EnvironmentChanged")) return []
    const { patch, commands, unattributed, inferred } = event.payload
    const cause = events.find(({ id }) => id === event.causationId)
    const idOf = (text: unknown) => String(text).replace(/^.*\//, "")
    const by = unattributed ?? (commands?.map(idOf).join("+") || idOf(cause?.payload.commandId))
    return Document.read(patch).map(({ path, state: { kind, lines, from } }) => {
      const counted = lines && `+${lines.added}-${lines.removed}`
      return [kind, from, path, counted, "by", by, inferred?.cause].filter((word) => word !== undefined).join(" ")
    })
  })

/** The contents after each change. */
const stored = async (log: string) => {
  const store = ContentStore.openReadOnly(fileOf(log))
  const found = (await eventsOf(log)).flatMap((event) =>
    is(event, "EnvironmentChanged")
      ? Document.read(event.payload.patch).map(({ path, state }) => ({
          path,
          content: Buffer.from(store?.get(state.entry?.digest ?? "") ?? "?").toString(),
        }))
      : [],
  )
  store?.close()
  return found
}

describe("the files of a hooked session", () => {
  it("change by the call that was in progress, whatever its tool, and by nobody between calls", async () => {
    const { root, log, write, sessions } = await given()
    write("a.txt", "1\n2\n3\n")
    write("old.txt", "moved\n")
    const { prompt, asks, ends, end } = taking(sessions, root)
    await prompt("do it")
    write("by-hand.txt", "a person\n")
    await asks("c1")
    write("a.txt", "1\ntwo\n3\n4\n")
    fs.renameSync(path.join(root, "old.txt"), path.join(root, "new.txt"))
    await ends("c1")
    write("a.txt", "a person\n")
    await asks("read", "Read", { file_path: "a.txt" })
    await ends("read", "Read", { file_path: "a.txt" })
    await asks("c2")
    fs.rmSync(path.join(root, "a.txt"))
    await ends("c2")
    await asks("c3")
    await ends("c3")
    await end()
    await sessions.close()
    expect(told(await eventsOf(log))).toEqual([
      "added by-hand.txt +1-0 by no-call",
      "changed a.txt +2-1 by c1 between-snapshots",
      "removed old.txt by c1 between-snapshots",
      "renamed old.txt new.txt by c1 between-snapshots",
      "changed a.txt +1-4 by no-call",
      "removed a.txt +0-1 by c2 between-snapshots",
    ])
  })

  it("are facts for rules: files touched, lines, what others changed, and an edit that changed nothing", async () => {
    const { root, log, write, sessions } = await given()
    write("a.ts", "1\n")
    write("b.ts", "as before\n")
    const { prompt, asks, ends, end } = taking(sessions, root)
    const edits = async (id: string, file: string, text?: string) => {
      const edit = { file_path: path.join(root, file) }
      await asks(id, "Edit", edit)
      if (text !== undefined) write(file, text)
      await ends(id, "Edit", edit)
    }
    await prompt("do it")
    await edits("c1", "a.ts", "1\n2\n")
    await edits("c2", "a.ts")
    write("by-hand.ts", "x\n")
    await edits("c3", "a.ts", "3\n")
    await edits("c4", "a.ts", "1\n2\n")
    await edits("c5", "unknown.ts")
    await edits("c6", "b.ts", "other\n")
    await edits("c7", "b.ts", "as before\n")
    await prompt("more")
    await end()
    await sessions.close()
    const events = (await eventsOf(log)).filter(({ taskId }) => taskId === "claude-code-s-1")
    const files = { touched: 2, linesAdded: 6, linesRemoved: 5, linesKept: 3, undone: 2, outside: 1, unattributed: 0 }
    const audit = Either.getOrThrow(TaskAudit.fold("claude-code-s-1", events))
    expect(audit.files).toEqual({ ...files, emptyEdits: 1, unclearEdits: 1 })
    const rewards = [
      { name: "empty", when: "w", weight: 1, rule: "task.files.emptyEdits > 0" },
      { name: "undone", when: "w", weight: 1, rule: "task.files.undone > 2" },
    ]
    const rubric = { name: "r", measures: [{ name: "m", description: "d", rewards }] }
    const judged = (of: typeof events) =>
      RuleCritic.judge(rubric, "claude-code-s-1", of).map(({ name, kind }) => `${kind} ${name}`)
    expect(judged(events)).toEqual(["reward empty"])
    const coding = await Effect.runPromise(Rubric.load(inRepository("examples/rubrics/coding.yaml")))
    const verdicts = RuleCritic.judge(coding, "claude-code-s-1", events)
    expect(verdicts).toContainEqual(expect.objectContaining({ name: "edit without effect", kind: "punishment" }))
    // Unknown is not false.
    expect(judged(events.filter(({ type }) => type !== "EnvironmentReset"))).toEqual([
      "unscored empty",
      "unscored undone",
    ])
  })

  it("changed meanwhile by one of several calls, also of another session, are its own only if it alone names them", async () => {
    const { root, log, write, sessions } = await given()
    const [one, other] = [taking(sessions, root), taking(sessions, root, "s-2")]
    await one.prompt("go")
    await other.prompt("go")
    const edit = { file_path: path.join(root, "named.ts") }
    await one.asks("c1", "Edit", edit)
    await one.asks("c2")
    write("named.ts", "x\n")
    write("other.ts", "x\n")
    await one.ends("c1", "Edit", edit)
    await one.ends("c2")
    await other.asks("d1")
    write("other.ts", "y\n")
    await other.ends("d1")
    await one.prompt("more")
    await sessions.close()
    const events = await eventsOf(log)
    const of = (session: string) => told(events.filter(({ taskId }) => taskId === `claude-code-${session}`))
    expect(of("s-1")).toEqual([
      "added named.ts +1-0 by c1 named-file",
      "added other.ts +1-0 by c1+c2",
      "changed other.ts +1-1 by d1",
    ])
    expect(of("s-2")).toEqual([
      "added named.ts +1-0 by c1+c2",
      "added other.ts +1-0 by c1+c2",
      "changed other.ts +1-1 by d1 between-snapshots",
    ])
  })

  it("continue ends the server was killed; what changed meanwhile, nobody watched", async () => {
    const { root, log, write, open, sessions } = await given()
    write("a", "1\n")
    const first = taking(sessions, root)
    await first.prompt("go")
    await first.asks("c1")
    write("a", "2\n")
    await sessions.close()
    const { asks, ends } = taking(await open(), root)
    await asks("c2")
    write("a", "3\n")
    await ends("c2")
    expect(told(await eventsOf(log))).toEqual([
      "changed a +1-1 by not-watched",
      "changed a +1-1 by c2 between-snapshots",
    ])
    expect((await stored(log)).map(({ content }) => content)).toEqual(["2\n", "3\n"])
  })

  it("that cannot be recorded are said once, and the session goes on", async () => {
    const { root, log, sessions } = await given()
    const [gone, home] = [taking(sessions, path.join(root, "gone"), "s-1"), taking(sessions, "/", "s-2")]
    for (const { asks, ends } of [gone, home]) {
      for (const id of ["c1", "c2"]) {
        expect(await asks(id)).toEqual({ decision: "allow" })
        await ends(id)
      }
    }
    const notes = (await eventsOf(log)).flatMap((event) => (is(event, "CaptureNoted") ? event.payload.unseen : []))
    expect(notes.map(({ what }) => what)).toEqual(
      Array.from({ length: 2 }, () => "the files of the session's directory"),
    )
    expect(notes[0]?.target).toContain("ENOENT")
    expect(notes[1]?.target).toBe("/ is a whole file system")
  })

  it("are not recorded where the user does not want it", async () => {
    const { root, log, write, sessions } = await given({ recordsFiles: async () => false })
    const { asks, ends } = taking(sessions, root)
    await asks("c1")
    write("a", "1\n")
    await ends("c1")
    await sessions.close()
    const events = await eventsOf(log)
    expect(events.filter(({ type }) => type.startsWith("Environment"))).toEqual([])
    expect(fs.existsSync(fileOf(log))).toBe(false)
  })

  it("are left where the store fails in mid-session: the task says so, and its calls go on", async () => {
    const { root, log, sessions } = await given()
    const { prompt, asks, ends } = taking(sessions, root)
    await prompt("go")
    await asks("c1")
    fs.rmSync(root, { recursive: true })
    await ends("c1")
    expect(await asks("c2")).toEqual({ decision: "allow" })
    await ends("c2")
    const events = await eventsOf(log)
    const notes = events.filter(
      ({ type, payload }) => type === "CaptureNoted" && JSON.stringify(payload).includes("from here on"),
    )
    expect(notes.length).toBe(1)
    expect(events.filter(({ type }) => type === "CommandSucceeded").length).toBe(2)
  })
})

describe("a backup of a log with recorded files", () => {
  it("has their contents, and a restore in place of a log with others does not mix them", async () => {
    const { root, log, write, sessions } = await given()
    write("a", "before\n")
    const { prompt, asks, ends } = taking(sessions, root)
    await prompt("go")
    await asks("c1")
    write("a", "after\n")
    await ends("c1")
    const copy = temporary("copy.db")
    // The session goes on meanwhile: its store is in use.
    expect(await Effect.runPromise(backup({ from: log, to: copy }))).toMatchObject({ files: true })
    await asks("c2")
    write("a", "later\n")
    await ends("c2")
    await sessions.close()
    await Effect.runPromise(restore({ from: copy, to: log, replace: true }))
    const digests = await stored(log)
    expect(digests.map(({ content }) => content)).toEqual(["after\n"])
    const store = ContentStore.open(fileOf(log))
    expect(store.has(digestOf(Buffer.from("later\n")))).toBe(false)
    expect(store.has(digestOf(Buffer.from("before\n")))).toBe(true)
    store.close()
  })
})
