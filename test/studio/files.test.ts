import * as fs from "node:fs"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type FileChanges, type FilesThen, type FileThen, MAX_CHANGES, MAX_LINE } from "../../src/studio/wire/Files.ts"
import * as Session from "../cli/files/session.ts"
import { eventsOf } from "../record/recorded.ts"
import { page, query, served } from "./given.ts"

const recorded = async () => {
  const project = await Session.project()
  const { write, at, session } = project
  write("src/app.ts", "const here = 1\n")
  write("lib/app.ts", "const elsewhere = 1\n")
  const { prompt, call, end } = session()
  await prompt("change both")
  await call("Edit", { file_path: at("src/app.ts") }, () => {
    write("src/app.ts", "const here = 2\n")
    write("lib/app.ts", "const elsewhere = 2\n")
  })
  await end()
  await project.close()
  const events = await eventsOf(project.log)
  const task = String(events.find(({ type }) => type === "TaskOpened")?.taskId)
  return { ...project, place: { timeline: "main", task, position: events.at(-1)?.position ?? 0 } }
}

describe("the files of a task", () => {
  it("are those of the log, whatever is on the disk by now", async () => {
    const { log, at, root, place } = await recorded()
    fs.rmSync(at("src"), { recursive: true })
    fs.symlinkSync("lib", at("src"))
    await Effect.gen(function* () {
      const { get, refused } = yield* page
      const linesOf = (path: string) =>
        Effect.map(get<FileThen>(`/api/file?${query({ ...place, path })}`), ({ path, lines }) => [
          path,
          ...lines.map(({ text }) => text),
        ])
      expect(yield* linesOf("src/app.ts")).toEqual(["src/app.ts", "const here = 2"])
      expect(yield* linesOf("lib/app.ts")).toEqual(["lib/app.ts", "const elsewhere = 2"])
      // Only the log's own paths: none that leads to a file of the disk, or around in the tree.
      for (const path of [
        "../../etc/passwd",
        "/etc/passwd",
        `${root}/src/app.ts`,
        "src/../lib/app.ts",
        "./lib/app.ts",
        "__proto__",
      ])
        expect(yield* refused(`/api/file?${query({ ...place, path })}`)).toMatchObject({ status: 404 })
      const { files } = yield* get<FilesThen>(`/api/files?${query(place)}`)
      expect(files.map(({ path }) => path)).toEqual(["lib/app.ts", "src/app.ts"])
      const changes = yield* get<FileChanges>(`/api/file-changes?${query({ ...place, span: "task" })}`)
      expect(changes.files).toHaveLength(2)
    }).pipe(Effect.provide(served(log)), Effect.scoped, Effect.runPromise)
  })

  it("changed by thousands, and lines without end, fit an answer that says what is left", async () => {
    const { log, write, session, close } = await Session.project()
    write("a.min.js", "const a = 1\n")
    const { prompt, call, end } = session()
    await prompt("generate")
    await call("Bash", { command: "generate" }, () => {
      write("a.min.js", `const a = "${"x".repeat(300_000)}"\n`)
      for (let index = 0; index < MAX_CHANGES + 100; index++) write(`made/${index}.txt`, `${index}\n`)
    })
    await end()
    await close()
    const events = await eventsOf(log)
    const task = String(events.find(({ type }) => type === "TaskOpened")?.taskId)
    const place = { timeline: "main", task, position: events.at(-1)?.position ?? 0, span: "task" }
    await Effect.gen(function* () {
      const { get } = yield* page
      const { files, total } = yield* get<FileChanges>(`/api/file-changes?${query(place)}`)
      expect([files.length, total]).toEqual([MAX_CHANGES, MAX_CHANGES + 101])
      const [first] = files
      if (first === undefined || "reason" in first) throw new Error("not compared")
      const added = first.hunks?.[0]?.lines.find((line) => line.startsWith("+")) ?? ""
      expect(first.path).toBe("a.min.js")
      expect(added).toMatch(/^\+const a = "x+ … 298013 characters more$/)
      expect(added.length).toBeLessThan(MAX_LINE + 40)
    }).pipe(Effect.provide(served(log)), Effect.scoped, Effect.runPromise)
  })
})
