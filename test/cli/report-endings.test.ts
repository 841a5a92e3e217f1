import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import type { TaskList, WhyFailed } from "../../src/studio/wire/Task.ts"
import { markup } from "../../src/values/Markup.ts"
import { demoLog } from "../demoLog.ts"
import { append, EVIL, opening } from "../studio/browser/writing.ts"
import { page, query, served } from "../studio/given.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const reportOf = async (log: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const { code, stdout, stderr } = await hindcast(["export", "html", "--log", log, "--output", "-", ...args])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return stdout
}

const escaped = (text: string): string => markup`${text}`.source

/** What Studio's API says of the tasks of a log. */
const inStudio = <A>(log: string, use: (get: <B>(path: string) => Effect.Effect<B>) => Effect.Effect<A>) =>
  Effect.flatMap(page, ({ get }) => use(get)).pipe(Effect.provide(served(log)), Effect.scoped, Effect.runPromise)

describe("the report of a log", () => {
  it("lists all tasks, and explains the worst as Studio and the command line do", async () => {
    const log = await demoLog(23, 7)
    const html = await reportOf(log)
    const { tasks } = await document(["task", "ls", "--all", "--log", log])
    const ids = (tasks as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
    expect(ids).toHaveLength(23)
    const table = html.slice(html.indexOf('aria-label="All tasks, newest first"'))
    for (const id of ids) expect(table).toContain(`<code>${id}</code>`)
    const explained = await inStudio(log, (get) =>
      Effect.gen(function* () {
        const { rows } = yield* get<TaskList>(`/api/tasks?${query({ order: "worst", limit: 3 })}`)
        return yield* Effect.forEach(rows, ({ id }) => get<WhyFailed>(`/api/failure?${query({ task: id })}`))
      }),
    )
    expect(explained.map(({ standing }) => standing)).toEqual(["failed", "failed", "failed"])
    const section = html.slice(html.indexOf("Why did the worst tasks fail?"), html.indexOf("How did the commands end?"))
    let from = 0
    for (const { taskId, sentence, chain } of explained) {
      // In the order of Studio's list.
      const at = section.indexOf(`<h3>Task <code>${taskId}</code>`)
      expect(at).toBeGreaterThanOrEqual(from)
      from = at
      expect(section).toContain(`<bdi>${escaped(sentence)}</bdi>`)
      for (const link of chain) expect(section).toContain(`<bdi>${escaped(link.says)}</bdi>`)
      expect(await document(["why", taskId, "--log", log])).toMatchObject({ sentence, chain })
      const own = await reportOf(log, "--task", taskId)
      expect(own).toContain(`<h2>Why did it end like this?</h2><p><bdi>${escaped(sentence)}</bdi></p>`)
    }
  })

  it("says in plain sentences that nothing failed, that nothing is scored, and what goes on", async () => {
    const log = place.file("unscored.db")
    await append(log, "one", [opening("First"), { type: "TaskClosed", payload: { outcome: "achieved" } }])
    await append(log, "open", [opening("Second")])
    const html = await reportOf(log)
    expect(html).toContain("<p>No task failed, so there is nothing to explain.</p>")
    expect(html).toContain("No task is scored, so this report says nothing about scores.")
    expect(html).toContain("No task has a score, so there is nothing to show of scores.")
    expect(html).toContain("1 of 2, 1 stopped")
    expect(html).toContain("<code>one</code>")
    expect(html).toContain("<code>open</code>")
    expect(html).not.toContain("<code>open</code></td><td>open")
    const own = await reportOf(log, "--task", "open")
    expect(own).toMatch(/<bdi>me@1<\/bdi> stopped unexpectedly/)
    expect(own).toContain("Stopped unexpectedly @3 after 0 steps")
    const empty = place.file("empty.db")
    await append(empty, "x", [{ type: "NoteAdded", payload: { about: "x", text: "no task" } }])
    expect(await reportOf(empty)).toContain("No task was opened in this log: there is nothing to report.")
  })

  it("shows hostile texts as texts", async () => {
    const log = place.file("hostile.db")
    await append(log, "evil", [opening(EVIL), { type: "TaskClosed", payload: { outcome: "failed", reason: EVIL } }])
    const html = await reportOf(log)
    expect(html).not.toMatch(/<script|<img/)
    expect(html).toContain("&#60;img src=x")
  })
})
